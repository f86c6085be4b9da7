// One row of a matrix that may start anywhere: written exactly, by the vectors of y's own grid, and
// read by aligned vectors that cover it.
//
// The row is laid over a frame of y's vectors: `lead` elements of the frame come before its first
// column. Where x lies on its grid as y does, a vector of the frame is one read; elsewhere it is
// read in words, or larger parts (../softmax/shifted_vectors.cuh). A vector or word that sticks out
// at either end, or holds hidden columns, is read whole, and what is not a visible column becomes
// -inf: nothing outside the row has an influence.
#pragma once

#include <type_traits>

#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/packed.cuh"

namespace oddtile::ODDTILE_MACHINE {

// -inf in T, repeated through a word.
template <class T>
inline constexpr uint32_t kNegativeInfinityWord = 0xFF800000u;
template <>
inline constexpr uint32_t kNegativeInfinityWord<Half> = 0xFC00FC00u;
template <>
inline constexpr uint32_t kNegativeInfinityWord<Bfloat16> = 0xFF80FF80u;

// How the rows of a problem lie, as far as code differs. Whole: every row of x and of y consists of
// aligned vectors. Alike: rows start anywhere, but x lies on its vectors as y does. Ragged:
// anywhere. Masked: a mask byte for each element, rows lie anywhere.
enum class RowKind { whole, ragged, masked, alike };

// Bit i: element i. Index counts vectors and columns; 32 bits where the row is short.
template <class T, int width, RowKind kind, class Index>
struct CoveredRow {
  using Vec = Packed<T, width>;
  using Word =  // `width` mask bytes
      std::conditional_t<width == 8, uint64_t, std::conditional_t<width == 4, uint32_t, uint16_t>>;
  static constexpr int kWidth = width;
  static constexpr uint32_t kAll = (1u << width) - 1u;
  static constexpr int kOfWord = 4 / int(sizeof(T));  // elements
  static constexpr int kWords = width / kOfWord;
  static constexpr bool kWhole = kind == RowKind::whole;
  static constexpr bool kMasked = kind == RowKind::masked;
  static constexpr bool kAlike = kWhole || kind == RowKind::alike;

  Global<const T> x;  // at the frame's first element, or the one before if `x_shift` is 16
  Global<T> y;        // these two at the frame's first element
  Global<const uint8_t> mask;
  Index lead;
  Index columns;
  bool x_has_frame;  // x's vectors are the frame's; for all kinds: is_framed()
  uint32_t x_shift;  // bits from `x` to the frame's first element: 0 or 16
  bool ragged;       // an end of the row lies within a vector

  ODDTILE_DEVICE bool is_framed() const { return kAlike || x_has_frame; }

  ODDTILE_DEVICE Index vectors() const { return (columns + lead + width - 1) / width; }

  // Bytes from the sector of x that holds the frame's first element to that element.
  ODDTILE_DEVICE uint32_t x_offset() const { return address_modulo(x, 32) + x_shift / 8; }

  // The row by x's own vectors from that sector on: to be read.
  ODDTILE_DEVICE CoveredRow by_vectors_of_x() const {
    CoveredRow result = *this;
    const auto before = Index(x_offset() / sizeof(T));
    result.x = x + (int64_t(x_shift / 16) - before);
    result.lead = lead + before;
    result.x_has_frame = true;
    result.ragged = result.lead % width != 0 || (result.lead + result.columns) % width != 0;
    return result;
  }

  // Whether a vector holds a column.
  ODDTILE_DEVICE bool touches(Index vector) const {
    const Index first = vector * width - lead;
    return first > -width && first < columns;
  }

  // Whether it holds nothing else, by one comparison with numbers that all vectors share.
  ODDTILE_DEVICE bool is_whole(Index vector) const {
    using Unsigned = std::make_unsigned_t<Index>;
    const Index first = (lead + width - 1) / width;
    const Index end = (lead + columns) / width;
    return Unsigned(vector - first) < Unsigned(end > first ? end - first : 0);
  }

  // Behind the last of these.
  ODDTILE_DEVICE Index whole_end() const { return (lead + columns) / width; }

  // What holds columns: vectors of the frame, and words of a grid that cover them, counted from the
  // one with the frame's first element. An end is the one behind the last.
  struct Reach {
    Index first_vector;
    Index vector_end;
    Index first_word;
    Index word_end;
    Index next_end;  // of words behind those of a vector: nothing where words lie as vectors do

    // Whether one of the words [from, from + count), of the `of_vector` + 1 that cover a vector,
    // holds one of its columns. Word 0 may hold the last column of the vector before, and nothing
    // of this one, unless it `is_touched`. Whether words come before the row's first is asked only
    // where they `may_be_first`.
    ODDTILE_DEVICE bool wants(int of_vector, int from, int count, Index vector, bool is_touched,
                              bool may_be_first) const {
      const Index first = vector * of_vector;
      const Index end = from < of_vector ? word_end : next_end;
      bool result = from == 0 && !is_touched ? vector < vector_end : first + from < end;
      if (may_be_first && from + count <= of_vector) result &= first + from + count > first_word;
      return result;
    }
  };

  // Of words of `of_word` elements, the first of which starts `skipped` elements before the frame.
  ODDTILE_DEVICE Reach reach(Index skipped, Index of_word) const {
    const bool exists = columns > 0;
    const Index word_end = exists ? (lead + columns - 1 + skipped) / of_word + 1 : 0;
    return {lead / width, exists ? vectors() : 0, (lead + skipped) / of_word, word_end,
            skipped != 0 ? word_end : 0};
  }

  // The vectors at the row's ends that hold something else, too; -1 where there is none.
  struct Ends {
    Index first;
    Index last;
  };
  ODDTILE_DEVICE Ends cut() const {
    const bool exists = columns > 0;
    return {exists && lead % width != 0 ? lead / width : -1,
            exists && (lead + columns) % width != 0 ? vectors() - 1 : -1};
  }

  // The elements of a vector that are columns. Without branches: they would keep loads apart.
  ODDTILE_DEVICE uint32_t inside(Index vector) const {
    if constexpr (kWhole) return touches(vector) ? kAll : 0u;
    const Index first = vector * width - lead;
    if constexpr (kMasked) {
      // The same: 4 to 7 % quicker in long masked rows, up to 6 % slower in rows without a mask.
      const auto within = [](Index place) {
        return int(place < 0 ? Index(0) : (place < width ? place : Index(width)));
      };
      return (kAll << within(-first)) & (kAll >> (width - within(columns - first))) & kAll;
    }
    return elements_inside<width>(first, columns);
  }

  // The mask bytes of a vector, at any address: the two aligned words that cover them.
  struct MaskWords {
    Word low = 0;
    Word high = 0;
  };
  ODDTILE_DEVICE MaskWords read_mask(Index vector, bool reads_low, bool reads_high) const {
    const Global<const uint8_t> aligned = mask + -int64_t(mask_shift());
    MaskWords words;
    if (reads_low) words.low = load_as<Word>(aligned, vector);
    if (reads_high) words.high = load_as<Word>(aligned, int64_t(vector) + 1);
    return words;
  }

  // Those that hold a column's byte.
  ODDTILE_DEVICE MaskWords read_mask(Index vector, uint32_t columns_here) const {
    const uint32_t in_low = kAll >> mask_shift();
    return read_mask(vector, (columns_here & in_low) != 0, (columns_here & ~in_low) != 0);
  }
  ODDTILE_DEVICE MaskWords read_mask(Index vector, const Reach& reach, bool may_be_first) const {
    const bool has_begun = !may_be_first || vector >= reach.first_vector;
    return read_mask(vector, has_begun & reach.wants(1, 0, 1, vector, false, may_be_first),
                     has_begun & reach.wants(1, 1, 1, vector, false, may_be_first));
  }
  ODDTILE_DEVICE Reach mask_reach() const { return reach(Index(mask_shift()), width); }

  // The elements whose byte is not 0; those that are no columns mean nothing.
  ODDTILE_DEVICE uint32_t visible(const MaskWords& words) const {
    const uint32_t shift = 8 * mask_shift();
    if constexpr (width == 8) {
      const bool skips = shift >= 32;
      const uint32_t low = skips ? uint32_t(words.low >> 32) : uint32_t(words.low);
      const uint32_t middle = skips ? uint32_t(words.high) : uint32_t(words.low >> 32);
      const uint32_t high = skips ? uint32_t(words.high >> 32) : uint32_t(words.high);
      return nonzero_bytes(uint32_t((uint64_t(middle) << 32 | low) >> (shift % 32)),
                           uint32_t((uint64_t(high) << 32 | middle) >> (shift % 32)));
    } else {
      const uint64_t both = uint64_t(words.high) << (8 * width) | words.low;
      return nonzero_bytes(uint32_t(Word(both >> shift)));
    }
  }

  // Whole, although only its columns have an influence: in place, others may be writing the rest.
  ODDTILE_DEVICE Vec read(Index vector) const {
    return load_covering<Vec>(x, vector, inside(vector));
  }

  static ODDTILE_DEVICE Vec nothing() {
    Vec result;
    ODDTILE_UNROLL
    for (uint32_t& word : result.element) word = kNegativeInfinityWord<T>;
    return result;
  }

  // Puts -inf where `visible` has no bit.
  static ODDTILE_DEVICE void hide(Vec* vector, uint32_t visible) {
    hide_by(vector, spread_all(visible));
  }
  static ODDTILE_DEVICE void hide_by(Vec* vector, const Vec& keep) {
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) {
      vector->element[i] =
          (vector->element[i] & keep.element[i]) | (kNegativeInfinityWord<T> & ~keep.element[i]);
    }
  }

  // The bits of a vector's elements, each over the whole of its element.
  static ODDTILE_DEVICE Vec spread_all(uint32_t bits) {
    Vec result;
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) result.element[i] = spread(bits, i);
    return result;
  }

  // Whole vectors where they are wholly inside, elements at the ends.
  ODDTILE_DEVICE void write(Index vector, const Vec& values) const {
    write_elements(vector, values, inside(vector));
  }

  // Writes +0 to the columns of a vector that are hidden, after reading its mask again.
  ODDTILE_DEVICE void write_hidden(Index vector) const {
    const uint32_t columns_here = inside(vector);
    write_elements(vector, Vec{}, columns_here & ~visible(read_mask(vector, columns_here)));
  }

 private:
  ODDTILE_DEVICE void write_elements(Index vector, const Vec& values, uint32_t elements) const {
    if (elements == kAll) return store_as(y, vector, values);
    if constexpr (kWhole) return;
    const int64_t at = int64_t(vector) * width;
    ODDTILE_UNROLL
    for (int i = 0; i < width; ++i) {
      if (elements >> i & 1u) store(y, at + i, unpack<T>(values, i));
    }
  }

  // The bits of word number `word`, each over the whole of its element.
  static ODDTILE_DEVICE uint32_t spread(uint32_t bits, int word) {
    if constexpr (sizeof(T) == 4) return 0u - (bits >> word & 1u);
    // The second copy has element 2 i + 1 16 places above element 2 i.
    return ((bits | bits << 15) >> (2 * word) & 0x00010001u) * 0xFFFFu;
  }

  ODDTILE_DEVICE uint32_t mask_shift() const { return address_modulo(mask, width); }
};

}  // namespace oddtile::ODDTILE_MACHINE
