// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/communicator_state.hpp"

#include "foundation/assert.hpp"
#include "mpi_face/operation.hpp"
#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_sites = 4096;
constexpr Bytes longest_block = Bytes{1} << 30;

std::uint64_t mixed_with(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

std::uint64_t hash_of(const Key& key) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.function);
  for (const std::uint64_t field :
       {static_cast<std::uint64_t>(key.block_bytes), static_cast<std::uint64_t>(key.root), static_cast<std::uint64_t>(key.element),
        reinterpret_cast<std::uint64_t>(key.operation), key.counts})
    hash = mixed_with(hash, field);
  return hash;
}

// Returns the facts of the side that holds the shares of all ranks, whose type determines the bytes of an element.
const TypeFacts& facts_of_data(const Shape& shape) { return shape.output.facts.is_valid ? shape.output.facts : shape.input.facts; }

// Hashes byte counts, because ranks may describe the same data by different datatypes.
std::uint64_t hash_of_shares(const Shape& shape, Count ranks) {
  const Bytes element = facts_of_data(shape).size;
  std::uint64_t hash = 1;
  for (Rank rank = 0; rank < ranks; ++rank) hash = mixed_with(hash, static_cast<std::uint64_t>(shape.counts[rank] * element));
  return hash;
}

bool has_shares(const Site& site, const Shape& shape) {
  const Bytes element = facts_of_data(shape).size;
  for (std::size_t rank = 0; rank < site.shares.size(); ++rank)
    if (site.shares[rank] != shape.counts[static_cast<Rank>(rank)] * element) return false;
  return true;
}

bool overlap(const Elements& a, const Elements& b) {
  const auto first = reinterpret_cast<std::uintptr_t>(a.memory), second = reinterpret_cast<std::uintptr_t>(b.memory);
  return first < second + static_cast<std::uintptr_t>(b.bytes()) && second < first + static_cast<std::uintptr_t>(a.bytes());
}

void grow(std::vector<std::byte>& buffer, Bytes bytes) {
  if (static_cast<Bytes>(buffer.size()) < bytes) buffer.resize(static_cast<std::size_t>(bytes));
}

}  // namespace

CommunicatorState::CommunicatorState(MPI_Comm communicator) : communicator_(communicator) {
  int is_inter = 0, rank = 0, ranks = 1;
  if (PMPI_Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS || is_inter ||
      PMPI_Comm_rank(communicator, &rank) != MPI_SUCCESS || PMPI_Comm_size(communicator, &ranks) != MPI_SUCCESS)
    return;
  rank_ = rank, ranks_ = ranks;
  is_inter_ = false;
}

int CommunicatorState::run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  outcome.why = "intercommunicator";
  if (is_inter_) return vendor();
  if (ranks_ == 1) return run_alone(call, vendor, outcome);
  switch (call.function) {
    case Function::Alltoallv: return run_irregular(call, vendor, outcome);
    case Function::Alltoallw:
    case Function::Gatherv:
    case Function::Scatterv: outcome.why = "each rank knows only its own counts"; return vendor();
    default: return run_planned(call, vendor, outcome);
  }
}

RecentCall& CommunicatorState::recent_of(const MpiCall& call) {
  if (!recent_) recent_ = std::make_unique<std::array<RecentCall, 16>>();
  const auto count = static_cast<std::uint64_t>(call.send.count + call.receive.count);
  const std::uint64_t hash = (count * 32 + static_cast<std::uint64_t>(call.function)) * 0x9E3779B97F4A7C15u;
  return (*recent_)[hash >> 60];
}

int CommunicatorState::run_again(RecentCall& recent, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  Shape& shape = recent.shape;
  outcome.block_bytes = shape.block_bytes;
  outcome.is_root = is_rooted(shape.collective) && shape.root == rank_;
  outcome.site = recent.site;
  outcome.why = recent.why;
  if (!recent.site) return vendor();
  Site& site = *recent.site;
  outcome.why = site.why;
  ++site.calls;
  if (site.mode != Site::Mode::ours) return vendor();
  outcome.by_ours = true;
  recent.set_buffers(call);
  return execute(site, shape);
}

// All ranks take the same path, because the key contains only values that MPI requires to be equal on all ranks. Calls with wrong
// arguments are passed to the MPI library, which reports the error.
int CommunicatorState::run_planned(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  RecentCall& recent = recent_of(call);
  const bool is_due = recent.site && recent.site->calls + 1 >= recent.site->next_event;
  if (recent.is_like(call) && !is_due && (waiting_.empty() || !recent.synchronises)) [[likely]]
    return run_again(recent, call, vendor, outcome);
  const std::optional<Shape> shape = shape_of(call, rank_, ranks_);
  outcome.why = "wrong arguments";
  if (!shape) return vendor();
  outcome.block_bytes = shape->block_bytes;
  outcome.is_root = is_rooted(shape->collective) && shape->root == rank_;
  outcome.why = shape->block_bytes == 0 ? "no data" : "blocks of more than 1 GiB";
  if (shape->block_bytes > longest_block) return vendor();
  if (shape->block_bytes == 0 && shape->collective != Collective::barrier) return vendor();
  outcome.why = "an operator or a type of the user's own";
  const std::optional<Key> key = key_of(call, *shape);
  Site* const site = key ? site_of(*key, call, *shape) : nullptr;
  if (key) outcome.why = "too many kinds of calls";
  if (site && ++site->calls >= site->next_event) [[unlikely]]
    await_settling(*site);
  // Making and trying plans waits for all ranks, so it happens only in a call that synchronises them anyway.
  if (!waiting_.empty() && (Settings::get().admits_anywhere || synchronises(*shape, ranks_))) [[unlikely]]
    settle(outcome);
  // Only one call in eight is remembered, because remembering costs more than it saves if calls do not repeat.
  if (++unknown_calls_ % 8 == 0 && RecentCall::can_hold(call))
    recent = {true, site, outcome.why, call, *shape, synchronises(*shape, ranks_)};
  if (!site) return vendor();
  last_ = site;
  outcome.site = site;
  outcome.by_ours = site->mode == Site::Mode::ours;
  outcome.why = site->why;
  return outcome.by_ours ? execute(*site, *shape) : vendor();
}

std::optional<Key> CommunicatorState::key_of(const MpiCall& call, const Shape& shape) const {
  Key key{.function = call.function, .block_bytes = shape.block_bytes};
  if (is_rooted(shape.collective)) key.root = shape.root;
  if (is_irregular(shape.collective)) key.counts = hash_of_shares(shape, ranks_);
  if (!is_reduction(shape.collective)) return key;
  const ElementType& element = facts_of_data(shape).element;
  key.element = element.number;
  key.operation = operation_of(call.operation, element).get();
  return key.operation ? std::optional(key) : std::nullopt;
}

// Finds or makes the site for this kind of call; null if there are too many.
Site* CommunicatorState::site_of(const Key& key, const MpiCall& call, const Shape& shape) {
  if (last_ && last_->key == key && has_shares(*last_, shape)) return last_;
  if (Site* const site = found(key, shape)) return site;
  const TrialVerdict* const known = verdict_on(key);
  const Bytes moved = shape.block_bytes * (has_blocks(shape.collective) ? ranks_ : 1);
  Site* const site = made(key, call_of_plan(ranks_, moved, !known));
  if (!site) return nullptr;
  site->moved = moved;
  site->why = "called too rarely as yet";
  if (key.operation) {
    site->type = shape.output.facts.is_valid ? shape.output.type : shape.input.type;
    site->type_bytes = facts_of_data(shape).size;
    site->operation = call.operation;
  }
  for (Rank rank = 0; rank < ranks_ && shape.counts; ++rank) site->shares.push_back(shape.counts[rank] * facts_of_data(shape).size);
  return site;
}

Site* CommunicatorState::found(const Key& key, const Shape& shape) {
  return sites_.find(hash_of(key), [&](const Site& site) { return site.key == key && has_shares(site, shape); });
}

Site* CommunicatorState::made(const Key& key, std::uint64_t first_event) {
  if (sites_.size() == most_sites) return nullptr;
  Site* const site = sites_.add(hash_of(key));
  site->key = key;
  site->next_event = first_event;
  return site;
}

// A communicator of one rank: collectives are local copies.
int CommunicatorState::run_alone(const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  RecentCall& recent = recent_of(call);
  if (recent.is_like(call)) [[likely]]
    return copy_alone(recent, call, vendor, outcome);
  outcome.why = "wrong arguments";
  const std::optional<Shape> shape = shape_of(call, rank_, ranks_);
  if (!shape) return vendor();
  const bool is_known = !is_reduction(shape->collective) || key_of(call, *shape);
  RecentCall now{true, nullptr, is_known ? "" : "an operator or a type of the user's own", call, *shape, false};
  if (RecentCall::can_hold(call)) recent = now;
  return copy_alone(now, call, vendor, outcome);
}

int CommunicatorState::copy_alone(RecentCall& now, const MpiCall& call, VendorCall vendor, CallOutcome& outcome) {
  Shape& shape = now.shape;
  outcome.block_bytes = shape.block_bytes;
  outcome.why = now.why;
  if (!now.why.empty()) return vendor();
  now.set_buffers(call);
  const Elements &from = shape.input, &to = shape.output;
  outcome.block_bytes = shape.block_bytes;
  const bool copies =
      to.facts.is_valid && !shape.in_place && !shape.keeps_output && call.function != Function::Exscan && from.count > 0;
  if (copies && overlap(from, to)) return vendor();
  outcome.by_ours = true;
  if (!copies) return MPI_SUCCESS;
  if (to.is_canonical()) return pack(from, static_cast<std::byte*>(to.memory), communicator_);
  grow(input_, from.bytes());
  const int code = pack(from, input_.data(), communicator_);
  return code == MPI_SUCCESS ? unpack(input_.data(), to, communicator_) : code;
}

int CommunicatorState::execute(Site& site, const Shape& shape) {
  QUADRILLE_ASSERT(site.plan && shape.block_bytes == site.key.block_bytes);  // the plan is for blocks of this size
  try {
    if (shape.collective == Collective::broadcast) return execute_broadcast(site, shape);
    const Elements &from = shape.input, &to = shape.output;
    const bool input_is_canonical = !shape.in_place && from.is_canonical() && !overlap(from, to);
    const bool output_is_canonical = !shape.keeps_output && to.is_canonical();
    if (!input_is_canonical) {
      grow(input_, from.bytes());
      if (const int code = pack(from, input_.data(), communicator_); code != MPI_SUCCESS) return code;
    }
    if (!output_is_canonical) grow(output_, to.bytes());
    auto* const output = output_is_canonical ? static_cast<std::byte*>(to.memory) : output_.data();
    site.plan->execute(input_is_canonical ? from.memory : input_.data(), output);
    if (output_is_canonical || shape.keeps_output) return MPI_SUCCESS;
    return unpack(output, to, communicator_);
  } catch (const std::exception& error) {
    return failed(error);
  }
}

int CommunicatorState::execute_broadcast(Site& site, const Shape& shape) {
  const Elements& data = shape.output;
  if (data.is_canonical()) {
    site.plan->execute_in_place(data.memory);
    return MPI_SUCCESS;
  }
  grow(output_, data.bytes());
  const bool is_root = rank_ == shape.root;
  if (is_root)
    if (const int code = pack(data, output_.data(), communicator_); code != MPI_SUCCESS) return code;
  site.plan->execute_in_place(output_.data());
  return is_root ? MPI_SUCCESS : unpack(output_.data(), data, communicator_);
}

// Reports an error of a planned call. Once a plan exists, an error can only come from a lost peer or from a mistake in the program.
int CommunicatorState::failed(const std::exception& error) {
  remark(error.what());
  PMPI_Comm_call_errhandler(communicator_, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

}  // namespace quadrille::mpi_face
