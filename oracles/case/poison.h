// Bit patterns that stand outside the logical data.
#pragma once

#include "oracles/case/workload.h"

namespace oddtile::oracles {

uint32_t poison_bits(Element element, Poison poison);

// Where the contract allows finite numbers only (v hidden by band or mask).
uint32_t finite_poison_bits(Element element, Poison poison);

// Every byte of a buffer.
void fill_poison(std::vector<std::byte>& bytes, Element element, Poison poison);

}  // namespace oddtile::oracles
