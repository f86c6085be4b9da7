#include "kernels/sim/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace oddtile::simulator {

namespace {

constexpr int kPieceBytes = 16;

// As small as the real object: 128 bytes.
struct Record {
  uint32_t magic;
  uint8_t element;
  uint8_t swizzle;
  uint8_t rank;
  uint8_t unused;
  uint64_t base;
  uint64_t stride_bytes[kTensorRankMax - 1];
  uint32_t extent_less_1[kTensorRankMax];
  uint16_t box[kTensorRankMax];
};
static_assert(sizeof(Record) <= sizeof(TensorMap));

constexpr uint32_t kMagic = 0x70614D54;

}  // namespace

bool write_tensor_map(TensorMap* map, const TensorLayout& layout) {
  if (refusal(layout) != nullptr) return false;
  Record record{};
  record.magic = kMagic;
  record.element = uint8_t(layout.element);
  record.swizzle = uint8_t(layout.swizzle);
  record.rank = uint8_t(layout.rank);
  record.base = reinterpret_cast<uintptr_t>(layout.base);
  for (int i = 0; i < layout.rank; ++i) {
    if (i > 0) record.stride_bytes[i - 1] = uint64_t(layout.stride_bytes[i]);
    record.extent_less_1[i] = uint32_t(layout.extent[i] - 1);
    record.box[i] = uint16_t(layout.box[i]);
  }
  *map = {};
  std::memcpy(map->words, &record, sizeof(record));
  return true;
}

bool read_tensor_map(const TensorMap& map, TensorLayout* layout) {
  Record record;
  std::memcpy(&record, &map, sizeof(record));
  if (record.magic != kMagic) return false;
  *layout = {};
  layout->element = TensorElement(record.element);
  layout->swizzle = Swizzle(record.swizzle);
  layout->rank = record.rank;
  layout->base = reinterpret_cast<const void*>(uintptr_t(record.base));
  for (int i = 0; i < layout->rank; ++i) {
    if (i > 0) layout->stride_bytes[i] = int64_t(record.stride_bytes[i - 1]);
    layout->extent[i] = int64_t(record.extent_less_1[i]) + 1;
    layout->box[i] = record.box[i];
  }
  return true;
}

std::vector<BoxPiece> box_pieces(const TensorLayout& layout, const int32_t* at, uint32_t shared,
                                 bool stores) {
  const int64_t size = element_size(layout.element);
  const int64_t row_bytes = layout.row_bytes();
  const int64_t row_begin = at[0] * size;  // of the row of the box, along the tensor's row
  const int64_t row_bytes_inside = layout.extent[0] * size;
  const int64_t row_end =
      stores ? (row_bytes_inside + kPieceBytes - 1) / kPieceBytes * kPieceBytes : row_bytes_inside;
  int64_t rows = 1;
  for (int i = 1; i < layout.rank; ++i) rows *= layout.box[i];
  std::vector<BoxPiece> pieces;
  pieces.reserve(size_t(rows * row_bytes / kPieceBytes));
  for (int64_t row = 0; row < rows; ++row) {
    uint64_t address = reinterpret_cast<uintptr_t>(layout.base);
    bool inside = true;
    int64_t rest = row;
    for (int i = 1; i < layout.rank; ++i) {
      const int64_t coordinate = at[i] + rest % layout.box[i];
      rest /= layout.box[i];
      inside = inside && coordinate >= 0 && coordinate < layout.extent[i];
      address += uint64_t(coordinate) * uint64_t(layout.stride_bytes[i]);
    }
    for (int64_t byte = 0; byte < row_bytes; byte += kPieceBytes) {
      const int64_t first = row_begin + byte;
      const int64_t begin = inside ? std::clamp<int64_t>(-first, 0, kPieceBytes) : 0;
      const int64_t end = inside ? std::clamp<int64_t>(row_end - first, begin, kPieceBytes) : 0;
      const uint32_t flat = shared + uint32_t(row * row_bytes + byte);
      pieces.push_back({uintptr_t(address + uint64_t(first)), swizzled(flat, layout.swizzle),
                        uint8_t(begin), uint8_t(end)});
    }
  }
  return pieces;
}

}  // namespace oddtile::simulator
