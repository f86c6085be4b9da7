#include "fuzz/codec/codec.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernels/base/random.h"
#include "oracles/case/fields.h"
#include "oracles/case/sizes.h"
#include "oracles/case/text.h"

namespace oddtile::fuzz {
namespace {

using namespace oracles;

constexpr oddtile_kernel kKernels[] = {oddtile_kernel_vector_add, oddtile_kernel_softmax,
                                       oddtile_kernel_attention};

std::vector<uint8_t> random_bytes(uint64_t seed, int64_t longest) {
  Random random(seed);
  std::vector<uint8_t> bytes(random.below(uint32_t(longest + 1)));
  for (uint8_t& byte : bytes) byte = uint8_t(random.next());
  return bytes;
}

struct Collect {
  std::map<std::string, std::string> values;
  void operator()(std::string_view name, int64_t& value, Domain) {
    values[std::string(name)] = std::to_string(value);
  }
  void operator()(std::string_view name, double& value) {
    values[std::string(name)] = std::to_string(value);
  }
  template <class Enum>
  void operator()(std::string_view name, Enum& value, std::span<const std::string_view> names) {
    values[std::string(name)] = names[size_t(value)];
  }
};

std::map<std::string, std::string> fields_of(Case subject) {
  Collect collect;
  for_each_field(subject, collect);
  return collect.values;
}

TEST(Codec, EveryByteStringIsAPossibleSmallCase) {
  for (oddtile_kernel kernel : kKernels) {
    for (uint64_t seed = 0; seed < 20000; ++seed) {
      const Case subject = decode(kernel, random_bytes(seed, encoded_bytes(kernel) + 9));
      ASSERT_EQ(subject.kernel(), kernel);
      ASSERT_EQ(impossible(subject), "") << print(subject);
      ASSERT_LE(work_of(subject), kFuzzWork) << print(subject);
    }
  }
}

TEST(Codec, NothingIsThePlainCase) {
  EXPECT_TRUE(decode(oddtile_kernel_vector_add, {}) == Case{VectorAddCase{}});
  EXPECT_TRUE(decode(oddtile_kernel_softmax, {}) == Case{SoftmaxCase{}});
  EXPECT_TRUE(decode(oddtile_kernel_attention, {}) == Case{AttentionCase{}});
}

TEST(Codec, DecodedCasesEncodeBack) {
  for (oddtile_kernel kernel : kKernels) {
    for (uint64_t seed = 0; seed < 20000; ++seed) {
      const Case subject = decode(kernel, random_bytes(seed, encoded_bytes(kernel)));
      ASSERT_TRUE(in_fuzz_range(subject)) << print(subject);
      const auto bytes = encode(subject);
      ASSERT_EQ(int64_t(bytes.size()), encoded_bytes(kernel));
      ASSERT_TRUE(decode(kernel, bytes) == subject) << print(subject) << "\n"
                                                    << print(decode(kernel, bytes));
    }
  }
}

TEST(Codec, WhatLiesOutsideTheFuzzRangeIsToldAndClamped) {
  const Case large = {AttentionCase{.seq_q = 1, .seq_k = 100000}};
  EXPECT_FALSE(in_fuzz_range(large));
  EXPECT_EQ(std::get<AttentionCase>(decode(oddtile_kernel_attention, encode(large)).problem).seq_k,
            300);
  EXPECT_FALSE(in_fuzz_range({AttentionCase{.heads_kv = 8, .seq_q = 300, .seq_k = 300}}));
  EXPECT_TRUE(in_fuzz_range({AttentionCase{.seq_q = 100, .seq_k = 100, .head_dim = 37}}));
  EXPECT_TRUE(in_fuzz_range({AttentionCase{.band_high = kUnbounded - 1}}));
}

// Fields that repair() moves along with another one.
bool follows(const std::string& field) {
  return field == "out_offset" || field == "y_offset" || field == "y_pad" || field == "x_layout";
}

TEST(Codec, AChangedByteChangesOneField) {
  int64_t changed = 0, silent = 0;
  for (oddtile_kernel kernel : kKernels) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
      auto bytes = encode(decode(kernel, random_bytes(seed, encoded_bytes(kernel))));
      const auto before = fields_of(decode(kernel, bytes));
      Random random(seed);
      for (uint8_t& byte : bytes) {
        const uint8_t old = byte;
        byte = uint8_t(old + 1 + random.below(255));
        const Case mutated = decode(kernel, bytes);
        byte = old;
        if (work_of(mutated) > kFuzzWork / 4) continue;  // may have been cut to size
        std::set<std::string> differ;
        for (const auto& [name, value] : fields_of(mutated)) {
          if (before.at(name) != value && !follows(name)) differ.insert(name);
        }
        ASSERT_LE(differ.size(), 1u) << *differ.begin() << " " << *differ.rbegin();
        (differ.empty() ? silent : changed) += 1;
      }
    }
  }
  EXPECT_GT(changed, 5 * silent);  // few mutations are wasted
}

TEST(Codec, EveryFieldIsReachable) {
  for (oddtile_kernel kernel : kKernels) {
    std::map<std::string, std::map<std::string, int>> seen;
    for (uint64_t seed = 0; seed < 5000; ++seed) {
      const auto bytes = random_bytes(seed, 2 * encoded_bytes(kernel));
      for (const auto& [name, value] : fields_of(decode(kernel, bytes))) ++seen[name][value];
    }
    for (const auto& [name, values] : seen) EXPECT_GE(values.size(), 2u) << name;
    if (kernel != oddtile_kernel_attention) continue;
    EXPECT_EQ(seen["scores"].size(), names(Scores{}).size());
    EXPECT_EQ(seen["mask_layout"].size(), names(MaskLayout{}).size());
    EXPECT_EQ(seen["dtype"].size(), 2u);
    EXPECT_EQ(seen["o_layout"].size(), 3u);
    EXPECT_GT(seen["seq_k"]["65"], 10);  // tile edges are preferred
    EXPECT_GT(seen["head_dim"]["64"], 10);
    EXPECT_GT(seen["band_high"]["0"], 5);
  }
}

}  // namespace
}  // namespace oddtile::fuzz
