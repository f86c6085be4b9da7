// litmus_cuda [part of a name]: runs every passing litmus kernel on the GPU and on the simulator
// and compares all they wrote, bit by bit. Exits 0 when all agree, 1 when one does not, 3 without a
// GPU that speaks sm_90a. A kernel that hangs is the last one named.
#include "kernels/dialect/cuda/litmus_cuda.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "kernels/sim/litmus_cases.h"
#include "kernels/sim/machine.h"

namespace oddtile {

namespace {

std::string run_on_simulator(const sim::LitmusCase& litmus, LitmusMemory* memory) {
  sim::Machine machine;
  machine.begin(0);
  machine.allow(memory, sizeof(LitmusMemory), "memory");
  Litmus parameters;
  if (!describe(*memory, sim::encode_tensor_map, &parameters)) return "a tensor map is refused";
  sim::launch(litmus.kernel, litmus.name.c_str(), litmus.shape, &machine, parameters);
  return machine.hazards().empty() ? "" : machine.hazards().front().text();
}

const char* first_difference(const LitmusMemory& one, const LitmusMemory& other) {
  if (std::memcmp(one.out, other.out, sizeof(one.out)) != 0) return "out differs";
  if (std::memcmp(one.stored, other.stored, sizeof(one.stored)) != 0) return "stored differs";
  if (one.counter != other.counter) return "counter differs";
  return std::memcmp(&one, &other, sizeof(one)) == 0 ? "" : "memory was touched";
}

// Empty where both machines agree and every thread found what it expected.
std::string compare(const sim::LitmusCase& litmus) {
  const auto here = std::make_unique<LitmusMemory>();
  const auto there = std::make_unique<LitmusMemory>();
  fill(*here);
  fill(*there);
  std::string trouble = run_on_simulator(litmus, here.get());
  if (!trouble.empty()) return "simulator: " + trouble;
  trouble = run_on_gpu(litmus.name, there.get());
  if (!trouble.empty()) return "GPU: " + trouble;
  for (int64_t t = 0; t < litmus.shape.blocks * litmus.shape.threads; ++t) {
    if (there->out[t] != 1.0f) return "GPU: thread " + std::to_string(t) + " got it wrong";
  }
  return first_difference(*here, *there);
}

int compare_all(const char* part) {
  int compared = 0;
  int wrong = 0;
  for (const std::string& name : names_on_gpu()) {
    if (name.find(part) == std::string::npos) continue;
    for (const sim::LitmusCase& litmus : sim::litmus_cases()) {
      if (litmus.name != name) continue;
      std::printf("%s: ", name.c_str());
      std::fflush(stdout);
      const std::string trouble = compare(litmus);
      std::printf("%s\n", trouble.empty() ? "same bits" : trouble.c_str());
      wrong += !trouble.empty();
      ++compared;
    }
  }
  std::printf("%d litmus kernels compared, %d differ\n", compared, wrong);
  return wrong == 0 && compared > 0 ? 0 : 1;
}

}  // namespace

}  // namespace oddtile

int main(int count, char** arguments) {
  if (!oddtile::gpu_speaks_hopper()) {
    std::printf("no GPU that speaks sm_90a\n");
    return 3;
  }
  return oddtile::compare_all(count > 1 ? arguments[1] : "");
}
