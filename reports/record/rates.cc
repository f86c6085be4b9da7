#include "reports/record/rates.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace oddtile::reports {
namespace {

using Json = nlohmann::ordered_json;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + int64_t(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// "attention_list_up_to_32x32/iterations:200" without what comes after the first slash.
std::string name_of(const Json& benchmark) {
  const std::string name = benchmark.at("name");
  return name.substr(0, name.find('/'));
}

std::vector<RateEntry> read(const Json& file) {
  const std::string build = file.at("context").at("build");
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> cases, elements;
  for (const Json& benchmark : file.at("benchmarks")) {
    if (benchmark.value("run_type", "iteration") != "iteration") continue;
    if (benchmark.value("error_occurred", false)) continue;
    const std::string name = name_of(benchmark);
    if (!cases.contains(name)) names.push_back(name);
    cases[name].push_back(benchmark.at("cases"));
    elements[name].push_back(benchmark.at("elements"));
  }
  std::vector<RateEntry> rates;
  for (const std::string& name : names) {
    rates.push_back({build, name, median(cases[name]), median(elements[name])});
  }
  return rates;
}

}  // namespace

std::optional<std::vector<RateEntry>> rates_from(const std::string& text, std::string* reason) {
  try {
    std::vector<RateEntry> rates = read(Json::parse(text));
    if (!rates.empty()) return rates;
    *reason = "nothing was measured";
  } catch (const Json::exception& error) {
    *reason = error.what();
  }
  return std::nullopt;
}

}  // namespace oddtile::reports
