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

// The keys that one query sees within a tile of `count` keys from `first_key`, as columns of it.
struct Columns {
  int begin;
  int end;
};
template <class Integer>
ODDTILE_DEVICE Columns columns_of_query(const BandOf<Integer>& band,
                                        std::type_identity_t<Integer> query,
                                        std::type_identity_t<Integer> first_key, int count) {
  const RangeOf<Integer> keys = keys_of_queries(band, query, query);
  return {int(smaller(larger(keys.begin - first_key, 0), count)),
          int(larger(smaller(keys.end - first_key, count), 0))};
}

}  // namespace oddtile::ODDTILE_MACHINE
