#include "oracles/case/text.h"

#include <gtest/gtest.h>

#include "kernels/base/random.h"
#include "oracles/case/fields.h"

namespace oddtile::oracles {
namespace {

const Case kPlain[] = {{VectorAddCase{}}, {SoftmaxCase{}}, {AttentionCase{}}};

Case parsed(std::string_view text) {
  const auto result = parse(text);
  if (const auto* error = std::get_if<TextError>(&result)) {
    ADD_FAILURE() << text << "\n" << error->position << ": " << error->message;
    return {};
  }
  return std::get<Case>(result);
}

void expect_round_trip(const Case& subject) {
  const std::string text = print(subject);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_TRUE(parsed(text) == subject) << text << "\n" << print(parsed(text));
}

void expect_error(std::string_view text, int64_t position, std::string_view message) {
  const auto result = parse(text);
  const auto* error = std::get_if<TextError>(&result);
  ASSERT_NE(error, nullptr) << text;
  EXPECT_EQ(error->position, position) << text << "\n" << error->message;
  EXPECT_EQ(error->message, message) << text;
}

// Sets every field to a value of its domain, whatever the relations between fields say.
struct Randomise {
  Random random;
  void operator()(std::string_view, int64_t& value, Domain domain) {
    const int64_t choices[] = {
        domain.lowest, domain.highest, domain.simplest,
        random.between(domain.lowest, domain.highest),
        std::clamp<int64_t>(int64_t(random.below(200)), domain.lowest, domain.highest)};
    value = choices[random.below(5)];
  }
  void operator()(std::string_view, double& value) {
    const float choices[] = {0,      1,      -0.125f,   0.1f,
                             1e-30f, -3e38f, 0x1p-149f, float(random.normal())};
    value = double(choices[random.below(8)]);
  }
  template <class Enum>
  void operator()(std::string_view, Enum& value, std::span<const std::string_view> names) {
    value = Enum(random.below(uint32_t(names.size())));
  }
};

TEST(Text, PlainCasesShowTheirShapesOnly) {
  EXPECT_EQ(print(kPlain[0]), "vector_add n=1");
  EXPECT_EQ(print(kPlain[1]), "softmax rows=1 columns=1");
  EXPECT_EQ(print(kPlain[2]), "attention batch=1 heads_kv=1 group=1 seq_q=1 seq_k=1 head_dim=16");
}

TEST(Text, RoundTripsRandomCases) {
  int possible = 0;
  for (uint64_t seed = 0; seed < 30000; ++seed) {
    Case subject = kPlain[seed % 3];
    for_each_field(subject, Randomise{Random(seed)});
    if (!impossible(subject).empty()) continue;
    ++possible;
    expect_round_trip(subject);
  }
  EXPECT_GT(possible, 2000);  // else the loop above proves nothing
}

// Sets one field to one of its values, all others plain.
struct SetOne {
  int field;
  int value;
  int at = -1;
  bool exists = false;
  bool past_last_value = true;

  void operator()(std::string_view, int64_t& target, Domain domain) {
    if (++at != field) return;
    const int64_t values[] = {domain.lowest, domain.simplest, domain.highest};
    exists = true;
    past_last_value = value >= 3;
    if (!past_last_value) target = values[value];
  }
  void operator()(std::string_view, double& target) {
    if (++at != field) return;
    const float values[] = {0, -1, 0.1f, 1e-40f, 3e38f};
    exists = true;
    past_last_value = value >= 5;
    if (!past_last_value) target = double(values[value]);
  }
  template <class Enum>
  void operator()(std::string_view, Enum& target, std::span<const std::string_view> names) {
    if (++at != field) return;
    exists = true;
    past_last_value = value >= int(names.size());
    if (!past_last_value) target = Enum(value);
  }
};

TEST(Text, RoundTripsEveryValueOfEveryField) {
  for (const Case& plain : kPlain) {
    for (int field = 0;; ++field) {
      SetOne probe{field, 0};
      Case copy = plain;
      for_each_field(copy, probe);
      if (!probe.exists) break;
      for (int value = 0;; ++value) {
        SetOne set{field, value};
        Case subject = plain;
        for_each_field(subject, set);
        if (set.past_last_value) break;
        if (impossible(subject).empty()) expect_round_trip(subject);
      }
    }
  }
}

TEST(Text, ReadsWhatPeopleWrite) {
  const Case subject = parsed(
      "# why: one line of comment\n\n  # another\n"
      "\tattention  seq_k=65 band_low=-inf band_high=0 \r\n\n");
  const auto& c = std::get<AttentionCase>(subject.problem);
  EXPECT_EQ(c.seq_k, 65);
  EXPECT_EQ(c.band_low, -kUnbounded);
  EXPECT_EQ(c.band_high, 0);
  EXPECT_EQ(parsed("vector_add seed=18446744073709551615").seed, ~uint64_t(0));
  EXPECT_EQ(std::get<AttentionCase>(parsed("attention scale=0.1").problem).scale, double(0.1f));
}

TEST(Text, ErrorsSayWhere) {
  expect_error("", 0, "no case here; it starts with one of: vector_add, softmax, attention");
  expect_error("# only a comment\n", 17,
               "no case here; it starts with one of: vector_add, softmax, attention");
  expect_error("  atention n=1", 2,
               "unknown kernel 'atention'; kernels: vector_add, softmax, attention");
  expect_error("vector_add m=1", 11,
               "unknown field 'm'; fields of vector_add: dtype, n, x_offset, y_offset, out_offset, "
               "mask_offset, mask, alias, values, config, seed, schedule");
  expect_error("vector_add n", 11, "expected name=value, found 'n'");
  expect_error("vector_add =3", 11, "expected name=value, found '=3'");
  expect_error("vector_add n=3 n=4", 15, "field 'n' stands twice");
  expect_error("vector_add n=3x", 13, "n='3x' is not an integer");
  expect_error("vector_add n=", 13, "n='' is not an integer");
  expect_error("vector_add n=inf", 13, "n='inf' is not an integer");
  expect_error("vector_add n=99999999999999999999", 13,
               "n='99999999999999999999' is not an integer");
  expect_error("vector_add seed=-1", 16, "seed='-1' is not an integer from 0 to 2^64 - 1");
  expect_error("attention band_low=low", 19, "band_low='low' is not an integer, inf or -inf");
  expect_error("attention scale=big", 16, "scale='big' is not a float");
  expect_error("softmax mask_layout=wide", 20,
               "mask_layout='wide' is unknown; one of: dense, padded, row_broadcast, "
               "head_broadcast, column_broadcast, transposed");
  expect_error("softmax\nrows=1", 8, "expected one line, found text on a second one");
  expect_error(
      "softmax r\x01w=1", 8,
      "unknown field 'r?w'; fields of softmax: dtype, rows, columns, x_pad, y_pad, "
      "x_offset, y_offset, mask_offset, mask, mask_layout, x_layout, alias, values, config, "
      "seed, schedule");
}

TEST(Text, ImpossibleCasesAreErrorsAtTheFieldToBlame) {
  expect_error("attention seq_q=2 head_dim=0", 18, "head_dim=0 is outside 1..256");
  expect_error("attention scale=inf", 10, "scale=inf is not finite");
  expect_error("vector_add n=1 alias=x x_offset=1", 0,
               "out_offset=0 differs from x_offset=1 although out is x");
}

TEST(Text, AnyBytesGiveACaseOrAnError) {
  const std::string text = "attention seq_q=3 band_low=-inf scale=0.5 mask=half seed=7";
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    std::string broken = text;
    for (uint32_t edit = 0; edit < 1 + seed % 3; ++edit) {
      broken[random.below(uint32_t(broken.size()))] = char(random.below(256));
    }
    const auto result = parse(broken);
    if (const auto* error = std::get_if<TextError>(&result)) {
      EXPECT_GE(error->position, 0);
      EXPECT_LE(error->position, int64_t(broken.size()));
      EXPECT_FALSE(error->message.empty());
      EXPECT_EQ(error->message.find('\n'), std::string::npos);
    } else {
      expect_round_trip(std::get<Case>(result));
    }
  }
}

}  // namespace
}  // namespace oddtile::oracles
