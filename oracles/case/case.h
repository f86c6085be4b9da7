// The noun of oddtile: a case says everything about one problem, as a small plain value with a
// one-line text form (text.h). Generators make it, fuzz bytes decode to it, corpus files hold it,
// oracles answer it, both machines run it.
//
// Each kernel's part lists its fields once, in for_each_field: name, member, domain. Text,
// shrinking, the fuzz codec and validation all walk that list, so a new field is added in one
// place.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "kernels/api/kernels.h"

namespace oddtile::oracles {

inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

// The values an integer field may take; `simplest` is where shrinking goes and what text omits.
struct Domain {
  int64_t lowest;
  int64_t highest;
  int64_t simplest;
};

// Enumerations: their names in text, simplest first (see names() in fields.h).
enum class MaskKind { none, all, nothing, half, sparse, dense, runs, checkerboard, first, last };
// How the bytes of a mask are laid out. row_broadcast: one row serves all rows (stride 0);
// head_broadcast: one head serves all heads and batches; column_broadcast: one byte serves a row
// (column stride 0); transposed: columns outer, rows inner (the last three attention only, else as
// dense).
enum class MaskLayout {
  dense,
  padded,
  row_broadcast,
  head_broadcast,
  column_broadcast,
  transposed
};
enum class Alias { none, x, y };  // out is exactly that input

// Element values of vector add and softmax, see oracles/case/README.md for each recipe.
enum class Values {
  integers,
  noise,
  zeros,
  level,
  deep,
  deeper,
  high,
  rising,
  falling,
  last_max,
  ties,
  one_hot,
  tiny,
  huge,
  negative_infinities,
  specials,
  bits
};

// Scores of attention (how q and k are made) and contents of v.
enum class Scores {
  integers,
  noise,
  zeros,
  level,
  deep,
  deeper,
  high,
  rising,
  falling,
  last_max,
  ties,
  peaked,
  fp16_overflow,
  cancelling,
  fused_exponent,
  negative_infinities,
  specials
};
enum class Contents { one_hot, noise, ones, cancelling, large, coded, specials };

// Order of the dimensions in memory; broadcast: stride 0 over the heads; reversed: rows descend.
enum class Layout { bhsd, bshd, sbhd, broadcast, reversed };
// Rows of softmax's x: apart; one row read as all of them (stride 0); descending (negative stride).
enum class RowLayout { dense, broadcast, reversed };
enum class KeyLengths { none, full, random, mixed, zero, outside };

struct VectorAddCase {
  oddtile_dtype dtype = oddtile_fp32;
  int64_t n = 1;
  int64_t x_offset = 0;  // elements between a 256-byte boundary and the first element
  int64_t y_offset = 0;
  int64_t out_offset = 0;
  int64_t mask_offset = 0;
  MaskKind mask = MaskKind::none;
  Alias alias = Alias::none;
  Values values = Values::integers;

  bool operator==(const VectorAddCase&) const = default;
};

struct SoftmaxCase {
  oddtile_dtype dtype = oddtile_fp32;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t x_pad = 0;  // row stride = columns + pad
  int64_t y_pad = 0;
  int64_t x_offset = 0;
  int64_t y_offset = 0;
  int64_t mask_offset = 0;
  MaskKind mask = MaskKind::none;
  MaskLayout mask_layout = MaskLayout::dense;
  RowLayout x_layout = RowLayout::dense;
  Alias alias = Alias::none;  // none, or x where it is dense
  Values values = Values::integers;

  bool operator==(const SoftmaxCase&) const = default;
};

struct AttentionCase {
  oddtile_dtype dtype = oddtile_fp16;
  int64_t batch = 1;
  int64_t heads_kv = 1;
  int64_t group = 1;  // heads_q = heads_kv * group
  int64_t seq_q = 1;
  int64_t seq_k = 1;
  int64_t head_dim = 16;
  double scale = 0.25;  // a float value
  int64_t band_low = -kUnbounded;
  int64_t band_high = kUnbounded;
  oddtile_anchor anchor = oddtile_top_left;
  KeyLengths lengths = KeyLengths::none;
  MaskKind mask = MaskKind::none;
  MaskLayout mask_layout = MaskLayout::dense;
  Layout q_layout = Layout::bhsd;
  Layout k_layout = Layout::bhsd;
  Layout v_layout = Layout::bhsd;
  Layout o_layout = Layout::bhsd;  // not broadcast, not reversed
  int64_t pad = 0;                 // elements between a row's end and the next row, every tensor
  int64_t q_offset = 0;
  int64_t k_offset = 0;
  int64_t v_offset = 0;
  int64_t o_offset = 0;
  int64_t lse = 1;  // 0: not asked for
  Scores scores = Scores::integers;
  Contents contents = Contents::one_hot;

  int64_t heads_q() const { return heads_kv * group; }
  bool operator==(const AttentionCase&) const = default;
};

struct Case {
  std::variant<VectorAddCase, SoftmaxCase, AttentionCase> problem;
  // Which of the implementation's configurations for this problem: the position in its order of
  // preference, modulo their number; -1: the preferred one. Not an id: ids mean something else to
  // each implementation and problem (softmax packs alignment into them), so none could be drawn.
  int64_t configuration = -1;
  uint64_t seed = 0;      // of the data
  uint64_t schedule = 0;  // of the simulator

  oddtile_kernel kernel() const { return oddtile_kernel(problem.index()); }
  bool operator==(const Case&) const = default;
};

std::string_view kernel_name(oddtile_kernel kernel);

// One clause saying why the case is impossible ("head_dim=0 is outside 1..256"), empty when it is
// possible. Every consumer may assume a possible case.
std::string impossible(const Case& subject);

// The same with the field that is to blame; `why` is empty when the case is possible.
struct Fault {
  std::string_view field;
  std::string why;
};
Fault find_fault(const Case& subject);

}  // namespace oddtile::oracles
