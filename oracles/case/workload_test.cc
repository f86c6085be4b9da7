// What is logical data and what is poison, judged by a plain re-reading of the contract.
#include "oracles/case/workload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "kernels/base/random.h"
#include "oracles/case/fields.h"
#include "oracles/case/poison.h"
#include "oracles/case/text.h"

namespace oddtile::oracles {
namespace {

constexpr Poison kPoisons[] = {Poison::nan, Poison::large, Poison::zero};

// Small cases with every enumerator and many shapes; impossible ones are redrawn.
struct Draw {
  Random random;
  void operator()(std::string_view name, int64_t& value, Domain domain) {
    if (name == "config") return;
    if (name == "seed" || name == "schedule") {
      value = int64_t(random.next());
    } else if (domain.lowest == -kUnbounded) {
      if (random.below(2) == 0) value = random.between(-6, 6);
    } else {
      const int64_t most = name == "head_dim" ? 40 : name == "pad" || name == "n" ? 9 : 6;
      value = std::clamp<int64_t>(random.between(0, most), domain.lowest, domain.highest);
    }
  }
  void operator()(std::string_view, double& value) { value = random.below(3) == 0 ? -1 : 0.125; }
  template <class Enum>
  void operator()(std::string_view, Enum& value, std::span<const std::string_view> names) {
    value = Enum(random.below(uint32_t(names.size())));
  }
};

std::vector<Case> drawn_cases(int count) {
  const Case plain[] = {{VectorAddCase{}}, {SoftmaxCase{}}, {AttentionCase{}}, {AttentionCase{}}};
  std::vector<Case> cases;
  for (uint64_t seed = 0; int(cases.size()) < count; ++seed) {
    Case subject = plain[seed % 4];
    for_each_field(subject, Draw{Random(seed)});
    if (impossible(subject).empty()) cases.push_back(subject);
  }
  return cases;
}

template <class Body>
void for_each_index(const Tensor& tensor, const Body& body) {
  for (int64_t i0 = 0; i0 < tensor.sizes[0]; ++i0) {
    for (int64_t i1 = 0; i1 < tensor.sizes[1]; ++i1) {
      for (int64_t i2 = 0; i2 < tensor.sizes[2]; ++i2) {
        for (int64_t i3 = 0; i3 < tensor.sizes[3]; ++i3) body(i0, i1, i2, i3);
      }
    }
  }
}

const std::vector<std::byte>& bytes_of(const Workload& workload, const Tensor& tensor) {
  return tensor.alias_of < 0 ? tensor.bytes : workload.tensors[size_t(tensor.alias_of)].bytes;
}

uint32_t bits_at(const Workload& workload, const Tensor& tensor, int64_t index) {
  uint32_t bits = 0;
  const int64_t width = element_bytes(tensor.element);
  std::memcpy(&bits, bytes_of(workload, tensor).data() + index * width, size_t(width));
  return bits;
}

enum class Hiding { visible, by_band_or_mask, by_length };

// How key j of kv head h is hidden from all queries that could read it, from the stored tensors.
Hiding hiding(const Workload& workload, int64_t batch, int64_t kv, int64_t key) {
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  const Tensor* mask = workload.find(Role::mask);
  const Tensor* lengths = workload.find(Role::key_length);
  double length = double(c.seq_k);
  if (lengths != nullptr) {
    const double stored =
        value_at(lengths->bytes, lengths->element, lengths->index(0, 0, 0, batch));
    length = std::fmin(std::fmax(stored, 0), length);
  }
  if (double(key) >= length) return Hiding::by_length;
  const double shift = c.anchor == oddtile_bottom_right ? length - double(c.seq_q) : 0;
  for (int64_t head = kv * c.group; head < (kv + 1) * c.group; ++head) {
    for (int64_t query = 0; query < c.seq_q; ++query) {
      const double distance = double(key) - double(query) - shift;
      if (distance < double(c.band_low) || distance > double(c.band_high)) continue;
      if (mask == nullptr ||
          value_at(mask->bytes, mask->element, mask->index(batch, head, query, key)) != 0) {
        return Hiding::visible;
      }
    }
  }
  return Hiding::by_band_or_mask;
}

// Indices that hold data of the case (not poison), and those of hidden v that hold a finite poison.
struct Places {
  std::set<int64_t> logical;
  std::set<int64_t> finite;
};

Places places_of(const Workload& workload, const Tensor& tensor) {
  Places places;
  const bool is_key = tensor.role == Role::k || tensor.role == Role::v;
  const Tensor* mask = workload.find(Role::mask);
  for_each_index(tensor, [&](int64_t i0, int64_t i1, int64_t i2, int64_t i3) {
    const int64_t index = tensor.index(i0, i1, i2, i3);
    if (tensor.is_output) {
      const bool old = tensor.role == Role::out && mask != nullptr &&
                       bits_at(workload, *mask, mask->index(0, 0, 0, i3)) == 0;
      if (old || tensor.alias_of >= 0) places.logical.insert(index);
      return;
    }
    const Hiding how = is_key ? hiding(workload, i0, i1, i2) : Hiding::visible;
    if (how == Hiding::visible) places.logical.insert(index);
    if (how == Hiding::by_band_or_mask && tensor.role == Role::v) places.finite.insert(index);
  });
  return places;
}

// Copying logical inputs to other poison is making the case with that poison.
TEST(Workload, with_other_poison_is_what_would_be_made) {
  for (const Case& subject : drawn_cases(800)) {
    for (const Poison from : kPoisons) {
      const Workload made = materialise(subject, from);
      for (const Poison to : kPoisons) {
        const Workload wanted = materialise(subject, to), copied = with_poison(made, to);
        ASSERT_EQ(copied.tensors.size(), wanted.tensors.size());
        for (size_t i = 0; i < wanted.tensors.size(); ++i) {
          ASSERT_EQ(copied.tensors[i].offset, wanted.tensors[i].offset);
          ASSERT_EQ(copied.tensors[i].bytes, wanted.tensors[i].bytes)
              << print(subject) << ": " << role_name(wanted.tensors[i].role);
        }
      }
    }
  }
}

TEST(Workload, EveryElementIsInsideItsBufferAndOutputsDoNotOverlap) {
  for (const Case& subject : drawn_cases(400)) {
    const Workload workload = materialise(subject, Poison::nan);
    for (const Tensor& tensor : workload.tensors) {
      std::set<int64_t> indices;
      int64_t count = 0;
      for_each_index(tensor, [&](int64_t i0, int64_t i1, int64_t i2, int64_t i3) {
        const int64_t index = tensor.index(i0, i1, i2, i3);
        ASSERT_GE(index, 0) << print(subject);
        ASSERT_LT(index, tensor.capacity) << print(subject);
        indices.insert(index);
        ++count;
      });
      EXPECT_EQ(count, tensor.count());
      if (tensor.is_output) {
        EXPECT_EQ(int64_t(indices.size()), count) << print(subject);
      }
      const int64_t bytes = int64_t(bytes_of(workload, tensor).size());
      EXPECT_GE(bytes, tensor.capacity * element_bytes(tensor.element)) << print(subject);
      const int64_t last = indices.empty() ? tensor.offset : *indices.rbegin();
      EXPECT_GE((tensor.capacity - last - 1) * element_bytes(tensor.element), 256 - 4);
    }
  }
}

TEST(Workload, LogicalDataIsIndependentOfPoisonAndEverythingElseIsPoison) {
  int64_t logical = 0, poisoned = 0, finite = 0;
  for (const Case& subject : drawn_cases(400)) {
    const Workload reference = materialise(subject, Poison::zero);
    for (Poison poison : kPoisons) {
      const Workload workload = materialise(subject, poison);
      for (const Tensor& tensor : workload.tensors) {
        if (tensor.alias_of >= 0) continue;
        const Places places = places_of(workload, tensor);
        const Tensor& other = *reference.find(tensor.role);
        for (int64_t index = 0; index < tensor.capacity; ++index) {
          const uint32_t bits = bits_at(workload, tensor, index);
          if (places.logical.count(index) != 0) {
            ASSERT_EQ(bits, bits_at(reference, other, index)) << print(subject);
            ++logical;
          } else if (places.finite.count(index) != 0) {
            ASSERT_EQ(bits, finite_poison_bits(tensor.element, poison)) << print(subject);
            ASSERT_TRUE(std::isfinite(value_at(tensor.bytes, tensor.element, index)));
            ++finite;
          } else {
            ASSERT_EQ(bits, poison_bits(tensor.element, poison))
                << print(subject) << " " << role_name(tensor.role) << " " << index;
            ++poisoned;
          }
        }
      }
    }
  }
  EXPECT_GT(logical, 10000);
  EXPECT_GT(poisoned, 10000);
  EXPECT_GT(finite, 1000);
}

// Large buffers are made by several threads; the split must not show.
TEST(Workload, LargeDataIsRepeatable) {
  const Case subject = {
      SoftmaxCase{.rows = 65, .columns = 20011, .mask = MaskKind::runs, .values = Values::noise}};
  const Workload first = materialise(subject, Poison::nan);
  const Workload again = materialise(subject, Poison::nan);
  for (size_t i = 0; i < first.tensors.size(); ++i) {
    EXPECT_TRUE(first.tensors[i].bytes == again.tensors[i].bytes);
  }
}

}  // namespace
}  // namespace oddtile::oracles
