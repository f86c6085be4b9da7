// Host side of softmax that is the same on every machine: the configurations, the choice among them
// and the argument checks. README.md explains the table.
#pragma once

#include <iterator>

#include "kernels/api/kernels.h"

namespace oddtile {

// Where a row is held: by lanes of a warp or by a block, in registers; by a block or a cluster, in
// registers and shared memory, also of one that takes one row after another (staying); many rows in
// a tile in shared memory; nowhere (read twice). Few: by a warp or a block, in registers, whole
// vectors only, as soon as can be. Words: by lanes of a warp, in registers, element by element.
enum class SoftmaxForm { lanes, block, shared, staying, tile, online, few, words };

// `lanes` lanes share a row (part of a warp; 0: all blocks of a cluster). A lane owns `vectors`
// vectors of the row in registers (online: per step; tile, words: elements). Vectors have 16 bytes,
// or two elements where `narrow` (a tile then has few rows). threads = 0: as many as the row needs.
struct SoftmaxConfiguration {
  const char* name;
  SoftmaxForm form;
  int32_t threads;
  int32_t lanes;
  int32_t vectors;
  bool narrow = false;
  int32_t cluster = 1;  // blocks that share a row; 0: as many as hold it in registers
  bool close = false;   // frames of 16 bytes for rows that start anywhere
  int32_t least = 0;    // tile, words: elements that every lane has
  int32_t spare = 0;    // block: warps more than the row needs
  int32_t rows = 1;     // words: that a lane has a part of
};

inline constexpr SoftmaxConfiguration kSoftmaxConfigurations[] = {
    {"4 lanes x 2 vectors", SoftmaxForm::lanes, 128, 4, 2},    // 0
    {"8 lanes x 2 vectors", SoftmaxForm::lanes, 128, 8, 2},    // 1
    {"8 lanes x 3 vectors", SoftmaxForm::lanes, 128, 8, 3},    // 2
    {"16 lanes x 2 vectors", SoftmaxForm::lanes, 128, 16, 2},  // 3
    {"16 lanes x 3 vectors", SoftmaxForm::lanes, 128, 16, 3},  // 4
    {"warp x 2 vectors", SoftmaxForm::lanes, 128, 32, 2},      // 5
    {"warp x 3 vectors", SoftmaxForm::lanes, 128, 32, 3},      // 6
    {"warp x 4 vectors", SoftmaxForm::lanes, 64, 32, 4},       // 7
    {"warp x 5 vectors", SoftmaxForm::lanes, 64, 32, 5},       // 8
    {"block x 4 vectors", SoftmaxForm::block, 0, 0, 4},        // 9
    {"block x 8 vectors", SoftmaxForm::block, 0, 0, 8},        // 10
    {"block x 9 vectors", SoftmaxForm::block, 0, 0, 9},        // 11
    // 8 vectors of a lane in registers, the rest in shared memory
    {"512 lanes and shared memory", SoftmaxForm::shared, 512, 0, 8},                           // 12
    {"1024 lanes and shared memory", SoftmaxForm::shared, 1024, 0, 8},                         // 13
    {"2 blocks x 512 lanes and shared memory", SoftmaxForm::shared, 512, 0, 8, false, 2},      // 14
    {"4 blocks x 512 lanes and shared memory", SoftmaxForm::shared, 512, 0, 8, false, 4},      // 15
    {"8 blocks x 512 lanes and shared memory", SoftmaxForm::shared, 512, 0, 8, false, 8},      // 16
    {"16 blocks x 512 lanes and shared memory", SoftmaxForm::shared, 512, 0, 8, false, 16},    // 17
    {"2 blocks x 1024 lanes and shared memory", SoftmaxForm::shared, 1024, 0, 8, false, 2},    // 18
    {"4 blocks x 1024 lanes and shared memory", SoftmaxForm::shared, 1024, 0, 8, false, 4},    // 19
    {"8 blocks x 1024 lanes and shared memory", SoftmaxForm::shared, 1024, 0, 8, false, 8},    // 20
    {"16 blocks x 1024 lanes and shared memory", SoftmaxForm::shared, 1024, 0, 8, false, 16},  // 21
    {"tile, 8 lanes x 9 elements", SoftmaxForm::tile, 128, 8, 9, false, 1, false, 4},          // 22
    {"tile, 8 lanes x 13 elements", SoftmaxForm::tile, 128, 8, 13, false, 1, false, 8},        // 23
    {"tile, 8 lanes x 17 elements", SoftmaxForm::tile, 128, 8, 17, false, 1, false, 12},       // 24
    {"tile, warp x 8 elements", SoftmaxForm::tile, 128, 32, 8, false, 1, false, 4},            // 25
    {"tile, warp x 12 elements", SoftmaxForm::tile, 128, 32, 12, false, 1, false, 8},          // 26
    {"tile, warp x 16 elements", SoftmaxForm::tile, 128, 32, 16, false, 1, false, 12},         // 27
    {"tile, warp x 25 elements", SoftmaxForm::tile, 128, 32, 25, false, 1, false, 16},         // 28
    {"tile, warp x 32 elements", SoftmaxForm::tile, 128, 32, 32, false, 1, false, 24},         // 29
    {"online, 1024 lanes x 4 vectors", SoftmaxForm::online, 1024, 0, 4},                       // 30
    // For fuzzing: a hundred columns already fill several lanes, warps, blocks and online steps.
    {"8 lanes x 2 pairs", SoftmaxForm::lanes, 32, 8, 2, true},                                // 31
    {"block x 2 pairs", SoftmaxForm::block, 0, 0, 2, true},                                   // 32
    {"32 lanes x 2 vectors and shared memory", SoftmaxForm::shared, 32, 0, 2},                // 33
    {"3 blocks x 32 lanes and shared memory", SoftmaxForm::shared, 32, 0, 2, false, 3},       // 34
    {"tile of few rows, 8 lanes x 5 elements", SoftmaxForm::tile, 128, 8, 5, true},           // 35
    {"online, 32 lanes x 1 pair", SoftmaxForm::online, 32, 0, 1, true},                       // 36
    {"online, 64 lanes x 1 pair", SoftmaxForm::online, 64, 0, 1, true},                       // 37
    {"few rows, warp x 2 pairs", SoftmaxForm::few, 32, 0, 2, true},                           // 38
    {"few rows, warp x 1 vector", SoftmaxForm::few, 32, 0, 1},                                // 39
    {"few rows, warp x 2 vectors", SoftmaxForm::few, 32, 0, 2},                               // 40
    {"few rows, 2 warps x 2 vectors", SoftmaxForm::few, 64, 0, 2},                            // 41
    {"few rows, 4 warps x 2 vectors", SoftmaxForm::few, 128, 0, 2},                           // 42
    {"few rows, 4 warps x 4 vectors", SoftmaxForm::few, 128, 0, 4},                           // 43
    {"few rows, 8 warps x 4 vectors", SoftmaxForm::few, 256, 0, 4},                           // 44
    {"few rows, 16 warps x 4 vectors", SoftmaxForm::few, 512, 0, 4},                          // 45
    {"warp x 4 vectors, frames of 16 bytes", SoftmaxForm::lanes, 64, 32, 4, false, 1, true},  // 46

    {"3 blocks x 32 lanes, staying", SoftmaxForm::staying, 32, 0, 2, false, 3},      // 47, to fuzz
    {"16 blocks x 512 lanes, staying", SoftmaxForm::staying, 512, 0, 8, false, 16},  // 48
    {"8 blocks x 1024 lanes x 4, staying", SoftmaxForm::staying, 1024, 0, 4, false, 8},  // 49
    {"16 blocks x 512 lanes x 4, staying", SoftmaxForm::staying, 512, 0, 4, false, 16},  // 50
    {"16 blocks x 1024 lanes, staying", SoftmaxForm::staying, 1024, 0, 8, false, 16},    // 51

    // Small blocks, of which a multiprocessor has eight or four: some read while others compute.
    {"4 blocks x 128 lanes and shared memory", SoftmaxForm::shared, 128, 0, 8, false, 4},    // 52
    {"8 blocks x 128 lanes and shared memory", SoftmaxForm::shared, 128, 0, 8, false, 8},    // 53
    {"16 blocks x 128 lanes and shared memory", SoftmaxForm::shared, 128, 0, 8, false, 16},  // 54
    {"8 blocks x 256 lanes and shared memory", SoftmaxForm::shared, 256, 0, 8, false, 8},    // 55
    {"16 blocks x 256 lanes and shared memory", SoftmaxForm::shared, 256, 0, 8, false, 16},  // 56

    {"tile, 8 lanes x 5 elements", SoftmaxForm::tile, 128, 8, 5},                        // 57
    {"tile, 16 lanes x 8 elements", SoftmaxForm::tile, 128, 16, 8, false, 1, false, 4},  // 58

    // Lanes that do not divide the row evenly.
    {"block x 4 vectors, a warp more", SoftmaxForm::block, 0, 0, 4, false, 1, false, 0, 1},   // 59
    {"block x 4 vectors, 2 warps more", SoftmaxForm::block, 0, 0, 4, false, 1, false, 0, 2},  // 60
    {"block x 5 vectors", SoftmaxForm::block, 0, 0, 5},                                       // 61
    // For rows in place.
    {"64 lanes x 2 vectors and shared memory", SoftmaxForm::shared, 64, 0, 2},  // 62

    {"tile, 8 lanes x 25 elements", SoftmaxForm::tile, 128, 8, 25, false, 1, false, 17},  // 63
    {"tile, 8 lanes x 32 elements", SoftmaxForm::tile, 128, 8, 32, false, 1, false, 25},  // 64

    // As many blocks as hold a row in registers: no lane is idle for long.
    {"blocks of 128 lanes x 8 vectors", SoftmaxForm::shared, 128, 0, 8, false, 0},  // 65
    {"blocks of 32 lanes x 2 vectors", SoftmaxForm::shared, 32, 0, 2, false, 0},    // 66, to fuzz

    // For fp32 without a mask: short rows element by element, and a block of lanes with little
    // each.
    {"8 lanes x 5 words", SoftmaxForm::words, 128, 8, 5},                                   // 67
    {"16 lanes x 4 words", SoftmaxForm::words, 128, 16, 4, false, 1, false, 2},             // 68
    {"16 lanes x 8 words", SoftmaxForm::words, 128, 16, 8, false, 1, false, 4},             // 69
    {"warp x 4 words", SoftmaxForm::words, 128, 32, 4, false, 1, false, 3},                 // 70
    {"warp x 5 words", SoftmaxForm::words, 128, 32, 5, false, 1, false, 4},                 // 71
    {"warp x 8 words", SoftmaxForm::words, 128, 32, 8, false, 1, false, 5},                 // 72
    {"warp x 8 words of 2 rows", SoftmaxForm::words, 32, 32, 8, false, 1, false, 5, 0, 2},  // 73
    {"warp x 12 words", SoftmaxForm::words, 128, 32, 12, false, 1, false, 8},               // 74
    {"warp x 16 words", SoftmaxForm::words, 128, 32, 16, false, 1, false, 12},              // 75
    {"block x 2 vectors", SoftmaxForm::block, 0, 0, 2},                                     // 76
};
inline constexpr int32_t kSoftmaxCount = int32_t(std::size(kSoftmaxConfigurations));
static_assert(kSoftmaxCount <= 256, "an id has 8 bits for the index");
inline constexpr int32_t kSoftmaxOnline = 30;
inline constexpr int32_t kSoftmaxWords = 67;  // the first of that form
static_assert(kSoftmaxConfigurations[kSoftmaxWords].form == SoftmaxForm::words &&
              kSoftmaxConfigurations[kSoftmaxWords - 1].form != SoftmaxForm::words);

// What a machine has for a launch.
struct SoftmaxMachine {
  int64_t shared_bytes;    // of a block
  int32_t cluster_blocks;  // 1: it has no clusters
};

// How the rows of y lie against vectors: row r starts (lead + r * step) modulo the frame elements
// after a frame's boundary. The order of a row's sum follows from it, so it is part of a
// configuration's id: the same id gives the same bits.
struct SoftmaxFrame {
  int32_t bytes;
  int32_t lead;
  int32_t step;
};

SoftmaxFrame softmax_frame(const oddtile_softmax_problem& problem, const SoftmaxConfiguration& it);

// Whether a row's sum takes columns in an order that does not depend on where they lie.
constexpr bool softmax_sums_by_columns(const SoftmaxConfiguration& it) {
  return it.form == SoftmaxForm::tile || it.form == SoftmaxForm::words;
}

// Whether every row of x and of y consists of aligned vectors.
bool softmax_rows_are_whole(const oddtile_softmax_problem& problem, bool narrow);

// Whether rows of x lie otherwise on 16-byte vectors than rows of y.
bool softmax_moves(const oddtile_softmax_problem& problem);

// Whether gaps between rows of y cut sectors that a tile or a row in registers had better ask for:
// not in place, where x is there.
bool softmax_cuts_sectors(const oddtile_softmax_problem& problem);

// Whether clusters can take one row after another, and bring the next one to where the last one was
// while they write that: where few clusters are resident, a new one would have to wait for so many
// free places at once that memory waits, too. What is not copied as it is cannot be brought ahead.
bool softmax_can_stay(const oddtile_softmax_problem& problem);

// The launch that a configuration means for a problem that it can serve.
struct SoftmaxPlan {
  int64_t blocks;
  int32_t threads;
  int32_t shared_slots;  // vectors of a lane in shared memory
  int32_t tile_rows;     // of a block
  int32_t rows_apart;    // in a tile: those of one warp
  int64_t shared_bytes;
  int32_t cluster_blocks = 1;  // that share a row
};

SoftmaxPlan softmax_plan(const oddtile_softmax_problem& problem, int32_t index);

// The id is the index in the table, the lead and the step.
int32_t softmax_id(const oddtile_softmax_problem& problem, int32_t index);
inline int32_t softmax_index(int32_t id) {
  return id & 0xFF;
}

// Whether a configuration of the table can serve the problem on such a machine.
bool softmax_admits(const oddtile_softmax_problem& problem, int32_t index,
                    const SoftmaxMachine& machine);

// The configuration of the table to prefer: a function of columns, rows, type, whether there is a
// mask, how the rows lie, whether y is x, and what the machine has; nothing else.
int32_t choose_softmax(const oddtile_softmax_problem& problem, const SoftmaxMachine& machine);

// Times that a partial sum of a row is moved to another frame, at most.
int64_t softmax_rescales(const oddtile_softmax_problem& problem, int32_t index);

// The argument checks of the contract, in the order of oddtile_status where several fail.
oddtile_status check_softmax(const oddtile_softmax_problem& problem);

// Elements of one vector.
int32_t softmax_width(oddtile_dtype dtype, bool narrow);

}  // namespace oddtile
