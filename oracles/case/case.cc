#include "oracles/case/case.h"

#include <fmt/format.h>

#include <cmath>

#include "oracles/case/fields.h"
#include "oracles/case/layout.h"

namespace oddtile::oracles {
namespace {

// Larger tensors are a slip of the pen: nothing could hold them.
constexpr __int128 kElementsAtMost = __int128(1) << 40;

// Every integer inside its domain, every enumerator one that has a name.
struct DomainCheck {
  Fault found;

  void operator()(std::string_view name, const int64_t& value, Domain domain) {
    if (!found.why.empty() || (value >= domain.lowest && value <= domain.highest)) return;
    found = {name,
             fmt::format("{}={} is outside {}..{}", name, value, domain.lowest, domain.highest)};
  }
  void operator()(std::string_view name, const double& value) {
    if (!found.why.empty()) return;
    if (!std::isfinite(value)) {
      found = {name, fmt::format("{}={} is not finite", name, value)};
    } else if (double(float(value)) != value) {
      found = {name, fmt::format("{}={} is not a float value", name, value)};
    }
  }
  template <class Enum>
  void operator()(std::string_view name, const Enum& value,
                  std::span<const std::string_view> names) {
    if (!found.why.empty() || uint64_t(int64_t(value)) < names.size()) return;
    found = {name, fmt::format("{}={} is no enumerator", name, int64_t(value))};
  }
};

Fault too_large(std::string_view field, __int128 elements) {
  if (elements <= kElementsAtMost) return {};
  return {field, fmt::format("{} makes a tensor of more than 2^40 elements", field)};
}

Fault first_of(std::initializer_list<Fault> faults) {
  for (const Fault& fault : faults) {
    if (!fault.why.empty()) return fault;
  }
  return {};
}

Fault relations(const VectorAddCase& c) {
  if (c.alias == Alias::x && c.out_offset != c.x_offset) {
    return {"out_offset", fmt::format("out_offset={} differs from x_offset={} although out is x",
                                      c.out_offset, c.x_offset)};
  }
  if (c.alias == Alias::y && c.out_offset != c.y_offset) {
    return {"out_offset", fmt::format("out_offset={} differs from y_offset={} although out is y",
                                      c.out_offset, c.y_offset)};
  }
  return {};
}

Fault relations(const SoftmaxCase& c) {
  if (c.alias == Alias::y) return {"alias", "alias=y is not for softmax, whose only input is x"};
  if (c.alias == Alias::x && c.y_offset != c.x_offset) {
    return {"y_offset", fmt::format("y_offset={} differs from x_offset={} although y is x",
                                    c.y_offset, c.x_offset)};
  }
  if (c.alias == Alias::x && c.y_pad != c.x_pad) {
    return {"y_pad",
            fmt::format("y_pad={} differs from x_pad={} although y is x", c.y_pad, c.x_pad)};
  }
  if (c.alias == Alias::x && c.x_layout != RowLayout::dense) {
    return {"x_layout",
            fmt::format("x_layout={} although y is x", names(c.x_layout)[size_t(c.x_layout)])};
  }
  const __int128 rows = c.rows;
  return first_of({too_large("rows", rows * (c.columns + c.x_pad)),
                   too_large("rows", rows * (c.columns + c.y_pad))});
}

Fault relations(const AttentionCase& c) {
  if (c.dtype == oddtile_fp32) return {"dtype", "dtype=fp32 is not for attention: fp16 or bf16"};
  if (c.o_layout == Layout::broadcast || c.o_layout == Layout::reversed) {
    return {"o_layout",
            fmt::format("o_layout={} is for inputs only", names(c.o_layout)[size_t(c.o_layout)])};
  }
  // With these the 64-bit sentinels of the C ABI would say the opposite of an empty band.
  if (c.band_low == kUnbounded) return {"band_low", "band_low=inf is not a lower limit"};
  if (c.band_high == -kUnbounded) return {"band_high", "band_high=-inf is not an upper limit"};
  const __int128 batch = c.batch;  // products below stay under 2^127: each factor has a domain
  const __int128 row = c.head_dim + c.pad;
  Fault fault = first_of({
      too_large("seq_q", batch * c.heads_q() * (c.seq_q + c.pad)),
      too_large("seq_q", batch * c.heads_q() * c.seq_q * row),
      too_large("seq_k", batch * c.heads_kv * c.seq_k * row),
      too_large("batch", batch),
  });
  if (fault.why.empty() && c.mask != MaskKind::none) {
    // At most 2^40 rows by the tests above, of 2^40 columns at most and the gap of padded ones.
    fault = too_large("mask", batch * c.heads_q() * c.seq_q * (c.seq_k + kMaskPad));
  }
  return fault;
}

}  // namespace

std::string_view kernel_name(oddtile_kernel kernel) {
  switch (kernel) {
    case oddtile_kernel_vector_add:
      return "vector_add";
    case oddtile_kernel_softmax:
      return "softmax";
    case oddtile_kernel_attention:
      return "attention";
  }
  return "?";
}

Fault find_fault(const Case& subject) {
  DomainCheck check;
  Case copy = subject;  // for_each_field hands out references
  for_each_field(copy, check);
  if (!check.found.why.empty()) return check.found;
  return std::visit([](const auto& problem) { return relations(problem); }, subject.problem);
}

std::string impossible(const Case& subject) {
  return find_fault(subject).why;
}

}  // namespace oddtile::oracles
