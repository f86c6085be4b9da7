// Every form in which a compiler touches memory is seen, and is found to race when it does. This
// file is compiled as the kernels are, so the forms stand here.
#include <gtest/gtest.h>
#include <immintrin.h>

#include <cstring>

#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/machine.h"

namespace oddtile::sim {
namespace {

struct Form {
  const char* name;
  void (*write)(std::byte*);  // at least one byte of the first 128, aligned to 64
  void (*read)(std::byte*);   // of the same
  int64_t accesses_min;       // of the two together
};

struct Quad {
  uint32_t element[4];
};
struct Odd {
  uint8_t element[12];
};
struct Wide {
  uint64_t element[8];
};

template <class T>
void write_one(std::byte* at) {
  *reinterpret_cast<volatile T*>(at) = T(1);
}
template <class T>
void read_one(std::byte* at) {
  [[maybe_unused]] const T value = *reinterpret_cast<volatile T*>(at);
}

// Keeps the compiler from knowing where the bytes are and what becomes of them.
template <class T>
T* hidden(std::byte* at) {
  T* result = reinterpret_cast<T*>(at);
  asm volatile("" : "+r"(result)::"memory");
  return result;
}
template <class T>
void use(const T& value) {
  asm volatile("" ::"r"(&value) : "memory");
}

template <class T>
void write_struct(std::byte* at) {
  T value;
  std::memset(&value, 1, sizeof(T));
  use(value);
  *hidden<T>(at) = value;
}
template <class T>
void read_struct(std::byte* at) {
  const T value = *hidden<T>(at);
  use(value);
}

void write_loop(std::byte* at) {  // becomes memset
  auto* bytes = hidden<uint8_t>(at);
  for (int i = 0; i < 100; ++i) bytes[i] = 7;
}
void read_loop(std::byte* at) {
  const auto* bytes = hidden<uint8_t>(at);
  uint32_t sum = 0;
  for (int i = 0; i < 100; ++i) sum += bytes[i];
  use(sum);
}
void write_memcpy(std::byte* at) {
  const Wide value = {};
  use(value);
  volatile size_t bytes = 48;
  std::memcpy(hidden<Wide>(at), &value, bytes);
}
void read_memcpy(std::byte* at) {
  Wide value;
  volatile size_t bytes = 48;
  std::memcpy(&value, hidden<Wide>(at), bytes);
  use(value);
}
void write_memmove(std::byte* at) {
  const Wide value = {};
  use(value);
  volatile size_t bytes = 40;
  std::memmove(hidden<Wide>(at), &value, bytes);
}
void read_memmove(std::byte* at) {
  Wide value;
  volatile size_t bytes = 40;
  std::memmove(&value, hidden<Wide>(at), bytes);
  use(value);
}
void write_memset(std::byte* at) {
  volatile size_t bytes = 33;
  std::memset(hidden<Wide>(at), 3, bytes);
}
void write_vector_16(std::byte* at) {
  _mm_store_ps(hidden<float>(at), _mm_set1_ps(1.0f));
}
void read_vector_16(std::byte* at) {
  use(_mm_load_ps(hidden<float>(at)));
}
void write_vector_32(std::byte* at) {
  _mm256_store_ps(hidden<float>(at), _mm256_set1_ps(1.0f));
}
void read_vector_32(std::byte* at) {
  use(_mm256_load_ps(hidden<float>(at)));
}
void write_unaligned(std::byte* at) {
  _mm256_storeu_ps(hidden<float>(at + 4), _mm256_set1_ps(1.0f));
}
void read_unaligned(std::byte* at) {
  use(_mm256_loadu_ps(hidden<float>(at + 4)));
}
// A store to what was loaded just before: the load must not hide it.
void update(std::byte* at) {
  *hidden<uint32_t>(at) += 1;
}
void update_loaded(std::byte* at) {
  auto* value = hidden<uint32_t>(at);
  if (*value == 5) use(*value);
  *value = 4;
}

constexpr Form kForms[] = {
    {"1 byte", write_one<uint8_t>, read_one<uint8_t>, 2},
    {"2 bytes", write_one<uint16_t>, read_one<uint16_t>, 2},
    {"4 bytes", write_one<float>, read_one<float>, 2},
    {"8 bytes", write_one<uint64_t>, read_one<uint64_t>, 2},
    {"16-byte struct", write_struct<Quad>, read_struct<Quad>, 2},
    {"12-byte struct", write_struct<Odd>, read_struct<Odd>, 2},
    {"64-byte struct", write_struct<Wide>, read_struct<Wide>, 2},
    {"loop", write_loop, read_loop, 101},
    {"memcpy", write_memcpy, read_memcpy, 2},
    {"memmove", write_memmove, read_memmove, 2},
    {"memset", write_memset, read_one<uint8_t>, 2},
    {"16-byte vector", write_vector_16, read_vector_16, 2},
    {"32-byte vector", write_vector_32, read_vector_32, 2},
    {"unaligned vector", write_unaligned, read_unaligned, 2},
};

struct Parameters {
  void (*first)(std::byte*);
  void (*second)(std::byte*);
  bool synchronised;
};

// Lane 0 of the first warp does one thing, lane 0 of the second another.
ODDTILE_KERNEL(64, 1) two_lanes(Parameters p) {
  if (thread() == 0) p.first(shared_memory());
  if (p.synchronised) sync_block();
  if (thread() == 32) p.second(shared_memory());
}

std::vector<Hazard> run(Parameters parameters, int64_t* accesses = nullptr) {
  Machine machine;  // looks for races: the hooks are linked
  machine.begin(0);
  EXPECT_TRUE(launch(two_lanes, "two_lanes", {1, 64, 128}, &machine, parameters));
  if (accesses != nullptr) *accesses = machine.accesses_watched();
  return machine.hazards();
}

TEST(AccessHooks, see_every_form) {
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.name);
    int64_t accesses = 0;
    EXPECT_TRUE(run({form.write, form.read, true}, &accesses).empty());
    EXPECT_GE(accesses, form.accesses_min);
  }
}

TEST(AccessHooks, find_every_form_to_race) {
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.name);
    const auto read_after_write = run({form.write, form.read, false});
    ASSERT_FALSE(read_after_write.empty());
    EXPECT_EQ(int(read_after_write[0].kind), int(HazardKind::shared_race));
    const auto write_after_write = run({form.write, form.write, false});
    ASSERT_FALSE(write_after_write.empty());
    EXPECT_EQ(int(write_after_write[0].kind), int(HazardKind::shared_race));
  }
}

TEST(AccessHooks, see_the_store_behind_a_load) {
  const auto names_store = [](void (*updates)(std::byte*)) {
    // Both are unordered with the read; of a store that is not seen, nothing would be said.
    for (const Hazard& hazard : run({read_one<uint32_t>, updates, false})) {
      if (hazard.detail.rfind("writes", 0) == 0) return true;
    }
    return false;
  };
  EXPECT_TRUE(names_store(update));
  EXPECT_TRUE(names_store(update_loaded));
}

TEST(AccessHooks, name_both_places) {
  const auto hazards = run({write_one<float>, read_one<float>, false});
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].file, "kernels/sim/access_hooks_test.cc") << hazards[0].text();
  EXPECT_EQ(hazards[0].other.file, "kernels/sim/access_hooks_test.cc");
  EXPECT_EQ(hazards[0].line - hazards[0].other.line, 4);
  EXPECT_EQ(hazards[0].thread, 32);
  EXPECT_EQ(hazards[0].other.thread, 0);
}

void write_behind(std::byte* at) {
  *hidden<float>(at + 128) = 1.0f;
}

TEST(AccessHooks, name_the_line_that_leaves_shared_memory) {
  const auto hazards = run({write_behind, read_one<uint8_t>, true});
  ASSERT_GE(hazards.size(), 1u);
  EXPECT_EQ(int(hazards[0].kind), int(HazardKind::out_of_bounds));
  EXPECT_GT(hazards[0].line, 0);
}

TEST(AccessHooks, may_be_told_not_to_look) {
  Machine machine;
  machine.detect_races(false);
  machine.begin(0);
  launch(two_lanes, "two_lanes", {1, 64, 128}, &machine,
         Parameters{write_one<float>, read_one<float>, false});
  EXPECT_TRUE(machine.hazards().empty());
  EXPECT_EQ(machine.accesses_watched(), 0);
}

}  // namespace
}  // namespace oddtile::sim
