// Launching one problem many times, for timing: buffers, configuration and workspace are made once.
#include <fmt/format.h>

#include "properties/harness/buffers.h"

namespace oddtile::properties {
namespace {

class PreparedOnMachine : public Prepared {
 public:
  PreparedOnMachine(const oracles::Workload& workload, const oddtile_implementation& which,
                    Machine& machine)
      : workload_(workload), which_(which), machine_(machine), buffers_(workload_, machine, 0xFF) {}

  // Empty, or why it cannot be launched.
  std::string prepare() {
    if (!buffers_.ready()) return "the machine has no memory for the tensors of this case";
    problem_ = buffers_.problem();
    id_ = choose_configuration(which_, problem_, workload_.subject.configuration).id;
    if (id_ < 0) return fmt::format("{} does not offer this problem", which_.name);
    const auto profile = profile_of(which_, problem_, id_, machine_);
    if (!profile) return fmt::format("{} cannot describe its configuration {}", which_.name, id_);
    profile_ = *profile;
    const int64_t bytes = which_.workspace_bytes(&problem_, id_);
    if (bytes < 0 || !buffers_.add_workspace(bytes)) {
      return fmt::format("the machine has no memory for a workspace of {} bytes", bytes);
    }
    return {};
  }

  // Begins anew each time: other problems may have been launched on the machine in between, and
  // its regions and counts should be those of this launch.
  oddtile_status launch() override {
    machine_.begin(workload_.subject.schedule);
    buffers_.allow();
    return properties::launch(which_, problem_, id_, buffers_.workspace(), machine_.stream());
  }

  std::vector<std::vector<std::byte>> read_outputs() override {
    machine_.synchronise();
    return buffers_.read(/*outputs_only=*/true);
  }

  void poison_outputs() override { buffers_.restore_outputs(); }
  const oddtile_profile& profile() const override { return profile_; }

 private:
  const oracles::Workload workload_;  // a copy: the buffers refer to it for as long as they live
  const oddtile_implementation& which_;
  Machine& machine_;
  Buffers buffers_;
  oddtile_problem problem_ = {};
  int32_t id_ = -1;
  oddtile_profile profile_ = {};
};

}  // namespace

std::unique_ptr<Prepared> Prepared::make(const oracles::Workload& workload,
                                         const oddtile_implementation& which, Machine& machine,
                                         std::string* reason) {
  auto prepared = std::make_unique<PreparedOnMachine>(workload, which, machine);
  std::string why_not = prepared->prepare();
  if (why_not.empty()) return prepared;
  if (reason != nullptr) *reason = std::move(why_not);
  return nullptr;
}

}  // namespace oddtile::properties
