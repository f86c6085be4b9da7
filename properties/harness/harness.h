// The one path by which an implementation's functions are launched. run_case is for checks;
// Prepared is for timing. Guard bands, poison and reading back are done here, once, for every
// machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/probe/copies.h"
#include "kernels/probe/probe.h"
#include "oracles/bounds/hardware.h"
#include "oracles/case/workload.h"

namespace oddtile::properties {

// Exact counts of the simulator; all zero on a machine that does not count.
struct Counters {
  int64_t bytes_read = 0;  // global memory
  int64_t bytes_written = 0;
  int64_t flops = 0;  // of the words: mma and fma 2 per product, exponentials 1
  int64_t launches = 0;
};

struct Hazard {
  std::string text;  // one line: kind, kernel, file:line, block, lanes, step
};

// A place where kernels run. Implementations of this interface: the simulator, a CUDA device.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::string name() const = 0;         // "sim", "cuda"
  virtual std::string description() const = 0;  // one line
  virtual void* allocate(int64_t bytes) = 0;    // 256-byte aligned; nullptr: out of memory
  virtual void release(void* address) = 0;
  virtual void copy_in(void* to, const void* from, int64_t bytes) = 0;
  virtual void copy_out(void* to, const void* from, int64_t bytes) = 0;
  virtual void fill(void* to, int value, int64_t bytes) = 0;
  // Kernels may touch [address, address + bytes); machines that cannot check ignore it.
  virtual void allow(void* /*address*/, int64_t /*bytes*/, const std::string& /*name*/) {}
  virtual void begin(uint64_t /*schedule*/) {}  // forget regions, hazards and counts
  virtual void* stream() = 0;
  virtual std::string synchronise() = 0;  // empty, or the machine's error text
  // True once a fault has made the machine useless for the rest of the process (a CUDA context
  // after an illegal access): the driver reports what it has and ends.
  virtual bool lost() const { return false; }
  virtual std::vector<Hazard> hazards() { return {}; }
  virtual Counters counters() { return {}; }
  virtual uint64_t trace_hash() { return 0; }
  virtual bool counts() const { return false; }  // whether counters() means anything
  // The implementations built for this machine: "fused" first, then "eager".
  virtual std::vector<const oddtile_implementation*> implementations() const = 0;

  // How many of this CPU's threads a launch may use; machines that use none of them ignore it. What
  // a run gives does not depend on it.
  virtual void use_threads(int /*count*/) {}

  // What was measured of this machine's arithmetic, for the bounds; nullptr: unknown, and only what
  // is declared counts.
  virtual const oracles::HardwareProfile* hardware() const { return nullptr; }
  // Single words on given operands, for measuring that; nullptr where there are none.
  virtual const ArithmeticProbes* probes() const { return nullptr; }
  // Copies of the matrices of a softmax, to be timed beside it (kernels/probe/copies.h); nullptr
  // where there are none.
  virtual const oddtile_implementation* copies() const { return nullptr; }
  // From now on computes as that hardware does (a copy is taken; nullptr: in its own arithmetic),
  // and hardware() says so. False on machines that have but their own.
  virtual bool imitate(const oracles::HardwareProfile* /*hardware*/) { return false; }
  // The name of what is imitated; empty for the machine's own.
  virtual std::string arithmetic() const { return {}; }
};

// The simulator; in the arithmetic that the environment variable ODDTILE_ARITHMETIC names, if any.
Machine& sim_machine();
// Another simulator, for a thread of its own: machines share nothing, and each belongs to one
// thread at a time.
std::unique_ptr<Machine> make_sim_machine();
Machine* cuda_machine();            // nullptr where there is none
std::string cuda_absence_reason();  // why cuda_machine() is nullptr: "nvcc was not found", ...

// Loads a shared library that exports oddtile_plugin; nullptr and a one-line reason on failure.
const oddtile_implementation* load_plugin(const std::string& path, std::string* reason);
// Where load_plugin found this table (an absolute path); empty for any other table.
std::string plugin_path(const oddtile_implementation& which);

// What happened in one run of a case.
struct Outcome {
  oddtile_status status = oddtile_unsupported;
  bool launched = false;          // the implementation says that it has launched
  int32_t configuration = -1;     // the id
  int32_t position = -1;          // of that id in the order of preference: `config` of a case
  oddtile_profile declared = {};  // as describe() has it
  oddtile_profile profile = {};   // with what was measured of the machine: what the bounds read
  std::vector<std::vector<std::byte>> buffers;  // every tensor's bytes after the run
  std::vector<std::string> violations;  // guard bands, inputs or output gaps changed; errors
  std::vector<Hazard> hazards;
  Counters counters;
  uint64_t trace_hash = 0;

  bool clean() const { return status == oddtile_ok && violations.empty() && hazards.empty(); }
};

// `surroundings` is the byte that guard bands and the workspace hold before the run: like poison,
// it must not have an influence.
Outcome run_workload(const oracles::Workload& workload, const oddtile_implementation& which,
                     Machine& machine, uint64_t schedule, uint8_t surroundings = 0xFF);

inline Outcome run_case(const oracles::Case& subject, const oddtile_implementation& which,
                        Machine& machine, oracles::Poison poison = oracles::Poison::nan) {
  return run_workload(oracles::materialise(subject, poison), which, machine, subject.schedule);
}

// A problem whose buffers stay on the machine, for launching many times.
class Prepared {
 public:
  // `reason` gets one line when the implementation does not offer the problem or memory is short.
  static std::unique_ptr<Prepared> make(const oracles::Workload& workload,
                                        const oddtile_implementation& which, Machine& machine,
                                        std::string* reason);
  virtual ~Prepared() = default;
  virtual oddtile_status launch() = 0;                             // enqueues on machine.stream()
  virtual std::vector<std::vector<std::byte>> read_outputs() = 0;  // parallel to the tensors
  virtual void poison_outputs() = 0;
  virtual const oddtile_profile& profile() const = 0;
};

}  // namespace oddtile::properties
