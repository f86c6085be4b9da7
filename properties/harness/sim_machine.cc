// The simulator as a machine: the only file outside kernels/ that knows sim::Machine.
#include <cstdlib>
#include <cstring>

#include "kernels/library/library.h"
#include "kernels/sim/machine.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

class SimMachine : public Machine {
 public:
  std::string name() const override { return "sim"; }
  std::string description() const override {
    return "deterministic SIMT simulator on this CPU, one thread";
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
  bool counts() const override { return true; }
  uint64_t trace_hash() override { return machine_.trace_hash(); }
  std::vector<const oddtile_implementation*> implementations() const override {
    return {&sim::fused(), &sim::eager()};
  }

 private:
  sim::Machine machine_;
};

}  // namespace

Machine& sim_machine() {
  static SimMachine machine;
  return machine;
}

}  // namespace oddtile::properties
