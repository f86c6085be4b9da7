// A case on the device that is longer than what the host makes of it: data of some rows, repeated
// there, so that a gigabyte takes no host time. Attention does not repeat: all of it is made.
#pragma once

#include <string>
#include <vector>

#include "reports/measure/timer.h"
#include "reports/measure/whole_output.h"

namespace oddtile::reports {

// How long a case is in its outermost dimension: rows of softmax, n of vector add, 1 of attention.
int64_t length_of(const oracles::Case& subject);
oracles::Case with_length(oracles::Case subject, int64_t length);
int64_t elements_of_unit(const oracles::Case& subject);  // columns, or 1

// How much of it the host makes: about so many elements, at least one row. In multiples of 64, so
// that repeated rows also lie alike against lines of memory; all where rows descend in memory.
int64_t length_to_make(const oracles::Case& subject, int64_t elements);

class LongBuffers {
 public:
  // `made`: the workload of with_length(subject, length_to_make(...)); must outlive this.
  LongBuffers(const oracles::Workload& made, const oracles::Case& subject,
              properties::Machine& machine, Timer& timer);
  LongBuffers(const LongBuffers&) = delete;
  LongBuffers& operator=(const LongBuffers&) = delete;
  ~LongBuffers();

  bool ready() const { return ready_; }  // false where the machine's memory does not suffice
  const oddtile_problem& problem() const { return problem_; }
  bool is_in_place() const;  // an output lies where an input does

  // One for every launch, at least so large; false where memory does not suffice.
  bool add_workspace(int64_t bytes);

  // Runs in these buffers; must not outlive them.
  Launch launching(const oddtile_implementation& which, int32_t id) const;

  void restore();          // everything as it was
  void restore_outputs();  // outputs, with the inputs that they replace

  // An input that does not hold its data any more ("x"); empty: all do. What an output replaces is
  // not looked at.
  std::string changed_input() const;

  // How often the data of `made` are there; the last time perhaps only their beginning.
  int64_t repetitions() const;
  // Outputs of one of them, as of a run of `made` (of all but the first only what lies between the
  // first and the last element); where the last is shorter, the rest is as in the first.
  Buffers outputs_of(int64_t repetition) const;
  // The output tensors' part that one of them has.
  oracles::Tensor extent_of(int64_t repetition, int tensor) const;

  // Whether a launch writes the same bits to the first and to the last whole repetition: what is
  // far from the start is computed as what is near.
  bool far_end_is_right(const Launch& launch);

 private:
  struct Block {
    std::byte* address = nullptr;
    int64_t bytes = 0;
  };

  const oracles::Tensor& owner(int tensor) const;
  int owner_index(int tensor) const;
  int64_t begin_of(int tensor) const;   // bytes before the data
  int64_t period_of(int tensor) const;  // bytes from one repetition to the next; 0: it does not
  void put(int tensor);                 // data of `made`, repeated
  bool is_as_put(int tensor) const;
  bool add(Block* block, int64_t bytes);

  const oracles::Workload& made_;
  const oracles::Workload whole_;  // without bytes
  properties::Machine& machine_;
  Timer& timer_;
  std::vector<Block> blocks_;  // parallel to the tensors; an alias has none
  Block workspace_;
  oddtile_problem problem_ = {};
  bool ready_ = false;
};

// Two buffers for the copy that everything is compared with.
class CopyBuffers {
 public:
  CopyBuffers(properties::Machine& machine, int64_t bytes);
  CopyBuffers(const CopyBuffers&) = delete;
  CopyBuffers& operator=(const CopyBuffers&) = delete;
  ~CopyBuffers();
  bool ready() const { return addresses_[0] != nullptr && addresses_[1] != nullptr; }
  void* from() const { return addresses_[0]; }
  void* to() const { return addresses_[1]; }

 private:
  properties::Machine& machine_;
  void* addresses_[2] = {};
};

}  // namespace oddtile::reports
