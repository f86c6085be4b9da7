// Host side of softmax that is the same on every machine: the configurations, the choice among them
// and the argument checks. README.md explains the table.
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile {

// Where a row is held: by lanes of a warp or by a block, in registers; by a block, in registers and
// shared memory; many rows in a tile in shared memory; nowhere (read twice).
enum class SoftmaxForm { lanes, block, shared, tile, online };

// `lanes` lanes share a row (part of a warp; else the whole block). A lane owns `vectors` vectors
// of the row in registers (online: per step; tile: elements). Vectors have 16 bytes, or two
// elements where `narrow`. threads = 0: as many as the row needs.
struct SoftmaxConfiguration {
  const char* name;
  SoftmaxForm form;
  int32_t threads;
  int32_t lanes;
  int32_t vectors;
  bool narrow;
};

inline constexpr SoftmaxConfiguration kSoftmaxConfigurations[] = {
    {"4 lanes x 2 vectors", SoftmaxForm::lanes, 128, 4, 2, false},                         // 0
    {"8 lanes x 2 vectors", SoftmaxForm::lanes, 128, 8, 2, false},                         // 1
    {"8 lanes x 3 vectors", SoftmaxForm::lanes, 128, 8, 3, false},                         // 2
    {"16 lanes x 2 vectors", SoftmaxForm::lanes, 128, 16, 2, false},                       // 3
    {"16 lanes x 3 vectors", SoftmaxForm::lanes, 128, 16, 3, false},                       // 4
    {"warp x 2 vectors", SoftmaxForm::lanes, 128, 32, 2, false},                           // 5
    {"warp x 3 vectors", SoftmaxForm::lanes, 128, 32, 3, false},                           // 6
    {"warp x 4 vectors", SoftmaxForm::lanes, 64, 32, 4, false},                            // 7
    {"warp x 5 vectors", SoftmaxForm::lanes, 64, 32, 5, false},                            // 8
    {"block x 4 vectors", SoftmaxForm::block, 0, 0, 4, false},                             // 9
    {"block x 8 vectors", SoftmaxForm::block, 0, 0, 8, false},                             // 10
    {"block x 9 vectors", SoftmaxForm::block, 0, 0, 9, false},                             // 11
    {"512 lanes x 8 vectors and shared memory", SoftmaxForm::shared, 512, 0, 8, false},    // 12
    {"1024 lanes x 8 vectors and shared memory", SoftmaxForm::shared, 1024, 0, 8, false},  // 13
    {"tile, 16 lanes x 9 elements", SoftmaxForm::tile, 128, 16, 9, false},                 // 14
    {"tile, warp x 9 elements", SoftmaxForm::tile, 128, 32, 9, false},                     // 15
    {"tile, warp x 16 elements", SoftmaxForm::tile, 128, 32, 16, false},                   // 16
    {"tile, warp x 32 elements", SoftmaxForm::tile, 128, 32, 32, false},                   // 17
    {"online, 1024 lanes x 4 vectors", SoftmaxForm::online, 1024, 0, 4, false},            // 18
    // For fuzzing: a hundred columns already fill several lanes, warps and online steps.
    {"8 lanes x 2 pairs", SoftmaxForm::lanes, 32, 8, 2, true},                         // 19
    {"block x 2 pairs", SoftmaxForm::block, 0, 0, 2, true},                            // 20
    {"32 lanes x 2 vectors and shared memory", SoftmaxForm::shared, 32, 0, 2, false},  // 21
    {"tile of 2 rows, 16 lanes x 9 elements", SoftmaxForm::tile, 32, 16, 9, false},    // 22
    {"online, 32 lanes x 1 pair", SoftmaxForm::online, 32, 0, 1, true},                // 23
    {"online, 64 lanes x 1 pair", SoftmaxForm::online, 64, 0, 1, true},                // 24
};
inline constexpr int32_t kSoftmaxCount = 25;
inline constexpr int32_t kSoftmaxOnline = 18;

// How the rows of y lie against vectors: row r starts (lead + r * step) modulo the frame elements
// after a frame's boundary. The order of a row's sum follows from it, so it is part of a
// configuration's id: the same id gives the same bits.
struct SoftmaxFrame {
  int32_t bytes;
  int32_t lead;
  int32_t step;
};

SoftmaxFrame softmax_frame(const oddtile_softmax_problem& problem, bool narrow);

// Whether every row of x and of y consists of aligned vectors.
bool softmax_rows_are_whole(const oddtile_softmax_problem& problem, bool narrow);

// The launch that a configuration means for a problem that it can serve.
struct SoftmaxPlan {
  int64_t blocks;
  int32_t threads;
  int32_t shared_slots;  // vectors of a lane in shared memory
  int32_t tile_rows;     // of a block
  int64_t shared_bytes;
};

SoftmaxPlan softmax_plan(const oddtile_softmax_problem& problem, int32_t index);

// The id is the index in the table, the lead and the step.
int32_t softmax_id(const oddtile_softmax_problem& problem, int32_t index);
inline int32_t softmax_index(int32_t id) {
  return id & 0xFF;
}

// Whether a configuration of the table can serve the problem with blocks of so much shared memory.
bool softmax_admits(const oddtile_softmax_problem& problem, int32_t index, int64_t shared_bytes);

// The configuration of the table to prefer: a function of columns, rows, type, whether there is a
// mask, how the rows lie, and the shared memory of a block; nothing else.
int32_t choose_softmax(const oddtile_softmax_problem& problem, int64_t shared_bytes);

// Times that a partial sum of an online row is moved to another frame, at most.
int64_t softmax_rescales(const oddtile_softmax_problem& problem, int32_t index);

// The argument checks of the contract, in the order of oddtile_status where several fail.
oddtile_status check_softmax(const oddtile_softmax_problem& problem);

// Elements of one vector.
int32_t softmax_width(oddtile_dtype dtype, bool narrow);

}  // namespace oddtile
