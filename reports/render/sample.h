// A small record for the tests of this folder.
#pragma once

#include <string>

#include "reports/record/record.h"

namespace oddtile::reports {

inline SoundnessEntry sample_search() {
  SoundnessQuantity y = {"y", 1400, 0.8125, {{"n <= 16", "n <= 256"}}, {{"last_max", "noise"}},
                         {},  {}};
  y.shares = {{"emulated", "n <= 16", "last_max", 0.25, "run"},
              {"fused", "n <= 16", "noise", 0.0625, "run"},
              {"fused", "n <= 256", "last_max", 0.125, "run"}};
  y.climbs = {{"fused", "n > 256", "online", 100, 1, 0.25, 0.375, "softmax columns=999", "climb"},
              {"emulated", "n <= 16", "free", 100, 3, 0.125, 0.5, "softmax columns=9", "climb"}};
  const SoundnessQuantity hidden = {"y",
                                    10,
                                    0.999,
                                    {{"n <= 16"}},
                                    {{"noise"}},
                                    {},
                                    {{"fused", "n <= 16", "online", 100, 0, 0, 0, "", ""}}};
  return {"sim",
          1,
          10,
          true,
          {},
          {{"softmax",
            "fp32",
            {{"fused", 9, 1, 2, 1000, 3, 4, 0.75}, {"emulated", 9, 1, 2, 500, 3, 4, 0.875}},
            {y}},
           {"softmax", "bf16", {{"fused", 1, 0, 0, 10, 0, 0, 0.999}}, {hidden}},
           {"vector_add",
            "fp32",
            {{"fused", 1, 0, 0, 20, 0, 0, 0}},
            {{"out", {}, {}, {}, {}, {}, {}}}}}};
}

inline Record sample() {
  Record record;
  record.environment = {.commit = "0123abc",
                        .date = "2026-01-01T00:00:00Z",
                        .compiler = "clang 14",
                        .no_device = "no <driver> & no device",
                        .machines = {{"sim", "simulator"}}};
  for (const int64_t size : {64, 128}) {
    record.errors.push_back({"sim",
                             "fused",
                             "softmax",
                             "fp32",
                             "last_max",
                             size,
                             "softmax",
                             "pass",
                             "",
                             1,
                             {{"y", 0.25 * double(size) / 64, 0, 0, 0, 10, 0}}});
    for (const char* which : {"fused", "eager"}) {
      record.io.push_back({"attention", which, "attention bf16 d64 full", size,
                           "attention seq_k=" + std::to_string(size), 4096, 1024, 99, 1, 2048, 512,
                           8192});
    }
    record.timings.push_back({.machine = "cuda",
                              .kernel = "softmax",
                              .implementation = "fused",
                              .series = "softmax fp32",
                              .size = size,
                              .us_median = 10,
                              .rate = 3000,
                              .rate_unit = "GB/s",
                              .baseline = "eager",
                              .ratio = 4,
                              .ratio_low = 3.5,
                              .ratio_high = 4.5,
                              .verdict = "pass",
                              .edge_verdict = "pass",
                              .verified = true});
  }
  record.criteria = {
      {"attention", "", "", 10, 0, {{"allclose", false, 1}, {"bound", true, 0}}},
      {"attention", "tail", "Keys end.", 10, 8, {{"allclose", false, 2}, {"bound", true, 8}}},
      {"attention", "base", "Natural.", 10, 10, {{"allclose", false, 0}, {"bound", true, 10}}}};
  record.soundness = {sample_search()};
  record.skips = {{"timing", "eager attention", "its workspace is too large"}};
  record.ceilings.copy_gb_s = 4000;
  return record;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace oddtile::reports
