// Which configuration a softmax problem gets.
#include "kernels/api/arguments.h"
#include "kernels/base/bits.h"
#include "kernels/softmax/parameters.h"

namespace oddtile {
namespace {

constexpr int32_t kWideFrame = 128;  // bytes

// With fewer rows than this a GPU is not full, and the time of one row counts: more lanes per row.
constexpr int64_t kFew = 600;

// Preferred configurations, shortest row first. fp32 keeps its weights in registers and likes many
// lanes. 16-bit types, which keep the packed input and compute the weights twice, and masked rows,
// which pay more per vector, like few.
constexpr int32_t kManyLanes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15};
constexpr int32_t kFewLanes[] = {0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15};
constexpr int32_t kFewRows[] = {0, 1, 4, 6, 7, 8, 9, 10};

// Vectors that a row spans, wherever in its frame it starts.
int64_t row_vectors(const oddtile_softmax_problem& p, bool narrow) {
  const SoftmaxFrame frame = softmax_frame(p, narrow);
  const int64_t size = element_bytes(p.dtype);
  const bool moves = frame.lead != 0 || frame.step != 0;
  const int64_t lead = moves ? frame.bytes / size - 1 : 0;
  return ceil_div(p.columns + lead, int64_t(softmax_width(p.dtype, narrow)));
}

template <int32_t count>
int32_t first_that_holds(const int32_t (&indices)[count], int64_t vectors) {
  for (int32_t index : indices) {
    const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
    if (int64_t(it.lanes) * it.vectors >= vectors) return index;
  }
  return -1;
}

}  // namespace

int32_t softmax_width(oddtile_dtype dtype, bool narrow) {
  return narrow ? 2 : 16 / int32_t(element_bytes(dtype));
}

SoftmaxFrame softmax_frame(const oddtile_softmax_problem& p, bool narrow) {
  const int64_t size = element_bytes(p.dtype);
  const auto address = int64_t(reinterpret_cast<uintptr_t>(p.x) & 0xFFFu);
  // Modulo any power of two up to 4096; an unsigned product may wrap.
  const auto stride =
      int64_t((uint64_t(p.rows > 1 ? p.x_row_stride : 0) * uint64_t(size)) & 0xFFFu);
  const int64_t vector_bytes = softmax_width(p.dtype, narrow) * size;
  const bool aligned = address % vector_bytes == 0 && stride % vector_bytes == 0;
  const int64_t bytes = aligned || narrow ? vector_bytes : kWideFrame;
  return {int32_t(bytes), int32_t(address % bytes / size), int32_t(stride % bytes / size)};
}

int32_t softmax_id(const oddtile_softmax_problem& p, int32_t index) {
  const SoftmaxFrame frame = softmax_frame(p, kSoftmaxConfigurations[index].narrow);
  return index | frame.lead << 8 | frame.step << 16;
}

bool softmax_admits(const oddtile_softmax_problem& p, int32_t index) {
  if (index < 0 || index >= kSoftmaxCount) return false;
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  if (ceil_div(p.rows, int64_t(it.threads / it.lanes)) > kMostBlocks) return false;
  return it.form == SoftmaxForm::online ||
         row_vectors(p, it.narrow) <= int64_t(it.lanes) * it.vectors;
}

int32_t choose_softmax(const oddtile_softmax_problem& p) {
  const int64_t vectors = row_vectors(p, false);
  int32_t index = p.rows < kFew ? first_that_holds(kFewRows, vectors) : -1;
  if (index < 0) {
    index = p.dtype == oddtile_fp32 && p.mask == nullptr ? first_that_holds(kManyLanes, vectors)
                                                         : first_that_holds(kFewLanes, vectors);
  }
  return index >= 0 && softmax_admits(p, index) ? index : kSoftmaxOnline;
}

int64_t softmax_rescales(const oddtile_softmax_problem& p, int32_t index) {
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  if (it.form != SoftmaxForm::online) return 0;
  // Between two steps of a lane, and once more into the row's own frame.
  return ceil_div(row_vectors(p, it.narrow), int64_t(it.lanes) * it.vectors);
}

}  // namespace oddtile
