// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "execute/agreement.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "foundation/planted.hpp"

namespace quadrille {
namespace {

constexpr std::size_t fetched_ahead = 4;  // prefetch distance, in messages

// Returns bases for copies between a block and this rank's memory. In these copies, offsets in buffer `staging` count from
// `payload`: the payload of a received message, or the first payload of a group that is sent.
Bases with_payload(Bases bases, std::byte* payload) {
  bases[Buffer::staging] = payload;
  return bases;
}

}  // namespace

NodeSteps::NodeSteps(SharedSpace& space, const std::vector<Rank>& members, const Script& script) : space_(space) {
  const auto node_of = [&](Rank rank) { return script.nodes[index(rank)]; };
  const auto is_member = [&](Rank rank) { return std::find(members.begin(), members.end(), rank) != members.end(); };
  const Count node = node_of(script.rank);
  for (Rank rank = 0; rank < size(script.nodes); ++rank)  // each rank checks all nodes, so that all throw the same error
    if (!is_member(rank) && std::any_of(members.begin(), members.end(), [&](Rank each) { return node_of(each) == node_of(rank); }))
      throw Error(ErrorCode::misuse,
                  fmt::format("rank {} shares no memory with the others of its node, so they cannot keep step", rank));

  std::vector<Count> rounds;  // those with messages of this rank to or from other nodes; ascending, since windows are rounds
  for (const ScriptMessage& message : script.messages)
    if (node_of(message.peer) != node && (rounds.empty() || rounds.back() != message.round)) rounds.push_back(message.round);

  std::vector<Rank> mates;  // the ranks of the node, numbered as in the space
  for (Rank rank = 0; rank < size(members); ++rank)
    if (node_of(members[index(rank)]) == node) mates.push_back(rank);
  mates_ = size(mates);
  QUADRILLE_ASSERT(std::is_sorted(rounds.begin(), rounds.end()));
  QUADRILLE_ASSERT(std::find(mates.begin(), mates.end(), space_.rank()) != mates.end());

  struct Card {
    Offset counter;
    Count rounds;
  };
  Claim claim(space_);
  const auto cards = gathered_or_thrown(space_, [&] {
    if (space_.rank() == mates.front()) new (space_.at(claim.allocate_control(sizeof(Counter)))) Counter;
    return Card{claim.place(), size(rounds)};
  });
  own_ = claim.keep();
  Count most = 1;
  for (const Card& card : cards) most = std::max(most, card.rounds);
  rounds.resize(index(most));
  std::vector<Count> all(rounds.size() * members.size());
  space_.all_gather(rounds.data(), all.data(), most * static_cast<Bytes>(sizeof(Count)));

  counter_ = reinterpret_cast<Counter*>(space_.at(cards[mates.front()].counter));

  std::vector<Count> exchanges;  // the rounds of all ranks of the node, ascending
  for (const Rank mate : mates) {
    const auto first = all.begin() + mate * size(rounds);
    exchanges.insert(exchanges.end(), first, first + cards[mate].rounds);
  }
  std::sort(exchanges.begin(), exchanges.end());
  total_ = exchanges.size();
  for (const Window& window : script.windows) {
    const auto first = script.messages.begin() + window.messages.first, last = script.messages.begin() + window.messages.last;
    const auto exchange = std::find_if(first, last, [&](const ScriptMessage& each) { return node_of(each.peer) != node; });
    needed_.push_back(exchange == last
                          ? none
                          : static_cast<std::uint64_t>(std::lower_bound(exchanges.begin(), exchanges.end(), exchange->round) -
                                                       exchanges.begin()));
  }
}

NodeSteps::~NodeSteps() {
  if (!space_.is_usable()) return;
  counter_->closing.go_through();
  if (own_) space_.retire(own_, [counter = counter_, mates = mates_] { return counter->closing.are_through(mates); });
}

SharedMessages::SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script)
    : SharedMessages(space, script, connected(space, costs, *script)) {
  std::vector<Rank> everybody(index(space_.size()));
  std::iota(everybody.begin(), everybody.end(), Rank{0});
  steps_ = NodeSteps::of(space_, everybody, *script_);
}

SharedMessages::SharedMessages(SharedSpace& space, std::shared_ptr<const Script> script, Connected connected)
    : space_(space),
      script_(std::move(script)),
      layout_(std::move(connected.layout)),
      connection_(std::move(connected.connection)),
      dense_(space.core_for_every_rank() || script_->record ? DenseWindows() : DenseWindows(*script_, layout_, connection_)),
      elastic_(script_->capacity > 0 ? std::make_unique<ElasticConnection>(layout_, connection_, script_->capacity) : nullptr),
      bases_(connection_.bases) {
  for (MessageList* list : {&open_, &complete_}) list->room.resize(script_->messages.size());
}

Bytes SharedMessages::memory_bytes() const {
  return rounded_up(script_->scratch_bytes, SendAreaLayout::line) + script_->staging_bytes +
         static_cast<Bytes>(layout_.watched.size() * sizeof(ProgressCounter)) +
         (layout_.block_bytes + layout_.ack_bytes) * layout_.blocks() +
         memory_bytes_of(layout_.postings, layout_.places, layout_.groups, layout_.copies, layout_.rung, layout_.watched) +
         memory_bytes_of(connection_.receives, connection_.copies, connection_.inlets, connection_.counted, connection_.watched,
                         open_.room, complete_.room) +
         dense_.memory_bytes() + script_.memory_bytes() + (elastic_ ? elastic_->memory_bytes() : 0);
}

void SharedMessages::end() {
  QUADRILLE_HOT_ASSERT(!has_open());
  if (trial_seconds_ > 0) streaming_.add(std::exchange(trial_seconds_, 0));
  for (const Connection::Inlet& inlet : connection_.counted)
    if (execution_ % inlet.tells_each == 0) {
      inlet.counter->reach(is_planted("execution counted twice") ? execution_ + 1 : execution_);
      space_.ring(inlet.peer);
    }
}

void SharedMessages::wait_for_readers() {
  const Connection::Watched* reader = nullptr;
  space_.wait_until([&] { return !(reader = reader_of_next_block()); }, [&] { return reader->rank; });
}

// In a group that has failed, earlier executions may have ended before their readers were through. So this rank must not write to
// a block again: a reader that has all it needs completes its execution without an error.
const Bases& SharedMessages::begin(const std::byte* input, std::byte* output) {
  if (space_.has_failed()) space_.throw_lost();
  bases_[Buffer::input] = const_cast<std::byte*>(input);  // never written
  bases_[Buffer::output] = output;
  ++execution_;
  open_.count = complete_.count = dense_next_ = dense_last_ = 0;
  unpublished_ = none;
  now_ = connection_.blocks.of(execution_);
  acks_now_ = connection_.acks.of(execution_);
  return bases_;
}

// Returns a receiver that has not yet copied what an earlier execution put into the next block; null if all have.
const Connection::Watched* SharedMessages::reader_of_next_block() {
  if (execution_ <= layout_.block_mask || is_planted("block reused early")) return nullptr;
  const std::uint64_t needed = execution_ - layout_.block_mask;
  for (Connection::Watched& receiver : connection_.watched) {
    if (receiver.finished < needed) receiver.finished = receiver.counter->reached();
    if (receiver.finished < needed) return &receiver;
  }
  return nullptr;
}

// Returns the shared-memory offset of a buffer from which receivers copy long messages; 0 if it is private memory.
Offset SharedMessages::offset_of(Buffer buffer) const {
  const auto [first, last] = layout_.lent[buffer];
  return first < last ? space_.offset_of(bases_[buffer], first, last) : 0;
}

// Must the sender copy this long message into its block? Yes if other processes cannot read its buffer.
bool SharedMessages::goes_through_block(const ScriptMessage& message) const {
  if (space_.reads_private_memory()) return false;
  return !std::all_of(message.regions.begin(), message.regions.end(),
                      [&](const Region& region) { return offset_of(region.buffer) != 0; });
}

void SharedMessages::post(std::uint32_t index) {
  QUADRILLE_HOT_ASSERT(index < layout_.postings.size() && open_.count < open_.room.size() &&
                       complete_.count < complete_.room.size());
  const SendAreaLayout::Posting& posting = layout_.postings[index];
  if (!posting.is_send) {
    open_.add(index);
    return;
  }
  const bool open = posting.is_long && !goes_through_block(script_->messages[index]);
  if (open)
    open_.add(index);
  else if (posting.is_long)
    run_to_block(layout_.groups[posting.group], layout_.places[index].copies);
  unpublished_ = posting.group;
  if (script_->policy != Policy::dataflow) return;
  publish(posting.group);
  if (!open) complete_.add(index);
}

void SharedMessages::post_window(std::size_t index) {
  if (dense_.is_dense(index)) {
    const DenseWindows::Window& window = dense_[index];
    unpublished_ = window.group;
    dense_next_ = window.receives.first;
    dense_last_ = window.receives.last;
    return;
  }
  const IndexRange messages = script_->windows[index].messages;
  for (std::uint32_t i = messages.first; i < messages.last; ++i) post(i);
}

void SharedMessages::run_to_block(const SendAreaLayout::Group& group, IndexRange copies) {
  const Bases target = with_payload(bases_, now_ + group.payload);
  for (std::uint32_t i = copies.first; i < copies.last; ++i) run_copy(layout_.copies[i], bases_, target);
}

void SharedMessages::publish(std::uint32_t index) {
  QUADRILLE_HOT_ASSERT(index < layout_.groups.size());
  const SendAreaLayout::Group& group = layout_.groups[index];
  if (!is_planted("flag published early")) run_to_block(group, group.copies);
  auto* head = reinterpret_cast<GroupHead*>(now_ + group.head);
  if (group.has_long) {
    for (std::size_t buffer = 0; buffer < bases_.size(); ++buffer) {
      head->bases[buffer] = reinterpret_cast<std::uintptr_t>(bases_.data()[buffer]);
      head->offsets[buffer] = offset_of(static_cast<Buffer>(buffer));
    }
  }
  head->flag.publish(execution_);
  if (is_planted("flag published early")) run_to_block(group, group.copies);
  space_.ring({layout_.rung.data() + group.receivers.first, group.receivers.size()});
  unpublished_ = none;
}

bool SharedMessages::try_to_complete(std::uint32_t index) {
  if (layout_.postings[index].is_send) return own_ack(index).is_back(execution_);
  const Receive& receive = connection_.receives[index];
  std::byte* block = receive.blocks.of(execution_);
  const std::uint64_t published = reinterpret_cast<const Flag*>(block + receive.head)->published();
  QUADRILLE_HOT_ASSERT(published <= execution_);  // no sender writes to a block whose readers have not finished
  if (published != execution_) return false;
  if (receive.length > 0) [[likely]] {
    copy_bytes(bases_[receive.target_buffer] + receive.target, block + receive.payload, receive.length);
    return true;
  }
  bool combined = receive.combines;
  if (receive.is_long)
    combined = receive_long(receive, block);
  else
    run(receive.copies, with_payload(bases_, block + receive.payload), bases_);
  if (receive.is_fused && (!combined || is_planted("reduction run twice")))
    run_copies(*script_, script_->messages[index].reduction, bases_);
  return true;
}

void SharedMessages::run(IndexRange copies, const Bases& source, const Bases& target) {
  for (std::uint32_t i = copies.first; i < copies.last; ++i)
    if (connection_.copies[i].effect == Effect::overwrite)
      run_copy(connection_.copies[i], source, target);
    else
      run_reduction(connection_.copies[i], *script_->operation, source, target);
}

// Receives a long message. Returns whether the bytes have been combined, for a fused receive.
bool SharedMessages::receive_long(const Receive& receive, std::byte* block) {
  const auto* head = reinterpret_cast<const GroupHead*>(block + receive.head);
  const std::optional<Bases> source = held_bases(receive, *head);
  if (!source && !space_.reads_private_memory()) {
    run(receive.copies, with_payload(bases_, block + receive.payload), bases_);
    return receive.combines;
  }
  auto& ack = *reinterpret_cast<Acknowledgement*>(receive.acks.of(execution_) + receive.ack);
  read_lent(space_, ack, execution_, connection_.inlets[receive.inlet].peer, [&] {
    if (!source)
      read_private(receive, *head);
    else if (connection_.may_stream && !receive.is_fused)
      run_long(receive.direct, *source);
    else
      run(receive.direct, *source, bases_);
  });
  return source && receive.combines;
}

// Returns the sender's buffers as mapped into this process. Returns nothing unless all regions of the message can be loaded,
// because all of a message is read in one way.
std::optional<Bases> SharedMessages::held_bases(const Receive& receive, const GroupHead& head) {
  for (std::uint32_t i = receive.stored.first; i < receive.stored.last; ++i)
    if (head.offsets[static_cast<std::size_t>(connection_.copies[i].source_buffer)] == 0) return std::nullopt;
  Bases bases{};
  for (std::size_t buffer = 0; buffer < bases.size(); ++buffer) {
    bases.data()[buffer] = const_cast<std::byte*>(loadable(space_, head.offsets[buffer]));  // never written
    if (head.offsets[buffer] && !bases.data()[buffer]) return std::nullopt;
  }
  return bases;
}

void SharedMessages::run_long(IndexRange copies, const Bases& source) {
  const auto start = streaming_.is_over() ? Clock::time_point{} : Clock::now();
  for (std::uint32_t i = copies.first; i < copies.last; ++i) {
    const StridedCopy& copy = connection_.copies[i];
    if (streaming_.streams() && is_straight(copy))
      copy_streaming(bases_[copy.target_buffer] + copy.target, source[copy.source_buffer] + copy.source,
                     static_cast<std::size_t>(copy.length));
    else
      run_copy(copy, source, bases_);
  }
  if (!streaming_.is_over()) trial_seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

// Copies a long message by process_vm_readv. Its source is contiguous, because make_script packs other messages.
void SharedMessages::read_private(const Receive& receive, const GroupHead& head) {
  const StridedCopy& first = connection_.copies[receive.stored.first];
  const std::uint64_t base = head.bases[static_cast<std::size_t>(first.source_buffer)];
  const auto* source = reinterpret_cast<const std::byte*>(base) + first.source;
  std::array<TargetPiece, SharedSpace::most_pieces> pieces;
  std::size_t count = 0, length = 0;
  const auto flush = [&] {
    space_.read_private(connection_.inlets[receive.inlet].peer, source, {pieces.data(), count});
    source += length;
    count = length = 0;
  };
  for (std::uint32_t i = receive.stored.first; i < receive.stored.last; ++i) {
    const StridedCopy& copy = connection_.copies[i];
    std::byte* target = bases_[copy.target_buffer] + copy.target;
    const auto& [inner, middle, outer] = copy.levels;
    for (Count c = 0; c < outer.count; ++c)
      for (Count b = 0; b < middle.count; ++b)
        for (Count a = 0; a < inner.count; ++a) {
          pieces[count] = {target + a * inner.target_stride + b * middle.target_stride + c * outer.target_stride,
                           static_cast<std::size_t>(copy.length)};
          length += pieces[count].length;
          if (++count == pieces.size()) flush();
        }
  }
  if (count > 0) flush();
}

// Called after an error: withdraws this rank's open sends, so that no rank reads its memory after it is freed.
void SharedMessages::withdraw() {
  if (!space_.is_usable()) return;
  for (; open_.count > 0; --open_.count) {
    const std::uint32_t message = open_[open_.count - 1];
    if (layout_.postings[message].is_send) withdraw_lent(space_, own_ack(message), execution_, script_->messages[message].peer);
  }
}

// Fails the whole group, because other ranks may wait for this rank in any execution.
void SharedMessages::fail(const Error& why) noexcept {
  if (space_.is_usable()) fail_all(space_, why);
}

// Prefetches the flag and the payload of a receive; they may be in another core's cache.
void SharedMessages::fetch(std::uint32_t index) const {
  if (layout_.postings[index].is_send) return;
  const Receive& receive = connection_.receives[index];
  const std::byte* block = receive.blocks.of(execution_);
  __builtin_prefetch(block + receive.head);
  __builtin_prefetch(block + receive.payload);
}

// Calls seen(message) for each message that becomes complete.
template <class Seen>
[[gnu::always_inline]] inline bool SharedMessages::complete_open(Seen&& seen) {
  if (unpublished_ != none) publish(unpublished_);
  const std::size_t count = open_.count;
  std::size_t kept = 0;
  bool fused_waits = false;  // a fused receive is not complete, so later ones must wait: the order of reductions decides the result
  for (std::size_t i = 0; i < count; ++i) {
    if (i + fetched_ahead < count) fetch(open_[i + fetched_ahead]);
    const bool fused = connection_.receives[open_[i]].is_fused;
    if ((fused && fused_waits) || !try_to_complete(open_[i])) {
      fused_waits = fused_waits || fused;
      open_[kept++] = open_[i];
    } else {
      seen(open_[i]);
    }
  }
  open_.count = kept;
  return kept == 0;
}

// Receives the messages of a dense window up to the first that is missing.
bool SharedMessages::advance_dense() {
  for (; dense_next_ < dense_last_; ++dense_next_) {
    const DenseReceive& receive = dense_.receive(dense_next_);
    const std::byte* const head = receive.head(execution_);
    const std::uint64_t published = reinterpret_cast<const Flag*>(head)->published();
    QUADRILLE_HOT_ASSERT(published <= execution_);  // as in try_to_complete
    if (published != execution_ && !is_planted("list read early")) return false;
    copy_bytes(bases_[receive.target_buffer] + receive.target, head + receive.payload, receive.length);
  }
  return true;
}

bool SharedMessages::advance() {
  return complete_open([](std::uint32_t) {}) && advance_dense();
}

bool SharedMessages::advance(CompletionStamps completions) { return complete_open(completions); }

std::optional<std::uint32_t> SharedMessages::advance_any() {
  if (complete_.count > 0) return complete_[--complete_.count];
  for (std::size_t i = 0; i < open_.count; ++i) {
    const std::uint32_t message = open_[i];
    if (!try_to_complete(message)) continue;
    open_[i] = open_[--open_.count];
    return message;
  }
  return std::nullopt;
}

void SharedMessages::wait() {
  space_.wait_until([&] { return advance(); }, [&] { return awaited(); });
}

void SharedMessages::wait(const CompletionStamps& completions) {
  space_.wait_until([&] { return advance(completions); }, [&] { return awaited(); });
}

std::uint32_t SharedMessages::wait_any() {
  std::optional<std::uint32_t> completed;
  space_.wait_until([&] { return (completed = advance_any()).has_value(); }, [] { return SharedSpace::anybody; });
  return *completed;
}

template class ScriptExecutable<SharedMessages>;
template class ScriptExecutable<SharedMessages, Observer>;

}  // namespace quadrille
