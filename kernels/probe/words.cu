#include <bit>

#include "kernels/probe/words.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

constexpr int32_t kThreads = 256;

struct Arguments {
  Global<const uint32_t> argument;
  Global<uint32_t> result;
  int64_t count;
};

template <ProbeFunction function>
ODDTILE_KERNEL(kThreads, 1)
evaluate(Arguments p) {
  const int64_t i = block() * threads() + thread();
  if (i >= p.count) return;
  const float x = std::bit_cast<float>(load(p.argument, i));
  float y = 0;
  if constexpr (function == ProbeFunction::exp2) y = exp2_approx(x);
  if constexpr (function == ProbeFunction::log2) y = log2_approx(x);
  if constexpr (function == ProbeFunction::divide) y = divide(1.0f, x);
  store(p.result, i, std::bit_cast<uint32_t>(y));
}

struct Fragments {
  Global<const uint32_t> a;
  Global<const uint32_t> b;
  Global<const float> addend;
  Global<float> sum;
};

template <class T>
ODDTILE_KERNEL(32, 1)
multiply_fragment(Fragments p) {
  const int64_t at = block() * 32 + lane();
  const auto a = load_as<Vector<uint32_t, 4>>(p.a, at);
  const auto b = load_as<Vector<uint32_t, 2>>(p.b, at);
  auto sum = load_as<Vector<float, 4>>(p.addend, at);
  mma_16x8x16<T>(sum.element, a.element, b.element[0], b.element[1]);
  store_as(p.sum, at, sum);
}

template <ProbeFunction function>
bool launch_evaluate(const Arguments& p, void* stream) {
  const LaunchShape shape{.blocks = ceil_div<int64_t>(p.count, kThreads), .threads = kThreads};
  return launch(evaluate<function>, "evaluate", shape, stream, p);
}

}  // namespace

bool probe_word(ProbeFunction function, const uint32_t* arguments, uint32_t* results, int64_t count,
                void* stream) {
  const Arguments p{Global<const uint32_t>(arguments), Global<uint32_t>(results), count};
  switch (function) {
    case ProbeFunction::exp2:
      return launch_evaluate<ProbeFunction::exp2>(p, stream);
    case ProbeFunction::log2:
      return launch_evaluate<ProbeFunction::log2>(p, stream);
    case ProbeFunction::divide:
      return launch_evaluate<ProbeFunction::divide>(p, stream);
    case ProbeFunction::reciprocal:
      break;  // no word: kernels divide
  }
  return false;
}

bool probe_mma(bool bfloat16, const ProbeFragments& f, void* stream) {
  const Fragments p{Global<const uint32_t>(f.a), Global<const uint32_t>(f.b),
                    Global<const float>(f.addend), Global<float>(f.sum)};
  const LaunchShape shape{.blocks = f.fragments, .threads = 32};
  return bfloat16 ? launch(multiply_fragment<Bfloat16>, "multiply_fragment", shape, stream, p)
                  : launch(multiply_fragment<Half>, "multiply_fragment", shape, stream, p);
}

}  // namespace oddtile::ODDTILE_MACHINE
