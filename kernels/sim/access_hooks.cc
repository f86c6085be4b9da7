// The plain accesses of instrumented kernels. A kernel that is compiled with AddressSanitizer's
// out-of-line checks calls one of these functions before each load and store; here they look for
// races in the block's shared memory. This is not AddressSanitizer: its runtime is not linked, and
// a program links either this file or that runtime. instrument.cmake has the flags.
#include <cstring>

#include "kernels/sim/state.h"

// Found by the machine: its kernels show their accesses, so it looks for races unless told not to.
extern "C" const int oddtile_kernels_are_instrumented;
const int oddtile_kernels_are_instrumented = 1;

namespace oddtile::simulator {
namespace {

constexpr uintptr_t kNearby = 128;  // of the guards around shared memory

void watch(const void* pointer, uintptr_t bytes, Access access, const void* return_address) {
  sim::Machine::State* const machine = running;
  if (machine == nullptr || machine->races == nullptr) return;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(machine->block->shared.begin());
  const uintptr_t size = uintptr_t(machine->block->shared.bytes());
  if (address - begin + kNearby >= size + 2 * kNearby) return;  // a lane's own, most often
  Races& races = *machine->races;
  const uint16_t where = races.where(return_address);
  if (address < begin || address - begin + bytes > size) {
    machine->report(sim::HazardKind::out_of_bounds, races.site(where),
                    "plain code leaves the block's shared memory");
    return;
  }
  races.access_shared(machine->lane_index(), address, int64_t(bytes), access, where);
}

// Of the function that this becomes part of: the place of the access.
[[gnu::always_inline]] inline const void* caller() {
  return __builtin_return_address(0);
}

}  // namespace
}  // namespace oddtile::simulator

using oddtile::simulator::Access;
using oddtile::simulator::caller;
using oddtile::simulator::watch;

extern "C" {

void __asan_load1(const void* p) {
  watch(p, 1, Access::read, caller());
}
void __asan_load2(const void* p) {
  watch(p, 2, Access::read, caller());
}
void __asan_load4(const void* p) {
  watch(p, 4, Access::read, caller());
}
void __asan_load8(const void* p) {
  watch(p, 8, Access::read, caller());
}
void __asan_load16(const void* p) {
  watch(p, 16, Access::read, caller());
}
void __asan_loadN(const void* p, uintptr_t bytes) {
  watch(p, bytes, Access::read, caller());
}
void __asan_store1(const void* p) {
  watch(p, 1, Access::write, caller());
}
void __asan_store2(const void* p) {
  watch(p, 2, Access::write, caller());
}
void __asan_store4(const void* p) {
  watch(p, 4, Access::write, caller());
}
void __asan_store8(const void* p) {
  watch(p, 8, Access::write, caller());
}
void __asan_store16(const void* p) {
  watch(p, 16, Access::write, caller());
}
void __asan_storeN(const void* p, uintptr_t bytes) {
  watch(p, bytes, Access::write, caller());
}

void* __asan_memcpy(void* to, const void* from, uintptr_t bytes) {
  watch(from, bytes, Access::read, caller());
  watch(to, bytes, Access::write, caller());
  return std::memcpy(to, from, bytes);
}
void* __asan_memmove(void* to, const void* from, uintptr_t bytes) {
  watch(from, bytes, Access::read, caller());
  watch(to, bytes, Access::write, caller());
  return std::memmove(to, from, bytes);
}
void* __asan_memset(void* to, int value, uintptr_t bytes) {
  watch(to, bytes, Access::write, caller());
  return std::memset(to, value, bytes);
}

// What the compiler expects of the runtime besides.
void __asan_init() {}
void __asan_version_mismatch_check_v8() {}
void __asan_handle_no_return() {}

}  // extern "C"
