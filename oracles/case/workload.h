// A case made concrete: its tensors as bytes on the host, with poison in everything that is not
// logical data, ready to be copied to a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracles/case/case.h"

namespace oddtile::oracles {

enum class Role { x, y, mask, out, q, k, v, o, lse, key_length };
std::string_view role_name(Role role);

enum class Element { fp32, fp16, bf16, byte, int32 };
int64_t element_bytes(Element element);

// A strided view of up to 4 dimensions of a flat buffer; sizes, strides and offset in elements.
// Unused leading dimensions have size 1 and stride 0.
struct Tensor {
  Role role;
  Element element;
  bool is_output = false;
  int alias_of = -1;  // index of the tensor whose buffer this one shares; `bytes` is then empty
  int64_t sizes[4] = {1, 1, 1, 1};
  int64_t strides[4] = {0, 0, 0, 0};
  int64_t offset = 0;    // of element (0, 0, 0, 0) from the buffer's start (256-byte aligned)
  int64_t capacity = 0;  // elements in the buffer, at least all that the view reaches
  std::vector<std::byte> bytes;

  int64_t index(int64_t i0, int64_t i1, int64_t i2, int64_t i3) const {
    return offset + i0 * strides[0] + i1 * strides[1] + i2 * strides[2] + i3 * strides[3];
  }
  int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
};

// The value at `index` of a buffer of `element`s (byte and int32 as their integer).
double value_at(std::span<const std::byte> buffer, Element element, int64_t index);

// What fills the bytes outside the logical data, and outputs before the run. Two runs with
// different poison must agree bit for bit on every logical output element.
enum class Poison { nan, large, zero };

struct Workload {
  Case subject;
  std::vector<Tensor> tensors;

  const Tensor* find(Role role) const;  // nullptr where the case has none (no mask, say)
  int index_of(Role role) const;        // -1 where the case has none
};

// Makes the tensors. Logical inputs depend on the case alone; `poison` decides the rest: gaps and
// tails of inputs, K hidden in any way, V beyond the key length (V hidden by band or mask gets a
// finite poison), and every byte of the outputs (masked outputs of vector add get their old value,
// which depends on the case alone).
Workload materialise(const Case& subject, Poison poison);

// materialise(made.subject, poison) from the same case made with another poison: logical inputs are
// copied, which is several times faster than to make them.
Workload with_poison(const Workload& made, Poison poison);

// The problem as the C ABI states it; addresses[i] is where tensors[i].bytes were copied
// (for an alias: the address of the buffer it shares). Call it qualified, oracles::bind: a vector
// as argument brings std::bind into the overload set.
oddtile_problem bind(const Workload& workload, std::span<void* const> addresses);

}  // namespace oddtile::oracles
