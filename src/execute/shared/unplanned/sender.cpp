// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/sender.hpp"

#include <bit>
#include <new>

#include "execute/script/copies.hpp"
#include "execute/shared/wait/space.hpp"
#include "execute/transport.hpp"
#include "foundation/planted.hpp"

namespace quadrille {
namespace {

constexpr Bytes sender_line_bytes = 64;

// The area's size does not depend on measured costs, because with a wrong figure messages might have no room. Half of the area
// has at most most_area_bytes, unless CopyChoice::least_rendezvous bytes for each rank are more.
Bytes bytes_of_area(Count ranks) {
  return 2 * rounded_up(std::max(ranks * CopyChoice::least_rendezvous,
                                 std::min((ranks - 1) * CopyCosts::most_eager, CopyChoice::most_area_bytes)),
                        sender_line_bytes);
}

constexpr unsigned sender_advances_between_looks = 16;

}  // namespace

double PiecesTrial::Samples::median() const {
  std::array<double, samples_each> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[samples_each / 2];
}

// If all ranks send equally many bytes, all choose the same way, so that each measured time belongs to a single way.
bool PiecesTrial::begin(Bytes bytes, double expected) {
  timed_ = nullptr;
  if (expected > hopeless) return false;
  constexpr int least_bits = 10;  // the binary logarithm of CopyChoice::least_rendezvous
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
  Kind& kind = kinds_[static_cast<std::size_t>(std::clamp(bits - least_bits, 0, static_cast<int>(kinds_.size()) - 1))];
  const bool is_new = kind.pieces.count() < samples_each || kind.once.count() < samples_each;
  if (!is_new && ++kind.calls % calls_between_samples != 0) return kind.prefers_pieces;
  timed_ = &kind;
  bytes_ = bytes;
  return in_pieces_ = kind.once.count() == kind.pieces.count() ? expected < 1 : kind.pieces.count() < kind.once.count();
}

void PiecesTrial::end(double seconds) {
  QUADRILLE_ASSERT(is_timed());
  Kind& kind = *timed_;
  timed_ = nullptr;
  (in_pieces_ ? kind.pieces : kind.once).add(seconds / static_cast<double>(bytes_));
  if (kind.once.count() == kind.pieces.count()) kind.prefers_pieces = kind.pieces.median() < worthwhile * kind.once.median();
}

Sender::Sender(SharedSpace& space, PairSlots& slots, const CopyCosts& costs)
    : space_(space),
      slots_(slots),
      choice_(costs),
      area_(bytes_of_area(space.size())),
      area_used_(space.size()),
      last_(space.size()) {
  for (Count buffer = double_buffers_of(space.size()); buffer-- > 0;)
    free_buffers_.push_back(static_cast<Offset>(area_.bytes() + buffer * Slot::double_buffer_bytes));
}

Bytes Sender::memory_bytes() const { return area_bytes() + memory_bytes_of(waiting_, heads_, turns_, lent_, rung_, free_buffers_); }

// Allocates now, so that no later exchange in which more messages must wait has to allocate.
void Sender::make_room(std::size_t sends) {
  waiting_.reserve(sends), lent_.reserve(sends), rung_.reserve(sends);
  heads_.reserve(sends), turns_.reserve(sends);
}

const Edges::Send* Sender::begin(std::span<const Edges::Send> sends, std::uint64_t exchange) {
  exchange_ = exchange;
  waiting_.clear();
  heads_.clear();
  lent_.clear();
  left_ = 0, wanted_ = 0;
  unwanted_.reset();
  trial_.abandon();
  const Edges::Send *const end = sends.data() + sends.size(), *own = end;
  Bytes most = 0;
  bool has_others = false;
  for (const Edges::Send& edge : sends)
    if (edge.to == space_.rank())
      own = std::min(own, &edge);
    else
      has_others = true, most = std::max(most, edge.bytes);
  if (!has_others) return own;
  if (sends.size() > waiting_.capacity()) [[unlikely]]
    make_room(sends.size());
  if (most < CopyChoice::least_rendezvous) {
    send_tiny(sends);
  } else {
    for (const Edges::Send& edge : sends)
      if (edge.bytes > 0 && edge.to != space_.rank()) put_off(edge);
    const bool lends = choose_ways(most);
    for (const Waiting& message : waiting_) wanted_ += message.wanted();
    if (lends) send_waiting(true);  // first, so that receivers read them while this rank copies the others
  }
  if (!heads_.empty()) send_waiting(false);
  return own;
}

void Sender::put_off(const Edges::Send& edge) {
  const auto place = static_cast<std::uint32_t>(waiting_.size());
  waiting_.push_back({{.bytes = edge.bytes}, &edge});
  ++left_;
  Last& last = last_[edge.to];
  if (last.exchange == exchange_ && !is_planted("edge lost"))
    waiting_[last.place].next = place;
  else
    heads_.push_back(place);
  last = {exchange_, place};
}

Bytes Sender::Waiting::wanted() const {
  if (way == CopyWay::rendezvous || bytes <= Slot::least_bytes - Slot::header_bytes) return 0;
  return way == CopyWay::pieces ? 0 : rounded_up(bytes, sender_line_bytes);
}

// The fast path: sends the messages that fit into the slots, and lists the others.
void Sender::send_tiny(std::span<const Edges::Send> sends) {
  rung_.clear();
  for (const Edges::Send& edge : sends) {
    if (edge.bytes == 0 || edge.to == space_.rank()) continue;
    Slot* const slot = last_[edge.to].exchange == exchange_ ? nullptr : slots_.free_slot(edge.to);
    if (slot && edge.bytes <= slots_.room_in(slot, edge.to)) [[likely]] {
      put_into_slot(*slot, edge);
      rung_.push_back(edge.to);
    } else {
      put_off(edge);
      wanted_ += waiting_.back().wanted();
    }
  }
  space_.ring(rung_);
}

// Returns whether any message is copied once.
bool Sender::choose_ways(Bytes most) {
  if (!choice_.may_differ(size(waiting_), most)) return false;
  for (Waiting& message : waiting_) {
    if (message.bytes < CopyChoice::least_rendezvous) continue;
    message.offset = space_.offset_of(message.edge->memory, 0, message.bytes);
    message.is_loaded = message.offset != 0;
    message.is_readable = space_.reads_private_memory();
  }
  const LongMessages messages = choice_.long_messages(std::span<const Waiting>(waiting_));
  const bool in_pieces = messages.count > 0 && trial_.begin(messages.bytes, choice_.pieces_by_once(messages));
  if (trial_.is_timed()) started_ = Clock::now();
  return choice_.choose(std::span(waiting_), in_pieces);
}

// Sends the waiting messages that can be sent. Goes over the receivers in turns. Each turn sends one message to each receiver; a
// receiver whose message cannot be sent drops out. So the time does not depend on how many messages still wait.
void Sender::send_waiting(bool lent_only) {
  rung_.clear();
  const bool opens = !lent_only && wanted_ > 0;
  if (opens) area_.open(wanted_, [this](std::uint64_t exchange) { return is_over_for_receivers(exchange); });
  turns_.swap(heads_);
  heads_.clear();
  for (bool is_first_turn = true; !turns_.empty(); is_first_turn = false) {
    std::size_t kept = 0;
    for (const std::uint32_t place : turns_) {
      const Waiting& message = waiting_[place];
      if ((lent_only && message.way != CopyWay::rendezvous) || !send(message, left_ - 1)) {
        heads_.push_back(place);
        continue;
      }
      --left_;
      wanted_ -= message.wanted();
      if (is_first_turn) rung_.push_back(message.edge->to);
      if (message.next != none) turns_[kept++] = message.next;
    }
    turns_.resize(kept);
  }
  if (opens) area_.close(exchange_);
  is_far_ahead_ = std::all_of(heads_.begin(), heads_.end(),
                              [this](std::uint32_t place) { return slots_.is_far_ahead(waiting_[place].edge->to); });
  space_.ring(rung_);
}

// Have all receivers of messages in the area finished that exchange?
bool Sender::is_over_for_receivers(std::uint64_t exchange) {
  for (Rank to = 0; to < space_.size(); ++to)
    if (area_used_[to] >= exchange && !slots_.has_finished(to, exchange)) return false;
  return true;
}

// Returns false if the message must wait. `left` messages follow it.
bool Sender::send(const Waiting& message, Count left) {
  const Edges::Send& edge = *message.edge;
  Slot* const slot = slots_.free_slot(edge.to);
  if (!slot) return false;
  if (edge.bytes <= slots_.room_in(slot, edge.to))
    put_into_slot(*slot, edge);
  else if (message.way == CopyWay::rendezvous)
    lend(*slot, edge, message.offset);
  else if (message.way == CopyWay::pieces)
    return send_in_pieces(*slot, edge);
  else
    return put_into_area(*slot, message, left);
  return true;
}

void Sender::put_into_slot(Slot& slot, const Edges::Send& edge) {
  // Write the first cache line last. The receiver polls this line. If this rank wrote it at two times, the line would move to the
  // receiver's cache and back in between.
  const std::size_t bytes = index(edge.bytes), first = std::min(bytes, index(Slot::first_line_bytes));
  if (bytes > first) {
    copy_bytes(slot.here() + first, edge.memory + first, bytes - first);
    std::atomic_signal_fence(std::memory_order_release);
  }
  slot.bytes = edge.bytes;
  copy_bytes(slot.here(), edge.memory, first);
  slots_.publish(edge.to, exchange_, Slot::Way::here);
}

// Copies the message to the area if it fits. A share of the area is kept free for each message that follows. A message that does
// not fit is copied once by the receiver or, if the receiver cannot read it, goes in pieces.
bool Sender::put_into_area(Slot& slot, const Waiting& message, Count left) {
  const Edges::Send& edge = *message.edge;
  const Bytes place = area_.place_for(edge.bytes), there = area_.room_from(place);
  const Bytes room = there - std::min(left * (area_.bytes() / space_.size() / sender_line_bytes * sender_line_bytes), there / 2);
  if (edge.bytes > room) {
    const Offset offset = message.offset ? message.offset : space_.offset_of(edge.memory, 0, edge.bytes);
    if (!offset && !space_.reads_private_memory()) return send_in_pieces(slot, edge);
    lend(slot, edge, offset);
    return true;
  }
  copy_long(memory_ + place, edge.memory, index(edge.bytes));  // written before the slot, as in put_into_slot
  area_.take(place, edge.bytes);
  area_used_[edge.to] = exchange_;
  slot.bytes = edge.bytes;
  new (&slot.elsewhere) Slot::Elsewhere{static_cast<Offset>(place), 0, {}, {}};
  slots_.publish(edge.to, exchange_, Slot::Way::area);
  return true;
}

void Sender::lend(Slot& slot, const Edges::Send& edge, Offset offset) {
  slot.bytes = edge.bytes;
  new (&slot.elsewhere) Slot::Elsewhere{offset, reinterpret_cast<std::uintptr_t>(edge.memory), {}, {}};
  const std::uint64_t number = slots_.publish(edge.to, exchange_, Slot::Way::once);
  lent_.push_back({edge.to, &slot, number, &edge});
}

// Returns false if all double buffers are in use: the message must wait.
bool Sender::send_in_pieces(Slot& slot, const Edges::Send& edge) {
  if (free_buffers_.empty()) return false;
  Lent message{.to = edge.to, .slot = &slot, .number = 0, .edge = &edge, .buffer = free_buffers_.back()};
  free_buffers_.pop_back();
  slot.bytes = edge.bytes;
  new (&slot.elsewhere) Slot::Elsewhere{message.buffer, 0, {}, {}};
  put_piece(message);
  message.number = slots_.publish(edge.to, exchange_, Slot::Way::pieces);
  lent_.push_back(message);
  return true;
}

void Sender::put_piece(Lent& message) {
  const Bytes bytes = std::min(Slot::piece_bytes, message.edge->bytes - message.put);
  copy_long(memory_ + message.buffer + message.put % Slot::double_buffer_bytes, message.edge->memory + message.put, index(bytes));
  message.put += bytes;
  put_bytes_ += bytes;
  const bool is_early = is_planted("piece counted twice") && message.put < message.edge->bytes;
  message.slot->elsewhere.put.publish(static_cast<std::uint64_t>(is_early ? message.put + 1 : message.put));
}

// A sender that is far ahead seldom checks whether its receivers have advanced, because each check slows the receivers down.
bool Sender::advance() {
  const bool looks = std::exchange(looks_now_, false) || ++looks_ % sender_advances_between_looks == 0;
  if (!heads_.empty() && (looks || !is_far_ahead_)) send_waiting(false);
  std::erase_if(lent_, [&](Lent& message) { return try_to_finish(message); });
  if (looks) drop_unwanted();
  return is_over();
}

// Returns true once the receiver has taken the whole message.
bool Sender::try_to_finish(Lent& message) {
  if (message.buffer == no_buffer) {
    if (!message.slot->loan.is_back(message.number) && !is_planted("loan ended early")) return false;
  } else {
    const auto taken = static_cast<Bytes>(message.slot->elsewhere.taken.reached());
    if (taken < message.edge->bytes) {
      const Bytes before = message.put;
      while (message.put < message.edge->bytes &&
             message.put - taken < (is_planted("piece put early") ? 2 : 1) * Slot::double_buffer_bytes)
        put_piece(message);
      if (message.put > before) space_.ring(message.to);
      return false;
    }
  }
  finish(message);
  return true;
}

void Sender::finish(const Lent& message) {
  message.slot->is_over();
  if (message.buffer != no_buffer) free_buffers_.push_back(message.buffer);
}

// Gives up messages that their receivers did not expect: the receivers have finished the exchange without them.
void Sender::drop_unwanted() {
  std::erase_if(lent_, [&](Lent& message) {
    if (!slots_.has_finished(message.to, exchange_)) return false;
    if (try_to_finish(message)) return true;  // the receiver has just taken it
    if (!unwanted_) unwanted_ = {message.to, message.edge->bytes};
    if (message.buffer != no_buffer) free_buffers_.push_back(message.buffer);
    return true;
  });
}

void Sender::end() {
  if (trial_.is_timed()) trial_.end(std::chrono::duration<double>(Clock::now() - started_).count());
}

void Sender::withdraw() {
  for (const Lent& message : lent_) {
    if (message.buffer != no_buffer) continue;  // its receiver reads the double buffer, which stays until all ranks have closed
    withdraw_lent(space_, message.slot->loan, message.number, message.to);
  }
  lent_.clear();
  heads_.clear();
}

}  // namespace quadrille
