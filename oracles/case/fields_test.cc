#include "oracles/case/fields.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace oddtile::oracles {
namespace {

struct CollectNames {
  std::multiset<std::string> fields;
  std::set<std::string> values;

  void operator()(std::string_view name, int64_t&, Domain) { fields.insert(std::string(name)); }
  void operator()(std::string_view name, double&) { fields.insert(std::string(name)); }
  template <class Enum>
  void operator()(std::string_view name, Enum&, std::span<const std::string_view> names) {
    fields.insert(std::string(name));
    const std::set<std::string_view> distinct(names.begin(), names.end());
    EXPECT_EQ(distinct.size(), names.size()) << name;
    values.insert(names.begin(), names.end());
  }
};

// Text stands on this: a name is one word, and means one field.
TEST(Fields, NamesAreDistinctWords) {
  for (Case plain : {Case{VectorAddCase{}}, Case{SoftmaxCase{}}, Case{AttentionCase{}}}) {
    CollectNames collect;
    for_each_field(plain, collect);
    for (const std::string& name : collect.fields) {
      EXPECT_EQ(collect.fields.count(name), 1u) << name;
      EXPECT_EQ(name.find_first_of(" =\t#"), std::string::npos) << name;
    }
    for (const std::string& value : collect.values) {
      EXPECT_FALSE(value.empty());
      EXPECT_EQ(value.find_first_of(" =\t#"), std::string::npos) << value;
    }
    EXPECT_EQ(collect.fields.count("seed"), 1u);
  }
}

struct SumBytes {
  size_t bytes = 0;
  void operator()(std::string_view, int64_t&, Domain) { bytes += sizeof(int64_t); }
  void operator()(std::string_view, double&) { bytes += sizeof(double); }
  template <class Enum>
  void operator()(std::string_view, Enum&, std::span<const std::string_view>) {
    bytes += sizeof(Enum);
  }
};

// A member that for_each_field forgets would be lost in text: what is not visited must be no more
// than the two gaps that alignment leaves.
template <class Part>
size_t bytes_not_visited() {
  Part part;
  SumBytes sum;
  for_each_field(part, sum);
  return sizeof(Part) - sum.bytes;
}

TEST(Fields, EveryMemberIsVisited) {
  EXPECT_LE(bytes_not_visited<VectorAddCase>(), 8u);
  EXPECT_LE(bytes_not_visited<SoftmaxCase>(), 8u);
  EXPECT_LE(bytes_not_visited<AttentionCase>(), 8u);
}

}  // namespace
}  // namespace oddtile::oracles
