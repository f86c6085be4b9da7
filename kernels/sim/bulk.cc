#include "kernels/sim/bulk.h"

#include <algorithm>
#include <cstring>

#include "kernels/sim/hopper_words.h"
#include "kernels/sim/mbarrier.h"
#include "kernels/sim/state.h"

namespace oddtile::simulator {

namespace {

constexpr int kPieceBytes = 16;
constexpr int kPartsMax = 8;  // a copy lands in so many parts, each of every eighth piece
constexpr uint32_t kTensorAlignment = 128;
constexpr uint32_t kRunAlignment = 16;

using Pieces = std::vector<BoxPiece>;

int parts_of(const Pieces& pieces) {
  return int(std::min<size_t>(pieces.size(), kPartsMax));
}

// The bytes were checked at issue; a region is rounded out for reads.
__attribute__((no_sanitize("address"))) void copy_valid(std::byte* to, const std::byte* from,
                                                        int begin, int end) {
  for (int byte = begin; byte < end; ++byte) to[byte] = from[byte];
}

// A run of bytes as pieces; always whole.
Pieces run_pieces(uintptr_t global, uint32_t shared, int64_t bytes) {
  Pieces pieces;
  for (int64_t at = 0; at + kPieceBytes <= bytes; at += kPieceBytes) {
    pieces.push_back({global + uintptr_t(at), shared + uint32_t(at), 0, kPieceBytes});
  }
  return pieces;
}

int64_t valid_bytes(const Pieces& pieces) {
  int64_t bytes = 0;
  for (const BoxPiece& piece : pieces) bytes += piece.valid_end - piece.valid_begin;
  return bytes;
}

bool check_shared(sim::Machine::State& machine, const void* shared, int64_t bytes,
                  uint32_t alignment, const char* verb, Site site) {
  const std::string what = std::string(verb) + " " + std::to_string(bytes) + " bytes ";
  if (!machine.block->shared.contains(shared, bytes)) {
    machine.report(sim::HazardKind::out_of_bounds, site,
                   what + "outside the block's shared memory");
    return false;
  }
  if (shared_address(machine, shared) % alignment == 0) return true;
  machine.report(sim::HazardKind::misaligned, site,
                 what + "at shared address " + std::to_string(shared_address(machine, shared)) +
                     ", which is no multiple of " + std::to_string(alignment));
  return false;
}

// Pieces of global memory that may not be touched lose their valid bytes.
void check_global(sim::Machine::State& machine, Pieces& pieces, bool writes, Site site) {
  for (BoxPiece& piece : pieces) {
    const int bytes = piece.valid_end - piece.valid_begin;
    const uintptr_t address = piece.global + piece.valid_begin;
    if (bytes == 0) continue;
    if (writes ? machine.writable(address, bytes) : machine.readable(address, bytes)) continue;
    machine.report(sim::HazardKind::out_of_bounds, site,
                   machine.explain_access(writes ? "writes" : "reads", address, bytes));
    piece.valid_end = piece.valid_begin;
  }
}

// The layout behind a map whose box can be copied from and to these coordinates.
bool check_map(sim::Machine::State& machine, const TensorMap* map, const int32_t* at, int rank,
               TensorLayout* layout, Site site) {
  if (!read_tensor_map(*map, layout)) {
    machine.report(sim::HazardKind::asynchronous_misuse, site,
                   "copies by a tensor map that was never encoded");
    return false;
  }
  if (layout->rank != rank) {
    machine.report(sim::HazardKind::asynchronous_misuse, site,
                   "copies " + std::to_string(rank) + " dimensions by a tensor map of " +
                       std::to_string(layout->rank));
    return false;
  }
  if (at[0] * element_size(layout->element) % kPieceBytes == 0) return true;
  machine.report(sim::HazardKind::misaligned, site,
                 "a box that starts at element " + std::to_string(at[0]) + " of its rows");
  return false;
}

void touch_global(Races& races, const Operation& operation, const Pieces& pieces, Access access) {
  for (const BoxPiece& piece : pieces) {
    races.access(operation, piece.global + piece.valid_begin, piece.valid_end - piece.valid_begin,
                 access);
  }
}

class BulkLoad : public Asynchronous {
 public:
  BulkLoad(sim::Machine::State& machine, Pieces pieces, uint32_t barrier, int64_t phase, Site site)
      : Asynchronous(parts_of(pieces)),
        machine_(machine),
        pieces_(std::move(pieces)),
        barrier_(barrier),
        phase_(phase),
        site_(site) {}

  void land(int part) override {
    int64_t bytes = 0;
    for (size_t i = size_t(part); i < pieces_.size(); i += kPartsMax) {
      std::byte piece[kPieceBytes] = {};
      copy_valid(piece, reinterpret_cast<const std::byte*>(pieces_[i].global),
                 pieces_[i].valid_begin, pieces_[i].valid_end);
      std::memcpy(machine_.block->shared.begin() + pieces_[i].shared, piece, kPieceBytes);
      bytes += kPieceBytes;
    }
    MbarrierObject* object = machine_.block->hopper.mbarriers.find(barrier_);
    if (object != nullptr) receive_bytes(machine_, *object, bytes, phase_, site_);
  }

 private:
  sim::Machine::State& machine_;
  const Pieces pieces_;
  const uint32_t barrier_;
  const int64_t phase_;
  const Site site_;
};

// What is read from global memory, once.
void begin_read(sim::Machine::State& machine, Pieces& pieces, Site site) {
  check_global(machine, pieces, false, site);
  machine.counters.bytes_read += valid_bytes(pieces);
}

void start_load(sim::Machine::State& machine, void* to, Pieces pieces, void* barrier, Site site) {
  MbarrierObject* object = barrier_at(machine, barrier, site);
  if (object == nullptr || pieces.empty()) return;
  if (!object->fenced) {
    machine.report(sim::HazardKind::barrier_misuse, site,
                   "a copy completes at a barrier whose initialisation is not fenced");
  }
  const int64_t bytes = int64_t(pieces.size()) * kPieceBytes;
  object->in_flight += bytes;
  if (Races* races = machine.races.get()) {
    const Operation operation = races->issue(object->agent, Epoch(object->count.phase + 1),
                                             Proxy::async, machine.lane_index(), site);
    races->access(operation, reinterpret_cast<uintptr_t>(to), bytes, Access::write);
    touch_global(*races, operation, pieces, Access::read);
    races->witness(object->causes, machine.lane_index());
  }
  // Until the copy lands, its destination holds nothing that anybody could use.
  for (const BoxPiece& piece : pieces) {
    std::memset(machine.block->shared.begin() + piece.shared, 0xFF, kPieceBytes);
  }
  machine.start(std::make_shared<BulkLoad>(machine, std::move(pieces), object->address,
                                           object->count.phase, site));
}

}  // namespace

class BulkWrite : public Asynchronous {
 public:
  explicit BulkWrite(Pieces pieces) : Asynchronous(parts_of(pieces)), pieces_(std::move(pieces)) {
    staged_.resize(pieces_.size() * kPieceBytes);
  }
  void land(int part) override {
    for (size_t i = size_t(part); i < pieces_.size(); i += kPartsMax) {
      copy_valid(reinterpret_cast<std::byte*>(pieces_[i].global), &staged_[i * kPieceBytes],
                 pieces_[i].valid_begin, pieces_[i].valid_end);
    }
  }
  const Pieces& pieces() const { return pieces_; }
  std::byte* staged(size_t piece) { return &staged_[piece * kPieceBytes]; }

 private:
  const Pieces pieces_;
  std::vector<std::byte> staged_;
};

class BulkRead : public Asynchronous {
 public:
  BulkRead(sim::Machine::State& machine, std::shared_ptr<BulkWrite> write)
      : Asynchronous(parts_of(write->pieces())), machine_(machine), write_(std::move(write)) {}
  void land(int part) override {
    const Pieces& pieces = write_->pieces();
    for (size_t i = size_t(part); i < pieces.size(); i += kPartsMax) {
      std::memcpy(write_->staged(i), machine_.block->shared.begin() + pieces[i].shared,
                  kPieceBytes);
    }
  }
  void finish() override { machine_.start(write_); }

 private:
  sim::Machine::State& machine_;
  const std::shared_ptr<BulkWrite> write_;
};

void BulkGroups::Store::finish(sim::Machine::State& machine) const {
  if (read->landed()) machine.force(*write);
}

namespace {

void start_store(sim::Machine::State& machine, const void* from, Pieces pieces, Site site) {
  check_global(machine, pieces, true, site);
  BulkGroups& groups = machine.block->hopper.bulk_groups(machine.thread_index());
  groups.last_group = groups.committed;
  groups.last_site = site;
  if (pieces.empty()) return;
  machine.counters.bytes_written += valid_bytes(pieces);
  if (Races* races = machine.races.get()) {
    if (groups.reads == 0) {
      groups.reads = races->new_agent();
      groups.writes = races->new_agent();
    }
    const Epoch epoch = Epoch(groups.committed + 1);
    const int lane = machine.lane_index();
    const Operation read = races->issue(groups.reads, epoch, Proxy::async, lane, site);
    races->access(read, reinterpret_cast<uintptr_t>(from), int64_t(pieces.size()) * kPieceBytes,
                  Access::read);
    const Operation write = races->issue(groups.writes, epoch, Proxy::async, lane, site);
    touch_global(*races, write, pieces, Access::write);
  }
  auto write = std::make_shared<BulkWrite>(std::move(pieces));
  auto read = std::make_shared<BulkRead>(machine, write);
  groups.stores.push_back({groups.committed, read, write});
  machine.start(std::move(read));
}

}  // namespace

void load_tensor_bulk(void* to, const TensorMap* map, const int32_t* at, int rank, void* barrier,
                      Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::bulk_load);
  TensorLayout layout;
  if (!check_map(machine, map, at, rank, &layout, site)) return;
  if (!check_shared(machine, to, layout.box_bytes(), kTensorAlignment, "copies", site)) return;
  Pieces pieces = box_pieces(layout, at, shared_address(machine, to));
  begin_read(machine, pieces, site);
  start_load(machine, to, std::move(pieces), barrier, site);
}

void load_tensor_multicast(void* to, const TensorMap* map, const int32_t* at, int rank,
                           void* barrier, uint32_t ranks, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::bulk_load);
  TensorLayout layout;
  if (!check_map(machine, map, at, rank, &layout, site)) return;
  if (!check_shared(machine, to, layout.box_bytes(), kTensorAlignment, "copies", site)) return;
  const uint32_t to_offset = shared_address(machine, to);
  const uint32_t barrier_offset = shared_address(machine, barrier);
  Pieces pieces = box_pieces(layout, at, to_offset);
  begin_read(machine, pieces, site);
  for (int other = 0; ranks >> other != 0; ++other) {
    if ((ranks >> other & 1) == 0 || !reach_block(machine, other, "copies to", site)) continue;
    const Visit visit(machine, other);
    std::byte* const there = machine.block->shared.begin();
    start_load(machine, there + to_offset, pieces, there + barrier_offset, site);
  }
}

void store_tensor_bulk(const TensorMap* map, const int32_t* at, int rank, const void* from,
                       Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::bulk_store);
  TensorLayout layout;
  if (!check_map(machine, map, at, rank, &layout, site)) return;
  if (!check_shared(machine, from, layout.box_bytes(), kTensorAlignment, "stores", site)) return;
  start_store(machine, from, box_pieces(layout, at, shared_address(machine, from), true), site);
}

static bool check_run(sim::Machine::State& machine, uintptr_t global, const void* shared,
                      int64_t bytes, const char* verb, Site site) {
  if (bytes <= 0 || bytes % kRunAlignment != 0 || global % kRunAlignment != 0) {
    machine.report(sim::HazardKind::misaligned, site,
                   machine.explain_access(verb, global, int(bytes)) +
                       ": address or length is no multiple of 16");
    return false;
  }
  return check_shared(machine, shared, bytes, kRunAlignment, verb, site);
}

void load_bulk(void* to, uintptr_t from, int64_t bytes, void* barrier, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::bulk_load);
  if (!check_run(machine, from, to, bytes, "copies", site)) return;
  Pieces pieces = run_pieces(from, shared_address(machine, to), bytes);
  begin_read(machine, pieces, site);
  start_load(machine, to, std::move(pieces), barrier, site);
}

void store_bulk(uintptr_t to, const void* from, int64_t bytes, Site site) {
  sim::Machine::State& machine = *running;
  machine.begin_word(Word::bulk_store);
  if (!check_run(machine, to, from, bytes, "stores", site)) return;
  start_store(machine, from, run_pieces(to, shared_address(machine, from), bytes), site);
}

void commit_bulk(Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::commit_bulk, site)) return;
  machine.begin_word(Word::commit_bulk);
  ++machine.block->hopper.bulk_groups(machine.thread_index()).committed;
}

void wait_bulk(int pending, bool reads_only, Site site) {
  sim::Machine::State& machine = *running;
  if (!machine.passes(Word::wait_bulk, site)) return;
  machine.begin_word(Word::wait_bulk);
  const int lane = machine.lane_index();
  BulkGroups& groups = machine.block->hopper.bulk_groups(machine.thread_index());
  const int64_t awaited = groups.committed - pending;
  groups.reads_awaited = std::max(groups.reads_awaited, awaited);
  for (size_t i = 0; i < groups.stores.size(); ++i) {
    if (groups.stores[i].group >= awaited) continue;
    machine.force(*groups.stores[i].read);
    if (!reads_only) machine.force(*groups.stores[i].write);
  }
  while (!groups.stores.empty() && groups.stores.front().write->landed()) groups.stores.pop_front();
  if (machine.races && groups.reads != 0 && awaited > 0) {
    machine.races->complete(groups.reads, Epoch(awaited), lane);
    if (!reads_only) machine.races->complete(groups.writes, Epoch(awaited), lane);
  }
}

}  // namespace oddtile::simulator
