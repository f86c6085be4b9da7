// One row of a matrix that may start anywhere: written exactly, by the vectors of y's own grid, and
// read by aligned vectors that cover it.
//
// The row is laid over a frame of y's vectors: `lead` elements of the frame come before its first
// column. Where x lies on its grid as y does, a vector of the frame is one read; elsewhere it is
// read in aligned words, which a shift puts together for 16-bit elements at odd places. A vector or
// word that sticks out at either end, or holds hidden columns, is read whole, and what is not a
// visible column becomes -inf: nothing outside the row has an influence.
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
// aligned vectors. Masked: a mask byte for each element, rows lie anywhere.
enum class RowKind { whole, ragged, masked };

// Bit i: element i. Index counts vectors and columns; 32 bits where the row is short.
template <class T, int width, RowKind kind, class Index>
struct CoveredRow {
  using Vec = Packed<T, width>;
  using Word =  // `width` mask bytes
      std::conditional_t<width == 8, uint64_t, std::conditional_t<width == 4, uint32_t, uint16_t>>;
  static constexpr int kWidth = width;
  static constexpr uint32_t kAll = (1u << width) - 1u;
  static constexpr int kWords = width * int(sizeof(T)) / 4;
  static constexpr bool kWhole = kind == RowKind::whole;
  static constexpr bool kMasked = kind == RowKind::masked;

  Global<const T> x;  // at the frame's first element, or the one before if `x_is_odd`
  Global<T> y;        // these two at the frame's first element
  Global<const uint8_t> mask;
  Index lead;
  Index columns;
  bool x_has_frame;  // x's vectors are the frame's
  bool x_is_odd;     // the frame starts in the middle of a word of x
  bool ragged;       // an end of the row lies within a vector

  ODDTILE_DEVICE Index vectors() const { return (columns + lead + width - 1) / width; }

  // The row that consists of vectors [first, first + count) of this one. A share other than the
  // first starts on a vector; the first one is longer than a frame.
  ODDTILE_DEVICE CoveredRow share(Index first, Index count) const {
    CoveredRow result = *this;
    const int64_t skipped = int64_t(first) * width;
    result.x = x + skipped;
    result.y = y + skipped;
    if constexpr (kMasked) result.mask = mask + skipped;
    if (first > 0) result.lead = 0;
    const Index before = first > 0 ? first * width - lead : 0;  // columns
    const Index left = columns > before ? columns - before : 0;
    const Index room = count * width - result.lead;
    result.columns = left < room ? left : room;
    result.ragged = result.lead % width != 0 || (result.lead + result.columns) % width != 0;
    return result;
  }

  // Whether a vector holds a column.
  ODDTILE_DEVICE bool touches(Index vector) const {
    const Index first = vector * width - lead;
    return first > -width && first < columns;
  }

  // The elements of a vector that are columns. Without branches: they would keep loads apart.
  ODDTILE_DEVICE uint32_t inside(Index vector) const {
    if constexpr (kWhole) return touches(vector) ? kAll : 0u;
    const Index first = vector * width - lead;
    const Index left = columns - first;
    const int from = int(first < -width ? Index(width) : (first < 0 ? -first : Index(0)));
    const int to = int(left < 0 ? Index(0) : (left < width ? left : Index(width)));
    return (kAll << from) & (kAll >> (width - to)) & kAll;
  }

  // The mask bytes of a vector, at any address: the two aligned words that cover them, of which
  // each is read only if it holds a column's byte.
  struct MaskWords {
    Word low = 0;
    Word high = 0;
  };
  ODDTILE_DEVICE MaskWords read_mask(Index vector, uint32_t columns_here) const {
    const Global<const uint8_t> aligned = mask + -int64_t(mask_shift());
    const uint32_t in_low = kAll >> mask_shift();
    MaskWords words;
    if ((columns_here & in_low) != 0) words.low = load_as<Word>(aligned, vector);
    if ((columns_here & ~in_low) != 0) words.high = load_as<Word>(aligned, int64_t(vector) + 1);
    return words;
  }

  // The elements whose byte is not 0; those that are no columns mean nothing.
  ODDTILE_DEVICE uint32_t visible(const MaskWords& words) const {
    const uint32_t shift = 8 * mask_shift();
    const Word bytes =
        shift == 0 ? words.low : Word(words.low >> shift | words.high << (8 * width - shift));
    uint32_t bits = nonzero_bytes(uint32_t(bytes));
    if constexpr (width == 8) bits |= nonzero_bytes(uint32_t(bytes >> 32)) << 4;
    return bits;
  }

  // Whole, although only its columns have an influence: in place, others may be writing the rest.
  ODDTILE_DEVICE Vec read(Index vector) const {
    return load_covering<Vec>(x, vector, inside(vector));
  }

  // The same wherever x lies, in words: two vectors a read would take twice the registers, and half
  // as many reads could be under way. Where the frame starts in the middle of a word (odd), `next`
  // is the word behind them, and shift_by_half makes the vector of all five.
  template <bool odd>
  ODDTILE_DEVICE void read_words(Index vector, Vec* words, uint32_t* next) const {
    constexpr int kOfWord = 4 / int(sizeof(T));  // elements
    const uint32_t columns_here = inside(vector) << (odd ? 1 : 0);
    const Index first = vector * kWords;
    const Index row_first = (lead + (odd ? 1 : 0)) / kOfWord;  // words that hold columns
    const Index row_last = (lead + columns - 1 + (odd ? 1 : 0)) / kOfWord;
    ODDTILE_UNROLL
    for (int i = 0; i < kWords + (odd ? 1 : 0); ++i) {
      uint32_t* const word = i < kWords ? &words->element[i] : next;
      *word = kNegativeInfinityWord<T>;
      if (first + i >= row_first && first + i <= row_last) {
        *word = load_covering<uint32_t>(x, int64_t(first) + i,
                                        columns_here >> (i * kOfWord) & ((1u << kOfWord) - 1u));
      }
    }
  }

  static ODDTILE_DEVICE void shift_by_half(Vec* words, uint32_t next) {
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const uint32_t high = i + 1 < kWords ? words->element[i + 1] : next;
      words->element[i] = words->element[i] >> 16 | high << 16;
    }
  }

  static ODDTILE_DEVICE Vec nothing() {
    Vec result;
    ODDTILE_UNROLL
    for (uint32_t& word : result.element) word = kNegativeInfinityWord<T>;
    return result;
  }

  // Puts -inf where `visible` has no bit.
  static ODDTILE_DEVICE void hide(Vec* vector, uint32_t visible) {
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const uint32_t keep = spread(visible, i);
      vector->element[i] = (vector->element[i] & keep) | (kNegativeInfinityWord<T> & ~keep);
    }
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
    const uint32_t pair = bits >> (2 * word);
    return ((pair & 1u) | (pair & 2u) << 15) * 0xFFFFu;
  }

  ODDTILE_DEVICE uint32_t mask_shift() const { return address_modulo(mask, width); }
};

// Sums an array by a tree.
template <int count>
ODDTILE_DEVICE float tree_sum(float (&values)[count]) {
  ODDTILE_UNROLL
  for (int half = count / 2; half > 0; half /= 2) {
    ODDTILE_UNROLL
    for (int i = 0; i < half; ++i) values[i] += values[i + half];
  }
  return values[0];
}

}  // namespace oddtile::ODDTILE_MACHINE
