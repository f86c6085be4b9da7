// Mask bytes, key lengths, and which key rows no query may see.
#pragma once

#include <span>
#include <vector>

#include "kernels/base/random.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {

// Part of a mask row, from column `begin` of `columns`. Visible bytes are any of 1..255: a kernel
// that tests a single bit or compares with 1 must show. `row` is the generator of the row,
// `part` that of the part; `may_hide_row`: some kinds then hide whole rows.
struct MaskPart {
  int64_t row = 0;
  int64_t columns = 0;
  int64_t begin = 0;
  bool may_hide_row = false;
};
void fill_mask(MaskKind kind, Random tensor, MaskPart part, std::span<uint8_t> out);

// What stands in the key_length array, one per batch item; empty for KeyLengths::none.
std::vector<int32_t> make_key_lengths(const AttentionCase& subject, Random random);

// Per batch item, clamped as the contract says.
std::vector<int64_t> clamped_key_lengths(const AttentionCase& subject,
                                         std::span<const int32_t> lengths);

// Which rows of k and v some query sees: one byte per (batch, kv head, key). `mask` may be null.
// The bytes of the mask must be there already.
std::vector<uint8_t> seen_keys(const AttentionCase& subject, std::span<const int64_t> lengths,
                               const Tensor* mask);

}  // namespace oddtile::oracles
