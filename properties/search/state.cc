#include "properties/search/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "oracles/case/case.h"
#include "oracles/case/fields.h"

namespace oddtile::properties {
namespace {

constexpr const char* kHeader = "oddtile-soundness 2";

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream rest(line);
  for (std::string field; std::getline(rest, field, '\t');) fields.push_back(field);
  return fields;
}

// Reads the fields of one line in order.
class Fields {
 public:
  explicit Fields(const std::string& line) : fields_(split(line)) {}

  std::string text() {
    if (at_ == fields_.size()) throw std::invalid_argument("a field is missing");
    return fields_[at_++];
  }
  int64_t integer() {
    const std::string field = text();
    char* end = nullptr;
    const long long value = std::strtoll(field.c_str(), &end, 10);
    if (field.empty() || *end != 0) throw std::invalid_argument("'" + field + "' is no integer");
    return value;
  }
  double real() {
    const std::string field = text();
    char* end = nullptr;
    const double value = std::strtod(field.c_str(), &end);
    if (field.empty() || *end != 0) throw std::invalid_argument("'" + field + "' is no number");
    return value;
  }
  int regime() {
    const int64_t value = integer();
    if (value < 0 || value > 2) throw std::invalid_argument("no such regime");
    return int(value);
  }
  bool yes() {
    const int64_t value = integer();
    if (value < 0 || value > 1) throw std::invalid_argument("neither 0 nor 1");
    return value == 1;
  }
  Cell cell() {
    const std::string name = text();
    for (const Cell& cell : all_cells())
      if (cell_name(cell) == name) return cell;
    throw std::invalid_argument("'" + name + "' is no kernel and type");
  }
  QuantityName quantity() {
    const Cell of = cell();
    const std::string contender = text();
    return {of, contender, text()};
  }

 private:
  std::vector<std::string> fields_;
  size_t at_ = 0;
};

void read_line(const std::string& line, SearchState& state) {
  Fields fields(line);
  const std::string kind = fields.text();
  if (kind == "build") {
    state.build = fields.text();
  } else if (kind == "machine") {
    state.machine = fields.text();
  } else if (kind == "seed") {
    state.seed = uint64_t(fields.integer());
  } else if (kind == "seconds") {
    state.seconds = fields.real();
  } else if (kind == "cell") {
    CellProgress& progress = state.cells[fields.cell()];
    progress.next = fields.integer();
    progress.judged = fields.integer();
  } else if (kind == "total") {
    const Cell cell = fields.cell();
    Total& total = state.totals[{cell, fields.text()}];
    for (int64_t* count : {&total.cases, &total.vacuous, &total.declined, &total.judged,
                           &total.not_judged, &total.escalated})
      *count = fields.integer();
    total.worst_share = fields.real();
  } else if (kind == "quantity") {
    QuantityTotal& total = state.quantities[fields.quantity()];
    total.judged = fields.integer();
    total.not_judged = fields.integer();
    total.worst_share = fields.real();
    for (bool& drawn : total.drawn) drawn = fields.yes();
    std::istringstream families(fields.text());
    for (std::string family; families >> family && family != "-";) total.families.insert(family);
  } else if (kind == "worst") {
    Place place;
    place.cell = fields.cell();
    place.contender = fields.text();
    place.quantity = fields.text();
    place.regime = fields.regime();
    place.family = fields.text();
    const double net = fields.real();
    state.worst[place] = {net, fields.text()};
  } else if (kind == "climb") {
    Climbed& climbed = state.climbs[fields.quantity()];
    climbed.evaluations = fields.integer();
    climbed.first = fields.real();
    climbed.net = fields.real();
    climbed.regime = fields.regime();
    climbed.changes = fields.integer();
    climbed.configuration = fields.text();
    climbed.subject = fields.text();
  } else if (kind == "violation") {
    state.violations.push_back(fields.text());
  } else {
    throw std::invalid_argument("'" + kind + "' is not known");
  }
}

}  // namespace

std::vector<Cell> all_cells() {
  return {{oddtile_kernel_vector_add, oddtile_fp32}, {oddtile_kernel_vector_add, oddtile_fp16},
          {oddtile_kernel_vector_add, oddtile_bf16}, {oddtile_kernel_softmax, oddtile_fp32},
          {oddtile_kernel_softmax, oddtile_fp16},    {oddtile_kernel_softmax, oddtile_bf16},
          {oddtile_kernel_attention, oddtile_fp16},  {oddtile_kernel_attention, oddtile_bf16}};
}

std::string cell_name(const Cell& cell) {
  return fmt::format("{} {}", oracles::kernel_name(cell.kernel),
                     oracles::names(cell.dtype)[size_t(cell.dtype)]);
}

int64_t SearchState::judged() const {
  int64_t count = 0;
  for (const auto& [cell, progress] : cells) count += progress.judged;
  return count;
}

void SearchState::note_worst(const Place& place, double net, const std::string& replay) {
  if (!(net > 0)) return;
  Worst& known = worst[place];
  if (kept(net) > known.net) known = {kept(net), replay};
}

std::string print(const SearchState& state) {
  std::string text = fmt::format("{}\nbuild\t{}\nmachine\t{}\nseed\t{}\nseconds\t{:.3f}\n", kHeader,
                                 state.build, state.machine, int64_t(state.seed), state.seconds);
  for (const auto& [cell, progress] : state.cells)
    text += fmt::format("cell\t{}\t{}\t{}\n", cell_name(cell), progress.next, progress.judged);
  for (const auto& [key, t] : state.totals)
    text += fmt::format("total\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", cell_name(key.first),
                        key.second, t.cases, t.vacuous, t.declined, t.judged, t.not_judged,
                        t.escalated, t.worst_share);
  for (const auto& [name, q] : state.quantities)
    text += fmt::format("quantity\t{}\t{}\t{}\t{}\t{}\t{}\t{:d}\t{:d}\t{:d}\t{}\n",
                        cell_name(name.cell), name.contender, name.quantity, q.judged, q.not_judged,
                        q.worst_share, q.drawn[0], q.drawn[1], q.drawn[2],
                        q.families.empty() ? "-" : fmt::format("{}", fmt::join(q.families, " ")));
  for (const auto& [place, worst] : state.worst)
    text +=
        fmt::format("worst\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", cell_name(place.cell), place.contender,
                    place.quantity, place.regime, place.family, worst.net, worst.replay);
  for (const auto& [name, c] : state.climbs)
    text += fmt::format("climb\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", cell_name(name.cell),
                        name.contender, name.quantity, c.evaluations, c.first, c.net, c.regime,
                        c.changes, c.configuration, c.subject);
  for (const std::string& violation : state.violations) {
    std::string line = violation;
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::replace(line.begin(), line.end(), '\t', ' ');
    text += "violation\t" + line + "\n";
  }
  return text;
}

SearchState parse_state(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kHeader)
    throw std::invalid_argument(fmt::format("line 1: '{}' is expected", kHeader));
  SearchState state;
  for (int number = 2; std::getline(lines, line); ++number) {
    try {
      read_line(line, state);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
    }
  }
  return state;
}

void save(const SearchState& state, const std::string& path) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << print(state);
  file.close();
  if (!file) throw std::runtime_error("cannot write " + part);
  std::filesystem::rename(part, path);
}

bool load(const std::string& path, SearchState* state) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::ostringstream text;
  text << file.rdbuf();
  *state = parse_state(text.str());
  return true;
}

}  // namespace oddtile::properties
