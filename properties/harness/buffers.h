// The tensors of a workload on a machine, each in an allocation of its own between two guard bands.
// Private to properties/harness and properties/checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "oracles/case/workload.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {

// Wide enough for one whole vector access of every lane of a warp; a multiple of 256, so that the
// buffer behind the guard keeps the machine's alignment.
inline constexpr int64_t kGuardBytes = 1024;

// One allocation: guard, payload, guard. Owns it.
class GuardedBlock {
 public:
  GuardedBlock(Machine& machine, int64_t bytes, uint8_t guard);
  GuardedBlock(GuardedBlock&& other) noexcept;
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;
  ~GuardedBlock();

  bool allocated() const { return base_ != nullptr; }
  void* address() const { return base_ + kGuardBytes; }
  int64_t bytes() const { return bytes_; }
  std::vector<std::byte> read() const;
  // One line for the changed guard byte nearest to the payload on each side.
  void report_guards(const std::string& name, std::vector<std::string>* violations) const;

 private:
  Machine* machine_;
  std::byte* base_;
  int64_t bytes_;
  uint8_t guard_;
};

class Buffers {
 public:
  // Copies the workload in. `ready()` is false where the machine's memory does not suffice.
  Buffers(const oracles::Workload& workload, Machine& machine, uint8_t surroundings);

  bool ready() const { return ready_; }
  oddtile_problem problem() const { return problem_; }
  void* address(int tensor) const { return addresses_[tensor]; }

  // A workspace of the size that the implementation asks for; nullptr for 0 bytes.
  bool add_workspace(int64_t bytes);
  void* workspace() const { return workspace_.empty() ? nullptr : workspace_[0].address(); }

  void allow() const;  // tells the machine what kernels may touch: payloads, without guards
  // Every tensor's bytes now, parallel to the workload's tensors; an alias gets those of the buffer
  // that it shares. With outputs_only the rest stay empty.
  std::vector<std::vector<std::byte>> read(bool outputs_only = false) const;
  // Changed guards, changed inputs, and output bytes outside the logical elements that changed.
  std::vector<std::string> violations(const std::vector<std::vector<std::byte>>& after) const;
  bool untouched() const;  // no byte changed anywhere, logical outputs included
  void restore_outputs();  // to what the workload holds

 private:
  const std::vector<std::byte>& original(int tensor) const;
  int owner(int tensor) const;

  const oracles::Workload& workload_;
  Machine& machine_;
  uint8_t surroundings_;
  std::vector<GuardedBlock> blocks_;  // of the tensors that are no alias
  std::vector<int> block_of_;         // tensor -> index into blocks_
  std::vector<void*> addresses_;
  std::vector<GuardedBlock> workspace_;  // none or one
  oddtile_problem problem_ = {};
  bool ready_ = false;
};

// Calls visit(first_byte, bytes) for each contiguous run of logical elements of the tensor.
template <class Visit>
void for_each_logical_run(const oracles::Tensor& tensor, Visit&& visit) {
  const int64_t size = oracles::element_bytes(tensor.element);
  const bool dense = tensor.strides[3] == 1;
  const int64_t runs = dense ? (tensor.sizes[3] > 0) : tensor.sizes[3];
  const int64_t run_bytes = dense ? tensor.sizes[3] * size : size;
  for (int64_t i0 = 0; i0 < tensor.sizes[0]; ++i0) {
    for (int64_t i1 = 0; i1 < tensor.sizes[1]; ++i1) {
      for (int64_t i2 = 0; i2 < tensor.sizes[2]; ++i2) {
        for (int64_t run = 0; run < runs; ++run) {
          visit(tensor.index(i0, i1, i2, run) * size, run_bytes);
        }
      }
    }
  }
}

// Calls visit(byte) for each logical element of the tensor whose bytes differ in the two buffers.
template <class Visit>
void for_each_difference(const oracles::Tensor& tensor, const std::vector<std::byte>& one,
                         const std::vector<std::byte>& two, Visit&& visit) {
  const int64_t size = oracles::element_bytes(tensor.element);
  for_each_logical_run(tensor, [&](int64_t first, int64_t bytes) {
    if (std::memcmp(one.data() + first, two.data() + first, size_t(bytes)) == 0) return;
    for (int64_t at = first; at < first + bytes; at += size) {
      if (std::memcmp(one.data() + at, two.data() + at, size_t(size)) != 0) visit(at);
    }
  });
}

// The launch function of the problem's kernel, called; a missing one is `unsupported`.
oddtile_status launch(const oddtile_implementation& which, const oddtile_problem& problem,
                      int32_t id, void* workspace, void* stream);

// Ids of an implementation's configurations for a problem, the preferred one first; at most 256.
std::vector<int32_t> configurations_of(const oddtile_implementation& which,
                                       const oddtile_problem& problem);

// As describe() has it, with what was measured of the machine; nullopt: it refuses the id.
std::optional<oddtile_profile> profile_of(const oddtile_implementation& which,
                                          const oddtile_problem& problem, int32_t id,
                                          const Machine& machine);

// What a case asks for (`configuration` in case.h): its position in the order of preference that
// configurations() gives, and the id there; both -1 where the problem is not offered.
struct Choice {
  int32_t position = -1;
  int32_t id = -1;
};
Choice choose_configuration(const oddtile_implementation& which, const oddtile_problem& problem,
                            int64_t configuration);

}  // namespace oddtile::properties
