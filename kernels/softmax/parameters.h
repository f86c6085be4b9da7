// Host side of softmax that is the same on every machine: the configurations, the choice among them
// and the argument checks. README.md explains the table.
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile {

enum class SoftmaxForm { registers, online };

// `lanes` lanes share a row: a power of two up to a warp, or the whole block. A lane owns `vectors`
// vectors of the row (online: per step). Vectors have 16 bytes, or two elements where `narrow`.
struct SoftmaxConfiguration {
  const char* name;
  SoftmaxForm form;
  int32_t threads;
  int32_t lanes;
  int32_t vectors;
  bool narrow;
};

inline constexpr SoftmaxConfiguration kSoftmaxConfigurations[] = {
    {"8 lanes x 1 vector", SoftmaxForm::registers, 128, 8, 1, false},               // 0
    {"16 lanes x 1 vector", SoftmaxForm::registers, 128, 16, 1, false},             // 1
    {"16 lanes x 2 vectors", SoftmaxForm::registers, 128, 16, 2, false},            // 2
    {"16 lanes x 3 vectors", SoftmaxForm::registers, 128, 16, 3, false},            // 3
    {"warp x 2 vectors", SoftmaxForm::registers, 128, 32, 2, false},                // 4
    {"warp x 3 vectors", SoftmaxForm::registers, 128, 32, 3, false},                // 5
    {"warp x 5 vectors", SoftmaxForm::registers, 64, 32, 5, false},                 // 6
    {"64 lanes x 5 vectors", SoftmaxForm::registers, 64, 64, 5, false},             // 7
    {"128 lanes x 5 vectors", SoftmaxForm::registers, 128, 128, 5, false},          // 8
    {"256 lanes x 5 vectors", SoftmaxForm::registers, 256, 256, 5, false},          // 9
    {"512 lanes x 5 vectors", SoftmaxForm::registers, 512, 512, 5, false},          // 10
    {"64 lanes x 9 vectors", SoftmaxForm::registers, 64, 64, 9, false},             // 11
    {"128 lanes x 9 vectors", SoftmaxForm::registers, 128, 128, 9, false},          // 12
    {"256 lanes x 9 vectors", SoftmaxForm::registers, 256, 256, 9, false},          // 13
    {"512 lanes x 9 vectors", SoftmaxForm::registers, 512, 512, 9, false},          // 14
    {"1024 lanes x 9 vectors", SoftmaxForm::registers, 1024, 1024, 9, false},       // 15
    {"online, 1024 lanes x 4 vectors", SoftmaxForm::online, 1024, 1024, 4, false},  // 16
    // For fuzzing: a hundred columns already fill several lanes, warps and online steps.
    {"8 lanes x 2 pairs", SoftmaxForm::registers, 32, 8, 2, true},        // 17
    {"64 lanes x 2 pairs", SoftmaxForm::registers, 64, 64, 2, true},      // 18
    {"online, 32 lanes x 1 pair", SoftmaxForm::online, 32, 32, 1, true},  // 19
    {"online, 64 lanes x 1 pair", SoftmaxForm::online, 64, 64, 1, true},  // 20
};
inline constexpr int32_t kSoftmaxCount = 21;
inline constexpr int32_t kSoftmaxOnline = 16;

// How the rows of x lie against the vectors that are read: row r starts (lead + r * step) modulo
// the frame elements after a frame's boundary. The order of a row's sum follows from it, so it is
// part of a configuration's id: the same id gives the same bits.
struct SoftmaxFrame {
  int32_t bytes;
  int32_t lead;
  int32_t step;
};

SoftmaxFrame softmax_frame(const oddtile_softmax_problem& problem, bool narrow);

// The id is the index in the table, the lead and the step.
int32_t softmax_id(const oddtile_softmax_problem& problem, int32_t index);
inline int32_t softmax_index(int32_t id) {
  return id & 0xFF;
}

// Whether a configuration of the table can serve the problem.
bool softmax_admits(const oddtile_softmax_problem& problem, int32_t index);

// The configuration of the table to prefer: a function of columns, rows, type, whether there is a
// mask, and the alignment of the rows; nothing else.
int32_t choose_softmax(const oddtile_softmax_problem& problem);

// Times that a partial sum of an online row is moved to another frame, at most.
int64_t softmax_rescales(const oddtile_softmax_problem& problem, int32_t index);

// The argument checks of the contract, in the order of oddtile_status where several fail.
oddtile_status check_softmax(const oddtile_softmax_problem& problem);

// Elements of one vector.
int32_t softmax_width(oddtile_dtype dtype, bool narrow);

}  // namespace oddtile
