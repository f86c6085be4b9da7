// `oddtile machines` and `oddtile list`: what there is to run, and on what.
#include <fmt/format.h>

#include <vector>

#include "oracles/case/layout.h"
#include "oracles/case/text.h"
#include "properties/harness/buffers.h"
#include "properties/harness/harness.h"
#include "reports/cli/commands.h"
#include "reports/measure/error_sweep.h"

namespace oddtile::reports {
namespace {

// Problems whose admissible configurations differ: element types, short and long rows, head sizes.
constexpr const char* kExamples[] = {
    "vector_add n=1000",
    "vector_add n=1000 dtype=bf16",
    "softmax rows=2 columns=64",
    "softmax rows=2 columns=1000 dtype=bf16",
    "softmax rows=2 columns=65536",
    "attention seq_q=64 seq_k=64 head_dim=16",
    "attention seq_q=64 seq_k=64 head_dim=64",
    "attention seq_q=64 seq_k=64 head_dim=128",
    "attention seq_q=64 seq_k=64 head_dim=256",
};

void list_configurations(const properties::Machine& machine, const oddtile_implementation& which,
                         const char* example) {
  const oracles::Case subject = std::get<oracles::Case>(oracles::parse(example));
  const oddtile_problem problem = oracles::bind_nowhere(subject);
  const std::vector<int32_t> ids = properties::configurations_of(which, problem);
  fmt::print("  {} {}: {}\n", machine.name(), which.name, example);
  if (ids.empty()) fmt::print("    not offered\n");
  for (size_t i = 0; i < ids.size(); ++i) {  // the position is what `config=` of a case means
    oddtile_profile profile = {};
    if (which.describe(&problem, ids[i], &profile) != oddtile_ok) continue;
    fmt::print("    config={:<3} {}{}: {}\n", i, profile.name, i == 0 ? " (preferred)" : "",
               profile_text(subject.kernel(), profile));
  }
}

}  // namespace

int machines_command() {
  const properties::Machine& sim = properties::sim_machine();
  fmt::print("sim   {}\n", sim.description());
  if (const properties::Machine* cuda = properties::cuda_machine()) {
    fmt::print("cuda  {}\n", cuda->description());
  } else {
    fmt::print("cuda  not here: {}\n", properties::cuda_absence_reason());
  }
  return 0;
}

int list_command() {
  std::vector<properties::Machine*> machines = {&properties::sim_machine()};
  if (properties::Machine* cuda = properties::cuda_machine()) machines.push_back(cuda);
  for (const int kernel : {0, 1, 2}) {
    const std::string_view name = oracles::kernel_name(oddtile_kernel(kernel));
    fmt::print("{}\n", name);
    for (properties::Machine* machine : machines) {
      for (const oddtile_implementation* which : machine->implementations()) {
        for (const char* example : kExamples) {
          if (std::string_view(example).starts_with(name)) {
            list_configurations(*machine, *which, example);
          }
        }
      }
    }
  }
  return 0;
}

}  // namespace oddtile::reports
