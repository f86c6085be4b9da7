// One row of a matrix that may start anywhere: written exactly, by the vectors of y's own grid, and
// read by aligned vectors that cover it.
//
// The row is laid over a frame of y's vectors: `lead` elements of the frame come before its first
// column. Where x lies on its grid as y does, a vector of the frame is one read; elsewhere it is
// read in aligned words, or larger aligned parts, which a shift puts together. A vector or
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
  static constexpr int kOfWord = 4 / int(sizeof(T));  // elements
  static constexpr int kWords = width / kOfWord;
  static constexpr bool kWhole = kind == RowKind::whole;
  static constexpr bool kMasked = kind == RowKind::masked;

  Global<const T> x;  // at the frame's first element, or the one before if `x_shift` is 16
  Global<T> y;        // these two at the frame's first element
  Global<const uint8_t> mask;
  Index lead;
  Index columns;
  bool x_has_frame;  // x's vectors are the frame's
  uint32_t x_shift;  // bits from `x` to the frame's first element: 0 or 16
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

  // Whether it holds nothing else, by one comparison with numbers that all vectors share.
  ODDTILE_DEVICE bool is_whole(Index vector) const {
    using Unsigned = std::make_unsigned_t<Index>;
    const Index first = (lead + width - 1) / width;
    const Index end = (lead + columns) / width;
    return Unsigned(vector - first) < Unsigned(end > first ? end - first : 0);
  }

  // What holds columns: vectors, and words counted from the frame's first. An end is the one behind
  // the last.
  struct Reach {
    Index first_vector;
    Index vector_end;
    Index first_word;
    Index word_end;
  };

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
    const Index left = columns - first;
    const int from = int(first < -width ? Index(width) : (first < 0 ? -first : Index(0)));
    const int to = int(left < 0 ? Index(0) : (left < width ? left : Index(width)));
    return (kAll << from) & (kAll >> (width - to)) & kAll;
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
    bool reads_low = vector < reach.vector_end;
    bool reads_high = vector + 1 < reach.word_end;
    if (may_be_first) {
      const bool is_first = vector >= reach.first_vector;
      reads_low &= is_first & (vector >= reach.first_word);
      reads_high &= is_first;
    }
    return read_mask(vector, reads_low, reads_high);
  }

  // What holds columns of the mask, its aligned words included. A mask that lies on its words has
  // no high ones.
  ODDTILE_DEVICE Reach mask_reach() const {
    const Index shift = Index(mask_shift());
    const Index last_word = (lead + columns - 1 + shift) / width;
    return {lead / width, columns > 0 ? vectors() : 0, (lead + shift) / width,
            columns > 0 && shift != 0 ? last_word + 1 : 0};
  }

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

  // Of words of x.
  ODDTILE_DEVICE Reach reach() const {
    const Index skipped = Index(x_shift / (8 * sizeof(T)));
    const Index last_word = (lead + columns - 1 + skipped) / kOfWord;
    return {lead / width, columns > 0 ? vectors() : 0, (lead + skipped) / kOfWord,
            columns > 0 ? last_word + 1 : 0};
  }

  // A vector wherever x lies, in words: two vectors a read would take twice the registers, and half
  // as many reads could be under way. `next` is the word behind them, and `shift` makes the vector
  // of all five. Words that hold none of the columns of this vector are left as they are: it
  // `holds_some` for sure or must be asked. Words before the row's first only where `may_be_first`.
  template <bool holds_some>
  ODDTILE_DEVICE void read_words(Index vector, const Reach& reach, bool may_be_first, Vec* words,
                                 uint32_t* next) const {
    const Index first = vector * kWords;
    const Index left = reach.word_end - first;
    const Global<const T> at = words_at(vector);
    ODDTILE_UNROLL
    for (int i = 0; i < kWords + (sizeof(T) == 2 ? 1 : 0); ++i) {
      // Word 0 may hold the last column of the vector before, and nothing of this one.
      bool is_wanted = holds_some || i > 0 ? i < left : vector < reach.vector_end;
      if (may_be_first) {
        is_wanted &= first + i >= reach.first_word;
        if (!holds_some) is_wanted &= vector >= reach.first_vector;
      }
      if (is_wanted) (i < kWords ? words->element[i] : *next) = read_word(at, vector, i);
    }
  }

  // Where four of the five words are an aligned vector, two reads do: of that vector, and of the
  // lone word behind it or before it.
  enum class Lone : uint8_t { none, behind, before };
  ODDTILE_DEVICE bool starts_with_half() const { return address_modulo(x, 16) == 8; }
  ODDTILE_DEVICE Lone lone_word() const {
    const uint32_t bytes = address_modulo(x, 16);
    if (bytes == 12) return Lone::before;
    return bytes == 0 || (bytes == 4 && x_shift == 0) ? Lone::behind : Lone::none;
  }
  // Where it is behind, the same row with words that start with an aligned vector.
  ODDTILE_DEVICE CoveredRow from_vector() const {
    const bool is_vector = address_modulo(x, 16) == 0;
    CoveredRow result = *this;
    result.x = x + (is_vector ? 0 : -kOfWord);
    result.x_shift = is_vector ? x_shift : 32;
    return result;
  }

  // Whether they are wanted, as in read_words.
  struct Wanted {
    bool words;
    bool lone;
  };
  template <bool lone_is_behind>
  ODDTILE_DEVICE Wanted pair_wanted(Index vector, const Reach& reach, bool may_be_first) const {
    constexpr int kVec = lone_is_behind ? 0 : 1;  // words from the first one on
    constexpr int kLone = lone_is_behind ? kWords : 0;
    const Index first = vector * kWords;
    const bool holds_column = vector < reach.vector_end;
    const bool holds_more = first + (lone_is_behind ? kLone : kVec) < reach.word_end;
    Wanted wanted = {lone_is_behind ? holds_column : holds_more,
                     lone_is_behind ? holds_more : holds_column};
    if (may_be_first) {
      const bool is_touched = vector >= reach.first_vector;
      wanted.words &= is_touched & (first + kVec + kWords > reach.first_word);
      wanted.lone &= is_touched & (first + kLone >= reach.first_word);
    }
    return wanted;
  }
  ODDTILE_DEVICE Vec read_four_words(Global<const T> at, Index vector, int first) const {
    return load_covering<Vec>(at + first * kOfWord, 0,
                              in_window(vector) >> (first * kOfWord) & kAll);
  }

  // Word number i of those that a vector is made of, which start at `at` = words_at(vector).
  ODDTILE_DEVICE uint32_t read_word(Global<const T> at, Index vector, int i) const {
    const uint32_t columns_here = in_window(vector) >> (i * kOfWord) & ((1u << kOfWord) - 1u);
    return load_covering<uint32_t>(at, i, columns_here);
  }
  ODDTILE_DEVICE Global<const T> words_at(Index vector) const {
    return x + int64_t(vector) * width;
  }

  // Where words 0 and 2 start aligned halves of a vector, which of these to read.
  struct WantedHalves {
    bool low;
    bool high;
    bool next;  // word
  };
  ODDTILE_DEVICE WantedHalves halves_wanted(Index vector, const Reach& reach,
                                            bool may_be_first) const {
    const Index first = vector * kWords;
    WantedHalves wanted = {vector < reach.vector_end, first + 2 < reach.word_end,
                           x_shift != 0 && first + kWords < reach.word_end};
    if (may_be_first) {
      const bool is_touched = vector >= reach.first_vector;
      wanted.low &= is_touched & (first + 1 >= reach.first_word);
      wanted.high &= is_touched & (first + 3 >= reach.first_word);
      wanted.next &= is_touched;
    }
    return wanted;
  }
  ODDTILE_DEVICE Vector<uint32_t, 2> read_half(Global<const T> at, Index vector, int first) const {
    return load_covering<Vector<uint32_t, 2>>(
        at + first * kOfWord, 0,
        in_window(vector) >> (first * kOfWord) & ((1u << (2 * kOfWord)) - 1u));
  }

  // Makes a vector of five words.
  ODDTILE_DEVICE void shift(Vec* words, uint32_t next) const {
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) {
      words->element[i] = shifted(words->element[i], i + 1 < kWords ? words->element[i + 1] : next);
    }
  }
  ODDTILE_DEVICE void shift_behind(uint32_t before, Vec* words) const {
    ODDTILE_UNROLL
    for (int i = kWords - 1; i >= 0; --i) {
      words->element[i] = shifted(i > 0 ? words->element[i - 1] : before, words->element[i]);
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
  // The columns of a vector as bits of the five words that it is made of.
  ODDTILE_DEVICE uint32_t in_window(Index vector) const {
    return inside(vector) << (x_shift / (8 * sizeof(T)));
  }
  ODDTILE_DEVICE uint32_t shifted(uint32_t low, uint32_t high) const {
    return uint32_t((uint64_t(high) << 32 | low) >> x_shift);
  }

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
