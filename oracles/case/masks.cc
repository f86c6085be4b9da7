#include "oracles/case/masks.h"

#include <algorithm>
#include <limits>

#include "oracles/case/parallel.h"
#include "oracles/case/values.h"

namespace oddtile::oracles {
namespace {

uint8_t visible_byte(Random& random) {
  return uint8_t(1 + random.below(255));
}

// Runs of random length, so that edges of visibility fall anywhere in a vector or a tile.
void fill_runs(Random& random, std::span<uint8_t> out) {
  bool visible = (random.next() & 1) != 0;
  for (size_t at = 0; at < out.size(); visible = !visible) {
    const uint32_t longest = random.below(4) == 0 ? 100 : 10;
    const size_t end = std::min(out.size(), at + 1 + random.below(longest));
    for (; at < end; ++at) out[at] = visible ? visible_byte(random) : 0;
  }
}

// First and last query of [0, seq_q) whose band holds key j; first > last where there is none.
struct QueryRange {
  int64_t first;
  int64_t last;
};

QueryRange queries_of(const AttentionCase& c, int64_t key, int64_t shift) {
  __int128 first = 0;
  __int128 last = c.seq_q - 1;
  const __int128 diagonal = __int128(key) - shift;
  if (c.band_high != kUnbounded) first = std::max<__int128>(first, diagonal - c.band_high);
  if (c.band_low != -kUnbounded) last = std::min<__int128>(last, diagonal - c.band_low);
  if (first > last) return {0, -1};
  return {int64_t(first), int64_t(last)};
}

bool mask_shows(const AttentionCase& c, const Tensor& mask, int64_t batch, int64_t head_kv,
                int64_t key, QueryRange queries) {
  for (int64_t head = head_kv * c.group; head < (head_kv + 1) * c.group; ++head) {
    for (int64_t query = queries.first; query <= queries.last; ++query) {
      if (mask.bytes[size_t(mask.index(batch, head, query, key))] != std::byte{0}) return true;
    }
  }
  return false;
}

}  // namespace

void fill_mask(MaskKind kind, Random tensor, MaskPart part, std::span<uint8_t> out) {
  Random row = tensor.split(uint64_t(part.row));
  Random random = row.split(uint64_t(part.begin / kChunk));
  const bool hides_row = part.may_hide_row && row.below(8) == 0;
  const auto each = [&](auto visible) {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = visible(part.begin + int64_t(i)) ? visible_byte(random) : 0;
    }
  };
  switch (kind) {
    case MaskKind::none:
    case MaskKind::all:
      return each([](int64_t) { return true; });
    case MaskKind::nothing:
      return each([](int64_t) { return false; });
    case MaskKind::half:
      return each([&](int64_t) { return !hides_row && random.below(2) == 0; });
    case MaskKind::sparse:
      return each([&](int64_t) { return !hides_row && random.below(16) == 0; });
    case MaskKind::dense:
      return each([&](int64_t) { return random.below(16) != 0; });
    case MaskKind::runs:
      if (hides_row) return each([](int64_t) { return false; });
      return fill_runs(random, out);
    case MaskKind::checkerboard:
      return each([&](int64_t column) { return (part.row + column) % 2 == 0; });
    case MaskKind::first:
      return each([](int64_t column) { return column == 0; });
    case MaskKind::last:
      return each([&](int64_t column) { return column == part.columns - 1; });
  }
}

std::vector<int32_t> make_key_lengths(const AttentionCase& subject, Random random) {
  if (subject.lengths == KeyLengths::none) return {};
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t longest = std::min(subject.seq_k, kMost);
  const int64_t mixed[] = {longest, longest - 1, 0, 1, 16, 17, 64, 65, 128, longest / 2};
  const int64_t outside[] = {-1,    longest + 1, std::numeric_limits<int32_t>::min(),
                             kMost, -longest,    longest + 64};
  std::vector<int32_t> lengths;
  for (int64_t item = 0; item < subject.batch; ++item) {
    int64_t length = longest;
    if (subject.lengths == KeyLengths::zero) length = 0;
    if (subject.lengths == KeyLengths::random) length = random.between(0, longest);
    if (subject.lengths == KeyLengths::mixed) {
      length = std::clamp<int64_t>(mixed[random.below(std::size(mixed))], 0, longest);
    }
    if (subject.lengths == KeyLengths::outside) {
      length = std::min(kMost, outside[random.below(std::size(outside))]);
    }
    lengths.push_back(int32_t(length));
  }
  return lengths;
}

std::vector<int64_t> clamped_key_lengths(const AttentionCase& subject,
                                         std::span<const int32_t> lengths) {
  std::vector<int64_t> clamped(size_t(subject.batch), subject.seq_k);
  for (size_t item = 0; item < lengths.size(); ++item) {
    clamped[item] = std::clamp<int64_t>(lengths[item], 0, subject.seq_k);
  }
  return clamped;
}

std::vector<uint8_t> seen_keys(const AttentionCase& subject, std::span<const int64_t> lengths,
                               const Tensor* mask) {
  const int64_t heads = subject.heads_kv;
  const int64_t keys = subject.seq_k;
  std::vector<uint8_t> seen(size_t(subject.batch * heads * keys), 0);
  const int64_t work = int64_t(seen.size()) + (mask != nullptr ? mask->count() : 0);
  parallel_for(int64_t(seen.size()), 64, work, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t batch = at / (heads * keys);
      const int64_t head = at / keys % heads;
      const int64_t key = at % keys;
      const int64_t length = lengths[size_t(batch)];
      if (key >= length) continue;
      const int64_t shift = subject.anchor == oddtile_bottom_right ? length - subject.seq_q : 0;
      const QueryRange queries = queries_of(subject, key, shift);
      if (queries.first > queries.last) continue;
      seen[size_t(at)] = mask == nullptr || mask_shows(subject, *mask, batch, head, key, queries);
    }
  });
  return seen;
}

}  // namespace oddtile::oracles
