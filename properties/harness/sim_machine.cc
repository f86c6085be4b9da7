// The simulator as a machine: the only file outside kernels/ that knows sim::Machine.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "kernels/library/library.h"
#include "kernels/sim/machine.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

sim::Arithmetic arithmetic_of(const oracles::HardwareProfile& hardware) {
  return {.mma_products = hardware.mma_products,
          .mma_fraction_bits = hardware.mma_fraction_bits,
          .mma_truncates = !hardware.mma_rounds,
          .exp2_error = hardware.exp2.relative_error,
          .exp2_interpolated = hardware.exp2.simulated,
          .log2_error = hardware.log2_error(),
          .log2_interpolated = hardware.log2.simulated};
}

class SimMachine : public Machine {
 public:
  SimMachine() {
    const char* wanted = std::getenv("ODDTILE_ARITHMETIC");
    if (wanted == nullptr || *wanted == 0) return;
    const oracles::HardwareProfile* hardware = oracles::hardware_profile(wanted);
    if (hardware == nullptr) {
      // Silence would let a suite prove less than its name says.
      fmt::print(stderr, "ODDTILE_ARITHMETIC: there is no hardware profile '{}'\n", wanted);
      std::exit(2);
    }
    imitate(hardware);
  }
  std::string name() const override { return "sim"; }
  std::string description() const override {
    const std::string own = "deterministic SIMT simulator on this CPU";
    return imitated_ ? own + ", in the arithmetic of " + imitated_->name : own;
  }
  void* allocate(int64_t bytes) override {
    return std::aligned_alloc(256, size_t((bytes + 255) / 256 * 256));
  }
  void release(void* address) override { std::free(address); }
  void copy_in(void* to, const void* from, int64_t bytes) override {
    std::memcpy(to, from, size_t(bytes));
  }
  void copy_out(void* to, const void* from, int64_t bytes) override {
    std::memcpy(to, from, size_t(bytes));
  }
  void fill(void* to, int value, int64_t bytes) override { std::memset(to, value, size_t(bytes)); }
  void allow(void* address, int64_t bytes, const std::string& name) override {
    machine_.allow(address, bytes, name);
  }
  void begin(uint64_t schedule) override { machine_.begin(schedule); }
  void* stream() override { return &machine_; }
  std::string synchronise() override { return {}; }  // launches have run when they return
  std::vector<Hazard> hazards() override {
    std::vector<Hazard> result;
    for (const sim::Hazard& hazard : machine_.hazards()) result.push_back({hazard.text()});
    return result;
  }
  Counters counters() override {
    const sim::Counters& counted = machine_.counters();
    return {counted.bytes_read, counted.bytes_written, counted.flops, counted.launches};
  }
  void use_threads(int count) override { machine_.use_threads(count); }
  bool counts() const override { return true; }
  uint64_t trace_hash() override { return machine_.trace_hash(); }
  std::vector<const oddtile_implementation*> implementations() const override {
    return {&sim::fused(), &sim::eager()};
  }
  const oracles::HardwareProfile* hardware() const override {
    return imitated_ ? &*imitated_ : own_;
  }
  const ArithmeticProbes* probes() const override { return &sim::arithmetic_probes(); }
  const oddtile_implementation* copies() const override { return &sim::copies(); }
  bool imitate(const oracles::HardwareProfile* hardware) override {
    const bool own = hardware == nullptr || hardware == own_;
    imitated_ = own ? std::nullopt : std::optional(*hardware);
    machine_.set_arithmetic(own ? sim::Arithmetic{} : arithmetic_of(*hardware));
    return true;
  }
  std::string arithmetic() const override { return imitated_ ? imitated_->name : std::string(); }

 private:
  sim::Machine machine_;
  const oracles::HardwareProfile* own_ = oracles::hardware_profile("sim");
  std::optional<oracles::HardwareProfile> imitated_;
};

}  // namespace

Machine& sim_machine() {
  static SimMachine machine;
  return machine;
}

std::unique_ptr<Machine> make_sim_machine() {
  return std::make_unique<SimMachine>();
}

}  // namespace oddtile::properties
