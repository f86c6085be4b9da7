#include "oracles/bounds/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "oracles/bounds/profile.h"
#include "oracles/bounds/profiles.h"

namespace oddtile::oracles {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "oddtile hardware profile";
constexpr int kVersion = 1;
constexpr const char* kTruncates = "truncate";
constexpr const char* kRounds = "nearest";

std::string bits_text(uint32_t bits) {
  return fmt::format("0x{:08x}", bits);
}
uint32_t bits_of(const Json& text) {
  return uint32_t(std::strtoul(text.get<std::string>().c_str(), nullptr, 16));
}

Json json_of(const MeasuredFunction& f, bool with_absolute) {
  Json json = {{"instruction", f.instruction},
               {"relative_error", f.relative_error},
               {"relative_at", bits_text(f.relative_at)},
               {"ulp", f.ulp},
               {"ulp_at", bits_text(f.ulp_at)}};
  if (with_absolute) {
    json["absolute_error"] = f.absolute_error;
    json["absolute_at"] = bits_text(f.absolute_at);
  }
  json["arguments"] = f.arguments;
  json["not_monotone"] = f.not_monotone;
  json["flushes_results"] = f.flushes_results;
  json["flushes_arguments"] = f.flushes_arguments;
  json["simulated"] = f.simulated;
  return json;
}

MeasuredFunction function_of(const Json& json) {
  MeasuredFunction f;
  f.instruction = json.at("instruction");
  f.relative_error = json.at("relative_error");
  f.relative_at = bits_of(json.at("relative_at"));
  f.ulp = json.at("ulp");
  f.ulp_at = bits_of(json.at("ulp_at"));
  if (json.contains("absolute_error")) {
    f.absolute_error = json.at("absolute_error");
    f.absolute_at = bits_of(json.at("absolute_at"));
  }
  f.arguments = json.at("arguments");
  f.not_monotone = json.at("not_monotone");
  f.flushes_results = json.at("flushes_results");
  f.flushes_arguments = json.at("flushes_arguments");
  f.simulated = json.value("simulated", false);  // nobody had looked before
  return f;
}

Json json_of(const MeasuredProduct& p) {
  return {{"instruction", p.instruction}, {"type", p.type},
          {"outputs", p.outputs},         {"agree", p.agree},
          {"fragments", p.fragments},     {"fragments_agree", p.fragments_agree}};
}

MeasuredProduct product_of(const Json& json) {
  MeasuredProduct p;
  p.instruction = json.at("instruction");
  p.type = json.at("type");
  p.outputs = json.at("outputs");
  p.agree = json.at("agree");
  p.fragments = json.at("fragments");
  p.fragments_agree = json.at("fragments_agree");
  return p;
}

HardwareProfile profile_of(const Json& json) {
  if (json.at("format") != kFormat || json.at("version") != kVersion)
    throw std::runtime_error(fmt::format("no {} of version {}", kFormat, kVersion));
  HardwareProfile p;
  p.name = json.at("name");
  p.devices = json.at("devices").get<std::vector<std::string>>();
  p.driver = json.at("driver");
  p.toolkit = json.at("toolkit");
  p.date = json.at("date");
  p.commit = json.at("commit");
  p.source = json.at("source");
  const Json& group = json.at("products");
  p.mma_products = group.at("group");
  p.mma_fraction_bits = group.at("fraction_bits");
  const std::string rounding = group.at("rounding");
  if (rounding != kTruncates && rounding != kRounds)
    throw std::runtime_error(fmt::format("rounding '{}' is unknown", rounding));
  p.mma_rounds = rounding == kRounds;
  for (const Json& one : group.at("instructions")) p.products.push_back(product_of(one));
  p.exp2 = function_of(json.at("exp2"));
  p.log2 = function_of(json.at("log2"));
  p.reciprocal = function_of(json.at("reciprocal"));
  p.division = function_of(json.at("division"));
  // A figure of 0 would take its term out of every bound.
  if (!(p.mma_products > 0 && p.mma_fraction_bits > 0 && p.exp2.relative_error > 0 &&
        p.log2.relative_error > 0 && p.log2.absolute_error > 0))
    throw std::runtime_error("a figure that the bounds read is missing");
  return p;
}

const std::vector<HardwareProfile>& known() {
  static const std::vector<HardwareProfile> profiles = [] {
    std::vector<HardwareProfile> all;
    for (const char* text : kProfileTexts) all.push_back(parse_hardware(text));
    return all;
  }();
  return profiles;
}

// In units of u per product, of a long sum.
double loss_per_product(const oddtile_profile& profile) {
  return kappa(int64_t(profile.mma_products) << 10, profile) / (profile.mma_products * 1024.0);
}

}  // namespace

double HardwareProfile::log2_error() const {
  return std::max(log2.relative_error, log2.absolute_error);
}

const HardwareProfile* hardware_profile(std::string_view name) {
  for (const HardwareProfile& profile : known())
    if (profile.name == name) return &profile;
  return nullptr;
}

const HardwareProfile* hardware_of_device(std::string_view device) {
  for (const HardwareProfile& profile : known())
    if (std::find(profile.devices.begin(), profile.devices.end(), device) != profile.devices.end())
      return &profile;
  return nullptr;
}

std::vector<std::string> hardware_names() {
  std::vector<std::string> names;
  for (const HardwareProfile& profile : known()) names.push_back(profile.name);
  return names;
}

std::string to_json(const HardwareProfile& p) {
  Json instructions = Json::array();
  for (const MeasuredProduct& one : p.products) instructions.push_back(json_of(one));
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"name", p.name},
                     {"devices", p.devices},
                     {"driver", p.driver},
                     {"toolkit", p.toolkit},
                     {"date", p.date},
                     {"commit", p.commit},
                     {"source", p.source},
                     {"products",
                      {{"group", p.mma_products},
                       {"fraction_bits", p.mma_fraction_bits},
                       {"rounding", p.mma_rounds ? kRounds : kTruncates},
                       {"instructions", instructions}}},
                     {"exp2", json_of(p.exp2, false)},
                     {"log2", json_of(p.log2, true)},
                     {"reciprocal", json_of(p.reciprocal, false)},
                     {"division", json_of(p.division, false)}};
  return json.dump(2) + "\n";
}

HardwareProfile parse_hardware(const std::string& json) {
  try {
    return profile_of(Json::parse(json));
  } catch (const Json::exception& wrong) {
    throw std::runtime_error(wrong.what());
  }
}

oddtile_profile sharpened(const oddtile_profile& declared, const HardwareProfile* hardware) {
  if (hardware == nullptr || !declared.machine_arithmetic) return declared;
  oddtile_profile result = declared;
  const auto replace = [](double* number, double measured, double ceiling) {
    if (*number <= ceiling) *number = std::min(*number, measured);
  };
  replace(&result.exp2_error, hardware->exp2.relative_error, kCeilings.exp2_error);
  replace(&result.log2_error, hardware->log2_error(), kCeilings.log2_error);
  if (declared.mma_products <= 0) return result;
  oddtile_profile measured = declared;
  measured.mma_products = hardware->mma_products;
  measured.mma_fraction_bits = hardware->mma_fraction_bits;
  measured.mma_rounds = hardware->mma_rounds;
  const double loss = loss_per_product(declared);
  if (loss <= kCeilings.kappa_per_product && loss_per_product(measured) < loss) {
    result.mma_products = measured.mma_products;
    result.mma_fraction_bits = measured.mma_fraction_bits;
    result.mma_rounds = measured.mma_rounds;
  }
  return result;
}

}  // namespace oddtile::oracles
