// The fused attention's entries: choice of a configuration, its profile, the launch.
#include <cstdio>
#include <type_traits>
#include <utility>

#include "kernels/api/arguments.h"
#include "kernels/attention/attention.cuh"
#include "kernels/attention/configurations.h"
#include "kernels/attention/forward.cuh"
#include "kernels/attention/hopper_launch.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

// Calls action.operator()<Tile>() for the tile with this id; false when there is none.
template <class Action, int... ids>
bool with_tile(int32_t id, Action&& action, std::integer_sequence<int, ids...>) {
  return ((id == ids && (action(std::tuple_element_t<ids, AttentionTiles>()), true)) || ...);
}
template <class Action>
bool with_tile(int32_t id, Action&& action) {
  return with_tile(id, action, std::make_integer_sequence<int, kAttentionTiles>());
}

struct TileFacts {
  int head_size, rows, keys;
  bool production;
  double lazy_log2 = 0;  // how far a weight's exponent may pass 0
};

TileFacts facts_of(int32_t id) {
  if (id >= kHopperFirst) {
    const HopperShape& shape = kHopperShapes[id - kHopperFirst];
    return {shape.head_size, shape.rows(), shape.keys, shape.production,
            shape.rule.lazy ? kLazyLog2 : 0.0};
  }
  TileFacts facts = {};
  with_tile(id, [&](auto tile) {
    using Tile = decltype(tile);
    facts = {Tile::kHeadSize, Tile::kTileRows, Tile::kTileKeys, Tile::kProduction};
  });
  return facts;
}

// The first production tile whose head size suffices; a smaller query tile where all queries fit
// into it. Batch and heads have no say, so that an item's bits never depend on its neighbours.
int32_t preferred(const oddtile_attention_problem& problem) {
  int32_t best = -1;
  for (int32_t id = 0; id < kAttentionTiles; ++id) {
    const TileFacts tile = facts_of(id);
    if (!tile.production || tile.head_size < problem.head_dim) continue;
    if (best < 0) best = id;
    const TileFacts chosen = facts_of(best);
    if (tile.head_size == chosen.head_size && tile.rows < chosen.rows &&
        problem.seq_q <= tile.rows) {
      best = id;
    }
  }
  return best;
}

bool admissible(const oddtile_attention_problem& problem, int32_t id) {
  if (id >= kHopperFirst) return hopper_takes(problem, id - kHopperFirst);
  if (id < 0 || id >= kAttentionTiles || facts_of(id).head_size < problem.head_dim) return false;
  int64_t blocks = ceil_div(problem.seq_q, int64_t(facts_of(id).rows));
  return !__builtin_mul_overflow(blocks, problem.heads_q, &blocks) &&
         !__builtin_mul_overflow(blocks, problem.batch, &blocks) && blocks <= kMostBlocks;
}

template <class Tile, class T>
oddtile_status launch_tile(const oddtile_attention_problem& problem, void* stream) {
  AttentionParameters<T> parameters = attention_parameters<T>(problem);
  parameters.row_tiles = ceil_div(problem.seq_q, int64_t(Tile::kTileRows));
  const LaunchShape shape = {.blocks = problem.batch * problem.heads_q * parameters.row_tiles,
                             .threads = Tile::kThreads,
                             .shared_bytes = Tile::kSharedBytes};
  return launch(&attention_forward<Tile, T>, "attention_forward", shape, stream, parameters)
             ? oddtile_ok
             : oddtile_launch_failed;
}

}  // namespace

int32_t attention_configurations(const oddtile_attention_problem& problem, int32_t* ids,
                                 int32_t capacity) {
  if (check_attention(problem) != oddtile_ok) return 0;
  const int32_t portable = preferred(problem);
  const int32_t hopper = kHopperFirst + hopper_preferred(problem);
  const int32_t favourites[] = {kPrefersHopper ? hopper : portable,
                                kPrefersHopper ? portable : hopper};
  int32_t count = 0;
  const auto add = [&](int32_t id) {
    if (count < capacity && admissible(problem, id)) ids[count++] = id;
  };
  for (const int32_t id : favourites) add(id);
  for (int32_t id = 0; id < kHopperFirst + kHopperShapeCount; ++id) {
    if (id != portable && id != hopper) add(id);
  }
  return count;
}

oddtile_status attention_describe(const oddtile_attention_problem& problem, int32_t id,
                                  oddtile_profile* profile) {
  if (const oddtile_status status = check_attention(problem); status != oddtile_ok) return status;
  if (!admissible(problem, id)) return oddtile_bad_configuration;
  const TileFacts tile = facts_of(id);
  *profile = {};
  const char* const kind = id >= kHopperFirst ? "hopper" : "tile";
  std::snprintf(profile->name, sizeof profile->name, "%s %dx%d d%d", kind, tile.rows, tile.keys,
                tile.head_size);
  profile->tile_rows = tile.rows;
  profile->tile_columns = tile.keys;
  profile->sum_lanes = 4;  // the lanes of a row, each adding the weights of its own columns
  profile->mma_products = kMachineArithmetic.mma_products;
  profile->mma_fraction_bits = kMachineArithmetic.mma_fraction_bits;
  profile->weight_dtype = problem.dtype;
  profile->exp2_flushes = kMachineArithmetic.exp2_flushes;
  profile->exp2_error = kMachineArithmetic.exp2_error;
  profile->log2_error = kMachineArithmetic.log2_error;
  profile->lazy_threshold_log2 = tile.lazy_log2;
  profile->machine_arithmetic = 1;
  profile->division_error_u = 2.0;  // 1 / sum, and the product with it
  return oddtile_ok;
}

int64_t attention_workspace_bytes(const oddtile_attention_problem&, int32_t id) {
  return id >= kHopperFirst ? kHopperWorkspaceBytes : 0;
}

oddtile_status attention_launch(const oddtile_attention_problem* problem, int32_t id,
                                void* workspace, void* stream) {
  if (problem == nullptr) return oddtile_null_pointer;
  if (const oddtile_status status = check_attention(*problem); status != oddtile_ok) return status;
  if (!admissible(*problem, id)) return oddtile_bad_configuration;
  if (problem->batch == 0 || problem->seq_q == 0) return oddtile_ok;
  if (id >= kHopperFirst) {
    if (!is_workspace(workspace)) return oddtile_bad_workspace;
    const int shape = id - kHopperFirst;
    return problem->dtype == oddtile_fp16
               ? launch_hopper<Half>(*problem, shape, workspace, stream)
               : launch_hopper<Bfloat16>(*problem, shape, workspace, stream);
  }
  oddtile_status status = oddtile_bad_configuration;
  with_tile(id, [&](auto tile) {
    using Tile = decltype(tile);
    status = problem->dtype == oddtile_fp16 ? launch_tile<Tile, Half>(*problem, stream)
                                            : launch_tile<Tile, Bfloat16>(*problem, stream);
  });
  return status;
}

}  // namespace oddtile::ODDTILE_MACHINE
