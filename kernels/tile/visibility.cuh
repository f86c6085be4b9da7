// Which keys a query sees, and which key tiles a query tile needs.
#pragma once

#include <type_traits>

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Key j is visible to query i iff j < key_length and low <= j - i <= high (the anchor's shift is
// already inside low and high, and both are far from overflow).
template <class Integer>
struct BandOf {
  Integer key_length;
  Integer low;
  Integer high;
};
using Band = BandOf<int64_t>;

template <class Integer>
struct RangeOf {  // [begin, end), empty when end <= begin
  Integer begin;
  Integer end;
};
using Range = RangeOf<int64_t>;

template <class A, class B>
ODDTILE_DEVICE std::common_type_t<A, B> smaller(A a, B b) {
  return a < b ? a : b;
}
template <class A, class B>
ODDTILE_DEVICE std::common_type_t<A, B> larger(A a, B b) {
  return a > b ? a : b;
}

// Keys that some query of [first, last] may see.
template <class Integer>
ODDTILE_DEVICE RangeOf<Integer> keys_of_queries(const BandOf<Integer>& band,
                                                std::type_identity_t<Integer> first,
                                                std::type_identity_t<Integer> last) {
  return {larger(0, first + band.low), smaller(band.key_length, last + band.high + 1)};
}

// Whether every query of [first, last] sees every key of [keys.begin, keys.end).
template <class Integer>
ODDTILE_DEVICE bool sees_all(const BandOf<Integer>& band, std::type_identity_t<Integer> first,
                             std::type_identity_t<Integer> last,
                             const RangeOf<std::type_identity_t<Integer>>& keys) {
  return keys.end <= band.key_length && keys.begin >= last + band.low &&
         keys.end <= first + band.high + 1;
}

// A lane holds two of every eight columns of a row of an accumulator (tile_product.cuh): 8 n + i
// from its first one, i = 0 and 1. Bit 2 n + i says whether that column lies before `end`, which
// may be anywhere.
template <int columns, class Integer>
ODDTILE_DEVICE uint32_t own_columns_before(Integer end) {
  static_assert(columns % 8 == 0 && columns <= 128, "a bit for each of them");
  const uint32_t before = uint32_t(smaller(larger(end, 0), columns));
  const uint32_t count = before / 8 * 2 + smaller(before % 8, 2u);
  return uint32_t((uint64_t(1) << count) - 1);
}

// The same bits for the keys that a query sees, where the lane's first column is `first_key`.
template <int columns, class Integer>
ODDTILE_DEVICE uint32_t own_keys_seen(const BandOf<Integer>& band,
                                      std::type_identity_t<Integer> query,
                                      std::type_identity_t<Integer> first_key) {
  const RangeOf<Integer> keys = keys_of_queries(band, query, query);
  return own_columns_before<columns>(keys.end - first_key) &
         ~own_columns_before<columns>(keys.begin - first_key);
}

}  // namespace oddtile::ODDTILE_MACHINE
