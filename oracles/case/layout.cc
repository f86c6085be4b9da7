#include "oracles/case/layout.h"

namespace oddtile::oracles {
namespace {

// Capacity from the elements that the view reaches; `offset` is moved up where strides descend.
Tensor finished(Tensor tensor) {
  int64_t reach = 0;
  bool empty = false;
  for (int dim = 0; dim < 4; ++dim) {
    empty = empty || tensor.sizes[dim] == 0;
    if (tensor.sizes[dim] > 0 && tensor.strides[dim] > 0) {
      reach += (tensor.sizes[dim] - 1) * tensor.strides[dim];
    } else if (tensor.sizes[dim] > 0) {
      tensor.offset -= (tensor.sizes[dim] - 1) * tensor.strides[dim];
    }
  }
  tensor.capacity =
      tensor.offset + (empty ? 0 : reach + 1) + kSlackBytes / element_bytes(tensor.element);
  return tensor;
}

Tensor vector(Role role, Element element, int64_t n, int64_t offset) {
  Tensor tensor;
  tensor.role = role;
  tensor.element = element;
  tensor.sizes[3] = n;
  tensor.strides[3] = 1;
  tensor.offset = offset;
  return finished(tensor);
}

Tensor matrix(Role role, Element element, int64_t rows, int64_t columns, int64_t row_stride,
              int64_t offset) {
  Tensor tensor;
  tensor.role = role;
  tensor.element = element;
  tensor.sizes[2] = rows;
  tensor.sizes[3] = columns;
  tensor.strides[2] = row_stride;
  tensor.strides[3] = 1;
  tensor.offset = offset;
  return finished(tensor);
}

void add_output(std::vector<Tensor>& tensors, Tensor output, Alias alias) {
  output.is_output = true;
  if (alias != Alias::none) output.alias_of = alias == Alias::x ? 0 : 1;
  tensors.push_back(std::move(output));
}

std::vector<Tensor> lay_out(const VectorAddCase& c) {
  const Element element = element_of(c.dtype);
  std::vector<Tensor> tensors;
  tensors.push_back(vector(Role::x, element, c.n, c.x_offset));
  tensors.push_back(vector(Role::y, element, c.n, c.y_offset));
  if (c.mask != MaskKind::none) {
    tensors.push_back(vector(Role::mask, Element::byte, c.n, c.mask_offset));
  }
  add_output(tensors, vector(Role::out, element, c.n, c.out_offset), c.alias);
  return tensors;
}

std::vector<Tensor> lay_out(const SoftmaxCase& c) {
  const Element element = element_of(c.dtype);
  std::vector<Tensor> tensors;
  const int64_t pitch = c.columns + c.x_pad;
  const int64_t x_stride = c.x_layout == RowLayout::broadcast  ? 0
                           : c.x_layout == RowLayout::reversed ? -pitch
                                                               : pitch;
  tensors.push_back(matrix(Role::x, element, c.rows, c.columns, x_stride, c.x_offset));
  if (c.mask != MaskKind::none) {
    const int64_t stride = c.mask_layout == MaskLayout::row_broadcast ? 0
                           : c.mask_layout == MaskLayout::padded      ? c.columns + kMaskPad
                                                                      : c.columns;
    tensors.push_back(matrix(Role::mask, Element::byte, c.rows, c.columns, stride, c.mask_offset));
  }
  add_output(tensors, matrix(Role::y, element, c.rows, c.columns, c.columns + c.y_pad, c.y_offset),
             c.alias);
  return tensors;
}

Tensor head_rows(Role role, const AttentionCase& c, Layout layout, int64_t heads, int64_t rows,
                 int64_t offset) {
  Tensor tensor;
  tensor.role = role;
  tensor.element = element_of(c.dtype);
  tensor.offset = offset;
  const int64_t sizes[4] = {c.batch, heads, rows, c.head_dim};
  const int64_t pitch = c.head_dim + c.pad;
  int64_t strides[4] = {heads * rows * pitch, rows * pitch, pitch, 1};
  switch (layout) {
    case Layout::bhsd:
      break;
    case Layout::bshd:
      strides[1] = pitch;
      strides[2] = heads * pitch;
      break;
    case Layout::sbhd:
      strides[0] = heads * pitch;
      strides[1] = pitch;
      strides[2] = c.batch * heads * pitch;
      break;
    case Layout::broadcast:
      strides[0] = rows * pitch;
      strides[1] = 0;
      break;
    case Layout::reversed:
      strides[2] = -pitch;
      break;
  }
  for (int dim = 0; dim < 4; ++dim) {
    tensor.sizes[dim] = sizes[dim];
    tensor.strides[dim] = strides[dim];
  }
  return finished(tensor);
}

Tensor attention_mask(const AttentionCase& c) {
  Tensor tensor;
  tensor.role = Role::mask;
  tensor.element = Element::byte;
  const int64_t sizes[4] = {c.batch, c.heads_q(), c.seq_q, c.seq_k};
  int64_t row = c.seq_k;
  int64_t column = 1;
  int64_t plane = c.seq_q * c.seq_k;
  if (c.mask_layout == MaskLayout::padded) {
    row = c.seq_k + kMaskPad;
    plane = c.seq_q * row;
  } else if (c.mask_layout == MaskLayout::row_broadcast) {
    row = 0;
    plane = c.seq_k;
  } else if (c.mask_layout == MaskLayout::column_broadcast) {
    row = 1;
    column = 0;
    plane = c.seq_q;
  } else if (c.mask_layout == MaskLayout::transposed) {
    row = 1;
    column = c.seq_q;
  }
  const bool shared = c.mask_layout == MaskLayout::head_broadcast;
  const int64_t strides[4] = {shared ? 0 : c.heads_q() * plane, shared ? 0 : plane, row, column};
  for (int dim = 0; dim < 4; ++dim) {
    tensor.sizes[dim] = sizes[dim];
    tensor.strides[dim] = strides[dim];
  }
  return finished(tensor);
}

std::vector<Tensor> lay_out(const AttentionCase& c) {
  std::vector<Tensor> tensors;
  tensors.push_back(head_rows(Role::q, c, c.q_layout, c.heads_q(), c.seq_q, c.q_offset));
  tensors.push_back(head_rows(Role::k, c, c.k_layout, c.heads_kv, c.seq_k, c.k_offset));
  tensors.push_back(head_rows(Role::v, c, c.v_layout, c.heads_kv, c.seq_k, c.v_offset));
  if (c.mask != MaskKind::none) tensors.push_back(attention_mask(c));
  if (c.lengths != KeyLengths::none) {
    tensors.push_back(vector(Role::key_length, Element::int32, c.batch, 0));
  }
  add_output(tensors, head_rows(Role::o, c, c.o_layout, c.heads_q(), c.seq_q, c.o_offset),
             Alias::none);
  if (c.lse != 0) {
    Tensor lse;
    lse.role = Role::lse;
    lse.element = Element::fp32;
    const int64_t head_stride = c.seq_q + c.pad;
    const int64_t sizes[4] = {1, c.batch, c.heads_q(), c.seq_q};
    const int64_t strides[4] = {0, c.heads_q() * head_stride, head_stride, 1};
    for (int dim = 0; dim < 4; ++dim) {
      lse.sizes[dim] = sizes[dim];
      lse.strides[dim] = strides[dim];
    }
    add_output(tensors, finished(lse), Alias::none);
  }
  return tensors;
}

}  // namespace

Element element_of(oddtile_dtype dtype) {
  return dtype == oddtile_fp32   ? Element::fp32
         : dtype == oddtile_fp16 ? Element::fp16
                                 : Element::bf16;
}

std::vector<Tensor> lay_out(const Case& subject) {
  return std::visit([](const auto& problem) { return lay_out(problem); }, subject.problem);
}

}  // namespace oddtile::oracles
