// wgmma on the GPU (sm_90a): a warpgroup multiplies 64 x 16 by 16 x columns into registers.
#pragma once

#include "kernels/dialect/cuda/hopper.cuh"

namespace oddtile::cuda {

// One instruction. An asm statement must spell out its operands: ODDTILE_REGISTERS_<n> is the text
// of the first n accumulators, ODDTILE_SUMS_<n> are those operands, and the seven numbers behind a
// shape are those of the operands that follow them.
template <int columns>
struct Wgmma;

#define ODDTILE_REGISTERS_4 "%0,%1,%2,%3"
#define ODDTILE_REGISTERS_8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define ODDTILE_REGISTERS_16 ODDTILE_REGISTERS_8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define ODDTILE_REGISTERS_24 ODDTILE_REGISTERS_16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define ODDTILE_REGISTERS_32 ODDTILE_REGISTERS_24 ",%24,%25,%26,%27,%28,%29,%30,%31"
#define ODDTILE_REGISTERS_40 ODDTILE_REGISTERS_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define ODDTILE_REGISTERS_48 ODDTILE_REGISTERS_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define ODDTILE_REGISTERS_56 ODDTILE_REGISTERS_48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define ODDTILE_REGISTERS_64 ODDTILE_REGISTERS_56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define ODDTILE_REGISTERS_72 ODDTILE_REGISTERS_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define ODDTILE_REGISTERS_80 ODDTILE_REGISTERS_72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define ODDTILE_REGISTERS_88 ODDTILE_REGISTERS_80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define ODDTILE_REGISTERS_96 ODDTILE_REGISTERS_88 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define ODDTILE_REGISTERS_104 ODDTILE_REGISTERS_96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define ODDTILE_REGISTERS_112 ODDTILE_REGISTERS_104 ",%104,%105,%106,%107,%108,%109,%110,%111"
#define ODDTILE_REGISTERS_120 ODDTILE_REGISTERS_112 ",%112,%113,%114,%115,%116,%117,%118,%119"
#define ODDTILE_REGISTERS_128 ODDTILE_REGISTERS_120 ",%120,%121,%122,%123,%124,%125,%126,%127"
#define ODDTILE_SUM_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define ODDTILE_SUM_8(i) ODDTILE_SUM_4(i), ODDTILE_SUM_4(i + 4)
#define ODDTILE_SUMS_4 ODDTILE_SUM_4(0)
#define ODDTILE_SUMS_8 ODDTILE_SUM_8(0)
#define ODDTILE_SUMS_16 ODDTILE_SUMS_8, ODDTILE_SUM_8(8)
#define ODDTILE_SUMS_24 ODDTILE_SUMS_16, ODDTILE_SUM_8(16)
#define ODDTILE_SUMS_32 ODDTILE_SUMS_24, ODDTILE_SUM_8(24)
#define ODDTILE_SUMS_40 ODDTILE_SUMS_32, ODDTILE_SUM_8(32)
#define ODDTILE_SUMS_48 ODDTILE_SUMS_40, ODDTILE_SUM_8(40)
#define ODDTILE_SUMS_56 ODDTILE_SUMS_48, ODDTILE_SUM_8(48)
#define ODDTILE_SUMS_64 ODDTILE_SUMS_56, ODDTILE_SUM_8(56)
#define ODDTILE_SUMS_72 ODDTILE_SUMS_64, ODDTILE_SUM_8(64)
#define ODDTILE_SUMS_80 ODDTILE_SUMS_72, ODDTILE_SUM_8(72)
#define ODDTILE_SUMS_88 ODDTILE_SUMS_80, ODDTILE_SUM_8(80)
#define ODDTILE_SUMS_96 ODDTILE_SUMS_88, ODDTILE_SUM_8(88)
#define ODDTILE_SUMS_104 ODDTILE_SUMS_96, ODDTILE_SUM_8(96)
#define ODDTILE_SUMS_112 ODDTILE_SUMS_104, ODDTILE_SUM_8(104)
#define ODDTILE_SUMS_120 ODDTILE_SUMS_112, ODDTILE_SUM_8(112)
#define ODDTILE_SUMS_128 ODDTILE_SUMS_120, ODDTILE_SUM_8(120)

#define ODDTILE_WGMMA_SHARED(columns, size, type, p, q, r, s, t)                                  \
  ODDTILE_SM90_ASM(                                                                               \
      "{ .reg .pred add; setp.ne.b32 add, %" #r ", 0; wgmma.mma_async.sync.aligned.m64n" #columns \
      "k16.f32." type "." type " {" ODDTILE_REGISTERS_##size "}, %" #p ", %" #q                   \
                                                             ", add, 1, 1, %" #s ", %" #t "; }"   \
      : ODDTILE_SUMS_##size                                                                       \
      : "l"(a.bits), "l"(b.bits), "r"(int32_t(accumulate)), "n"(int(a_major)), "n"(int(b_major)))
#define ODDTILE_WGMMA_REGISTERS(columns, size, type, p, q, r, s, t, u, v)                     \
  ODDTILE_SM90_ASM("{ .reg .pred add; setp.ne.b32 add, %" #u                                  \
                   ", 0; wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type \
                   " {" ODDTILE_REGISTERS_##size "}, {%" #p ",%" #q ",%" #r ",%" #s "}, %" #t \
                                                 ", add, 1, 1, %" #v "; }"                    \
                   : ODDTILE_SUMS_##size                                                      \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits),                 \
                     "r"(int32_t(accumulate)), "n"(int(b_major)))
#define ODDTILE_WGMMA(columns, size, p, q, r, s, t, u, v)                                      \
  template <>                                                                                  \
  struct Wgmma<columns> {                                                                      \
    template <class T, Major a_major, Major b_major>                                           \
    static ODDTILE_DEVICE void issue(float (&d)[size], MatrixDescriptor a, MatrixDescriptor b, \
                                     bool accumulate) {                                        \
      if constexpr (T::kIsBfloat16) {                                                          \
        ODDTILE_WGMMA_SHARED(columns, size, "bf16", p, q, r, s, t);                            \
      } else {                                                                                 \
        ODDTILE_WGMMA_SHARED(columns, size, "f16", p, q, r, s, t);                             \
      }                                                                                        \
    }                                                                                          \
    template <class T, Major b_major>                                                          \
    static ODDTILE_DEVICE void issue(float (&d)[size], const uint32_t* a, MatrixDescriptor b,  \
                                     bool accumulate) {                                        \
      if constexpr (T::kIsBfloat16) {                                                          \
        ODDTILE_WGMMA_REGISTERS(columns, size, "bf16", p, q, r, s, t, u, v);                   \
      } else {                                                                                 \
        ODDTILE_WGMMA_REGISTERS(columns, size, "f16", p, q, r, s, t, u, v);                    \
      }                                                                                        \
    }                                                                                          \
  }

ODDTILE_WGMMA(8, 4, 4, 5, 6, 7, 8, 9, 10);
ODDTILE_WGMMA(16, 8, 8, 9, 10, 11, 12, 13, 14);
ODDTILE_WGMMA(32, 16, 16, 17, 18, 19, 20, 21, 22);
ODDTILE_WGMMA(48, 24, 24, 25, 26, 27, 28, 29, 30);
ODDTILE_WGMMA(64, 32, 32, 33, 34, 35, 36, 37, 38);
ODDTILE_WGMMA(80, 40, 40, 41, 42, 43, 44, 45, 46);
ODDTILE_WGMMA(96, 48, 48, 49, 50, 51, 52, 53, 54);
ODDTILE_WGMMA(112, 56, 56, 57, 58, 59, 60, 61, 62);
ODDTILE_WGMMA(128, 64, 64, 65, 66, 67, 68, 69, 70);
ODDTILE_WGMMA(144, 72, 72, 73, 74, 75, 76, 77, 78);
ODDTILE_WGMMA(160, 80, 80, 81, 82, 83, 84, 85, 86);
ODDTILE_WGMMA(176, 88, 88, 89, 90, 91, 92, 93, 94);
ODDTILE_WGMMA(192, 96, 96, 97, 98, 99, 100, 101, 102);
ODDTILE_WGMMA(208, 104, 104, 105, 106, 107, 108, 109, 110);
ODDTILE_WGMMA(224, 112, 112, 113, 114, 115, 116, 117, 118);
ODDTILE_WGMMA(240, 120, 120, 121, 122, 123, 124, 125, 126);
ODDTILE_WGMMA(256, 128, 128, 129, 130, 131, 132, 133, 134);

// sum = a b, or sum + a b where `accumulate`; columns = 2 * (length of sum). The result is there
// after wgmma_wait and wgmma_ready; until then sum and a may be neither read nor written.
template <class T, Major a_major = Major::k, Major b_major = Major::k, int length>
ODDTILE_DEVICE void wgmma(float (&sum)[length], MatrixDescriptor a, MatrixDescriptor b,
                          bool accumulate) {
  Wgmma<2 * length>::template issue<T, a_major, b_major>(sum, a, b, accumulate);
}
// The left operand in registers: a[0] ... a[3], the fragment of mma_16x8x16 for this warp's rows.
template <class T, Major b_major = Major::k, int length>
ODDTILE_DEVICE void wgmma(float (&sum)[length], const uint32_t* a, MatrixDescriptor b,
                          bool accumulate) {
  Wgmma<2 * length>::template issue<T, b_major>(sum, a, b, accumulate);
}
// Orders this warpgroup's plain accesses to sums and fragments before the products that follow.
ODDTILE_DEVICE void wgmma_fence() {
  ODDTILE_SM90_ASM("wgmma.fence.sync.aligned;" ::: "memory");
}
ODDTILE_DEVICE void wgmma_commit() {
  ODDTILE_SM90_ASM("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// At most `pending` of the newest groups are unfinished.
template <int pending>
ODDTILE_DEVICE void wgmma_wait() {
  static_assert(pending >= 0 && pending <= 7);
  ODDTILE_SM90_ASM("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
// After the wait that makes it true, and before a fence where plain code has set the sums: keeps
// the compiler from moving accesses to them across.
template <int length>
ODDTILE_DEVICE void wgmma_ready(float (&sum)[length]) {
  ODDTILE_UNROLL
  for (int i = 0; i < length; ++i) asm volatile("" : "+f"(sum[i])::"memory");
}

ODDTILE_DEVICE MatrixDescriptor matrix_descriptor(const void* start, uint32_t leading_bytes,
                                                  uint32_t stride_bytes, Swizzle swizzle) {
  return oddtile::matrix_descriptor(shared_address(start), leading_bytes, stride_bytes, swizzle);
}

}  // namespace oddtile::cuda
