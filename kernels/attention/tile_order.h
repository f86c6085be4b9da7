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

#include "kernels/base/divisor.h"

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

// Where one group is missing, the last tile has it fewer. `evenly`: one that is left over of tiles
// of three does not pay for a tile's K and V alone; another tile gives up one of its own, and both
// have two.
constexpr RowTiles row_tiles(int32_t groups, int32_t consumers, bool evenly) {
  const int32_t count = (groups + consumers - 1) / consumers;
  const int32_t missing = count * consumers - groups;
  const bool shared = missing <= 1 || (evenly && groups > 1);
  return {groups, consumers, count, shared ? count - missing : count};
}

// The same queries in so many more tiles; of three groups: three that have one fewer for two whole
// ones.
constexpr RowTiles with_more_tiles(RowTiles rows, int32_t more) {
  return {rows.groups, rows.consumers, rows.count + more, rows.whole - more * (rows.consumers - 1)};
}

struct TileOrder {
  int32_t heads;  // of all items
  RowTiles rows;
  RowTiles last_rows;  // of the heads of the last section
  Divisor section;     // heads
  Divisor section_tiles;
  int32_t last_section;  // its first head
  Divisor last_heads;    // of it
  bool last_rows_first;

  struct Place {
    int32_t head;
    int32_t first_group;
    int32_t end_group;
  };

  constexpr int32_t tiles() const {
    return last_section * rows.count + (heads - last_section) * last_rows.count;
  }

  constexpr Place place(int32_t ticket) const {
    const int32_t before_last = last_section * rows.count;
    const bool in_last = ticket >= before_last;
    const RowTiles& here = in_last ? last_rows : rows;
    const int32_t first_head =
        in_last ? last_section : section_tiles.quotient(ticket) * section.value();
    const int32_t heads_here = in_last ? last_heads.value() : section.value();
    const int32_t within = ticket - first_head * rows.count;
    const int32_t nth = in_last ? last_heads.quotient(within) : section.quotient(within);
    const int32_t row_tile = last_rows_first ? here.count - 1 - nth : nth;
    return {first_head + within - nth * heads_here, here.first_group(row_tile),
            here.end_group(row_tile)};
  }
};

// For query heads that each have so many bytes of K and V. Sections of 16 heads under a band, where
// the longest tiles of several heads have to start together; of one head elsewhere. Where two heads
// fill the cache, sections of two and a last one of eight: each head has tiles enough, and what is
// read from memory again and again costs power.
constexpr TileOrder tile_order(bool banded, int32_t heads, const RowTiles& rows,
                               int64_t head_bytes) {
  constexpr int64_t kCached = int64_t(32) << 20;  // bytes of the L2 cache for a section
  const int64_t fit = kCached / std::max<int64_t>(head_bytes, 1);
  const bool long_heads = fit <= 2;
  const int32_t section = !banded ? 1 : long_heads ? 2 : 16;
  const int32_t least = banded && long_heads ? 8 : section;
  const int32_t most = banded ? 64 : 16;
  const int32_t last = int32_t(std::clamp<int64_t>(fit, least, most));
  const int32_t last_section = std::max(0, heads - last) / section * section;
  return {.heads = heads,
          .rows = rows,
          .last_rows = rows,
          .section = Divisor(section),
          .section_tiles = Divisor(std::max(1, section * rows.count)),
          .last_section = last_section,
          .last_heads = Divisor(heads - last_section),
          .last_rows_first = banded};
}

// When the last of `multiprocessors` is done that take tiles as they fall free, first so many whole
// ones, then so many with a group less. Of three groups these take 5/6 of the time (H200): copies
// are the same, and two consumers hide less of each other.
constexpr int64_t kWholeTime = 6;
constexpr int64_t kShorterTime = 5;
constexpr int64_t time_until_done(int64_t whole, int64_t shorter, int64_t multiprocessors) {
  const int64_t ahead = whole % multiprocessors;  // have taken a whole tile more than the others
  const int64_t early = whole / multiprocessors * kWholeTime;
  const int64_t late = early + kWholeTime;
  // Shorter tiles that can be done by then.
  const auto room = [&](int64_t until) {
    return (multiprocessors - ahead) * ((until - early) / kShorterTime) +
           ahead * (std::max<int64_t>(0, until - late) / kShorterTime);
  };
  int64_t done =
      std::max(ahead > 0 ? late : early, early + shorter / multiprocessors * kShorterTime);
  while (room(done) < shorter) ++done;
  return done;
}

constexpr int64_t time_until_done(const TileOrder& order, int32_t multiprocessors) {
  const int64_t heads = order.last_section;
  const int64_t last_heads = order.heads - heads;
  const int64_t whole = heads * order.rows.whole + last_heads * order.last_rows.whole;
  return time_until_done(whole, order.tiles() - whole, multiprocessors);
}

// More and shorter tiles in the last section, so that all multiprocessors are done at about the
// same time, where that gains one part in a hundred. For tiles of three groups that all need the
// same keys.
constexpr TileOrder with_full_last_wave(const TileOrder& order, int32_t multiprocessors) {
  constexpr int32_t kMost = 8;  // more tiles for each head; its keys are copied for each
  TileOrder best = order;
  int64_t least = time_until_done(order, multiprocessors);
  for (int32_t more = 1; more <= kMost; ++more) {
    TileOrder other = order;
    other.last_rows = with_more_tiles(order.rows, more);
    if (other.last_rows.whole < 0) break;
    const int64_t done = time_until_done(other, multiprocessors);
    if (100 * done > 99 * least) continue;
    best = other;
    least = done;
  }
  return best;
}

}  // namespace oddtile
