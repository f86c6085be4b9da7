#include "oracles/case/poison.h"

#include <cstring>

#include "oracles/case/parallel.h"

namespace oddtile::oracles {

// Bytes (masks): 255 and 165 would be seen if they were read, 0 would hide. Lengths: INT32_MAX
// would stand for all keys, the others for none.
uint32_t poison_bits(Element element, Poison poison) {
  if (poison == Poison::zero) return 0;
  const bool nan = poison == Poison::nan;
  switch (element) {
    case Element::fp32:
      return nan ? 0x7FFFFFFFu : 0x7F7FFFFFu;
    case Element::fp16:
      return nan ? 0x7FFFu : 0x7BFFu;
    case Element::bf16:
      return nan ? 0x7FFFu : 0x7F7Fu;
    case Element::byte:
      return nan ? 0xFFu : 0xA5u;
    case Element::int32:
      return nan ? 0x7FFFFFFFu : 0xFFFFFFFFu;
  }
  return 0;
}

uint32_t finite_poison_bits(Element element, Poison poison) {
  if (poison != Poison::nan) return poison_bits(element, poison);
  switch (element) {  // the most negative number, so that it differs from Poison::large
    case Element::fp32:
      return 0xFF7FFFFFu;
    case Element::fp16:
      return 0xFBFFu;
    case Element::bf16:
      return 0xFF7Fu;
    default:
      return poison_bits(element, poison);
  }
}

void fill_poison(std::vector<std::byte>& bytes, Element element, Poison poison) {
  const int64_t width = element_bytes(element);
  const uint32_t bits = poison_bits(element, poison);
  uint32_t word = bits;  // the pattern repeated to four bytes
  if (width == 1) word = bits * 0x01010101u;
  if (width == 2) word = bits * 0x00010001u;
  const int64_t size = int64_t(bytes.size());
  parallel_for(size, 1 << 20, size / 8, [&](int64_t begin, int64_t end) {
    for (; begin + 4 <= end; begin += 4) std::memcpy(bytes.data() + begin, &word, 4);
    if (begin < end) std::memcpy(bytes.data() + begin, &word, size_t(end - begin));
  });
}

}  // namespace oddtile::oracles
