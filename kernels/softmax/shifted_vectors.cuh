// The loads of a lane's vectors in rows whose x lies otherwise on 16-byte vectors than y.
//
// A vector of the frame is a window of x: as many words as it has and, where it starts with half a
// word, one more; a shift makes the vector of them. Short rows read words: two vectors would take
// twice the registers, and half as many reads could be under way. Where a lane has many vectors,
// windows are read in aligned parts as large as can be:
//
// | address of the first word modulo 16 | words of the parts |
// |---|---|
// | 0; 4 where no element is skipped (as 0, and a word is) | 4, 1 |
// | 4 | 1, 2, 2 |
// | 8 | 2, 2, 1 |
// | 12 | 1, 4 |
#pragma once

#include <utility>

#include "kernels/softmax/row_of.cuh"

namespace oddtile::ODDTILE_MACHINE {

// A row by its windows, as words of x.
template <class T, int width, RowKind kind, class Index>
class WindowRow {
 public:
  using Row = CoveredRow<T, width, kind, Index>;
  using Reach = typename Row::Reach;
  static constexpr int kWords = Row::kWords;

  ODDTILE_DEVICE explicit WindowRow(const Row& row) : row_(row), x_(row.x), shift_(row.x_shift) {}

  // The same with windows that start a word earlier, which is skipped.
  ODDTILE_DEVICE WindowRow from_word_before() const {
    WindowRow result = *this;
    result.x_ = x_ + -kOfWord;
    result.shift_ = 32;
    return result;
  }

  ODDTILE_DEVICE uint32_t address() const { return address_modulo(x_, 16); }
  ODDTILE_DEVICE bool skips() const { return shift_ != 0; }
  ODDTILE_DEVICE Reach reach() const { return row_.reach(Index(skipped()), kOfWord); }

  ODDTILE_DEVICE Global<const T> words_of(Index vector) const {
    return x_ + int64_t(vector) * width;
  }

  // Words [from, from + count) of those of a vector, of which only its columns have an influence.
  template <int count>
  ODDTILE_DEVICE void read(Global<const T> words, Index vector, int from, uint32_t* window) const {
    constexpr uint32_t kAll = (1u << (count * kOfWord)) - 1u;
    const uint32_t columns = row_.inside(vector) << skipped() >> (from * kOfWord) & kAll;
    const auto part = load_covering<Vector<uint32_t, count>>(words + from * kOfWord, 0, columns);
    ODDTILE_UNROLL
    for (int i = 0; i < count; ++i) window[from + i] = part.element[i];
  }

  ODDTILE_DEVICE uint32_t shifted(uint32_t low, uint32_t high) const {
    return uint32_t((uint64_t(high) << 32 | low) >> shift_);
  }

 private:
  static constexpr int kOfWord = Row::kOfWord;
  ODDTILE_DEVICE uint32_t skipped() const { return shift_ / (8 * sizeof(T)); }  // elements

  const Row& row_;
  Global<const T> x_;  // the first word of vector 0
  uint32_t shift_;     // bits
};

// The parts in which a window is read: so many words each.
template <int... counts>
struct WindowParts {
  static constexpr int kWords = (counts + ...);

  // Reads those that hold a column.
  template <class Row, class Index>
  static ODDTILE_DEVICE void read(const Row& row, Index vector, const typename Row::Reach& reach,
                                  bool is_touched, bool may_be_first, uint32_t (&window)[kWords]) {
    const auto words = row.words_of(vector);
    int from = 0;
    const auto read_part = [&](auto count) {
      if (reach.wants(Row::kWords, from, count, vector, is_touched, may_be_first)) {
        row.template read<count>(words, vector, from, window);
      }
      from += count;
    };
    (read_part(std::integral_constant<int, counts>{}), ...);
  }
};
template <size_t>
inline constexpr int kOneWord = 1;
template <size_t... words>
constexpr WindowParts<kOneWord<words>...> window_of_words(std::index_sequence<words...>) {
  return {};
}

// The vectors first + v * lanes. Nothing is computed of a vector between two loads: it would have
// to arrive first.
template <bool seeks_ends, class Parts, class T, int width, RowKind kind, class Index, int vectors,
          class Wanted>
ODDTILE_DEVICE void load_windows(Parts, const WindowRow<T, width, kind, Index>& row, Index first,
                                 Index lanes, const Wanted& is_wanted,
                                 Packed<T, width> (&vector)[vectors]) {
  using Row = WindowRow<T, width, kind, Index>;
  constexpr bool kAsks = !seeks_ends || kind == RowKind::masked;
  const auto reach = seeks_ends ? settled(row.reach()) : row.reach();
  uint32_t window[vectors][Parts::kWords];
  ODDTILE_UNROLL
  for (int v = 0; v < vectors; ++v) {
    ODDTILE_UNROLL
    for (uint32_t& word : window[v]) word = kNegativeInfinityWord<T>;
    const Index at = first + v * lanes;
    if (kAsks ? !is_wanted(v) : v == 0 && at < reach.first_vector) continue;
    Parts::read(row, at, reach, kAsks, !seeks_ends || v == 0, window[v]);
  }
  ODDTILE_UNROLL
  for (int v = 0; v < vectors; ++v) {
    ODDTILE_UNROLL
    for (int i = 0; i < Row::kWords; ++i) {
      const uint32_t word = window[v][i];
      vector[v].element[i] =
          Parts::kWords == Row::kWords ? word : row.shifted(word, window[v][i + 1]);
    }
  }
}

// The same, in parts as large as the row allows where instructions are short and its ends are
// sought in one place; else in words.
template <bool seeks_ends, class T, int width, RowKind kind, class Index, int vectors, class Wanted>
ODDTILE_DEVICE void load_shifted(const CoveredRow<T, width, kind, Index>& covered, Index first,
                                 Index lanes, const Wanted& is_wanted,
                                 Packed<T, width> (&vector)[vectors]) {
  const WindowRow<T, width, kind, Index> row(covered);
  const auto load = [&](auto parts, const auto& windows) {
    load_windows<seeks_ends>(parts, windows, first, lanes, is_wanted, vector);
  };
  if constexpr (!seeks_ends) {
    constexpr int kMore = sizeof(T) == 2 ? 1 : 0;
    load(window_of_words(std::make_index_sequence<row.kWords + kMore>{}), row);
  } else if (row.address() == 0 || (row.address() == 4 && !row.skips())) {
    load(WindowParts<4, 1>{}, row.address() == 0 ? row : row.from_word_before());
  } else if (row.address() == 8) {
    load(WindowParts<2, 2, 1>{}, row);
  } else if (row.address() == 12) {
    load(WindowParts<1, 4>{}, row);
  } else {
    load(WindowParts<1, 2, 2>{}, row);
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
