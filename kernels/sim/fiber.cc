#include "kernels/sim/fiber.h"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <vector>

#include "kernels/base/assert.h"

// AddressSanitizer's interface, null in a program without it: so one object file serves both, and
// this file itself may be compiled either way.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* stack,
                                                  size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_stack,
                                                   size_t* old_bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, size_t bytes);
}

namespace oddtile::simulator {

namespace context = boost::context::detail;

namespace {

constexpr size_t kPageBytes = 4096;

size_t stack_size() {
  // Redzones make frames several times larger.
  return __asan_unpoison_memory_region != nullptr ? 512 * 1024 : 64 * 1024;
}

// A fiber that is abandoned leaves the redzones of its frames behind.
void forget_frames(const void* stack, size_t bytes) {
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(stack, bytes);
}

}  // namespace

// What a resumed fiber does first: it files the context of the fiber that gave way to it.
struct FiberEntry {
  static void arrive(context::transfer_t transfer, Fiber* self) {
    Fiber* previous = static_cast<Fiber*>(transfer.data);
    previous->context_ = transfer.fctx;
    const void* stack = nullptr;
    size_t bytes = 0;
    if (__sanitizer_finish_switch_fiber == nullptr) return;
    __sanitizer_finish_switch_fiber(self->fake_stack_, &stack, &bytes);
    if (previous->mapping_ == nullptr) {  // the thread's own stack: only the sanitizer knows it
      previous->stack_ = stack;
      previous->stack_bytes_ = bytes;
    }
  }

  static void run(context::transfer_t transfer) {
    Fiber* self = started;
    arrive(transfer, self);
    self->body_(self->argument_);
    ODDTILE_ASSERT(!"a fiber's body returned");
  }

  // The fiber that is being resumed; fcontext hands over one pointer only, and that is the
  // previous.
  static constinit thread_local Fiber* started;
};
constinit thread_local Fiber* FiberEntry::started = nullptr;

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
  forget_frames(stack_, stack_bytes_);
  munmap(mapping_, stack_bytes_ + kPageBytes);
}

void Fiber::start_over(void (*body)(void*), void* argument) {
  if (mapping_ == nullptr) {
    stack_bytes_ = stack_size();
    void* mapping = mmap(nullptr, stack_bytes_ + kPageBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ODDTILE_ASSERT(mapping != MAP_FAILED);
    ODDTILE_ASSERT(mprotect(mapping, kPageBytes, PROT_NONE) == 0);  // stacks grow down into it
    mapping_ = mapping;
    stack_ = static_cast<std::byte*>(mapping) + kPageBytes;
  }
  forget_frames(stack_, stack_bytes_);
  void* top = static_cast<std::byte*>(mapping_) + kPageBytes + stack_bytes_;
  context_ = context::make_fcontext(top, stack_bytes_, FiberEntry::run);
  body_ = body;
  argument_ = argument;
  fake_stack_ = nullptr;
}

size_t Fiber::touched_bytes() const {
  if (mapping_ == nullptr) return 0;
  std::vector<unsigned char> resident(stack_bytes_ / kPageBytes);
  ODDTILE_ASSERT(mincore(const_cast<void*>(stack_), stack_bytes_, resident.data()) == 0);
  for (size_t page = 0; page < resident.size(); ++page) {
    if (resident[page] & 1) return stack_bytes_ - page * kPageBytes;
  }
  return 0;
}

void switch_fiber(Fiber& from, Fiber& to) {
  FiberEntry::started = &to;
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_, to.stack_bytes_);
  }
  FiberEntry::arrive(context::jump_fcontext(to.context_, &from), &from);
}

}  // namespace oddtile::simulator
