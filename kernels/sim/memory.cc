// Global memory behind the words, and the block's shared memory.
#include <algorithm>
#include <cstring>

#include "kernels/sim/state.h"

extern "C" {  // null without AddressSanitizer
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* address, size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, size_t bytes);
}

namespace oddtile::simulator {

namespace {

constexpr int64_t kGuardBytes = 256;
constexpr int kGuardValue = 0xA5;

// Not instrumented: a covering read may reach into a redzone, and the region was checked already.
__attribute__((no_sanitize("address"))) void copy_bytes(void* to, const void* from, int bytes) {
  switch (bytes) {
    case 1:
      __builtin_memcpy(to, from, 1);
      break;
    case 2:
      __builtin_memcpy(to, from, 2);
      break;
    case 4:
      __builtin_memcpy(to, from, 4);
      break;
    case 8:
      __builtin_memcpy(to, from, 8);
      break;
    default:
      __builtin_memcpy(to, from, 16);
      break;
  }
}

// False: nothing could be read.
bool read(sim::Machine::State& machine, void* to, uintptr_t from, int bytes, Site site) {
  machine.step(Word::load);
  if (from % uintptr_t(bytes) != 0) {
    machine.report(sim::HazardKind::misaligned, site, machine.explain_access("reads", from, bytes));
  } else if (!machine.readable(from, bytes)) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   machine.explain_access("reads", from, bytes));
  } else {
    machine.check_awaited(from, bytes, site);
    machine.counters.bytes_read += bytes;
    copy_bytes(to, reinterpret_cast<const void*>(from), bytes);
    return true;
  }
  std::memset(to, 0xFF, size_t(bytes));
  return false;
}

void watch(sim::Machine::State& machine, uintptr_t address, int bytes, Access access, Site site) {
  Races& races = *machine.races;
  races.access_global(machine.lane_index(), address, bytes, access, races.where(site));
}

}  // namespace

void read_global(void* to, uintptr_t from, int bytes, Site site) {
  sim::Machine::State& machine = *running;
  if (!read(machine, to, from, bytes, site) || !machine.races) return;
  watch(machine, from, bytes, Access::read, site);
}

void read_covering(void* to, uintptr_t from, int bytes, uint32_t elements, int element_bytes,
                   Site site) {
  sim::Machine::State& machine = *running;
  if (!read(machine, to, from, bytes, site) || !machine.races) return;
  for (int element = 0; element < bytes / element_bytes; ++element) {
    if ((elements >> element & 1u) == 0) continue;
    watch(machine, from + uintptr_t(element * element_bytes), element_bytes, Access::read, site);
  }
}

void prefetch_global(uintptr_t address, int bytes, Site site) {
  sim::Machine::State& machine = *running;
  ++machine.counters.prefetches;
  const uintptr_t begin = address & ~uintptr_t(bytes - 1);
  if (machine.touches(begin, bytes)) return;
  machine.report(sim::HazardKind::out_of_bounds, site,
                 machine.explain_access("prefetches", begin, bytes));
}

void write_global(uintptr_t to, const void* from, int bytes, Site site) {
  sim::Machine::State& machine = *running;
  machine.step(Word::store);
  if (to % uintptr_t(bytes) != 0) {
    machine.report(sim::HazardKind::misaligned, site, machine.explain_access("writes", to, bytes));
  } else if (!machine.writable(to, bytes)) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   machine.explain_access("writes", to, bytes));
  } else {
    machine.check_awaited(to, bytes, site);
    machine.counters.bytes_written += bytes;
    if (machine.races) watch(machine, to, bytes, Access::write, site);
    copy_bytes(reinterpret_cast<void*>(to), from, bytes);
  }
}

SharedMemory::~SharedMemory() {
  if (storage_ && __asan_unpoison_memory_region != nullptr) {
    __asan_unpoison_memory_region(storage_.get(), size_t(capacity_));
  }
}

void SharedMemory::resize(int64_t bytes) {
  if (bytes == bytes_) return;
  const int64_t needed = bytes + 2 * kGuardBytes + 128;
  if (storage_ && __asan_unpoison_memory_region != nullptr) {
    __asan_unpoison_memory_region(storage_.get(), size_t(capacity_));
  }
  if (needed > capacity_) {
    storage_.reset(new std::byte[size_t(needed)]);
    capacity_ = needed;
  }
  const uintptr_t start = reinterpret_cast<uintptr_t>(storage_.get());
  begin_ = storage_.get() + ((start + kGuardBytes + 127) / 128 * 128 - start);
  bytes_ = bytes;
  std::memset(begin_ - kGuardBytes, kGuardValue, kGuardBytes);
  std::memset(begin_ + bytes_, kGuardValue, kGuardBytes);
  if (__asan_poison_memory_region != nullptr) {
    __asan_poison_memory_region(begin_ - kGuardBytes, kGuardBytes);
    __asan_poison_memory_region(begin_ + bytes_, kGuardBytes);
  }
}

void SharedMemory::poison() {
  std::memset(begin_, 0xFF, size_t(bytes_));
}

bool SharedMemory::guards_intact() const {
  if (__asan_poison_memory_region != nullptr) return true;  // then the access itself was reported
  std::byte expected[kGuardBytes];
  std::memset(expected, kGuardValue, kGuardBytes);
  return std::memcmp(begin_ - kGuardBytes, expected, kGuardBytes) == 0 &&
         std::memcmp(begin_ + bytes_, expected, kGuardBytes) == 0;
}

}  // namespace oddtile::simulator

namespace oddtile::sim {

bool Machine::State::readable(uintptr_t address, int bytes) {
  const uintptr_t end = address + uintptr_t(bytes);
  if (hot_region < regions.size() && address >= regions[hot_region].read_begin &&
      end <= regions[hot_region].read_end) {
    return true;
  }
  for (size_t region = 0; region < regions.size(); ++region) {
    if (address >= regions[region].read_begin && end <= regions[region].read_end) {
      hot_region = region;
      return true;
    }
  }
  return false;
}

bool Machine::State::writable(uintptr_t address, int bytes) {
  const uintptr_t end = address + uintptr_t(bytes);
  for (const simulator::Region& region : regions) {
    if (address >= region.begin && end <= region.end) return true;
  }
  return false;
}

bool Machine::State::touches(uintptr_t address, int bytes) const {
  return std::any_of(regions.begin(), regions.end(), [=](const simulator::Region& region) {
    return address < region.end && address + uintptr_t(bytes) > region.begin;
  });
}

void Machine::State::check_awaited(uintptr_t address, int bytes, Site site) {
  const simulator::AddressRange& range = cleared_beside;
  if (address >= range.end || address + uintptr_t(bytes) <= range.begin) return;
  if (block->awaited_earlier) return;
  report(HazardKind::global_race, site,
         explain_access("touches", address, bytes) + ", which an earlier launch clears");
}

std::string Machine::State::explain_access(const char* verb, uintptr_t address, int bytes) const {
  std::string text = std::string(verb) + " " + std::to_string(bytes) + " bytes ";
  if (regions.empty()) return text + "although nothing is allowed";
  return text + "at " + place_in_regions(address);
}

std::string Machine::State::place_in_regions(uintptr_t address) const {
  const simulator::Region* nearest = nullptr;
  uint64_t distance_min = ~uint64_t(0);
  for (const simulator::Region& region : regions) {
    uint64_t distance = 0;
    if (address < region.begin) distance = region.begin - address;
    if (address >= region.end) distance = address - region.end + 1;
    if (distance >= distance_min) continue;
    distance_min = distance;
    nearest = &region;
  }
  if (nearest == nullptr) return "?";
  const int64_t offset = int64_t(address - nearest->begin);
  return (offset < 0 ? "" : "+") + std::to_string(offset) + " of " + nearest->name + " (" +
         std::to_string(nearest->end - nearest->begin) + " bytes)";
}

}  // namespace oddtile::sim
