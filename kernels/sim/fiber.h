// Fibers: a stack each, switched in user space (Boost.Context's fcontext), known to
// AddressSanitizer. The only place that includes Boost.Context.
#pragma once

#include <cstddef>

namespace oddtile::simulator {

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

  void* context_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  const void* stack_ = nullptr;  // lowest usable byte
  size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
  void* mapping_ = nullptr;
};

// Suspends `from`, the fiber that runs now, and resumes `to`. No system call.
void switch_fiber(Fiber& from, Fiber& to);

}  // namespace oddtile::simulator
