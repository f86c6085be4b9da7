/* The harness for other languages: a Python adapter fills the same table of functions that our own
 * kernels fill, and the same C++ code checks it and times it, in one process. Compiles as C.
 *
 * Functions return 0 clean, 1 findings, 2 wrong use, 3 our own fault, as the program oddtile does;
 * oddtile_text() then holds the result (JSON) or the complaint (one line), of the calling thread.
 * oddtile_make and oddtile_judge may run beside other calls; the others one at a time. */
#pragma once

#include "kernels/api/kernels.h"

/* Called after the timed rounds, before the outputs are read: a peer that returns its own buffer
 * copies its last result into the problem's output. May be null. */
typedef void (*oddtile_deliver)(void);

/* Our own table "fused" or "eager" on the machine "sim" or "cuda"; null where there is none. */
ODDTILE_API const oddtile_implementation* oddtile_table(const char* machine, const char* name);

/* The table of copies (kernels/probe/copies.h): its softmax is none and moves as many sectors as
 * one: a check of it as a softmax fails. Null where there is no such machine. */
ODDTILE_API const oddtile_implementation* oddtile_copies(const char* machine);

/* The text of the last result or complaint; valid until the next call. */
ODDTILE_API const char* oddtile_text(void);

/* The library as a plug-in (kernels.h): our own table "fused" on the GPU, so that two builds of
 * oddtile can be compared as they are. Null where there is no GPU, or for another version of the
 * table; oddtile_text() then says why. */
ODDTILE_API const oddtile_implementation* oddtile_plugin(uint32_t abi_version);

/* A record with environment and ceilings and nothing else. */
ODDTILE_API int32_t oddtile_environment(void);

/* Every check on one case; the text is one error entry. */
ODDTILE_API int32_t oddtile_check(const char* machine, const char* case_text,
                                  const oddtile_implementation* table);

/* Times `count` tables side by side on one case; ratios compare with the table called `baseline`.
 * The text is a record with timings and skips. Needs the machine cuda. */
ODDTILE_API int32_t oddtile_time(const char* case_text, const oddtile_implementation* const* tables,
                                 const oddtile_deliver* delivers, int32_t count,
                                 const char* baseline, int32_t rounds);

/* The tensors of a dense case (no pad, offset or alias) on the host, in this order: attention q, k,
 * v, key lengths and mask where the case has them, o, lse where it is asked for; softmax x, mask,
 * y; vector add x, y, mask, out. `bytes` of a buffer: elements times their size. */
typedef struct oddtile_buffer {
  void* data;
  int64_t bytes;
} oddtile_buffer;

/* Makes the inputs of a case: fills the first `count` tensors, all of them inputs. */
ODDTILE_API int32_t oddtile_make(const char* case_text, const oddtile_buffer* buffers,
                                 int32_t count);

/* Judges an output that was made elsewhere, from inputs that need not be those of the case: what
 * counts of it is its shape. Where there is a GPU that was measured (`oddtile profile`), its
 * numbers sharpen a profile that says machine_arithmetic. `buffers`: all tensors; `rows`: about how
 * many are judged (every tile edge of the profile is among them). Vector add without a mask only.
 * The text is one error entry.
 */
ODDTILE_API int32_t oddtile_judge(const char* case_text, const oddtile_profile* profile,
                                  const oddtile_buffer* buffers, int32_t count, int64_t rows);
