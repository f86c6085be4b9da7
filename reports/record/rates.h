// What benchmark_executions and race_executions have measured, from the file that Google Benchmark
// writes (--benchmark_out).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/record/record.h"

namespace oddtile::reports {

// Null with a line in *reason where the text is none of their files. Of repeated benchmarks the
// median is kept.
std::optional<std::vector<RateEntry>> rates_from(const std::string& text, std::string* reason);

}  // namespace oddtile::reports
