#include "reports/render/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/render/tables.h"

namespace oddtile::reports {
namespace {

// Where a share beyond the bound (infinity, too) is drawn: above the line, inside the picture.
constexpr double kShareLimit = 1.25;

std::string size_label(const std::string& kernel) {
  if (kernel == "attention") return "keys";
  return kernel == "softmax" ? "columns" : "elements";
}

// More lines than this cannot be told apart: the families that come closest to their bound stay.
constexpr size_t kFamilies = 8;

void keep_closest(std::vector<Curve>& curves) {
  if (curves.size() <= kFamilies) return;
  const auto worst = [](const Curve& curve) {
    double value = 0;
    for (const PlotPoint& point : curve.points) value = std::max(value, point.value);
    return value;
  };
  std::stable_sort(curves.begin(), curves.end(),
                   [&](const Curve& a, const Curve& b) { return worst(a) > worst(b); });
  curves.resize(kFamilies);
}

// Curves by name in order of first appearance, points by ascending size.
class Curves {
 public:
  void keep_worst(const std::string& name, int64_t size, double value) {
    PlotPoint& point = find(name)[size];
    point.size = size;
    point.value = std::max(point.value, value);
  }
  void set(const std::string& name, const PlotPoint& point) { find(name)[point.size] = point; }

  void reserve(const std::string& name) { find(name); }  // its place, and so its colour

  std::vector<Curve> take() const {
    std::vector<Curve> curves;
    for (const std::string& name : names_) {
      Curve curve{name, {}};
      for (const auto& [size, point] : points_.at(name)) curve.points.push_back(point);
      if (!curve.points.empty()) curves.push_back(std::move(curve));
    }
    return curves;
  }
  bool empty() const { return names_.empty(); }

 private:
  std::map<int64_t, PlotPoint>& find(const std::string& name) {
    if (std::count(names_.begin(), names_.end(), name) == 0) names_.push_back(name);
    return points_[name];
  }
  std::vector<std::string> names_;
  std::map<std::string, std::map<int64_t, PlotPoint>> points_;
};

template <class Entry, class Key>
std::vector<std::string> distinct(const std::vector<Entry>& entries, Key key) {
  std::vector<std::string> keys;
  for (const Entry& entry : entries) {
    if (std::count(keys.begin(), keys.end(), key(entry)) == 0) keys.push_back(key(entry));
  }
  return keys;
}

void add_rate_plot(const Record& record, const std::string& caption, const std::string& kernel,
                   const Curves& curves, std::vector<Plot>& plots) {
  if (curves.empty()) return;
  const bool by_flops = kernel == "attention";
  Plot plot{.caption = caption,
            .size_label = size_label(kernel),
            .value_label = by_flops ? "TFLOP/s" : "GB/s",
            .curves = curves.take()};
  const auto& ceiling = by_flops ? record.ceilings.matmul_bf16_tflop_s : record.ceilings.copy_gb_s;
  if (ceiling) plot.levels.push_back({by_flops ? "bf16 product" : "copy", *ceiling});
  plots.push_back(std::move(plot));
}

void add_rates(const Record& record, const std::string& kernel, std::vector<Plot>& plots) {
  // Vector add has many series and often no baseline: one picture, ours only.
  if (kernel == "vector_add") {
    Curves curves;
    for (const TimingEntry& e : record.timings) {
      if (e.kernel == kernel && e.implementation == "fused") {
        curves.set(e.series.substr(kernel.size() + 1), {e.size, e.rate, 0, 0});
      }
    }
    add_rate_plot(record, "Achieved rate: vector_add, fused", kernel, curves, plots);
    return;
  }
  for (const std::string& series :
       distinct(record.timings, [](const TimingEntry& e) { return e.series; })) {
    Curves curves;
    for (const TimingEntry& e : record.timings) {
      if (e.kernel == kernel && e.series == series) {
        curves.set(e.implementation, {e.size, e.rate, 0, 0});
      }
    }
    add_rate_plot(record, "Achieved rate: " + series, kernel, curves, plots);
  }
}

void add_ratios(const Record& record, const std::string& kernel, std::vector<Plot>& plots) {
  Curves curves;
  for (const TimingEntry& e : record.timings) {
    if (e.kernel != kernel || e.implementation != "fused" || e.baseline.empty()) continue;
    curves.set(e.series.substr(kernel.size() + 1), {e.size, e.ratio, e.ratio_low, e.ratio_high});
  }
  if (curves.empty()) return;
  plots.push_back({.caption = "Speed over the eager baseline: " + kernel + ", 95 % intervals",
                   .size_label = size_label(kernel),
                   .value_label = "times as fast",
                   .curves = curves.take(),
                   .levels = {{"equal", 1}}});
}

}  // namespace

std::vector<Plot> error_plots(const Record& record) {
  const auto plot_of = [](const ErrorEntry& e) {
    return e.kernel + " " + e.dtype + ", " + e.implementation + " on " + e.machine;
  };
  std::vector<Plot> plots;
  for (const std::string& key : distinct(record.errors, plot_of)) {
    Curves curves;
    std::string kernel;
    double worst = 0;
    for (const ErrorEntry& e : record.errors) {
      if (e.implementation != "fused" || plot_of(e) != key) continue;
      kernel = e.kernel;
      worst = std::max(worst, worst_share(e));
      curves.keep_worst(e.family, e.size, std::min(worst_share(e), kShareLimit));
    }
    if (worst == 0) continue;  // bit-exact: a row of zeros, which the table says
    Plot plot{.caption = "Share of the bound: " + key,
              .size_label = size_label(kernel),
              .value_label = "worst |error| / bound",
              .value_limit = 1.3,
              .curves = curves.take(),
              .levels = {{"bound", 1}}};
    if (plot.curves.size() > kFamilies) plot.caption += " (the eight families closest to it)";
    keep_closest(plot.curves);
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<Plot> io_plots(const Record& record) {
  std::vector<Plot> plots;
  for (const std::string& series : distinct(record.io, [](const IoEntry& e) { return e.series; })) {
    Curves curves;
    std::string kernel;
    bool differ = false;  // nothing to fuse, nothing to see: the table says so
    for (const IoEntry& e : record.io) {
      if (e.series != series) continue;
      differ |= e.bytes_read + e.bytes_written != e.minimum_read + e.minimum_written;
      kernel = e.kernel;
      for (const char* name : {"fused", "eager"}) curves.reserve(name);
      curves.set(e.implementation, {e.size, double(e.bytes_read + e.bytes_written), 0, 0});
      if (e.materialised > 0) {
        curves.set("stored scores, least", {e.size, double(e.materialised), 0, 0});
      }
      curves.set("minimum", {e.size, double(e.minimum_read + e.minimum_written), 0, 0});
    }
    if (!differ) continue;
    plots.push_back({.caption = "Global memory traffic: " + series,
                     .size_label = size_label(kernel),
                     .value_label = "bytes read and written",
                     .log_value = true,
                     .bytes = true,
                     .curves = curves.take()});
  }
  return plots;
}

std::vector<Plot> timing_plots(const Record& record) {
  std::vector<Plot> plots;
  for (const std::string& kernel :
       distinct(record.timings, [](const TimingEntry& e) { return e.kernel; })) {
    add_ratios(record, kernel, plots);
    add_rates(record, kernel, plots);
  }
  return plots;
}

}  // namespace oddtile::reports
