#include "oracles/case/fields.h"

namespace oddtile::oracles {
namespace {

using Name = std::string_view;

constexpr Name kDtypes[] = {"fp32", "fp16", "bf16"};
constexpr Name kAnchors[] = {"top_left", "bottom_right"};
constexpr Name kMaskKinds[] = {"none",  "all",  "nothing",      "half",  "sparse",
                               "dense", "runs", "checkerboard", "first", "last"};
constexpr Name kMaskLayouts[] = {"dense",          "padded",           "row_broadcast",
                                 "head_broadcast", "column_broadcast", "transposed"};
constexpr Name kAliases[] = {"none", "x", "y"};
constexpr Name kValues[] = {"integers", "noise",   "zeros",  "level",   "deep",
                            "deeper",   "high",    "rising", "falling", "last_max",
                            "ties",     "one_hot", "tiny",   "huge",    "negative_infinities",
                            "specials", "bits"};
constexpr Name kScores[] = {"integers",      "noise",      "zeros",          "level",
                            "deep",          "deeper",     "high",           "rising",
                            "falling",       "last_max",   "ties",           "peaked",
                            "fp16_overflow", "cancelling", "fused_exponent", "negative_infinities",
                            "specials"};
constexpr Name kContents[] = {"one_hot", "noise", "ones",    "cancelling",
                              "large",   "coded", "specials"};
constexpr Name kLayouts[] = {"bhsd", "bshd", "sbhd", "broadcast", "reversed"};
constexpr Name kRowLayouts[] = {"dense", "broadcast", "reversed"};
constexpr Name kKeyLengths[] = {"none", "full", "random", "mixed", "zero", "outside"};

// A forgotten name would shift nothing but shorten the list: the last enumerator proves the length.
template <class Enum, size_t count>
constexpr bool complete(const Name (&)[count], Enum last) {
  return count == size_t(last) + 1;
}
static_assert(complete(kDtypes, oddtile_bf16));
static_assert(complete(kAnchors, oddtile_bottom_right));
static_assert(complete(kMaskKinds, MaskKind::last));
static_assert(complete(kMaskLayouts, MaskLayout::transposed));
static_assert(complete(kAliases, Alias::y));
static_assert(complete(kValues, Values::bits));
static_assert(complete(kScores, Scores::specials));
static_assert(complete(kContents, Contents::specials));
static_assert(complete(kLayouts, Layout::reversed));
static_assert(complete(kRowLayouts, RowLayout::reversed));
static_assert(complete(kKeyLengths, KeyLengths::outside));

}  // namespace

std::span<const std::string_view> names(oddtile_dtype) {
  return kDtypes;
}
std::span<const std::string_view> names(oddtile_anchor) {
  return kAnchors;
}
std::span<const std::string_view> names(MaskKind) {
  return kMaskKinds;
}
std::span<const std::string_view> names(MaskLayout) {
  return kMaskLayouts;
}
std::span<const std::string_view> names(Alias) {
  return kAliases;
}
std::span<const std::string_view> names(Values) {
  return kValues;
}
std::span<const std::string_view> names(Scores) {
  return kScores;
}
std::span<const std::string_view> names(Contents) {
  return kContents;
}
std::span<const std::string_view> names(Layout) {
  return kLayouts;
}
std::span<const std::string_view> names(RowLayout) {
  return kRowLayouts;
}
std::span<const std::string_view> names(KeyLengths) {
  return kKeyLengths;
}

}  // namespace oddtile::oracles
