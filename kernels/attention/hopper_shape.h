// What the attention kernel of sm_90 is built for, in one table; README.md says how the shapes were
// chosen.
#pragma once

#include <cstdint>

#include "kernels/tile/frame_rule.h"

namespace oddtile {

// Where a warpgroup's rows of O wait for the copy that stores them: in a buffer of their own, whole
// or half of the columns at a time, or where weights or queries were.
enum class Staging : uint8_t { own, halves, weights, queries };

// A query tile of 64 rows for each consumer warpgroup, against blocks of `keys` keys, for head
// sizes up to `head_size`.
struct HopperShape {
  int head_size;
  int consumers;  // warpgroups that multiply
  int keys;
  int stages;  // of K, and of V
  bool weights_in_registers;
  bool take_turns;  // one warpgroup's softmax while another multiplies (ping-pong)
  Staging staging;
  FrameRule rule;
  // Byte masks, and scales that change scores before c does (parameters.h); the addresses and
  // branches cost registers and time that the other shapes have not.
  bool general;
  int producer_registers;
  int consumer_registers;
  bool production = true;

  // Steps of 16 keys, the last of a block, whose weights stay in registers; the others wait in
  // shared memory. One step costs four registers and spares an eighth of the way there and back.
  constexpr int held_steps() const {
    const int steps = keys / 16;
    return weights_in_registers ? steps : steps > 1 ? 1 : 0;
  }
  constexpr int rows() const { return 64 * consumers; }
  constexpr int threads() const { return 128 * (consumers + 1); }
};

inline constexpr FrameRule kEconomical = {.lazy = true, .by_integers = true};

// The index plus kHopperFirst is the configuration's id.
inline constexpr HopperShape kHopperShapes[] = {
    {64, 3, 128, 3, true, true, Staging::own, kEconomical, false, 32, 160},         // 0: 192 x 128
    {64, 3, 128, 4, true, false, Staging::own, kEconomical, false, 32, 160},        // 1: 192 x 128
    {128, 3, 128, 2, false, true, Staging::weights, kEconomical, false, 32, 160},   // 2: 192 x 128
    {128, 3, 64, 4, true, false, Staging::queries, kEconomical, false, 32, 160},    // 3: 192 x 64
    {256, 2, 64, 2, true, false, Staging::halves, {.lazy = true}, false, 40, 232},  // 4: 128 x 64
    // The same, general.
    {64, 2, 128, 4, true, false, Staging::own, {}, true, 40, 232},                 // 5: 128 x 128
    {128, 2, 128, 2, true, false, Staging::own, {}, true, 40, 232},                // 6: 128 x 128
    {256, 2, 64, 2, true, false, Staging::halves, {.lazy = true}, true, 40, 232},  // 7: 128 x 64
    // From here on for the simulator.
    {64, 1, 32, 2, true, false, Staging::queries, kEconomical, true, 40, 256, false},  // 8
    {64, 2, 16, 3, false, true, Staging::own, {.lazy = true}, true, 40, 232, false},   // 9
    {128, 2, 16, 2, true, false, Staging::halves, kEconomical, true, 40, 232, false},  // 10
};

inline constexpr int kHopperShapeCount = sizeof(kHopperShapes) / sizeof(kHopperShapes[0]);
inline constexpr int kHopperFirst = 32;

// Positions, their differences and a band moved by an anchor's shift stay within 32 bits.
inline constexpr int64_t kHopperSequenceMost = int64_t(1) << 28;
inline constexpr int64_t kHopperBandMost = int64_t(1) << 29;

}  // namespace oddtile
