// One plot as a value, and its picture through gnuplot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oddtile::reports {

struct PlotPoint {
  int64_t size = 0;
  double value = 0;
  double low = 0;  // an interval where low < high
  double high = 0;
};

struct Curve {
  std::string name;
  std::vector<PlotPoint> points;  // by ascending size
};

struct Level {
  std::string name;
  double value = 0;
};

struct Plot {
  std::string caption;
  std::string size_label;
  std::string value_label;
  bool log_value = false;
  bool bytes = false;      // the value axis counts bytes
  double value_limit = 0;  // upper end of the value axis; 0: from the data
  std::vector<Curve> curves;
  std::vector<Level> levels;  // horizontal lines
};

std::string gnuplot_script(const Plot& plot);

// The SVG element, its ids made unique with `prefix` (several pictures share one page); empty and a
// one-line reason where gnuplot is missing or refuses.
std::string draw(const Plot& plot, const std::string& prefix, std::string* reason);

}  // namespace oddtile::reports
