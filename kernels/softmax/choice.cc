// Which configuration a softmax problem gets.
#include <algorithm>

#include "kernels/api/arguments.h"
#include "kernels/base/bits.h"
#include "kernels/softmax/plan.h"

namespace oddtile {
namespace {

constexpr int64_t kFullEnough = 85;  // percent: slots in use that outweigh more lanes

// With fewer rows than this a GPU is not full, and the time of one row counts: more lanes per row.
constexpr int64_t kFew = 1100;
constexpr int64_t kHandful = 8;
constexpr int64_t kFewShort = 700;           // where rows are short
constexpr int64_t kThousands = 5000;         // that the L2 holds
constexpr int64_t kMuch = int64_t(1) << 24;  // elements: more than any L2 holds

// Preferred configurations of lanes within a warp, shortest row first.
constexpr int32_t kLanes[] = {0, 1, 2, 3, 4, 5, 6, 7, 46, 8};
constexpr int32_t kWarps[] = {5, 6, 7, 8};  // for a handful of rows
constexpr int32_t kFewRows[] = {38, 39, 40, 41, 42, 43, 44, 45};
constexpr int32_t kTiles[] = {57, 22, 23, 24, 63, 64, 26, 27, 28, 29};
constexpr int32_t kSameBankTiles[] = {58, 25, 26, 27, 28, 29};
constexpr int32_t kBlock4 = 9, kBlock8 = 10, kBlock9 = 11, kBlock5 = 61;
constexpr int32_t kBlock2 = kSoftmaxWords + 9;
constexpr int32_t kBlock4WarpMore = 59, kBlock4TwoMore = 60;
constexpr int32_t kInPlace = 62;
constexpr int32_t kShared512[] = {12, 14, 15, 16, 17};  // by a growing cluster
constexpr int32_t kShared1024[] = {13, 18, 19, 20, 21};
constexpr int32_t kSmall[] = {52, 53, 54, 56};  // blocks of 128 or 256 threads, by a growing row
constexpr int32_t kHeldByMany = 65;             // blocks of 128 threads, as many as hold a row
constexpr int32_t kStay16x512 = 48, kStay16x512x4 = 50, kStay8x4 = 49, kStay16 = 51;

// What rows up to a length get: the first entry that reaches it.
struct UpTo {
  int64_t most;
  int32_t index;
};

// Short fp32 rows element by element, by columns. A lane has few elements where few would be idle.
constexpr UpTo kWords[] = {{40, kSoftmaxWords},      {64, kSoftmaxWords + 1},
                           {122, kSoftmaxWords + 2}, {128, kSoftmaxWords + 3},
                           {160, kSoftmaxWords + 4}, {256, kSoftmaxWords + 5},
                           {384, kSoftmaxWords + 7}, {512, kSoftmaxWords + 8}};
constexpr int32_t kWordsOf2Rows = kSoftmaxWords + 6;

// Clusters of small blocks that many long rows get, by vectors.
constexpr UpTo kLong32[] = {{6144, 52}, {13312, 53}, {35000, 54}, {90112, 56}};
constexpr UpTo kLong16[] = {{6144, 52},  {20000, 53}, {29000, 55},
                            {32768, 54}, {45056, 55}, {90112, 56}};
constexpr UpTo kLongRagged16[] = {{9216, 52}, {22528, 53}, {45056, 55}, {90112, 56}};
// x lies otherwise than y.
constexpr UpTo kLongMoved16[] = {{10240, 52}, {22528, 53}, {36864, 55}, {45056, 54}, {102400, 56}};
constexpr UpTo kLongMoved32[] = {{6144, 52},  {8192, 53},  {8448, 52},
                                 {18432, 53}, {40960, 55}, {80000, 56}};
// Of a masked row each lane waits for memory twice: all at once where registers hold the row.
constexpr UpTo kLongMasked[] = {{16384, kHeldByMany}, {40960, 55}, {81920, 56}};
constexpr int64_t kLongVectors = 4096;  // which a block of 512 threads holds
// From here to kLongVectors blocks of 9 vectors a lane leave a third of the registers idle: two of
// them on a multiprocessor, which has no place for a third.
constexpr int64_t kIdleFrom = 3072;
// The most that blocks of 9 vectors a lane hold where two and three of them are on a
// multiprocessor; of blocks of 8 vectors a lane two hold 4096, three 2560.
constexpr int64_t kMostOfTwo = 4608, kMostOfThree = 2880, kMostOfThreeOf8 = 2560;
constexpr int64_t kSlotsOfSmall = 1024;   // vectors that 128 threads hold in registers
constexpr int64_t kSmallFullEnough = 94;  // percent
constexpr int64_t kBlockVectors = 9 * kSoftmaxMostThreads;  // that a block holds
constexpr int64_t kSpreadBlocks = 128;                      // that all run at once
// From so many rows on clusters stay: they start one after another.
constexpr int64_t kManyOf8 = 96;
constexpr int64_t kManyOf16 = 16;
constexpr int64_t kMostOf4 = 850000;  // fp32 columns

// The first of these that holds a row and is admissible, or -1.
template <int32_t count>
int32_t first_of(const int32_t (&indices)[count], const oddtile_softmax_problem& p,
                 const SoftmaxMachine& machine) {
  for (int32_t index : indices) {
    if (softmax_admits(p, index, machine)) return index;
  }
  return -1;
}

// Neither a mask nor an end within a vector.
bool rows_are_plain(const oddtile_softmax_problem& p) {
  return p.mask == nullptr && softmax_rows_are_whole(p, false);
}

// Most threads of a block with 4 vectors a lane; beyond, lanes have 8 or 9. fp32 keeps its weights
// in registers and likes many lanes; 16-bit types, which compute the weights twice where they have
// many vectors, like few where rows are not whole. With a mask each row waits for memory twice:
// many loads must be under way.
int64_t most_threads_of_4(const oddtile_softmax_problem& p) {
  if (p.rows < kFew) return kSoftmaxMostThreads;
  const bool plain = rows_are_plain(p);
  if (p.dtype == oddtile_fp32) return p.mask != nullptr ? 256 : (plain ? 768 : 512);
  if (plain) return 256;
  return softmax_rows_are_whole(p, false) ? 128 : 64;
}

// Rows with gaps for which a tile was measured to be quicker than lanes of their own (tried.md).
// Those of 257 to 320 columns are what 3 vectors of 16 lanes just hold.
bool likes_tile_with_gaps(const oddtile_softmax_problem& p) {
  return p.columns <= 256 || (p.mask == nullptr && p.columns > 320 && p.columns <= 800);
}

template <int32_t count>
int32_t entry_for(const UpTo (&table)[count], int64_t length) {
  for (const UpTo& entry : table) {
    if (length <= entry.most) return entry.index;
  }
  return -1;
}

// Short fp32 rows element by element: wherever vectors would be cut or x lies otherwise than y;
// whole vectors where rows are some thousands, too, since the L2 holds those and instructions
// count, or much and all lanes busy.
int32_t words_for(const oddtile_softmax_problem& p) {
  if (p.dtype != oddtile_fp32 || p.mask != nullptr) return -1;
  const bool some = p.rows < kThousands;
  const bool is_much = p.columns > 0 && p.rows >= kMuch / p.columns;
  if (softmax_rows_are_whole(p, false)) {
    const int64_t most = p.rows < kFew ? 256 : 320;
    const bool fits = some ? p.rows >= kFewShort && p.columns <= most
                           : is_much && p.columns % 32 == 0 && p.columns >= 64 && p.columns <= 192;
    return fits ? entry_for(kWords, p.columns) : -1;
  }
  if (p.columns > (some ? 512 : 320)) return -1;
  // What the L2 holds is quicker with more warps.
  const bool dense = p.y_row_stride == p.columns && p.x != p.y;
  if (dense && is_much && p.columns > 192 && p.columns <= 256) return kWordsOf2Rows;
  return entry_for(kWords, p.columns);
}

// A row a block as soon as can be pays while blocks are few; the longer the rows, the more of them.
int32_t few_rows_for(const oddtile_softmax_problem& p, const SoftmaxMachine& machine) {
  const int64_t vectors = softmax_row_vectors(p, kSoftmaxConfigurations[kBlock4]);
  const int64_t most = vectors <= 32 ? kFewShort : (vectors < 256 ? kFew : kThousands);
  return p.rows < most ? first_of(kFewRows, p, machine) : -1;
}

// Many long rows over clusters of small blocks. -1: not for those.
int32_t many_long_rows_for(const oddtile_softmax_problem& p, int64_t vectors) {
  if (p.mask != nullptr) return entry_for(kLongMasked, vectors);
  const bool is_fp32 = p.dtype == oddtile_fp32;
  const bool moves = softmax_moves(p);
  if (is_fp32 && !moves) return entry_for(kLong32, vectors);
  if (softmax_rows_are_whole(p, false)) return entry_for(kLong16, vectors);
  if (vectors <= kMostOfTwo) return -1;  // a block is quicker
  if (!moves) return entry_for(kLongRagged16, vectors);
  if (!is_fp32) return entry_for(kLongMoved16, vectors);
  const bool suits_block = p.rows <= kSpreadBlocks && vectors <= kBlockVectors;
  return suits_block ? -1 : entry_for(kLongMoved32, vectors);
}

// Whether blocks that hold such a row would leave a third of their multiprocessor idle.
bool fills_blocks_badly(const oddtile_softmax_problem& p, int64_t vectors) {
  return p.dtype == oddtile_fp32 && p.rows >= kFew && rows_are_plain(p) && vectors > kIdleFrom &&
         vectors < kLongVectors;
}

// Whether a masked row is for a cluster of small blocks: where a block of 512 threads does not hold
// it, and where two such blocks have more idle lanes than small ones would. Few rows that a block
// holds are spread where there are very few, or more of them than run at once.
bool masked_likes_small_blocks(const oddtile_softmax_problem& p, int64_t vectors) {
  if (vectors > kMostOfTwo) return true;
  if (softmax_moves(p)) return false;
  if (p.rows >= kFew) {
    return vectors > kMostOfThree &&
           vectors * 100 >= kSmallFullEnough * round_up(vectors, kSlotsOfSmall);
  }
  return vectors > kLongVectors ? p.rows * 8 <= kSpreadBlocks
                                : vectors == kLongVectors && p.rows > kSpreadBlocks;
}

bool likes_small_blocks(const oddtile_softmax_problem& p, int64_t vectors) {
  if (p.mask != nullptr) return masked_likes_small_blocks(p, vectors);
  // Up to there a block of 512 threads holds a row; 16-bit types like small blocks at once.
  const bool is_long = vectors >= kLongVectors + (p.dtype == oddtile_fp32 ? 1 : 0);
  return is_long || fills_blocks_badly(p, vectors);
}

// Long rows over clusters of small blocks; where rows are few, over so many that registers hold
// them. -1: not for those.
int32_t small_blocks_for(const oddtile_softmax_problem& p, const SoftmaxMachine& machine) {
  const int64_t vectors = softmax_row_vectors(p, kSoftmaxConfigurations[kSmall[0]]);
  if (!likes_small_blocks(p, vectors)) return -1;
  for (int32_t index : kSmall) {
    const bool spreads = p.rows * kSoftmaxConfigurations[index].cluster <= kSpreadBlocks;
    if (spreads && softmax_plan(p, index).shared_slots == 0 && softmax_admits(p, index, machine)) {
      return index;
    }
  }
  const int32_t index = many_long_rows_for(p, vectors);
  return index >= 0 && softmax_admits(p, index, machine) ? index : -1;
}

// Whether clusters stay for the longest rows. 16-bit rows, which compute their weights twice, like
// those of which most multiprocessors have one, 15 of 8 blocks. The less of a row is in registers,
// the more of it is weighed as it comes. `two_fit` as in choose_softmax. -1: not for those, or too
// few.
int32_t staying_for(const oddtile_softmax_problem& p, const SoftmaxMachine& machine,
                    int32_t two_fit) {
  const auto admits = [&](int32_t index) { return softmax_admits(p, index, machine); };
  const bool is_fp32 = p.dtype == oddtile_fp32;
  const bool fits_16x512 = two_fit == kShared512[4];
  if (fits_16x512 && !is_fp32) {
    if (p.rows < kManyOf8) return -1;
    return admits(kStay8x4) ? kStay8x4 : (admits(kStay16x512) ? kStay16x512 : -1);
  }
  if (fits_16x512) return p.rows >= kManyOf16 && admits(kStay16x512) ? kStay16x512 : -1;
  if (two_fit >= 0 || p.rows <= kHandful || admits(kShared1024[3])) return -1;
  if (is_fp32 && p.columns <= kMostOf4 && admits(kStay16x512x4)) return kStay16x512x4;
  if (is_fp32 && admits(kStay16x512)) return kStay16x512;
  return admits(kStay16) ? kStay16 : -1;
}

// Many rows for which something else was measured to be 0.5 to 3 % quicker than block_for's rule,
// most of them such that all lanes are busy: one that has little or nothing to do helps. -1: none.
int32_t measured_block_for(const oddtile_softmax_problem& p, int64_t vectors) {
  const auto between = [&](int64_t least, int64_t most) {
    return least <= vectors && vectors <= most;
  };
  const bool whole = softmax_rows_are_whole(p, false);
  const bool is_even = whole && vectors % 128 == 0 && between(384, 1024);
  const bool is_fp32 = p.dtype == oddtile_fp32, moves = softmax_moves(p);
  if (p.mask != nullptr) {
    // Six and three such blocks, of 224 and 416 threads, fill a multiprocessor.
    const bool suits_5 = is_even || between(1025, 1120) || (!moves && between(1921, 2080));
    if (is_fp32 && suits_5) return kBlock5;
    return between(kMostOfThreeOf8 + 1, kMostOfThree) ? kBlock9 : -1;
  }
  if (whole && p.x == p.y && between(512, 1024)) return kInPlace;
  if (!is_fp32) return whole && vectors == 256 ? kBlock5 : (is_even ? kBlock4WarpMore : -1);
  if (moves) return -1;
  if (!whole && between(192, 256)) return vectors < 203 ? kBlock5 : kBlock2;
  return between(whole ? 244 : 704, 2048) ? kBlock4TwoMore : -1;
}

// A block per row: in registers, but for some rows in place, which shared memory holds too.
int32_t block_for(const oddtile_softmax_problem& p) {
  const int64_t vectors = softmax_row_vectors(p, kSoftmaxConfigurations[kBlock4]);
  const int32_t measured = p.rows >= kFew ? measured_block_for(p, vectors) : -1;
  if (measured >= 0) return measured;
  const int64_t threads_4 = softmax_block_threads(vectors, 4);
  const int64_t slots_8 = 8 * softmax_block_threads(vectors, 8);
  const int64_t slots_9 = 9 * softmax_block_threads(vectors, 9);
  const int64_t fewest = slots_8 > 8 * kSoftmaxMostThreads ? slots_9 : std::min(slots_8, slots_9);
  // Idle slots cost more than many lanes.
  const bool many_idle = p.rows >= kFew && 4 * threads_4 * 100 <= kFullEnough * fewest;
  if (threads_4 <= (many_idle ? int64_t(kSoftmaxMostThreads) : most_threads_of_4(p)))
    return kBlock4;
  return fewest == slots_9 ? kBlock9 : kBlock8;
}

}  // namespace

int32_t choose_softmax(const oddtile_softmax_problem& p, const SoftmaxMachine& machine) {
  const auto admits = [&](int32_t index) { return softmax_admits(p, index, machine); };
  // Rows that all start in one bank are taken two or one at once.
  const bool same_banks = softmax_row_addresses(p, p.y, p.y_row_stride).step % 128 == 0;
  const bool wants_tile = p.y_row_stride == p.columns || (!same_banks && likes_tile_with_gaps(p));
  if (p.rows >= kFew && wants_tile && !softmax_rows_are_whole(p, false)) {
    const int32_t tile =
        same_banks ? first_of(kSameBankTiles, p, machine) : first_of(kTiles, p, machine);
    if (tile >= 0) return tile;
  }
  const int32_t words = words_for(p);
  if (words >= 0 && admits(words)) return words;
  const int32_t few = few_rows_for(p, machine);
  if (few >= 0) return few;
  const int32_t small = small_blocks_for(p, machine);
  if (small >= 0) return small;
  const int32_t lanes =
      p.rows <= kHandful ? first_of(kWarps, p, machine) : first_of(kLanes, p, machine);
  if (lanes >= 0) return lanes;
  // Blocks of 512 threads of which a multiprocessor holds two: one reads while the other computes.
  const SoftmaxMachine half = {machine.shared_bytes / 2, machine.cluster_blocks};
  const int32_t two_fit = first_of(kShared512, p, half);
  const int32_t block = block_for(p);
  const bool computes_long = p.rows >= kFew && (p.dtype != oddtile_fp32 || p.mask != nullptr);
  // Rows read in words wait long for them, too.
  const bool waits_long = p.rows >= kFew && p.dtype == oddtile_fp32 && softmax_moves(p);
  const bool is_wide = softmax_plan(p, block).threads > 512;
  if (admits(block) && !(two_fit >= 0 && (computes_long || waits_long) && is_wide)) return block;
  const int32_t staying = staying_for(p, machine, two_fit);
  if (staying >= 0) return staying;
  if (two_fit >= 0) return two_fit;
  const int32_t one_fits = first_of(kShared1024, p, machine);
  return one_fits >= 0 ? one_fits : kSoftmaxOnline;
}

}  // namespace oddtile
