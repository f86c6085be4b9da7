#include "reports/render/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "reports/render/format.h"

namespace oddtile::reports {
namespace {

// Told apart by people who see colours differently, too (Okabe and Ito 2008).
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                    "#56B4E9", "#555555", "#8B6F00", "#7F3FBF", "#A02020"};

// Names go into a script in double quotes; "_" and "^" are turned off as markup by `noenhanced`.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c != '"' && c != '\\' && c != '`' && c != '\n') safe += c;
  }
  return '"' + safe + '"';
}

std::string size_tics(const Plot& plot) {
  std::set<int64_t> sizes;
  for (const Curve& curve : plot.curves) {
    for (const PlotPoint& point : curve.points) sizes.insert(point.size);
  }
  std::string tics;
  double last = -10;
  for (const int64_t size : sizes) {
    const double at = std::log2(double(std::max<int64_t>(size, 1)));
    if (at - last < 0.7) continue;  // labels would run into one another
    last = at;
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", quoted(size_text(size)), size);
  }
  return tics;
}

std::string data_block(const Curve& curve, size_t index) {
  std::string block = fmt::format("$c{} << EOD\n", index);
  for (const PlotPoint& p : curve.points) {
    block += fmt::format("{} {:.9g} {:.9g} {:.9g}\n", p.size, p.value, p.low, p.high);
  }
  return block + "EOD\n";
}

bool has_intervals(const Curve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const PlotPoint& p) { return p.low < p.high; });
}

std::string curve_clauses(const Plot& plot) {
  std::vector<std::string> clauses;
  for (const Level& level : plot.levels) {
    clauses.push_back(fmt::format("{:.9g} with lines dt 2 lw 1.5 lc rgb '#888888' title {}",
                                  level.value, quoted(level.name)));
  }
  for (size_t i = 0; i < plot.curves.size(); ++i) {
    const char* colour = kColours[i % std::size(kColours)];
    const std::string name = quoted(plot.curves[i].name);
    // Bars first: the points of the curve lie on top of them.
    if (has_intervals(plot.curves[i])) {
      clauses.push_back(fmt::format(
          "$c{} using 1:3:(0):($4-$3) with vectors nohead lw 3 lc rgb '{}' notitle", i, colour));
    }
    clauses.push_back(fmt::format(
        "$c{} using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb '{}' title {}", i, colour, name));
  }
  std::string text = "plot ";
  for (size_t i = 0; i < clauses.size(); ++i) text += (i == 0 ? "" : ", \\\n  ") + clauses[i];
  return text + "\n";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// What a command prints, or nullopt-like false when it fails.
bool output_of(const std::string& command, std::string* output) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output->append(buffer, got);
  return pclose(pipe) == 0;
}

}  // namespace

std::string gnuplot_script(const Plot& plot) {
  std::string script =
      "set terminal svg noenhanced size 760,340 font 'sans-serif,13' background '#ffffff'\n"
      "set encoding utf8\n"
      "set border 3 lc rgb '#888888'\n"
      "set grid lc rgb '#e4e4e4' lt 1\n"
      "set tics nomirror textcolor rgb '#333333'\n"
      "set key outside right top Left reverse samplen 1.5 spacing 1.2\n"
      "set pointintervalbox 0\n"
      "set logscale x 2\n";
  script += fmt::format("set xtics ({})\n", size_tics(plot));
  script += fmt::format("set xlabel {}\nset ylabel {}\n", quoted(plot.size_label),
                        quoted(plot.value_label));
  script += "set offsets graph 0.02, graph 0.02, 0, 0\n";
  if (plot.log_value) script += "set logscale y\n";
  if (plot.bytes) script += "set format y '%.0s %cB'\n";
  if (!plot.log_value) {
    script += plot.value_limit > 0 ? fmt::format("set yrange [0:{:.9g}]\n", plot.value_limit)
                                   : "set yrange [0:*]\n";
  }
  for (size_t i = 0; i < plot.curves.size(); ++i) script += data_block(plot.curves[i], i);
  return script + curve_clauses(plot);
}

std::string draw(const Plot& plot, const std::string& prefix, std::string* reason) {
  std::string path = (std::filesystem::temp_directory_path() / "oddtile-plot-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) {
    *reason = "no temporary file for gnuplot's script";
    return "";
  }
  const std::string script = gnuplot_script(plot);
  const bool written = write(file, script.data(), script.size()) == ssize_t(script.size());
  close(file);
  std::string svg;
  const bool drawn = written && output_of("gnuplot '" + path + "' 2>/dev/null", &svg);
  std::filesystem::remove(path);
  const size_t begin = svg.find("<svg");
  if (!drawn || begin == std::string::npos) {
    std::string version;
    const bool present = output_of("gnuplot --version 2>/dev/null", &version);
    *reason = present ? "gnuplot refused the plot" : "gnuplot is not installed";
    return "";
  }
  svg.erase(0, begin);  // the XML prologue has no place inside a page
  replace_all(svg, "gpDot", prefix + "gpDot");
  replace_all(svg, "gpPt", prefix + "gpPt");
  replace_all(svg, "gnuplot_", prefix + "gnuplot_");
  return svg;
}

}  // namespace oddtile::reports
