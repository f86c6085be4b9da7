// Who touched which byte last: a cell for every 16 bytes of memory, with the accesses that a later
// one may still be unordered with. Knows nothing of clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernels/sim/clock.h"

namespace oddtile::simulator {

inline constexpr int kCellBytes = 16;

enum class Proxy : uint8_t { generic, async };
enum class Access : uint8_t { read, write };

// An access as the shadow remembers it.
struct Record {
  uint16_t bytes = 0;  // of the cell, a bit each
  Agent agent = 0;
  Epoch epoch = 0;
  uint16_t where = 0;    // number of the place in the source
  uint16_t thread : 14;  // counted through the cluster
  uint16_t write : 1;
  uint16_t async : 1;
  uint32_t block : 31;  // of a cluster: the first
  uint32_t atomic : 1;
};
static_assert(sizeof(Record) == 16);

struct Cell {
  uint32_t generation = 0;  // of another generation: empty
  std::vector<Record> records;
};

// Of one stretch of memory, cell by cell.
class ShadowRange {
 public:
  // Everything is forgotten.
  void reset(uintptr_t begin, int64_t bytes);
  bool contains(uintptr_t address, int64_t bytes) const {
    return address - begin_ <= uintptr_t(bytes_ - bytes) && bytes <= bytes_;
  }
  uintptr_t begin() const { return begin_; }
  Cell& at(uintptr_t address) {
    Cell& cell = cells_[(address - (begin_ & ~uintptr_t(kCellBytes - 1))) / kCellBytes];
    if (cell.generation != generation_) {
      cell.generation = generation_;
      cell.records.clear();
    }
    return cell;
  }

 private:
  uintptr_t begin_ = 0;
  int64_t bytes_ = -1;
  uint32_t generation_ = 0;
  std::vector<Cell> cells_;
};

// Of all memory, page by page as it is touched.
class ShadowPages {
 public:
  void reset();
  Cell& at(uintptr_t address);

 private:
  static constexpr uintptr_t kPageBytes = 4096;
  static constexpr size_t kPagesMax = 4096;  // then the pages themselves are given back
  struct Page {
    Cell cells[kPageBytes / kCellBytes];
  };
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
  uint32_t generation_ = 1;
  uintptr_t last_number_ = ~uintptr_t(0);
  Page* last_ = nullptr;
};

}  // namespace oddtile::simulator
