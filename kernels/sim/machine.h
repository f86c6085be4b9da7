// The simulator as its owner sees it: what `stream` points at on the machine `sim`. Kernels never
// include this; properties/harness does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oddtile::sim {

enum class HazardKind {
  out_of_bounds,
  misaligned,
  deadlock,
  barrier_divergence,
  collective_divergence,
  pending_copies_at_exit,
  kernel_exception,
  bad_launch
};

// A finding of the simulator, as a value; `text()` is one line.
struct Hazard {
  HazardKind kind;
  std::string kernel;
  std::string file;  // of the word that noticed it, path from the repository's root
  int line = 0;
  int64_t block = 0;
  int thread = 0;
  int64_t step = 0;    // of the scheduler
  std::string detail;  // "reads 16 bytes at +4090 of q (4096 bytes)"; who waits where
  std::string text() const;
};

struct Counters {
  int64_t bytes_read = 0;     // from global memory
  int64_t bytes_written = 0;  // to global memory
  int64_t flops = 0;          // mma, fma: 2 per product; exp2, log2, division: 1
  int64_t launches = 0;
  int64_t blocks = 0;
};

class Machine {
 public:
  Machine();
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Forgets regions, hazards, counts and trace; everything that runs next follows this schedule.
  // The same seed and the same launches give the same trace, bit for bit.
  void begin(uint64_t schedule);
  // Kernels may touch [address, address + bytes). Reads may reach to the surrounding 16-byte
  // boundary (covering aligned loads, as on a GPU), writes may not.
  void allow(const void* address, int64_t bytes, const std::string& name);

  const std::vector<Hazard>& hazards() const;
  const Counters& counters() const;
  uint64_t trace_hash() const;

  struct State;  // private to kernels/sim
  State& state() { return *state_; }

 private:
  State* state_;
};

}  // namespace oddtile::sim
