// A run of memory of any alignment brought to shared memory, with -inf in place of what a byte mask
// hides.
#pragma once

#include <type_traits>

#include "kernels/tile/covered_row.cuh"
#include "kernels/tile/staged_span.cuh"

namespace oddtile::ODDTILE_MACHINE {

// The mask bytes of a run: a word of `kWidth` bytes for each of its vectors, at any address.
template <class T>
struct MaskOfRun {
  static constexpr int kWidth = VectorRun<T>::kWidth;
  using Word = std::conditional_t<kWidth == 8, uint64_t, uint32_t>;

  Global<const uint8_t> aligned;
  int32_t shift;  // bytes
  int32_t lead;
  int32_t count;

  ODDTILE_DEVICE MaskOfRun(Global<const uint8_t> first, const VectorRun<const T>& run)
      : lead(run.lead), count(run.count) {
    const Global<const uint8_t> at_vector = first + -int64_t(lead);
    shift = int32_t(address_modulo(at_vector, kWidth));
    aligned = at_vector + -int64_t(shift);
  }
  // Of this lane's vectors, 0 for those beyond the run. Aligned words that hold a byte of the run
  // are read, no others; bytes beside the run are 0 or anything.
  ODDTILE_DEVICE void read(Word (&words)[kStagingRounds]) const {
    const int32_t first = lead + shift < kWidth ? 0 : 1;  // word that holds a byte of the run
    const int32_t end = (lead + count + kWidth - 1) / kWidth;
    const int32_t words_end = (lead + shift + count + kWidth - 1) / kWidth;
    const Global<const uint8_t> mine = aligned + int64_t(thread()) * kWidth;
    ODDTILE_UNROLL
    for (int i = 0; i < kStagingRounds; ++i) {
      const int32_t v = VectorRun<T>::own(i);
      words[i] = (i > 0 || v >= first) && v < end ? load_as<Word>(mine, VectorRun<T>::own_step(i))
                                                  : Word(0);
    }
    if (shift == 0) return;
    ODDTILE_UNROLL
    for (int i = 0; i < kStagingRounds; ++i) {
      const int32_t v = VectorRun<T>::own(i);
      const bool has_high = v < end && v + 1 < words_end;
      const Word high = has_high ? load_as<Word>(mine, VectorRun<T>::own_step(i) + 1) : Word(0);
      words[i] = words[i] >> (8 * shift) | high << (8 * (kWidth - shift));
    }
  }
};

// -inf in place of the elements whose byte is 0.
template <class T, class Word>
ODDTILE_DEVICE void hide_by_bytes(Packed<T, int(sizeof(Word))>* values, Word visible) {
  ODDTILE_UNROLL
  for (int i = 0; i < int(sizeof(T)); ++i) {  // words that four bytes decide about
    ODDTILE_UNROLL
    for (int half = 0; half < int(sizeof(Word)) / 4; ++half) {
      const auto bytes = uint32_t(uint64_t(visible) >> (32 * half));
      const uint32_t keep = visible_bits<T>(bytes, i);
      uint32_t& word = values->element[half * int(sizeof(T)) + i];
      word = (word & keep) | (kNegativeInfinityWord<T> & ~keep);
    }
  }
}

// Brings a run to `to`, 16-byte aligned, with -inf in place of hidden elements; vectors without a
// visible one are not read. Synchronise before reading.
template <class T>
ODDTILE_DEVICE void stage_visible(std::byte* to, const VectorRun<const T>& run,
                                  Global<const uint8_t> mask) {
  const StagedVectors<T> mine(to, run);
  typename MaskOfRun<T>::Word visible[kStagingRounds];
  MaskOfRun<T>(mask, run).read(visible);
  mine.start_some([&](int round) { return visible[round] != 0; });
  mine.finish();
  ODDTILE_UNROLL
  for (int i = 0; i < kStagingRounds; ++i) {
    if (run.own(i) >= run.vectors()) break;
    auto values = *mine.place(i);
    hide_by_bytes<T>(&values, visible[i]);
    *mine.place(i) = values;
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
