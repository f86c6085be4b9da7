// The fields of each kernel's case, listed once. A visitor is called as
//   visit(name, int64_t&, Domain)          integers
//   visit(name, double&)                   the scale
//   visit(name, Enum&, span of names)      enumerations, simplest first
#pragma once

#include <span>
#include <string_view>

#include "oracles/case/case.h"

namespace oddtile::oracles {

std::span<const std::string_view> names(oddtile_dtype);
std::span<const std::string_view> names(oddtile_anchor);
std::span<const std::string_view> names(MaskKind);
std::span<const std::string_view> names(MaskLayout);
std::span<const std::string_view> names(Alias);
std::span<const std::string_view> names(Values);
std::span<const std::string_view> names(Scores);
std::span<const std::string_view> names(Contents);
std::span<const std::string_view> names(Layout);
std::span<const std::string_view> names(RowLayout);
std::span<const std::string_view> names(KeyLengths);

inline constexpr int64_t kLongest = int64_t(1) << 40;  // of a single length, in text
inline constexpr Domain kOffset = {0, 63, 0};
inline constexpr Domain kPad = {0, 4096, 0};

template <class Visitor>
void for_each_field(VectorAddCase& c, Visitor&& visit) {
  visit("dtype", c.dtype, names(c.dtype));
  visit("n", c.n, Domain{0, kLongest, 1});
  visit("x_offset", c.x_offset, kOffset);
  visit("y_offset", c.y_offset, kOffset);
  visit("out_offset", c.out_offset, kOffset);
  visit("mask_offset", c.mask_offset, kOffset);
  visit("mask", c.mask, names(c.mask));
  visit("alias", c.alias, names(c.alias));
  visit("values", c.values, names(c.values));
}

template <class Visitor>
void for_each_field(SoftmaxCase& c, Visitor&& visit) {
  visit("dtype", c.dtype, names(c.dtype));
  visit("rows", c.rows, Domain{0, kLongest, 1});
  visit("columns", c.columns, Domain{0, int64_t(1) << 31, 1});
  visit("x_pad", c.x_pad, kPad);
  visit("y_pad", c.y_pad, kPad);
  visit("x_offset", c.x_offset, kOffset);
  visit("y_offset", c.y_offset, kOffset);
  visit("mask_offset", c.mask_offset, kOffset);
  visit("mask", c.mask, names(c.mask));
  visit("mask_layout", c.mask_layout, names(c.mask_layout));
  visit("x_layout", c.x_layout, names(c.x_layout));
  visit("alias", c.alias, names(c.alias));
  visit("values", c.values, names(c.values));
}

template <class Visitor>
void for_each_field(AttentionCase& c, Visitor&& visit) {
  visit("dtype", c.dtype, names(c.dtype));
  visit("batch", c.batch, Domain{0, kLongest, 1});
  visit("heads_kv", c.heads_kv, Domain{1, 1 << 20, 1});
  visit("group", c.group, Domain{1, 1 << 10, 1});
  visit("seq_q", c.seq_q, Domain{0, kLongest, 1});
  visit("seq_k", c.seq_k, Domain{0, kLongest, 1});
  visit("head_dim", c.head_dim, Domain{1, 256, 16});
  visit("scale", c.scale);
  visit("band_low", c.band_low, Domain{-kUnbounded, kUnbounded, -kUnbounded});
  visit("band_high", c.band_high, Domain{-kUnbounded, kUnbounded, kUnbounded});
  visit("anchor", c.anchor, names(c.anchor));
  visit("lengths", c.lengths, names(c.lengths));
  visit("mask", c.mask, names(c.mask));
  visit("mask_layout", c.mask_layout, names(c.mask_layout));
  visit("q_layout", c.q_layout, names(c.q_layout));
  visit("k_layout", c.k_layout, names(c.k_layout));
  visit("v_layout", c.v_layout, names(c.v_layout));
  visit("o_layout", c.o_layout, names(c.o_layout));
  visit("pad", c.pad, kPad);
  visit("q_offset", c.q_offset, kOffset);
  visit("k_offset", c.k_offset, kOffset);
  visit("v_offset", c.v_offset, kOffset);
  visit("o_offset", c.o_offset, kOffset);
  visit("lse", c.lse, Domain{0, 1, 1});
  visit("scores", c.scores, names(c.scores));
  visit("contents", c.contents, names(c.contents));
}

// All fields of a case: those of its kernel, then configuration, seed and schedule (the last two
// as 64-bit patterns through int64_t&, whole range).
template <class Visitor>
void for_each_field(Case& c, Visitor&& visit) {
  std::visit([&](auto& problem) { for_each_field(problem, visit); }, c.problem);
  constexpr Domain whole = {std::numeric_limits<int64_t>::min(), kUnbounded, 0};
  visit("config", c.configuration, Domain{-1, 1 << 20, -1});
  visit("seed", reinterpret_cast<int64_t&>(c.seed), whole);
  visit("schedule", reinterpret_cast<int64_t&>(c.schedule), whole);
}

}  // namespace oddtile::oracles
