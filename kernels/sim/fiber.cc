#include "kernels/sim/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "kernels/base/assert.h"

// AddressSanitizer's interface, null in a program without it: so one object file serves both, and
// this file itself may be compiled either way.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* stack,
                                                  size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_stack,
                                                   size_t* old_bytes);
[[gnu::weak]] void* __asan_get_current_fake_stack();
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, size_t bytes);

// Files the stack pointer in *save, goes on where the context `to` gave way, and hands `message`
// over to it as its result. A fiber that starts finds itself in r12, its first function in r13.
void* oddtile_switch_stack(void** save, void* to, void* message);
void oddtile_start_fiber();
}

// Plain `ret`, not an indirect jump: lanes give way at the same few places, so the return addresses
// that the processor has stacked for the one before are right for the next one, all the way up.
// Control words of the floating-point units stay as they are: nobody here changes them.
asm(R"(
.text
.p2align 4
.type oddtile_switch_stack,@function
oddtile_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movq %rdx, %rax
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size oddtile_switch_stack,.-oddtile_switch_stack

.p2align 4
.type oddtile_start_fiber,@function
oddtile_start_fiber:
  movq %r12, %rdi
  movq %rax, %rsi
  jmpq *%r13
.size oddtile_start_fiber,.-oddtile_start_fiber
)");

namespace oddtile::simulator {

namespace {

constexpr size_t kPageBytes = 4096;
constexpr int kStacks = 32;  // of a slab: those of a warp
constexpr size_t kSkewBytes = 256;

size_t stack_size() {
  // Redzones make frames several times larger.
  return __asan_unpoison_memory_region != nullptr ? 512 * 1024 : 64 * 1024;
}

// With a stack of its own for what outlives a frame (detect_stack_use_after_return), the sanitizer
// has to hear of every switch.
bool has_fake_stacks() {
  return __asan_get_current_fake_stack != nullptr && __asan_get_current_fake_stack() != nullptr;
}

}  // namespace

// The stacks of 32 fibers side by side, a guard page below each. AddressSanitizer takes a slab for
// one stack: it keeps the redzones of all frames in it, and needs to hear of a switch only when
// another slab or the thread's own stack is entered.
class StackSlab {
 public:
  // A slab with a free stack, and which one.
  static StackSlab* take(int* index) {
    const std::lock_guard lock(mutex());
    StackSlab* found = nullptr;
    for (StackSlab* slab : slabs()) {
      if (slab->taken_ != ~0u) found = slab;
    }
    if (found == nullptr) slabs().push_back(found = new StackSlab);
    *index = __builtin_ctz(~found->taken_);
    found->taken_ |= 1u << *index;
    return found;
  }

  void give_back(int index) {
    const std::lock_guard lock(mutex());
    taken_ &= ~(1u << index);
    if (taken_ != 0) return;
    std::erase(slabs(), this);
    delete this;
  }

  std::byte* stack(int index) const { return base_ + size_t(index) * pitch() + kPageBytes; }
  // Lanes wait in the same frames: at the same place of a page all of them would share few cache
  // sets.
  std::byte* top(int index) const {
    return stack(index) + stack_size() - kSkewBytes * (index % 16);
  }
  const void* base() const { return base_; }
  static size_t bytes() { return kStacks * pitch(); }

 private:
  static size_t pitch() { return stack_size() + kPageBytes; }
  static std::mutex& mutex() {
    static std::mutex lock;
    return lock;
  }
  // Never destroyed: machines of static storage give their stacks back in any order.
  static std::vector<StackSlab*>& slabs() {
    static auto* all = new std::vector<StackSlab*>;
    return *all;
  }

  StackSlab() {
    void* mapping = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ODDTILE_ASSERT(mapping != MAP_FAILED);
    base_ = static_cast<std::byte*>(mapping);
    for (int index = 0; index < kStacks; ++index) {  // stacks grow down into it
      ODDTILE_ASSERT(mprotect(stack(index) - kPageBytes, kPageBytes, PROT_NONE) == 0);
    }
  }
  ~StackSlab() { munmap(base_, bytes()); }

  std::byte* base_ = nullptr;
  uint32_t taken_ = 0;
};

struct FiberEntry {
  // What a resumed fiber does first where the switch was announced to the sanitizer by `previous`.
  static void arrive(Fiber* self, Fiber* previous) {
    const void* stack = nullptr;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(self->fake_stack_, &stack, &bytes);
    if (previous->slab_ != nullptr) return;
    previous->bounds_ = stack;  // the thread's own stack: only the sanitizer knows it
    previous->bounds_bytes_ = bytes;
  }

  static void run(Fiber* self, Fiber* previous) {
    if (previous != nullptr) arrive(self, previous);
    self->body_(self->argument_);
    ODDTILE_ASSERT(!"a fiber's body returned");
  }

  // A fiber that is abandoned leaves the redzones of its frames behind.
  static void forget_frames(const Fiber& fiber) {
    if (__asan_unpoison_memory_region == nullptr) return;
    __asan_unpoison_memory_region(fiber.slab_->stack(fiber.index_), stack_size());
  }
};

Fiber::~Fiber() {
  if (slab_ == nullptr) return;
  FiberEntry::forget_frames(*this);
  slab_->give_back(index_);
}

void Fiber::start_over(void (*body)(void*), void* argument) {
  if (slab_ == nullptr) {
    slab_ = StackSlab::take(&index_);
    bounds_ = slab_->base();
    bounds_bytes_ = StackSlab::bytes();
  }
  FiberEntry::forget_frames(*this);
  // From the lowest: r15, r14, r13, r12, rbx, rbp, where to start, and a null return address that
  // ends backtraces.
  const uint64_t frame[8] = {
      0, 0, reinterpret_cast<uint64_t>(&FiberEntry::run),     reinterpret_cast<uint64_t>(this),
      0, 0, reinterpret_cast<uint64_t>(&oddtile_start_fiber), 0};
  context_ = slab_->top(index_) - sizeof(frame);
  std::memcpy(context_, frame, sizeof(frame));
  body_ = body;
  argument_ = argument;
  fake_stack_ = nullptr;
}

size_t Fiber::touched_bytes() const {
  if (slab_ == nullptr) return 0;
  std::vector<unsigned char> resident(stack_size() / kPageBytes);
  ODDTILE_ASSERT(mincore(slab_->stack(index_), stack_size(), resident.data()) == 0);
  for (size_t page = 0; page < resident.size(); ++page) {
    if (resident[page] & 1) return stack_size() - page * kPageBytes;
  }
  return 0;
}

void switch_fiber(Fiber& from, Fiber& to) {
  Fiber* announced = nullptr;
  if (__sanitizer_start_switch_fiber != nullptr && (from.slab_ != to.slab_ || has_fake_stacks())) {
    announced = &from;
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.bounds_, to.bounds_bytes_);
  }
  void* previous = oddtile_switch_stack(&from.context_, to.context_, announced);
  if (previous != nullptr) FiberEntry::arrive(&from, static_cast<Fiber*>(previous));
}

}  // namespace oddtile::simulator
