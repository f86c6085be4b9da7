// The output that public suites compare (out, y or O), whole, as numbers: exact, and as stored.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "oracles/case/workload.h"

namespace oddtile::reports {

using Buffers = std::vector<std::vector<std::byte>>;  // parallel to a workload's tensors

const oracles::Tensor& main_output(const oracles::Workload& workload);
oddtile_dtype dtype_of(const oracles::Workload& workload);

// Every logical element's exact value in the order of its index; masked elements of a vector add
// are what they were. nullopt where one of them is not finite in the output's type or the contract
// leaves it open: criteria that subtract have nothing to say there.
std::optional<std::vector<double>> exact_output(const oracles::Workload& workload);

// The same elements from buffers after a run.
std::vector<double> stored_output(const oracles::Workload& workload, const Buffers& buffers);

// Whether two runs left the same bits in every logical element of every output, LSE included.
bool same_output_bits(const oracles::Workload& workload, const Buffers& a, const Buffers& b);

}  // namespace oddtile::reports
