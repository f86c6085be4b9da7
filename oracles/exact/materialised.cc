#include "oracles/exact/materialised.h"

#include <Eigen/Core>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <cmath>
#include <limits>

namespace oddtile::oracles {
namespace {

using Number = boost::multiprecision::cpp_bin_float_50;
using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
using Flags = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

double element(const Workload& workload, const Tensor& tensor, int64_t i0, int64_t i1, int64_t i2,
               int64_t i3) {
  const Tensor& owner = tensor.alias_of < 0 ? tensor : workload.tensors[size_t(tensor.alias_of)];
  return value_at(owner.bytes, tensor.element, tensor.index(i0, i1, i2, i3));
}

Matrix plane(const Workload& workload, Role role, int64_t i0, int64_t i1) {
  const Tensor& tensor = *workload.find(role);
  Matrix result(tensor.sizes[2], tensor.sizes[3]);
  for (Eigen::Index r = 0; r < result.rows(); ++r)
    for (Eigen::Index c = 0; c < result.cols(); ++c)
      result(r, c) = Number(element(workload, tensor, i0, i1, r, c));
  return result;
}

// The contract's three conditions, each as it is written.
Flags visible_pairs(const Workload& workload, int64_t b, int64_t head) {
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  int64_t length = c.seq_k;
  if (const Tensor* lengths = workload.find(Role::key_length)) {
    length = int64_t(element(workload, *lengths, 0, 0, 0, b));
    if (length < 0) length = 0;
    if (length > c.seq_k) length = c.seq_k;
  }
  const Tensor* mask = workload.find(Role::mask);
  Flags visible(c.seq_q, c.seq_k);
  for (int64_t i = 0; i < c.seq_q; ++i)
    for (int64_t j = 0; j < c.seq_k; ++j) {
      const __int128 shift =
          c.anchor == oddtile_top_left ? __int128(0) : __int128(length) - c.seq_q;
      const __int128 distance = __int128(j) - i - shift;
      bool see = j < length && c.band_low <= distance && distance <= c.band_high;
      if (see && mask != nullptr) see = element(workload, *mask, b, head, i, j) != 0;
      visible(i, j) = see;
    }
  return visible;
}

// One row of P V; `live` and `weights` are full width.
void weighted_sum(const Matrix& v, const std::vector<bool>& live, const std::vector<Number>& w,
                  double* out) {
  for (Eigen::Index c = 0; c < v.cols(); ++c) {
    Number sum = 0;
    for (size_t j = 0; j < live.size(); ++j)
      if (live[j]) sum += w[j] * v(Eigen::Index(j), c);
    out[c] = double(sum);
  }
}

}  // namespace

MaterialisedAttention materialised_attention(const Workload& workload) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto& c = std::get<AttentionCase>(workload.subject.problem);
  MaterialisedAttention result;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads_q(); ++h) {
      const Matrix q = plane(workload, Role::q, b, h);
      const Matrix k = plane(workload, Role::k, b, h / c.group);
      const Matrix v = plane(workload, Role::v, b, h / c.group);
      const Matrix scores = q * k.transpose() * Number(c.scale);
      const Flags visible = visible_pairs(workload, b, h);
      for (int64_t i = 0; i < c.seq_q; ++i) {
        std::vector<bool> live(size_t(c.seq_k), false);
        std::vector<Number> weights(size_t(c.seq_k), Number(0));
        Number largest = -std::numeric_limits<Number>::infinity();
        bool spoiled = false, any = false;
        for (int64_t j = 0; j < c.seq_k; ++j) {
          if (!visible(i, j)) continue;
          const Number& s = scores(i, j);
          if (isnan(s) || (isinf(s) && s > 0)) spoiled = true;
          live[size_t(j)] = !isnan(s) && !isinf(s);
          if (live[size_t(j)] && (!any || s > largest)) largest = s;
          any = any || live[size_t(j)];
        }
        std::vector<double> row(size_t(c.head_dim), spoiled ? nan : 0.0);
        double lse = spoiled ? nan : -infinity;
        if (any && !spoiled) {
          Number sum = 0;
          for (int64_t j = 0; j < c.seq_k; ++j)
            if (live[size_t(j)]) sum += weights[size_t(j)] = exp(scores(i, j) - largest);
          for (Number& w : weights) w /= sum;
          weighted_sum(v, live, weights, row.data());
          lse = double(Number(largest + log(sum)));
        }
        result.o.insert(result.o.end(), row.begin(), row.end());
        result.lse.push_back(lse);
      }
    }
  return result;
}

std::vector<double> materialised_softmax(const Workload& workload) {
  const auto& c = std::get<SoftmaxCase>(workload.subject.problem);
  const Tensor* mask = workload.find(Role::mask);
  const Matrix x = plane(workload, Role::x, 0, 0);
  std::vector<double> result;
  for (int64_t r = 0; r < c.rows; ++r) {
    const auto hidden = [&](int64_t j) {
      return mask != nullptr && element(workload, *mask, 0, 0, r, j) == 0;
    };
    bool spoiled = false;
    Number largest = -std::numeric_limits<Number>::infinity();
    for (int64_t j = 0; j < c.columns; ++j) {
      if (hidden(j)) continue;
      if (isnan(x(r, j)) || (isinf(x(r, j)) && x(r, j) > 0)) spoiled = true;
      if (x(r, j) > largest) largest = x(r, j);
    }
    Number sum = 0;
    if (!spoiled && !isinf(largest))
      for (int64_t j = 0; j < c.columns; ++j)
        if (!hidden(j)) sum += exp(Number(x(r, j) - largest));
    for (int64_t j = 0; j < c.columns; ++j) {
      double y = 0;
      if (!hidden(j)) {
        y = spoiled || isinf(largest) ? std::numeric_limits<double>::quiet_NaN()
                                      : double(Number(exp(Number(x(r, j) - largest)) / sum));
      }
      result.push_back(y);
    }
  }
  return result;
}

}  // namespace oddtile::oracles
