// Which keys a query sees, and which key tiles a query tile needs.
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Key j is visible to query i iff j < key_length and low <= j - i <= high (the anchor's shift is
// already inside low and high, and both are far from overflow).
struct Band {
  int64_t key_length;
  int64_t low;
  int64_t high;
};

struct Range {  // [begin, end), empty when end <= begin
  int64_t begin;
  int64_t end;
};

ODDTILE_DEVICE int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}
ODDTILE_DEVICE int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// Keys that some query of [first, last] may see.
ODDTILE_DEVICE Range keys_of_queries(const Band& band, int64_t first, int64_t last) {
  return {larger(0, first + band.low), smaller(band.key_length, last + band.high + 1)};
}

// Whether every query of [first, last] sees every key of [keys.begin, keys.end).
ODDTILE_DEVICE bool sees_all(const Band& band, int64_t first, int64_t last, const Range& keys) {
  return keys.end <= band.key_length && keys.begin >= last + band.low &&
         keys.end <= first + band.high + 1;
}

// The keys that one query sees within a tile of `count` keys from `first_key`, as columns of it.
struct Columns {
  int begin;
  int end;
};
ODDTILE_DEVICE Columns columns_of_query(const Band& band, int64_t query, int64_t first_key,
                                        int count) {
  const Range keys = keys_of_queries(band, query, query);
  return {int(smaller(larger(keys.begin - first_key, 0), count)),
          int(larger(smaller(keys.end - first_key, count), 0))};
}

}  // namespace oddtile::ODDTILE_MACHINE
