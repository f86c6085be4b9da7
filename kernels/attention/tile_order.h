// In which order query tiles are drawn: what a ticket stands for.
//
// Tiles are drawn in sections of heads, so that the K and V they share stay in the L2 cache. Within
// a section the longest come first: under a band the last rows of every head, else the first ones,
// since the last tiles may have fewer rows. The last section has more heads than the others: what
// is drawn when no more is to come decides how long multiprocessors wait for each other at the end,
// and so its many short tiles have to be the last of all.
#pragma once

#include <algorithm>
#include <cstdint>

namespace oddtile {

// The tiles of a head. Its queries are counted in groups, one for a consumer.
struct RowTiles {
  int32_t groups;
  int32_t consumers;
  int32_t count;
  int32_t whole;  // the first so many have a group for each consumer, the others one fewer

  constexpr int32_t first_group(int32_t tile) const {
    return tile * consumers - (tile < whole ? 0 : tile - whole);
  }
  constexpr int32_t end_group(int32_t tile) const {
    const int32_t next = first_group(tile + 1);
    return next < groups ? next : groups;
  }
};

// `evenly`: one group that is left over of tiles of three does not pay for a tile's K and V alone;
// another tile gives up one of its own, and both have two.
constexpr RowTiles row_tiles(int32_t groups, int32_t consumers, bool evenly) {
  const int32_t count = (groups + consumers - 1) / consumers;
  const bool one_left = consumers == 3 && groups > 1 && groups % 3 == 1;
  return {groups, consumers, count, evenly && one_left ? count - 2 : count};
}

struct TileOrder {
  int32_t heads;  // of all items
  RowTiles rows;
  int32_t section;       // heads
  int32_t last_section;  // its first head
  bool last_rows_first;

  struct Place {
    int32_t head;
    int32_t row_tile;
  };

  constexpr int32_t tiles() const { return heads * rows.count; }

  constexpr Place place(int32_t ticket) const {
    const int32_t in_order = ticket / (section * rows.count) * section;
    const int32_t first_head = in_order < last_section ? in_order : last_section;
    const int32_t heads_here = first_head < last_section ? section : heads - last_section;
    const int32_t within = ticket - first_head * rows.count;
    const int32_t nth = within / heads_here;
    return {first_head + within - nth * heads_here, last_rows_first ? rows.count - 1 - nth : nth};
  }
};

// For query heads that each have so many bytes of K and V. Sections of 16 heads under a band, where
// the longest tiles of several heads have to start together; of one head elsewhere.
constexpr TileOrder tile_order(bool banded, int32_t heads, const RowTiles& rows,
                               int64_t head_bytes) {
  constexpr int64_t kCached = int64_t(32) << 20;  // bytes of the L2 cache for a section
  const int32_t section = banded ? 16 : 1;
  const int32_t most = banded ? 64 : 16;
  const int64_t fit = kCached / std::max<int64_t>(head_bytes, 1);
  const int32_t last = int32_t(std::clamp<int64_t>(fit, section, most));
  const int32_t last_section = std::max(0, heads - last) / section * section;
  return {heads, rows, section, last_section, banded};
}

}  // namespace oddtile
