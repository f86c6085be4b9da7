#include "properties/harness/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/base/assert.h"

namespace oddtile::properties {
namespace {

// Index of the first byte that differs, -1 for none.
int64_t first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  ODDTILE_ASSERT(a.size() == b.size());
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0) return -1;
  return std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
}

}  // namespace

GuardedBlock::GuardedBlock(Machine& machine, int64_t bytes, uint8_t guard)
    : machine_(&machine), bytes_(bytes), guard_(guard) {
  base_ = static_cast<std::byte*>(machine.allocate(bytes + 2 * kGuardBytes));
  if (base_ == nullptr) return;
  machine.fill(base_, guard, kGuardBytes);
  machine.fill(base_ + kGuardBytes + bytes, guard, kGuardBytes);
}

GuardedBlock::GuardedBlock(GuardedBlock&& other) noexcept
    : machine_(other.machine_),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(other.bytes_),
      guard_(other.guard_) {}

GuardedBlock::~GuardedBlock() {
  if (base_ != nullptr) machine_->release(base_);
}

std::vector<std::byte> GuardedBlock::read() const {
  std::vector<std::byte> result(bytes_);
  if (bytes_ > 0) machine_->copy_out(result.data(), address(), bytes_);
  return result;
}

void GuardedBlock::report_guards(const std::string& name,
                                 std::vector<std::string>* violations) const {
  std::byte before[kGuardBytes], after[kGuardBytes];
  machine_->copy_out(before, base_, kGuardBytes);
  machine_->copy_out(after, base_ + kGuardBytes + bytes_, kGuardBytes);
  const auto changed = [&](std::byte byte) { return byte != std::byte(guard_); };
  const auto last = std::find_if(std::rbegin(before), std::rend(before), changed);
  if (last != std::rend(before)) {
    violations->push_back(fmt::format("writes before {}: the byte at -{} changed", name,
                                      last - std::rbegin(before) + 1));
  }
  const auto first = std::find_if(std::begin(after), std::end(after), changed);
  if (first != std::end(after)) {
    violations->push_back(fmt::format("writes behind {}: the byte at +{} of {} bytes changed", name,
                                      bytes_ + (first - std::begin(after)), bytes_));
  }
}

Buffers::Buffers(const oracles::Workload& workload, Machine& machine, uint8_t surroundings)
    : workload_(workload), machine_(machine), surroundings_(surroundings) {
  const int count = int(workload.tensors.size());
  block_of_.assign(count, -1);
  for (int i = 0; i < count; ++i) {
    const oracles::Tensor& tensor = workload.tensors[i];
    if (tensor.alias_of >= 0) continue;
    const int64_t bytes = tensor.capacity * oracles::element_bytes(tensor.element);
    ODDTILE_ASSERT(bytes == int64_t(tensor.bytes.size()));
    block_of_[i] = int(blocks_.size());
    blocks_.emplace_back(machine, bytes, surroundings);
    if (!blocks_.back().allocated()) return;
    if (bytes > 0) machine.copy_in(blocks_.back().address(), tensor.bytes.data(), bytes);
  }
  for (int i = 0; i < count; ++i) addresses_.push_back(blocks_[block_of_[owner(i)]].address());
  problem_ = oracles::bind(workload, addresses_);
  ready_ = true;
}

int Buffers::owner(int tensor) const {
  const int alias = workload_.tensors[tensor].alias_of;
  return alias >= 0 ? alias : tensor;
}

const std::vector<std::byte>& Buffers::original(int tensor) const {
  return workload_.tensors[owner(tensor)].bytes;
}

bool Buffers::add_workspace(int64_t bytes) {
  ODDTILE_ASSERT(workspace_.empty() && bytes >= 0);
  if (bytes == 0) return true;
  workspace_.emplace_back(machine_, bytes, surroundings_);
  if (!workspace_[0].allocated()) return false;
  machine_.fill(workspace(), surroundings_, bytes);
  return true;
}

void Buffers::allow() const {
  for (int i = 0; i < int(addresses_.size()); ++i) {
    if (block_of_[i] < 0) continue;
    const GuardedBlock& block = blocks_[block_of_[i]];
    machine_.allow(block.address(), block.bytes(),
                   std::string(oracles::role_name(workload_.tensors[i].role)));
  }
  for (const GuardedBlock& block : workspace_) {
    machine_.allow(block.address(), block.bytes(), "workspace");
  }
}

std::vector<std::vector<std::byte>> Buffers::read(bool outputs_only) const {
  std::vector<std::vector<std::byte>> result(addresses_.size());
  for (int i = 0; i < int(result.size()); ++i) {
    if (outputs_only && !workload_.tensors[i].is_output) continue;
    result[i] = blocks_[block_of_[owner(i)]].read();
  }
  return result;
}

std::vector<std::string> Buffers::violations(
    const std::vector<std::vector<std::byte>>& after) const {
  std::vector<std::string> result;
  for (int i = 0; i < int(addresses_.size()); ++i) {
    if (block_of_[i] < 0) continue;
    const oracles::Tensor& tensor = workload_.tensors[i];
    const std::string name(oracles::role_name(tensor.role));
    blocks_[block_of_[i]].report_guards(name, &result);
    // What the buffer should hold now: the original, and in the logical elements of every output
    // that lives in it whatever the run wrote.
    std::vector<std::byte> expected = original(i);
    bool is_output = false;
    for (int j = 0; j < int(addresses_.size()); ++j) {
      if (owner(j) != i || !workload_.tensors[j].is_output) continue;
      is_output = true;
      for_each_logical_run(workload_.tensors[j], [&](int64_t first, int64_t bytes) {
        std::memcpy(expected.data() + first, after[i].data() + first, bytes);
      });
    }
    const int64_t at = first_difference(expected, after[i]);
    if (at < 0) continue;
    const int64_t element = at / oracles::element_bytes(tensor.element);
    result.push_back(is_output
                         ? fmt::format("writes {} outside its logical elements: buffer element {} "
                                       "(the first logical one is {})",
                                       name, element, tensor.offset)
                         : fmt::format("writes the input {}: buffer element {}", name, element));
  }
  for (const GuardedBlock& block : workspace_) block.report_guards("workspace", &result);
  return result;
}

bool Buffers::untouched() const {
  const std::vector<std::vector<std::byte>> now = read();
  for (int i = 0; i < int(now.size()); ++i) {
    if (first_difference(original(i), now[i]) >= 0) return false;
  }
  for (const GuardedBlock& block : workspace_) {
    for (const std::byte byte : block.read()) {
      if (byte != std::byte(surroundings_)) return false;
    }
  }
  return violations(now).empty();
}

void Buffers::restore_outputs() {
  for (int i = 0; i < int(addresses_.size()); ++i) {
    const std::vector<std::byte>& bytes = original(i);
    if (!workload_.tensors[i].is_output || bytes.empty()) continue;
    machine_.copy_in(addresses_[i], bytes.data(), int64_t(bytes.size()));
  }
}

oddtile_status launch(const oddtile_implementation& which, const oddtile_problem& problem,
                      int32_t id, void* workspace, void* stream) {
  switch (problem.kernel) {
    case oddtile_kernel_vector_add:
      if (which.vector_add == nullptr) return oddtile_unsupported;
      return which.vector_add(&problem.vector_add, id, workspace, stream);
    case oddtile_kernel_softmax:
      if (which.softmax == nullptr) return oddtile_unsupported;
      return which.softmax(&problem.softmax, id, workspace, stream);
    case oddtile_kernel_attention:
      if (which.attention == nullptr) return oddtile_unsupported;
      return which.attention(&problem.attention, id, workspace, stream);
  }
  return oddtile_unsupported;
}

std::vector<int32_t> configurations_of(const oddtile_implementation& which,
                                       const oddtile_problem& problem) {
  constexpr int32_t kMost = 256;
  std::vector<int32_t> ids(kMost);
  const int32_t count = which.configurations(&problem, ids.data(), kMost);
  ids.resize(size_t(std::clamp(count, 0, kMost)));
  return ids;
}

std::optional<oddtile_profile> profile_of(const oddtile_implementation& which,
                                          const oddtile_problem& problem, int32_t id,
                                          const Machine& machine) {
  oddtile_profile declared = {};
  if (which.describe(&problem, id, &declared) != oddtile_ok) return std::nullopt;
  return oracles::sharpened(declared, machine.hardware());
}

Choice choose_configuration(const oddtile_implementation& which, const oddtile_problem& problem,
                            int64_t configuration) {
  const std::vector<int32_t> ids = configurations_of(which, problem);
  if (ids.empty()) return {};
  const int32_t position = configuration < 0 ? 0 : int32_t(configuration % int64_t(ids.size()));
  return {position, ids[size_t(position)]};
}

}  // namespace oddtile::properties
