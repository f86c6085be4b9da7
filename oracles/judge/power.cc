#include "oracles/judge/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracles/bounds/attention.h"
#include "oracles/bounds/rounding.h"
#include "oracles/bounds/softmax.h"
#include "oracles/exact/read.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {
namespace {

double factor(double wrong, double exact, double bound) {
  const double error = std::fabs(wrong - exact);
  return error == 0 ? 0 : bound == 0 || std::isnan(error) ? kNever : error / bound;
}

// Neighbours of the first rows lie behind, of the others before them.
int64_t next_to(int64_t row, int64_t rows) {
  return row > 0 ? row - 1 : std::min<int64_t>(1, rows - 1);
}

void add(double wrong, double exact, double bound, Power& power) {
  ++power.elements;
  ++power.stale_nan_fails;
  power.zero_factor = std::max(power.zero_factor, factor(0, exact, bound));
  power.stale_factor = std::max(power.stale_factor, factor(wrong, exact, bound));
}

// A row whose class is NaN: a NaN passes, numbers do not.
void add_nan_class(int64_t elements, bool neighbour_is_nan, Power& power) {
  power.elements += elements;
  power.zero_factor = kNever;
  if (!neighbour_is_nan) power.stale_factor = kNever;
}

void add_attention_row(const AttentionOracle& oracle, const KeysAndValues& kv, int64_t b, int64_t h,
                       int64_t i, const oddtile_profile& profile, Power& o, Power& lse) {
  const AttentionCase& c = oracle.subject();
  AttentionRow row, other;
  oracle.row(kv, b, h, i, Precision::standard, row);
  oracle.row(kv, b, h, next_to(i, c.seq_q), Precision::standard, other);
  ++o.rows;
  ++lse.rows;
  if (row.row_class == RowClass::nan) {
    add_nan_class(c.head_dim, other.row_class == RowClass::nan, o);
    return add_nan_class(1, other.row_class == RowClass::nan, lse);
  }
  const bool live = row.row_class == RowClass::live;
  if (live && !in_domain(row, c.scale)) return;
  AttentionBound bound;
  if (live) bound_attention(row, kv, c.scale, profile, c.dtype, bound);
  for (int64_t x = 0; x < c.head_dim; ++x) {
    if (!row.column.empty() && row.column[size_t(x)] != 0) continue;
    if (live && !in_domain(row, x)) continue;
    const double wrong = other.row_class == RowClass::live    ? other.o[size_t(x)]
                         : other.row_class == RowClass::empty ? 0
                                                              : NAN;
    add(wrong, live ? row.o[size_t(x)] : 0, live ? bound.o[size_t(x)] : 0, o);
  }
  const double wrong = other.row_class == RowClass::live    ? other.lse
                       : other.row_class == RowClass::empty ? -kNever
                                                            : NAN;
  if (live) return add(wrong, row.lse, bound.lse, lse);
  ++lse.elements;
  ++lse.stale_nan_fails;
  lse.zero_factor = kNever;
  if (wrong != -kNever) lse.stale_factor = kNever;
}

std::vector<Power> attention(const Workload& workload, const oddtile_profile& profile,
                             const Sampling& sampling) {
  const AttentionOracle oracle(workload);
  const AttentionCase& c = oracle.subject();
  Power o, lse;
  o.role = Role::o;
  lse.role = Role::lse;
  KeysAndValues kv;
  int64_t loaded = -1;
  for (const int64_t row :
       sampled_rows(c.batch * c.heads_q() * c.seq_q, std::max<int64_t>(1, c.seq_q), 0, sampling)) {
    const int64_t head = row / c.seq_q, b = head / c.heads_q(), h = head % c.heads_q();
    if (loaded != head) kv = oracle.load(b, h / c.group);
    loaded = head;
    add_attention_row(oracle, kv, b, h, row % c.seq_q, profile, o, lse);
  }
  if (c.lse == 0) return {o};
  return {o, lse};
}

std::vector<Power> softmax(const Workload& workload, const oddtile_profile& profile,
                           const Sampling& sampling) {
  const auto& c = std::get<SoftmaxCase>(workload.subject.problem);
  const Tensor& x = *workload.find(Role::x);
  const Tensor* mask = workload.find(Role::mask);
  Power y;
  y.role = Role::y;
  std::vector<double> values(size_t(c.columns));
  std::vector<uint8_t> visible(size_t(c.columns), uint8_t(1));
  const auto read = [&](int64_t r, SoftmaxRow& row) {
    read_row(stored_bytes(workload, x), x, 0, 0, r, values.data());
    for (int64_t i = 0; mask != nullptr && i < c.columns; ++i)
      visible[size_t(i)] = read_at<uint8_t>(stored_bytes(workload, *mask), mask->index(0, 0, r, i));
    softmax_row(values, visible.data(), Precision::standard, row);
  };
  SoftmaxRow row, other;
  SoftmaxBound bound;
  for (const int64_t r : sampled_rows(c.rows, std::max<int64_t>(1, c.rows), 0, sampling)) {
    read(next_to(r, c.rows), other);
    read(r, row);
    ++y.rows;
    const bool nan = row.row_class == RowClass::nan;
    bound_softmax(row, profile, c.dtype, bound);
    for (size_t i = 0; i < values.size(); ++i) {
      if (nan && visible[i]) {
        add_nan_class(1, other.row_class == RowClass::nan, y);
        continue;
      }
      const double wrong = other.row_class == RowClass::nan ? NAN : other.weight[i];
      add(wrong, row.weight[i], row.row_class == RowClass::live ? bound.error[i] : 0, y);
    }
  }
  return {y};
}

// Bit-exact: whatever differs fails without limit.
std::vector<Power> vector_add(const Workload& workload) {
  const auto& c = std::get<VectorAddCase>(workload.subject.problem);
  const Tensor &x = *workload.find(Role::x), &y = *workload.find(Role::y);
  const Tensor* mask = workload.find(Role::mask);
  Power out;
  double before = 0;
  for (int64_t i = 0; i < std::min<int64_t>(c.n, 4096); ++i) {
    if (mask && read_at<uint8_t>(stored_bytes(workload, *mask), mask->index(0, 0, 0, i)) == 0)
      continue;
    const double sum = load_number(stored_bytes(workload, x), x.element, x.index(0, 0, 0, i)) +
                       load_number(stored_bytes(workload, y), y.element, y.index(0, 0, 0, i));
    ++out.rows;
    if (std::isnan(sum)) {
      add_nan_class(1, std::isnan(before), out);
    } else {
      add(before, sum, 0, out);
    }
    before = sum;
  }
  return {out};
}

}  // namespace

std::vector<Power> measure_power(const Workload& workload, const oddtile_profile& profile,
                                 const Sampling& sampling) {
  switch (workload.subject.kernel()) {
    case oddtile_kernel_vector_add:
      return vector_add(workload);
    case oddtile_kernel_softmax:
      return softmax(workload, profile, sampling);
    case oddtile_kernel_attention:
      return attention(workload, profile, sampling);
  }
  ODDTILE_ASSERT(false);
}

std::string describe(const std::vector<Power>& power) {
  std::string text;
  for (const Power& p : power)
    text += fmt::format(
        "power of {} ({} rows): zeros fail by a factor of {:.3g}, the neighbouring row by {:.3g}, "
        "a "
        "stale NaN by its class in {} of {} elements\n",
        role_name(p.role), p.rows, p.zero_factor, p.stale_factor, p.stale_nan_fails, p.elements);
  return text;
}

}  // namespace oddtile::oracles
