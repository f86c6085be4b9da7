// Fibers: a stack each, switched in user space, known to AddressSanitizer. The only place with
// assembly: x86-64, System V.
#pragma once

#include <cstddef>

namespace oddtile::simulator {

class StackSlab;

// A fiber runs `body(argument)`, which must never return; it ends by never being resumed. A Fiber
// without a stack stands for the thread that called switch_fiber first.
class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Gives the fiber a stack (once, with a guard page below) and makes it start at `body` when it is
  // resumed next. Whatever stood on the stack is forgotten, without destructors.
  void start_over(void (*body)(void*), void* argument);

  // Bytes of the stack that were ever touched, in pages; by which their size was chosen.
  size_t touched_bytes() const;

 private:
  friend void switch_fiber(Fiber& from, Fiber& to);
  friend struct FiberEntry;

  void* context_ = nullptr;    // stack pointer while suspended
  StackSlab* slab_ = nullptr;  // holds the stack; null for a thread
  int index_ = 0;              // within the slab
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  // What AddressSanitizer takes for the stack: the whole slab, or the thread's own.
  const void* bounds_ = nullptr;
  size_t bounds_bytes_ = 0;
  void* fake_stack_ = nullptr;
};

// Suspends `from`, the fiber that runs now, and resumes `to`. No system call.
void switch_fiber(Fiber& from, Fiber& to);

}  // namespace oddtile::simulator
