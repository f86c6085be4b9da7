#include "reports/render/peer_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/render/format.h"

namespace oddtile::reports {
namespace {

// One of our times and what was timed beside it; a record lists ours first.
struct Point {
  const TimingEntry* ours = nullptr;
  std::vector<const TimingEntry*> peers;
};

std::vector<Point> points_of(const Record& record) {
  std::vector<Point> points;
  for (const TimingEntry& entry : record.timings) {
    if (entry.implementation == "fused") points.push_back({&entry, {}});
    if (entry.baseline != "fused" || points.empty() || entry.ratio <= 0) continue;
    const TimingEntry& ours = *points.back().ours;
    const bool same = ours.series == entry.series && ours.size == entry.size;
    if (same) points.back().peers.push_back(&entry);
  }
  std::erase_if(points, [](const Point& point) { return point.peers.empty(); });
  return points;
}

std::string speed_text(const Speed& speed) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", speed.value, speed.low, speed.high);
}

struct Summary {
  std::string kernel, series, peer;
  double logs = 0;
  int64_t points = 0, below = 0;
  Speed least;
  int64_t least_size = 0;
};

void add(Summary& summary, const Speed& speed, int64_t size) {
  summary.logs += std::log(speed.value);
  summary.below += speed.high < 1;
  if (summary.points++ > 0 && summary.least.value <= speed.value) return;
  summary.least = speed;
  summary.least_size = size;
}

std::vector<Summary> summaries(const std::vector<Point>& points) {
  std::vector<Summary> found;
  for (const Point& point : points) {
    for (const TimingEntry* peer : point.peers) {
      const auto same = [&](const Summary& s) {
        return s.series == peer->series && s.peer == peer->implementation;
      };
      auto at = std::find_if(found.begin(), found.end(), same);
      if (at == found.end()) {
        at = found.insert(at, {.kernel = peer->kernel,
                               .series = peer->series,
                               .peer = peer->implementation,
                               .least = {}});
      }
      add(*at, speed_over(*peer, *point.ours), peer->size);
    }
  }
  return found;
}

Table point_table(const std::string& kernel, const std::vector<Point>& points) {
  Table table{"Our speed over each: " + kernel,
              {{"series"}, {"size", true}, {"configuration"}, {"our rate", true}},
              {}};
  std::vector<std::string> names;
  for (const Point& point : points) {
    if (point.ours->kernel != kernel) continue;
    for (const TimingEntry* peer : point.peers) {
      if (std::count(names.begin(), names.end(), peer->implementation) != 0) continue;
      names.push_back(peer->implementation);
      table.columns.push_back({peer->implementation, true});
    }
  }
  table.columns.push_back({"outputs"});
  for (const Point& point : points) {
    const TimingEntry& ours = *point.ours;
    if (ours.kernel != kernel) continue;
    std::vector<std::string> row = {
        ours.series, size_text(ours.size), ours.configuration,
        ours.rate_unit.empty() ? "" : fmt::format("{:.0f} {}", ours.rate, ours.rate_unit)};
    row.resize(row.size() + names.size());
    for (const TimingEntry* peer : point.peers) {
      const auto column = std::find(names.begin(), names.end(), peer->implementation);
      row[size_t(4 + (column - names.begin()))] = speed_text(speed_over(*peer, ours));
    }
    row.push_back(ours.verified ? "verified" : ours.verdict + ", edges " + ours.edge_verdict);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Speed speed_over(const TimingEntry& peer, const TimingEntry& ours) {
  const bool operations = peer.rate_unit == "TFLOP/s";
  const double own = double(operations ? ours.flops : ours.bytes);
  const double other = double(operations ? peer.flops : peer.bytes);
  const double amount = own > 0 && other > 0 ? own / other : 1;
  return {amount / peer.ratio, amount / peer.ratio_high, amount / peer.ratio_low};
}

bool has_peers(const Record& record) {
  return !points_of(record).empty();
}

Table peer_summary_table(const Record& record) {
  Table table{"Our speed over each, by series",
              {{"series"},
               {"beside"},
               {"points", true},
               {"geometric mean", true},
               {"least", true},
               {"at", true},
               {"below 1", true}},
              {}};
  for (const Summary& s : summaries(points_of(record))) {
    table.rows.push_back({s.series, s.peer, count_text(s.points),
                          fmt::format("{:.3f}", std::exp(s.logs / double(s.points))),
                          speed_text(s.least), size_text(s.least_size), count_text(s.below)});
  }
  return table;
}

std::vector<Table> peer_tables(const Record& record) {
  const std::vector<Point> points = points_of(record);
  std::vector<Table> tables;
  std::vector<std::string> done;
  for (const Point& point : points) {
    const std::string& kernel = point.ours->kernel;
    if (std::count(done.begin(), done.end(), kernel) != 0) continue;
    done.push_back(kernel);
    tables.push_back(point_table(kernel, points));
  }
  return tables;
}

// A sentence for each kernel and peer, over all its series; ours beside ours is in the tables.
void add_peer_headlines(const Record& record, std::vector<std::string>& lines) {
  std::vector<Summary> all;
  for (const Summary& one : summaries(points_of(record))) {
    if (one.peer.starts_with("fused")) continue;
    const auto same = [&](const Summary& s) {
      return s.kernel == one.kernel && s.peer == one.peer;
    };
    auto at = std::find_if(all.begin(), all.end(), same);
    if (at == all.end()) {
      all.push_back(one);
      continue;
    }
    at->logs += one.logs;
    at->points += one.points;
    at->below += one.below;
    if (one.least.value >= at->least.value) continue;
    at->least = one.least;
    at->least_size = one.least_size;
    at->series = one.series;
  }
  for (const Summary& s : all) {
    lines.push_back(
        fmt::format("Beside {}: {} is {:.2f} times as fast (geometric mean of {} points), at least "
                    "{}, {} at {}; below 1 with its whole interval at {}.",
                    s.peer, s.kernel, std::exp(s.logs / double(s.points)), s.points,
                    speed_text(s.least), s.series, size_text(s.least_size), s.below));
  }
}

}  // namespace oddtile::reports
