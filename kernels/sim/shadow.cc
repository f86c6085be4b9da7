#include "kernels/sim/shadow.h"

namespace oddtile::simulator {

void ShadowRange::reset(uintptr_t begin, int64_t bytes) {
  begin_ = begin;
  bytes_ = bytes;
  ++generation_;
  const size_t cells = size_t(bytes) / kCellBytes + 2;  // both ends may be ragged
  if (cells_.size() < cells) cells_.resize(cells);
}

void ShadowPages::reset() {
  ++generation_;
  if (pages_.size() <= kPagesMax) return;
  pages_.clear();
  last_ = nullptr;
  last_number_ = ~uintptr_t(0);
}

Cell& ShadowPages::at(uintptr_t address) {
  const uintptr_t number = address / kPageBytes;
  if (number != last_number_ || last_ == nullptr) {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    last_ = page.get();
    last_number_ = number;
  }
  Cell& cell = last_->cells[address % kPageBytes / kCellBytes];
  if (cell.generation != generation_) {
    cell.generation = generation_;
    cell.records.clear();
  }
  return cell;
}

}  // namespace oddtile::simulator
