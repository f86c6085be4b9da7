// The block's shared memory. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace oddtile::simulator {

// Exactly `bytes` long, 0xFF before each block. Guards around it stop an
// access that is slightly out of range: AddressSanitizer reports it, and without it a write is
// noticed at the end of the block.
class SharedMemory {
 public:
  ~SharedMemory();
  void resize(int64_t bytes);
  void poison();  // 0xFF everywhere
  bool guards_intact() const;
  std::byte* begin() const { return begin_; }
  int64_t bytes() const { return bytes_; }
  bool contains(const void* pointer, int64_t bytes) const {
    const uintptr_t offset =
        reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(begin_);
    return bytes <= bytes_ && offset <= uintptr_t(bytes_ - bytes);
  }

 private:
  std::unique_ptr<std::byte[]> storage_;
  int64_t capacity_ = 0;
  std::byte* begin_ = nullptr;
  int64_t bytes_ = -1;
};

}  // namespace oddtile::simulator
