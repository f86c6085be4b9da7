// A tile of 16-bit elements in shared memory, and its copies from and to global memory.
//
// Rows are split into chunks of 16 bytes, the unit of ldmatrix and cp.async. Chunks of a row are
// permuted by XOR with the row number, so that the eight rows that ldmatrix reads at one column lie
// in eight different 16-byte banks.
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int kChunkElements = 8;  // 16 bytes of a 16-bit type

template <class T, int tile_rows, int columns>
struct SharedTile {
  static_assert(columns % 32 == 0, "the permutation needs rows of a multiple of 64 bytes");
  static constexpr int kChunks = columns / kChunkElements;

  T* data;

  ODDTILE_DEVICE T* chunk(int row, int chunk) const {
    // Rows of 128 bytes share no bank line, so three row bits are mixed in; rows of an odd number
    // of 64 bytes alternate between the halves of a line, and two bits of every second row do.
    const int permuted = kChunks % 8 == 0 ? chunk ^ (row & 7) : chunk ^ ((row >> 1) & 3);
    return data + (row * kChunks + permuted) * kChunkElements;
  }
};

// A (rows, columns) matrix in global memory.
template <class T>
struct GlobalRows {
  Global<T> first;  // element (0, 0)
  int64_t row_stride;
  int64_t rows;
  int32_t columns;
  bool aligned;  // every row starts on a 16-byte boundary
};

// copy_in for a tile without edges: each thread keeps its chunk column and steps down the rows.
template <int block_threads, class T, int tile_rows, int columns>
ODDTILE_DEVICE void copy_in_whole(const SharedTile<T, tile_rows, columns>& to,
                                  const GlobalRows<const T>& from, int64_t first_row) {
  constexpr int kChunks = SharedTile<T, tile_rows, columns>::kChunks;
  constexpr int kRowStep = block_threads / kChunks;
  const int row = thread() / kChunks;
  const int chunk = thread() % kChunks;
  Global<const T> source =
      from.first + ((first_row + row) * from.row_stride + chunk * kChunkElements);
  const int64_t step = kRowStep * from.row_stride;
  ODDTILE_UNROLL
  for (int below = 0; below < tile_rows; below += kRowStep) {
    if (tile_rows % kRowStep == 0 || row + below < tile_rows) {
      copy_async_16(to.chunk(row + below, chunk), source, 16);
    }
    source = source + step;
  }
}

// Fills the tile with rows [first_row, first_row + tile_rows) of `from`; what lies outside the
// matrix is 0 and is not read. Asynchronous where rows are aligned: commit, wait and synchronise
// before reading either way.
template <int block_threads, class T, int tile_rows, int columns>
ODDTILE_DEVICE void copy_in(const SharedTile<T, tile_rows, columns>& to,
                            const GlobalRows<const T>& from, int64_t first_row) {
  using Tile = SharedTile<T, tile_rows, columns>;
  const bool whole = from.aligned && from.columns == columns && first_row + tile_rows <= from.rows;
  if constexpr (block_threads % Tile::kChunks == 0) {
    if (whole) return copy_in_whole<block_threads>(to, from, first_row);
  }
  const Global<const T> origin = from.first + first_row * from.row_stride;
  const int64_t rows_left = from.rows - first_row;
  for (int index = thread(); index < tile_rows * Tile::kChunks; index += block_threads) {
    const int row = index / Tile::kChunks;
    const int chunk = index % Tile::kChunks;
    int valid = row < rows_left ? from.columns - chunk * kChunkElements : 0;
    valid = valid < 0 ? 0 : (valid > kChunkElements ? kChunkElements : valid);
    const Global<const T> source =
        valid > 0 ? origin + row * from.row_stride + chunk * kChunkElements : from.first;
    if (from.aligned) {
      copy_async_16(to.chunk(row, chunk), source, valid * int32_t(sizeof(T)));
    } else {
      Vector<T, kChunkElements> values;
      for (int i = 0; i < kChunkElements; ++i) {
        values.element[i] = i < valid ? load(source, i) : T{0};
      }
      *reinterpret_cast<Vector<T, kChunkElements>*>(to.chunk(row, chunk)) = values;
    }
  }
}

// Stores rows [tile_row, tile_row + row_count) of the tile, one warp, as rows from first_row of
// `to`.
template <int row_count, class T, int tile_rows, int columns>
ODDTILE_DEVICE void copy_out_by_warp(const SharedTile<T, tile_rows, columns>& from, int tile_row,
                                     const GlobalRows<T>& to, int64_t first_row) {
  using Tile = SharedTile<T, tile_rows, columns>;
  for (int index = lane(); index < row_count * Tile::kChunks; index += 32) {
    const int row = index / Tile::kChunks;
    const int chunk = index % Tile::kChunks;
    if (first_row + row >= to.rows) continue;
    const int valid = to.columns - chunk * kChunkElements;
    const auto values =
        *reinterpret_cast<const Vector<T, kChunkElements>*>(from.chunk(tile_row + row, chunk));
    const Global<T> target = to.first + (first_row + row) * to.row_stride + chunk * kChunkElements;
    if (to.aligned && valid >= kChunkElements) {
      store_as<Vector<T, kChunkElements>>(target, 0, values);
    } else {
      for (int i = 0; i < kChunkElements; ++i) {
        if (i < valid) store(target, i, values.element[i]);
      }
    }
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
