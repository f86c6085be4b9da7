#include "reports/measure/long_buffers.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/assert.h"
#include "oracles/case/layout.h"
#include "properties/harness/buffers.h"

namespace oddtile::reports {

using oracles::Case;
using oracles::SoftmaxCase;
using oracles::Tensor;
using oracles::VectorAddCase;
using oracles::Workload;
using properties::Machine;

namespace {

// Bytes up to the last element of a matrix whose rows ascend.
int64_t end_of(const Tensor& tensor) {
  return (tensor.index(0, 0, tensor.sizes[2] - 1, tensor.sizes[3] - 1) + 1) *
         oracles::element_bytes(tensor.element);
}

}  // namespace

int64_t length_of(const Case& subject) {
  if (const auto* c = std::get_if<SoftmaxCase>(&subject.problem)) return c->rows;
  if (const auto* c = std::get_if<VectorAddCase>(&subject.problem)) return c->n;
  return 1;
}

Case with_length(Case subject, int64_t length) {
  if (auto* c = std::get_if<SoftmaxCase>(&subject.problem)) c->rows = length;
  if (auto* c = std::get_if<VectorAddCase>(&subject.problem)) c->n = length;
  return subject;
}

int64_t elements_of_unit(const Case& subject) {
  const auto* c = std::get_if<SoftmaxCase>(&subject.problem);
  return c != nullptr ? std::max<int64_t>(c->columns, 1) : 1;
}

int64_t length_to_make(const Case& subject, int64_t elements) {
  const int64_t length = length_of(subject);
  const auto* c = std::get_if<SoftmaxCase>(&subject.problem);
  if (c != nullptr && c->x_layout == oracles::RowLayout::reversed) return length;
  const int64_t wanted = std::max<int64_t>(elements / elements_of_unit(subject), 1);
  if (wanted >= length) return length;
  return wanted > 64 ? wanted / 64 * 64 : wanted;
}

LongBuffers::LongBuffers(const Workload& made, const Case& subject, Machine& machine, Timer& timer)
    : made_(made),
      whole_{subject, oracles::lay_out(subject)},
      machine_(machine),
      timer_(timer),
      blocks_(made.tensors.size()) {
  ODDTILE_ASSERT(whole_.tensors.size() == made.tensors.size());
  for (int i = 0; i < int(blocks_.size()); ++i) {
    if (owner_index(i) != i) continue;
    const Tensor& tensor = whole_.tensors[size_t(i)];
    if (!add(&blocks_[size_t(i)], tensor.capacity * oracles::element_bytes(tensor.element))) return;
    put(i);
  }
  std::vector<void*> addresses;
  for (int i = 0; i < int(blocks_.size()); ++i) {
    addresses.push_back(blocks_[size_t(owner_index(i))].address);
  }
  problem_ = oracles::bind(whole_, addresses);
  ready_ = machine_.synchronise().empty();
}

LongBuffers::~LongBuffers() {
  for (const Block& block : blocks_) {
    if (block.address != nullptr) machine_.release(block.address);
  }
  if (workspace_.address != nullptr) machine_.release(workspace_.address);
}

bool LongBuffers::add(Block* block, int64_t bytes) {
  *block = {static_cast<std::byte*>(machine_.allocate(bytes)), bytes};
  return block->address != nullptr;
}

int LongBuffers::owner_index(int tensor) const {
  const int alias = whole_.tensors[size_t(tensor)].alias_of;
  return alias >= 0 ? alias : tensor;
}

bool LongBuffers::is_in_place() const {
  return std::any_of(whole_.tensors.begin(), whole_.tensors.end(),
                     [](const Tensor& tensor) { return tensor.alias_of >= 0; });
}

int64_t LongBuffers::begin_of(int tensor) const {
  const Tensor& it = made_.tensors[size_t(tensor)];
  return it.offset * oracles::element_bytes(it.element);
}

int64_t LongBuffers::period_of(int tensor) const {
  const Tensor& it = made_.tensors[size_t(tensor)];
  const int64_t length = length_of(made_.subject);
  if (length == length_of(whole_.subject)) return 0;
  const bool is_matrix = made_.subject.kernel() == oddtile_kernel_softmax;
  return (is_matrix ? it.strides[2] : it.strides[3]) * length * oracles::element_bytes(it.element);
}

void LongBuffers::put(int tensor) {
  const std::vector<std::byte>& bytes = made_.tensors[size_t(tensor)].bytes;
  const Block& block = blocks_[size_t(tensor)];
  machine_.copy_in(block.address, bytes.data(), int64_t(bytes.size()));
  const int64_t period = period_of(tensor);
  std::byte* begin = block.address + begin_of(tensor);
  const int64_t needed = block.bytes - begin_of(tensor);
  for (int64_t filled = period; filled > 0 && filled < needed;) {
    const int64_t more = std::min(filled, needed - filled);
    timer_.copying(begin + filled, begin, more)();
    filled += more;
  }
}

bool LongBuffers::add_workspace(int64_t bytes) {
  ODDTILE_ASSERT(workspace_.address == nullptr);
  return bytes <= 0 || add(&workspace_, bytes);
}

Launch LongBuffers::launching(const oddtile_implementation& which, int32_t id) const {
  return [this, &which, id] {
    machine_.begin(0);  // machines that check want to know what may be touched
    for (const Block& block : blocks_) {
      if (block.address != nullptr) machine_.allow(block.address, block.bytes, "tensor");
    }
    if (workspace_.address != nullptr) {
      machine_.allow(workspace_.address, workspace_.bytes, "workspace");
    }
    return properties::launch(which, problem_, id, workspace_.address, machine_.stream());
  };
}

void LongBuffers::restore_outputs() {
  for (int i = 0; i < int(blocks_.size()); ++i) {
    if (whole_.tensors[size_t(i)].is_output) put(owner_index(i));
  }
}

void LongBuffers::restore() {
  for (int i = 0; i < int(blocks_.size()); ++i) {
    if (owner_index(i) == i) put(i);
  }
}

// Beyond the last row of `made` there may be a gap of which nobody has said what it holds.
bool LongBuffers::is_as_put(int tensor) const {
  const std::vector<std::byte>& bytes = made_.tensors[size_t(tensor)].bytes;
  const Block& block = blocks_[size_t(tensor)];
  std::vector<std::byte> now(bytes.size());
  const auto is_as_made = [&](int64_t at, int64_t from, int64_t count) {
    machine_.copy_out(now.data(), block.address + at, count);
    return std::memcmp(now.data(), bytes.data() + from, size_t(count)) == 0;
  };
  const int64_t begin = begin_of(tensor), period = period_of(tensor), made = int64_t(bytes.size());
  if (period == 0) return is_as_made(0, 0, made);
  if (!is_as_made(0, 0, begin)) return false;
  const int64_t known = std::min(period, made - begin);
  for (int64_t at = begin; at < block.bytes; at += period) {
    if (!is_as_made(at, begin, std::min(known, block.bytes - at))) return false;
  }
  return true;
}

std::string LongBuffers::changed_input() const {
  std::vector<bool> is_input(blocks_.size(), true);
  for (int i = 0; i < int(blocks_.size()); ++i) {
    if (whole_.tensors[size_t(i)].is_output) is_input[size_t(owner_index(i))] = false;
    if (owner_index(i) != i) is_input[size_t(i)] = false;
  }
  for (int i = 0; i < int(blocks_.size()); ++i) {
    if (!is_input[size_t(i)] || is_as_put(i)) continue;
    return std::string(oracles::role_name(whole_.tensors[size_t(i)].role));
  }
  return "";
}

int64_t LongBuffers::repetitions() const {
  const int64_t made = std::max<int64_t>(length_of(made_.subject), 1);
  return (length_of(whole_.subject) + made - 1) / made;
}

Tensor LongBuffers::extent_of(int64_t repetition, int tensor) const {
  Tensor extent = whole_.tensors[size_t(tensor)];
  const int64_t made = length_of(made_.subject);
  const int64_t left = std::min(made, length_of(whole_.subject) - repetition * made);
  if (made_.subject.kernel() == oddtile_kernel_softmax) extent.sizes[2] = left;
  if (made_.subject.kernel() == oddtile_kernel_vector_add) extent.sizes[3] = left;
  return extent;
}

Buffers LongBuffers::outputs_of(int64_t repetition) const {
  Buffers outputs(whole_.tensors.size());
  for (int i = 0; i < int(outputs.size()); ++i) {
    if (!whole_.tensors[size_t(i)].is_output) continue;
    const Block& block = blocks_[size_t(owner_index(i))];
    const int64_t begin = begin_of(i), skipped = repetition * period_of(i);
    std::vector<std::byte>& to = outputs[size_t(i)];
    to.resize(made_.tensors[size_t(owner_index(i))].bytes.size());
    if (repetition == 0) {
      machine_.copy_out(to.data(), block.address, int64_t(to.size()));
      continue;
    }
    const int64_t end = end_of(extent_of(repetition, i)), whole = end_of(extent_of(0, i));
    machine_.copy_out(to.data() + begin, block.address + begin + skipped, end - begin);
    if (end < whole) machine_.copy_out(to.data() + end, block.address + end, whole - end);
  }
  return outputs;
}

bool LongBuffers::far_end_is_right(const Launch& launch) {
  const int64_t whole = length_of(whole_.subject) / std::max<int64_t>(length_of(made_.subject), 1);
  if (whole < 2) return true;
  restore_outputs();
  if (launch() != oddtile_ok || !machine_.synchronise().empty()) return false;
  return same_output_bits(made_, outputs_of(0), outputs_of(whole - 1));
}

CopyBuffers::CopyBuffers(Machine& machine, int64_t bytes) : machine_(machine) {
  for (void*& address : addresses_) {
    address = machine.allocate(bytes);
    if (address != nullptr) machine.fill(address, 0x3C, bytes);
  }
}

CopyBuffers::~CopyBuffers() {
  for (void* address : addresses_) {
    if (address != nullptr) machine_.release(address);
  }
}

}  // namespace oddtile::reports
