/* oddtile's C ABI: the problems, the table of functions that an implementation fills, and the
 * contract of each kernel. Anything that fills this table (our kernels, the eager baselines, a
 * plug-in, PyTorch behind an adapter) is checked, fuzzed and timed by the same code. Compiles as C.
 *
 * For all kernels: pointers are device pointers of the machine the implementation runs on. Bad
 * arguments give a status and touch nothing. Nothing is synchronised and nothing is allocated; work
 * is enqueued on `stream`. The same inputs and configuration give the same bits on every run. */
#ifndef ODDTILE_KERNELS_API_KERNELS_H_
#define ODDTILE_KERNELS_API_KERNELS_H_

#include <stdint.h>

#if defined(__cplusplus)
#  define ODDTILE_API extern "C" __attribute__((visibility("default")))
#else
#  define ODDTILE_API extern __attribute__((visibility("default")))
#endif

typedef enum oddtile_status {
  oddtile_ok = 0,
  oddtile_null_pointer, /* a tensor with elements has no address */
  oddtile_bad_dtype,    /* the kernel does not take this element type */
  oddtile_bad_shape,    /* negative length, head size outside 1..256, Hq not a multiple of Hkv */
  oddtile_bad_scale,    /* NaN or infinite */
  oddtile_bad_stride,   /* an output that overlaps itself, or whose layout is not nested */
  oddtile_overlap,      /* an output overlaps an input (except where the contract allows it) */
  oddtile_misaligned,   /* an address is no multiple of its element size */
  oddtile_bad_configuration, /* the id is not one that configurations() gave for this problem */
  oddtile_bad_workspace,     /* missing although needed, or not 256-byte aligned */
  oddtile_unsupported,       /* this implementation does not offer the kernel or this problem */
  oddtile_launch_failed      /* the machine refused the launch */
} oddtile_status;

typedef enum oddtile_dtype { oddtile_fp32 = 0, oddtile_fp16, oddtile_bf16 } oddtile_dtype;

typedef enum oddtile_kernel {
  oddtile_kernel_vector_add = 0,
  oddtile_kernel_softmax,
  oddtile_kernel_attention
} oddtile_kernel;

/* out[i] = x[i] + y[i] where mask[i] != 0 (mask NULL: everywhere), one IEEE rounding in `dtype`.
 * Masked elements of out keep their bits. out may be exactly x or y; other overlap is refused.
 * Any n >= 0; every pointer may have any alignment that its type allows. */
typedef struct oddtile_vector_add_problem {
  oddtile_dtype dtype;
  int64_t n;
  const void* x;
  const void* y;
  const uint8_t* mask;
  void* out;
} oddtile_vector_add_problem;

/* y[r][c] = exp(x[r][c] - max) / sum over the visible columns of row r. Masked columns are +0, in
 * every row. No visible column: all +0. A visible +inf or NaN, or all visible -inf: the visible
 * columns of that row are NaN. y may be exactly x with the same strides. Strides count elements;
 * input strides may be 0 or negative. columns: 0..2^31. */
typedef struct oddtile_softmax_problem {
  oddtile_dtype dtype;
  int64_t rows;
  int64_t columns;
  const void* x;
  int64_t x_row_stride;
  void* y;
  int64_t y_row_stride;
  const uint8_t* mask; /* NULL, or one byte per element */
  int64_t mask_row_stride;
} oddtile_softmax_problem;

/* A (batch, head, row, element) tensor; strides in elements, the last dimension is dense. */
typedef struct oddtile_tensor {
  void* data;
  int64_t batch_stride;
  int64_t head_stride;
  int64_t row_stride;
} oddtile_tensor;

typedef enum oddtile_anchor { oddtile_top_left = 0, oddtile_bottom_right } oddtile_anchor;

/* O = softmax(scale * Q K^T restricted to the visible keys) V; fp16 or bf16, fp32 inside.
 * Key j is visible to query i of batch b iff j < key_length[b] (clamped to 0..seq_k; NULL: seq_k),
 * band_low <= j - i - shift <= band_high (INT64_MIN, INT64_MAX: unbounded; shift is 0 anchored
 * top-left, key_length[b] - seq_q anchored bottom-right) and the mask byte is non-zero.
 * A row without live keys (visible, score not -inf): O = +0, LSE = -inf. A visible NaN or +inf
 * score: O and LSE of the row are NaN. LSE: natural log of the sum of exp(scaled score); optional.
 * What lies beyond key_length[b], seq_k, seq_q or head_dim may hold any bits; K hidden by band or
 * mask any bits, V hidden by band or mask any finite bits. */
typedef struct oddtile_attention_problem {
  oddtile_dtype dtype;
  int64_t batch;
  int64_t heads_q;
  int64_t heads_kv; /* divides heads_q; query head h reads kv head h / (heads_q / heads_kv) */
  int64_t seq_q;
  int64_t seq_k;
  int64_t head_dim; /* 1..256, one size for q, k, v and o */
  float scale;      /* any finite number */
  oddtile_tensor q; /* q, k, v: strides may be 0 or negative */
  oddtile_tensor k;
  oddtile_tensor v;
  oddtile_tensor o;
  float* lse; /* NULL, or (batch, heads_q, seq_q) with the strides below */
  int64_t lse_batch_stride;
  int64_t lse_head_stride;
  int64_t lse_row_stride;
  const int32_t* key_length; /* NULL, or one per batch item, on the device */
  int64_t band_low;
  int64_t band_high;
  oddtile_anchor anchor;
  const uint8_t* mask; /* NULL, or (batch, heads_q, seq_q, seq_k) with any strides */
  int64_t mask_batch_stride;
  int64_t mask_head_stride;
  int64_t mask_row_stride;
  int64_t mask_column_stride;
} oddtile_attention_problem;

typedef struct oddtile_problem {
  oddtile_kernel kernel;
  union {
    oddtile_vector_add_problem vector_add;
    oddtile_softmax_problem softmax;
    oddtile_attention_problem attention;
  };
} oddtile_problem;

/* What an implementation declares of the arithmetic of one configuration; the error bounds read it
 * (oracles/bounds holds a ceiling for each field, so generosity is refused). Fields that do not
 * apply to a kernel are 0. */
typedef struct oddtile_profile {
  char name[48];              /* "tile 128x64 d128" */
  int32_t tile_rows;          /* attention: queries per tile */
  int32_t tile_columns;       /* keys (attention) or columns (softmax) per online step */
  int32_t sum_lanes;          /* independent partial sums of a row, combined by a tree */
  int32_t mma_products;       /* products that one accumulation group of the matrix unit adds */
  int32_t mma_fraction_bits;  /* fraction bits kept when a group is aligned, F */
  oddtile_dtype weight_dtype; /* type of the weights P that multiply V */
  int32_t weight_normalised;  /* 1: P is divided by the row sum before it is rounded */
  int32_t exp2_flushes;       /* 1: results of exp2 below 2^-126 are 0 */
  int32_t mma_rounds;         /* 0: a group truncates addends and result; 1: to nearest */
  int32_t machine_arithmetic; /* 1: products, exp2 and log2 are the machine's own instructions, so
                                 that what was measured of them may replace the numbers here */
  double exp2_error;          /* relative error of the kernel's exp2 */
  double log2_error;          /* error of log2, relative, or absolute where |log2| < 1 */
  double division_error_u;    /* error of the final division, in units of 2^-24 */
  double extra_frame_u;       /* 0: one frame; else the factor of |m_old| + |m_new| per rescale */
  double lazy_threshold_log2; /* 0: the maximum is always followed */
} oddtile_profile;

#define ODDTILE_ABI_VERSION 2u

enum oddtile_capability { /* bits of oddtile_implementation.capabilities */
                          oddtile_stores_lse = 1,
                          oddtile_any_stride = 2,
                          oddtile_any_head_size = 4,
                          oddtile_graph_capture = 8,
                          oddtile_hidden_v_any_bits = 16
};

typedef struct oddtile_implementation {
  uint32_t abi_version; /* ODDTILE_ABI_VERSION */
  uint32_t struct_size; /* sizeof(oddtile_implementation) */
  const char* name;     /* "fused", "eager", ... */
  uint64_t capabilities;
  /* Writes up to `capacity` ids of admissible configurations, preferred first; returns their
   * number, 0 where the problem is not offered (or not valid). */
  int32_t (*configurations)(const oddtile_problem* problem, int32_t* ids, int32_t capacity);
  oddtile_status (*describe)(const oddtile_problem* problem, int32_t id, oddtile_profile* profile);
  /* Device memory that the caller provides, 256-byte aligned, contents undefined before and after.
   */
  int64_t (*workspace_bytes)(const oddtile_problem* problem, int32_t id);
  oddtile_status (*vector_add)(const oddtile_vector_add_problem* problem, int32_t id,
                               void* workspace, void* stream);
  oddtile_status (*softmax)(const oddtile_softmax_problem* problem, int32_t id, void* workspace,
                            void* stream);
  oddtile_status (*attention)(const oddtile_attention_problem* problem, int32_t id, void* workspace,
                              void* stream);
  const char* (*status_text)(oddtile_status status); /* one clause, lower case, no full stop */
} oddtile_implementation;

/* What a plug-in, a shared library, exports; NULL: version not supported, or no machine for it. */
typedef const oddtile_implementation* (*oddtile_plugin_function)(uint32_t abi_version);
#define ODDTILE_PLUGIN_SYMBOL "oddtile_plugin"

#endif /* ODDTILE_KERNELS_API_KERNELS_H_ */
