// The launch of hopper.cuh for one element type; each type is compiled by itself.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/attention/hopper.cuh"
#include "kernels/attention/hopper_launch.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Boxes of `box_rows` rows of one panel. A dimension of one item has no stride of its own.
template <class T>
TensorLayout panel_layout(const oddtile_tensor& tensor, int64_t batch, int64_t heads, int64_t rows,
                          int64_t head_dim, int box_rows) {
  const auto bytes = [](int64_t stride, int64_t count) {
    return count == 1 ? int64_t(16) : stride * int64_t(sizeof(T));
  };
  return {.base = tensor.data,
          .element = T::kIsBfloat16 ? TensorElement::bfloat16 : TensorElement::half,
          .swizzle = Swizzle::span_128,
          .rank = 4,
          .extent = {head_dim, rows, heads, batch},
          .stride_bytes = {0, bytes(tensor.row_stride, rows), bytes(tensor.head_stride, heads),
                           bytes(tensor.batch_stride, batch)},
          .box = {kPanelColumns, box_rows, 1, 1}};
}

// Whether a tile's panels can be one box: they have to be full, since the next row begins behind
// what is reached in part.
inline bool fills_panels(int64_t head_dim) {
  return head_dim % kPanelColumns == 0;
}

// The same with panels as the last dimension, where a tile has several: all in one box if they are
// full. What the tile has beyond the head size is then made zero.
inline TensorLayout with_panels(TensorLayout layout, int panels) {
  if (panels == 1) return layout;
  const bool together = fills_panels(layout.extent[0]);
  layout.rank = 5;
  layout.extent[4] = together ? layout.extent[0] / kPanelColumns : 1;
  layout.stride_bytes[4] = kPanelRowBytes;
  layout.box[4] = together ? panels : 1;
  if (together) layout.extent[0] = kPanelColumns;
  return layout;
}

// Rows are shared evenly where the tensor cores are the limit: with d = 64 that gained nothing.
inline TileOrder order_of(const oddtile_attention_problem& problem, const HopperShape& shape,
                          int32_t multiprocessors) {
  const bool banded = is_banded(problem);
  const bool evenly = !banded && shape.head_size > 64;
  const int32_t groups = int32_t(ceil_div(problem.seq_q, int64_t(kWarpgroupRows)));
  constexpr int64_t kElementBytes = 2;
  const int64_t key_bytes = kElementBytes * problem.seq_k * problem.head_dim;
  const TileOrder order = tile_order(banded, int32_t(problem.batch * problem.heads_q),
                                     row_tiles(groups, shape.consumers, evenly),
                                     2 * key_bytes * problem.heads_kv / problem.heads_q);
  return evenly && shape.consumers == 3 ? with_full_last_wave(order, multiprocessors) : order;
}

template <int index, class T>
oddtile_status launch_shape(const oddtile_attention_problem& problem, void* workspace,
                            void* stream) {
  constexpr HopperShape s = kHopperShapes[index];
  const auto kernel = &attention_hopper<index, T>;
  HopperParameters<T> p;
  // A copy costs the producer a hundred clocks, and where a tile begins it makes twenty by panels.
  constexpr int kPanels = HopperMemory<s>::KeyRows::kPanels;
  static_assert(HopperMemory<s>::QueryRows::kPanels == kPanels);
  p.boxes = fills_panels(problem.head_dim) ? 1 : kPanels;
  const auto encode = [&](TensorMap* map, const oddtile_tensor& tensor, int64_t heads, int64_t rows,
                          int box_rows, int panels) {
    return encode_tensor_map(map, with_panels(panel_layout<T>(tensor, problem.batch, heads, rows,
                                                              problem.head_dim, box_rows),
                                              panels));
  };
  if (!encode(&p.q, problem.q, problem.heads_q, problem.seq_q, kWarpgroupRows, kPanels) ||
      !encode(&p.o, problem.o, problem.heads_q, problem.seq_q, kWarpgroupRows, 1)) {
    return oddtile_launch_failed;
  }
  // Without keys nothing is loaded from them.
  if (problem.seq_k > 0 &&
      (!encode(&p.k, problem.k, problem.heads_kv, problem.seq_k, s.keys, kPanels) ||
       !encode(&p.v, problem.v, problem.heads_kv, problem.seq_k, s.keys, kPanels))) {
    return oddtile_launch_failed;
  }
  p.problem = attention_parameters<T>(problem);
  p.tickets = Global<int32_t>(static_cast<int32_t*>(workspace));
  p.seq_q = int32_t(problem.seq_q);
  p.seq_k = int32_t(problem.seq_k);
  p.band_low = int32_t(std::clamp<int64_t>(problem.band_low, -kHopperBandMost, kHopperBandMost));
  p.band_high = int32_t(std::clamp<int64_t>(problem.band_high, -kHopperBandMost, kHopperBandMost));
  p.heads_q = Divisor(int32_t(problem.heads_q));
  p.group = Divisor(int32_t(problem.heads_q / problem.heads_kv));
  p.order = order_of(problem, s, multiprocessors());
  p.frame = frame_scale(p.problem.scale.c);
  const LaunchShape shape = {.blocks = std::min(p.order.tiles(), multiprocessors()),
                             .threads = s.threads(),
                             .shared_bytes = HopperMemory<s>::kBytes,
                             .early = true};
  return clear_beside(p.tickets, 1, stream) && launch(kernel, "attention_hopper", shape, stream, p)
             ? oddtile_ok
             : oddtile_launch_failed;
}

template <class T>
oddtile_status launch_hopper(const oddtile_attention_problem& problem, int shape, void* workspace,
                             void* stream) {
  oddtile_status status = oddtile_bad_configuration;
  const auto try_shape = [&]<int index>(std::integral_constant<int, index>) {
    if (index != shape) return;
    status = launch_shape<index, T>(problem, workspace, stream);
  };
  [&]<int... index>(std::integer_sequence<int, index...>) {
    (try_shape(std::integral_constant<int, index>()), ...);
  }
  (std::make_integer_sequence<int, kHopperShapeCount>());
  return status;
}

}  // namespace oddtile::ODDTILE_MACHINE
