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
  bad_launch,
  shared_race,                // two accesses to shared memory that nothing orders
  global_race,                // the same in global memory, within a block or between blocks
  proxy_race,                 // ordered, but without a fence between the proxies
  uninitialised_shared_read,  // of shared memory that nobody wrote
  barrier_count,              // too many arrivals or bytes, or counts that contradict one another
  barrier_misuse,             // a barrier that is not initialised, or waited for in a wrong phase
  asynchronous_misuse,        // operands that change, or results that are touched, in flight
  leftover_at_exit,           // arrivals, bytes or groups that nobody has waited for
};
const char* hazard_name(HazardKind kind);

// The other end of a race.
struct HazardPlace {
  std::string file;  // path from the repository's root
  int line = 0;
  int thread = -1;  // -1: there is no other end
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
  HazardPlace other;
  std::string text() const;
};

struct Counters {
  int64_t bytes_read = 0;     // from global memory
  int64_t bytes_written = 0;  // to global memory
  int64_t flops = 0;          // mma, fma: 2 per product; exp2, log2, division: 1
  int64_t prefetches = 0;     // of a line or a sector, by a lane; nothing is read
  int64_t launches = 0;
  int64_t blocks = 0;

  void add(const Counters& other);
};

// How the matrix unit and the approximate instructions compute. The default is the plain
// arithmetic: products summed in double and rounded once, exp2 and log2 within 0.51 ulp. Another
// machine's is set from what was measured there (oracles/bounds/profiles).
struct Arithmetic {
  int mma_products = 0;       // that one group adds: 16, 8 or 4; 0: plain
  int mma_fraction_bits = 0;  // kept below the group's largest exponent, at most 40
  bool mma_truncates = true;  // addends and results toward zero; else to nearest even
  // Where positive, each result but an exact one errs by almost as much, to the side that the
  // argument's bits choose: within the measured error, not the measured bits.
  double exp2_error = 0;           // relative
  bool exp2_interpolated = false;  // an H200's bits instead
  double log2_error = 0;           // relative, or absolute where |log2 x| < 1
  bool log2_interpolated = false;
};

// A synchronisation word at one place of a kernel's source.
struct SynchronisationSite {
  std::string word;
  std::string file;  // path from the repository's root
  int line = 0;
  int64_t count = 0;     // times that a lane came by
  bool without = false;  // switched off
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
  // Holds for every launch until it is set again; begin() does not touch it.
  void set_arithmetic(const Arithmetic& arithmetic);

  // Blocks of a launch may run on so many threads, if there are enough and neither races are looked
  // for nor synchronisation words counted or switched off. Outputs, hazards and trace are those of
  // one thread, unless blocks race with one another. begin() leaves it as it is.
  void use_threads(int count);

  // Whether races are looked for from the next launch on. The default is true in a program whose
  // kernels are instrumented (it links kernels_sim_hooks), false elsewhere: only instrumented
  // kernels show their plain accesses to shared memory. begin() leaves it as it is.
  void detect_races(bool wanted);
  bool detects_races() const;
  // Plain accesses to shared memory that were looked at, ever: a check on the instrumentation.
  int64_t accesses_watched() const;

  // Synchronisation words (barriers, waits, arrivals, commits, fences) whose call stands at this
  // line of a file that ends in `file_suffix` do nothing, from the next launch on. begin() leaves
  // it as it is.
  void without(const std::string& file_suffix, int line);
  void with_everything();
  // Counts them; off at first, since it costs a little at each such word.
  void list_synchronisation(bool wanted);
  std::vector<SynchronisationSite> synchronisation_sites() const;  // in order of file and line

  const std::vector<Hazard>& hazards() const;
  const Counters& counters() const;
  uint64_t trace_hash() const;
  std::string schedule_text() const;  // the policies that the seed has drawn

  struct State;  // private to kernels/sim
  State& state() { return *state_; }

 private:
  State* state_;
};

}  // namespace oddtile::sim
