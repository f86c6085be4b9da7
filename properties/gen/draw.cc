#include "properties/gen/draw.h"

#include <algorithm>
#include <limits>
#include <span>

#include "kernels/base/assert.h"
#include "oracles/case/fields.h"
#include "oracles/case/sizes.h"

namespace oddtile::properties {
namespace {

using namespace oracles;

template <class Item>
Item pick(Random& random, std::span<const Item> items) {
  return items[random.below(uint32_t(items.size()))];
}

bool one_in(Random& random, uint32_t count) {
  return random.below(count) == 0;
}

// Any enumerator; `from` leaves out the first ones.
template <class Enum>
Enum any(Random& random, Enum kind, int64_t from = 0) {
  return Enum(random.between(from, int64_t(names(kind).size()) - 1));
}

int64_t draw_length(Random& random, std::span<const int64_t> interesting, int64_t longest) {
  switch (random.below(4)) {
    case 0:
      return random.between(1, std::min<int64_t>(longest, 40));
    case 1:
      return random.between(1, longest);
    default:
      return pick(random, interesting);
  }
}

// One element off a boundary is what breaks vector access; other offsets matter less.
int64_t draw_offset(Random& random) {
  const int64_t likely[] = {0, 1, 1, 2, 3, 4, 7, 8};
  return one_in(random, 8) ? random.between(0, 63) : pick<int64_t>(random, likely);
}

int64_t draw_pad(Random& random) {
  const int64_t likely[] = {1, 1, 2, 3, 7, 8, 16, 24, 64};
  return pick<int64_t>(random, likely);
}

void draw_rest(Case& subject, Random& random) {
  // A position in a list that may be that long; beyond its end it counts from the start.
  subject.configuration = one_in(random, 2) ? -1 : int64_t(random.below(64));
  subject.seed = one_in(random, 3) ? 0 : random.next() >> random.below(64);
  subject.schedule = one_in(random, 3) ? 0 : random.next() >> random.below(64);
}

// Halves the largest of the lengths until the case is small enough. Not by division alone: the next
// smaller interesting length keeps tile edges in the game.
int64_t smaller_length(Random& random, int64_t length) {
  const auto lengths = interesting_columns();
  const auto end = std::upper_bound(lengths.begin(), lengths.end(), length / 2);
  const int64_t at = end - lengths.begin() - 1;
  return one_in(random, 3) ? length / 2 : lengths[size_t(std::max<int64_t>(0, at))];
}

void draw_heads(AttentionCase& c, Random& random) {
  c.batch = pick<int64_t>(random, std::array<int64_t, 6>{1, 1, 2, 2, 3, 5});
  const HeadRatio ratio = pick(random, interesting_head_ratios());
  c.heads_kv = ratio.heads_kv;
  c.group = ratio.group;
  if (one_in(random, 32)) c.batch = 0;
}

void draw_lengths(AttentionCase& c, Random& random) {
  c.seq_q = draw_length(random, interesting_lengths(), 300);
  c.seq_k = draw_length(random, interesting_lengths(), 300);
  if (one_in(random, 4)) c.seq_k = c.seq_q;
  if (one_in(random, 6)) c.seq_q = 1;
  if (one_in(random, 8)) c.seq_k = std::clamp<int64_t>(c.seq_q + random.between(-2, 2), 0, 300);
}

void draw_band(AttentionCase& c, Random& random) {
  c.anchor = any(random, c.anchor);
  int64_t width =
      one_in(random, 3) ? pick(random, interesting_lengths()) : int64_t(random.below(70));
  // A window that covers every key must leave the other limit in force.
  if (one_in(random, 4)) width = c.seq_k + int64_t(random.below(3));
  constexpr int64_t kFar = kUnbounded - 1;  // finite, and past any difference of lengths
  switch (random.below(9)) {
    case 0:
    case 1:
      c.band_high = 0;  // causal
      return;
    case 2:  // sliding window
      c.band_high = 0;
      c.band_low = -width;
      return;
    case 3:  // both sides
      c.band_low = -width;
      c.band_high = int64_t(random.below(40));
      return;
    case 4:
      c.band_high = random.between(-40, 100);
      return;
    case 5:
      c.band_low = random.between(-100, 40);
      return;
    case 6:  // one diagonal
      c.band_low = c.band_high = random.between(-30, 30);
      return;
    case 7:  // where 64-bit arithmetic on a limit would overflow
      c.band_low = one_in(random, 2) ? -kFar : -width;
      c.band_high = one_in(random, 2) ? kFar : int64_t(1) << random.between(31, 62);
      return;
    default:  // anything, empty bands included
      c.band_low = random.between(-60, 60);
      c.band_high = random.between(-60, 60);
  }
}

void draw_layouts(AttentionCase& c, Random& random) {
  c.q_layout = any(random, c.q_layout);
  c.k_layout = any(random, c.k_layout);
  c.v_layout = any(random, c.v_layout);
  c.o_layout = any(random, c.o_layout);
  if (c.o_layout == Layout::broadcast || c.o_layout == Layout::reversed) c.o_layout = Layout::bshd;
  if (one_in(random, 3)) c.q_layout = c.k_layout = c.v_layout = c.o_layout;
}

void draw_offsets(AttentionCase& c, Random& random) {
  c.q_offset = draw_offset(random);
  c.k_offset = draw_offset(random);
  c.v_offset = draw_offset(random);
  c.o_offset = draw_offset(random);
}

void draw_scale(AttentionCase& c, Random& random) {
  c.scale = usual_scale(c.head_dim);
  if (!one_in(random, 3)) return;
  c.scale = one_in(random, 4) ? float(random.normal()) : pick(random, interesting_scales());
}

// Kernels that copy whole tiles take aligned data only, and fill a ring of tiles again only where
// many tiles of keys follow one another. Left to chance both hardly ever meet.
constexpr int64_t kManyTilesWork = 120'000;

void draw_many_tiles(AttentionCase& c, Random& random) {
  c.batch = pick<int64_t>(random, std::array<int64_t, 4>{1, 1, 1, 2});
  c.heads_kv = c.group = 1;
  c.head_dim = pick<int64_t>(random, std::array<int64_t, 6>{8, 8, 16, 16, 16, 32});
  c.pad = 0;
  c.seq_q = random.between(65, 300);
  c.seq_k = one_in(random, 3) ? c.seq_q : random.between(65, 600);
}

// A length within one tile costs a whole tile: shrinking it further would save nothing.
int64_t tiles(int64_t length) {
  return (length - 1) / 32;
}

// Large scores have a bound too wide to show one key among many (the recipes mix calm rows in).
// Small heads sharpen it; from 1e6 on only a row with a single live key is judged exactly.
void sharpen(AttentionCase& c, Random& random) {
  const bool huge = c.scores == Scores::deeper || c.scores == Scores::fused_exponent;
  const bool large = huge || c.scores == Scores::deep || c.scores == Scores::fp16_overflow;
  if (large && one_in(random, 2)) c.head_dim = random.between(1, 4);
  if (huge && one_in(random, 2)) c.band_low = c.band_high = random.between(-3, 20);
}

// How many keys of like weight O alone still tells apart: a key's share of v, 1 / keys, has to
// stand above the rounding of P and of O.
int64_t keys_that_show(const AttentionCase& c) {
  const bool half = c.dtype == oddtile_fp16;
  switch (c.contents) {
    case Contents::ones:
      return 0;
    case Contents::one_hot:
      if (c.head_dim >= 8) return kUnbounded;
      return c.head_dim == 1 ? 0 : half ? 64 : 8;
    case Contents::large:
      return half ? 32 : 4;
    default:
      return half ? 128 : 16;
  }
}

// Without LSE contents have to show a key by themselves.
void drop_lse(AttentionCase& c) {
  c.lse = 0;
  if (c.seq_k <= keys_that_show(c)) return;
  c.contents = Contents::one_hot;
  if (c.head_dim < 8) c.lse = 1;
}

void shrink_to_budget(AttentionCase& c, Random& random, int64_t work_at_most) {
  while (work_of({c}) > work_at_most) {
    const int64_t heads = std::max({c.batch, c.heads_kv, c.group}) - 1;
    int64_t& length = c.seq_q > c.seq_k ? c.seq_q : c.seq_k;
    if (tiles(length) > 0 && tiles(length) >= heads) {
      length = smaller_length(random, length);
    } else if (heads > 0) {
      int64_t& most = c.batch > heads ? c.batch : c.heads_kv > heads ? c.heads_kv : c.group;
      most = (most + 1) / 2;
    } else if (c.pad > 0) {
      c.pad = 0;
    } else if (c.head_dim > 16) {
      c.head_dim /= 2;
    } else {
      return;  // one tile of one head: nothing is smaller
    }
  }
}

}  // namespace

Case draw_vector_add(Random& random, int64_t work_at_most) {
  VectorAddCase c;
  c.dtype = any(random, c.dtype);
  c.n = std::min(work_at_most, draw_length(random, interesting_columns(), 5000));
  if (!one_in(random, 3)) c.values = any(random, c.values);
  if (one_in(random, 2)) c.mask = any(random, c.mask, 1);
  if (one_in(random, 2)) {
    c.x_offset = draw_offset(random);
    c.y_offset = draw_offset(random);
    c.out_offset = draw_offset(random);
    c.mask_offset = draw_offset(random);
  }
  if (one_in(random, 3)) {
    c.alias = any(random, c.alias);
    if (c.alias != Alias::none) c.out_offset = c.alias == Alias::x ? c.x_offset : c.y_offset;
  }
  Case subject = {c};
  draw_rest(subject, random);
  ODDTILE_ASSERT(impossible(subject).empty());
  return subject;
}

Case draw_softmax(Random& random, int64_t work_at_most) {
  SoftmaxCase c;
  c.dtype = any(random, c.dtype);
  c.columns = draw_length(random, interesting_columns(), 3000);
  if (one_in(random, 24)) c.columns = random.between(4000, 70000);
  c.rows = one_in(random, 2) ? 1 : random.between(0, 17);
  // So many short rows that tiles of them are full.
  if (c.columns <= 300 && one_in(random, 6)) c.rows = random.between(18, 200);
  if (!one_in(random, 4)) c.values = any(random, c.values);
  if (one_in(random, 2)) {
    c.mask = any(random, c.mask, 1);
    const MaskLayout layouts[] = {MaskLayout::dense, MaskLayout::padded, MaskLayout::row_broadcast};
    c.mask_layout = pick<MaskLayout>(random, layouts);
    if (one_in(random, 2)) c.mask_offset = draw_offset(random);
  }
  if (one_in(random, 2)) {
    c.x_offset = draw_offset(random);
    c.y_offset = draw_offset(random);
  }
  if (one_in(random, 3)) {
    c.x_pad = draw_pad(random);
    c.y_pad = one_in(random, 2) ? c.x_pad : draw_pad(random);
  }
  if (one_in(random, 3)) {
    c.alias = Alias::x;
    c.y_offset = c.x_offset;
    c.y_pad = c.x_pad;
  } else if (one_in(random, 6)) {
    c.x_layout = any(random, c.x_layout, 1);
  }
  while (work_of({c}) > work_at_most) {
    if (c.rows > 1) {
      c.rows /= 2;
    } else if (c.x_pad + c.y_pad > 0) {
      c.x_pad = c.y_pad = 0;
    } else {
      c.columns = smaller_length(random, c.columns);
    }
  }
  Case subject = {c};
  draw_rest(subject, random);
  ODDTILE_ASSERT(impossible(subject).empty());
  return subject;
}

Case draw_attention(Random& random, int64_t work_at_most) {
  AttentionCase c;
  if (one_in(random, 2)) c.dtype = oddtile_bf16;
  if (one_in(random, 2)) draw_heads(c, random);
  if (!one_in(random, 4)) c.head_dim = pick(random, interesting_head_sizes());
  draw_lengths(c, random);
  if (one_in(random, 4)) c.pad = draw_pad(random);
  const uint32_t chance = work_at_most > kSmallWork ? 8 : 2;  // a GPU meets many tiles anyway
  const bool many_tiles = work_at_most >= kManyTilesWork && one_in(random, chance);
  if (many_tiles) draw_many_tiles(c, random);
  shrink_to_budget(c, random, work_at_most);
  if (one_in(random, 2) || (many_tiles && one_in(random, 2))) draw_band(c, random);
  if (!one_in(random, 4)) c.scores = any(random, c.scores);
  sharpen(c, random);
  draw_scale(c, random);
  if (one_in(random, 3)) c.lengths = any(random, c.lengths, 1);
  if (one_in(random, 3)) {
    c.mask = any(random, c.mask, 1);
    c.mask_layout = any(random, c.mask_layout);
  }
  if (one_in(random, 3)) draw_layouts(c, random);
  if (!many_tiles && one_in(random, 4)) draw_offsets(c, random);
  const bool without_lse = one_in(random, 8);
  if (!one_in(random, 3)) c.contents = any(random, c.contents);
  if (without_lse) drop_lse(c);
  Case subject = {c};
  draw_rest(subject, random);
  // The preferred one is a simulator's choice, of small tiles.
  if (many_tiles) subject.configuration = int64_t(random.below(64));
  ODDTILE_ASSERT(impossible(subject).empty());
  return subject;
}

Case draw(oddtile_kernel kernel, Random& random, int64_t work_at_most) {
  switch (kernel) {
    case oddtile_kernel_vector_add:
      return draw_vector_add(random, work_at_most);
    case oddtile_kernel_softmax:
      return draw_softmax(random, work_at_most);
    case oddtile_kernel_attention:
      return draw_attention(random, work_at_most);
  }
  ODDTILE_ASSERT(false && "unknown kernel");
}

}  // namespace oddtile::properties
