// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/exchange.hpp"

#include <fmt/format.h>

#include <utility>

#include "execute/agreement.hpp"
#include "execute/script/copies.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "execute/shared/wait/space.hpp"
#include "foundation/assert.hpp"
#include "foundation/planted.hpp"

namespace quadrille {
namespace {

constexpr unsigned advances_between_looks = 16;

}  // namespace

std::string EdgeDifference::sentence_of(const Edge& edge, Rank sender, Rank receiver) {
  const auto& [from, number, sent, expected] = edge;
  const std::string which = number == 0 ? "" : fmt::format(" (their edge {}, counted from 0)", number);
  const char* const advice = "let both name the same number";
  if (sent == nothing)
    return fmt::format("rank {} expects {} bytes from rank {}, which sends none{}; {}", receiver, expected, sender, which, advice);
  if (expected == nothing)
    return fmt::format("rank {} has sent {} bytes to rank {}, which expected none{}; {}", sender, sent, receiver, which, advice);
  if (sent == too_long)
    return fmt::format("rank {} sends more bytes to rank {} than the {} that it expects{}; {}", sender, receiver, expected, which,
                       advice);
  return fmt::format("rank {} sends {} bytes to rank {}, which expects {}{}; {}", sender, sent, receiver, expected, which, advice);
}

const Edges::Receive* Receiver::begin(std::span<const Edges::Receive> receives, std::uint64_t exchange) {
  exchange_ = exchange;
  difference_.clear();
  open_.clear();
  further_.clear();
  in_pieces_.clear();
  const Edges::Receive *const end = receives.data() + receives.size(), *own = end;
  for (const Edges::Receive& edge : receives) {
    if (edge.from == space_.rank()) {
      own = std::min(own, &edge);
      continue;
    }
    if (edge.bytes == 0) continue;
    const Open message{&edge, slots_.expect(edge.from, exchange)};
    if (MessageNumber::edge_of(message.number) == 0) [[likely]]
      open_.push_back(message);
    else
      expect_further(message);
  }
  return own;
}

void Receiver::expect_further(const Open& message) {
  const Rank from = message.edge->from;
  const auto place = static_cast<std::uint32_t>(further_.size());
  if (MessageNumber::edge_of(message.number) > 1)
    further_[last_[from]].next = place;
  else
    std::find_if(open_.begin(), open_.end(), [&](const Open& each) { return each.edge->from == from; })->next = place;
  last_[from] = place;
  further_.push_back(message);
}

// Looks only at the next message of each rank, and at messages in pieces, because thousands of messages may be open.
bool Receiver::advance() {
  if (!in_pieces_.empty()) std::erase_if(in_pieces_, [this](const InPieces& message) { return receive_pieces(message); });
  std::size_t kept = 0;
  for (Open message : open_) {
    bool is_received = false;
    while ((is_received = try_to_receive(message)) && message.next != none) message = further_[message.next];
    if (!is_received) open_[kept++] = message;
  }
  open_.resize(kept);
  if (is_over()) return true;
  if (std::exchange(looks_now_, false) || ++looks_ % advances_between_looks == 0) drop_missing();
  return is_over();
}

// Returns true if this message needs no further look. In that case the caller looks for the next message of the same rank.
bool Receiver::try_to_receive(const Open& message) {
  const Rank from = message.edge->from;
  while (true) {
    const auto [slot, number] = slots_.arrived(from);
    if (!slot) return false;
    if (number == message.number) [[likely]] {
      receive(message, *slot);
      return true;
    }
    if (number > message.number) {  // the sender has listed fewer edges in the exchange of `message`
      difference_.note(from, MessageNumber::edge_of(message.number), EdgeDifference::nothing, message.edge->bytes);
      return true;
    }
    difference_.note(from, MessageNumber::edge_of(number), slot->bytes,
                     EdgeDifference::nothing);  // this message is left over from an earlier exchange
    slots_.advance(from, number);
  }
}

// Receives a message that has arrived. A message that is longer than its edge is not copied.
void Receiver::receive(const Open& message, Slot& slot) {
  const auto& [from, memory, expected] = *message.edge;
  const Bytes bytes = slot.bytes;
  if (bytes != expected) [[unlikely]]
    difference_.note(from, MessageNumber::edge_of(message.number), bytes, expected);
  const bool fits = bytes <= expected;
  slots_.advance(from, message.number);
  switch (slot.way()) {
    case Slot::Way::here:
      if (fits) copy_bytes(memory, slot.here(), index(bytes));
      break;
    case Slot::Way::area:
      if (fits) copy_long(memory, areas_[from] + slot.elsewhere.place, index(bytes));
      break;
    case Slot::Way::once: receive_once(message, slot, fits); return;
    case Slot::Way::pieces:
      if (const InPieces begun{message, &slot}; !receive_pieces(begun)) in_pieces_.push_back(begun);
      return;
  }
  if (slot.is_given_back()) give_back(message, slot);
}

void Receiver::give_back(const Open& message, Slot& slot) {
  slot.loan.give_back(message.number);
  space_.ring(message.edge->from);
}

void Receiver::receive_once(const Open& message, Slot& slot, bool fits) {
  read_lent(space_, slot.loan, message.number, message.edge->from, [&] {
    if (fits) read(message, slot);
  });
}

void Receiver::read(const Open& message, const Slot& slot) {
  const auto& [from, memory, expected] = *message.edge;
  const auto* const address = reinterpret_cast<const std::byte*>(slot.elsewhere.address);
  if (const std::byte* const source = is_planted("address of another rank") ? address : loadable(space_, slot.elsewhere.place)) {
    copy_long(memory, source, index(slot.bytes));
  } else {
    const TargetPiece whole{memory, index(slot.bytes)};
    space_.read_private(from, address, {&whole, 1});
  }
}

// Receives the pieces that have arrived. Returns true if the last piece is among them.
bool Receiver::receive_pieces(const InPieces& message) {
  Slot& slot = *message.slot;
  Slot::Elsewhere& there = slot.elsewhere;
  const auto put = static_cast<Bytes>(there.put.published());
  auto taken = static_cast<Bytes>(there.taken.own());
  QUADRILLE_HOT_ASSERT(put >= taken && put - taken <= Slot::double_buffer_bytes && put <= slot.bytes);
  if (put == taken) return false;
  const auto& [from, memory, expected] = *message.edge;
  const std::byte* const buffer = areas_[from] + there.place;
  const bool fits = slot.bytes <= expected;
  const bool is_last = put == slot.bytes;  // the sender may use the slot again when it knows that this rank has taken all pieces
  const bool is_given_back = slot.is_given_back();
  received_bytes_ += put - taken;
  while (taken < put) {
    const Bytes bytes = std::min(Slot::piece_bytes, put - taken);
    if (fits) copy_long(memory + taken, buffer + taken % Slot::double_buffer_bytes, index(bytes));
    taken += bytes;
    there.taken.reach(static_cast<std::uint64_t>(taken));
    space_.ring(from);  // the sender can put the next piece while this rank takes another piece
  }
  if (is_last && is_given_back) give_back(message, slot);
  return is_last;
}

// Gives up messages that have not arrived although their senders have finished the exchange: the senders do not list these edges.
void Receiver::drop_missing() {
  std::erase_if(open_, [&](const Open& message) {
    const Rank from = message.edge->from;
    if (!slots_.has_finished(from, exchange_) || slots_.arrived(from).slot) return false;
    difference_.note(from, MessageNumber::edge_of(message.number), EdgeDifference::nothing, message.edge->bytes);
    return true;
  });
}

SharedExchange::SharedExchange(SharedSpace& space, const CopyCosts& costs)
    : space_(space), slots_(space), sender_(space, slots_, costs), receiver_(space, slots_) {
  if (space.size() > 1) meet();
}

void SharedExchange::meet() {
  struct Places {
    Offset control, area;
  };
  Claim control(space_), area(space_);
  const auto all = gathered_or_thrown(space_, [&] {
    if (space_.rank() == 0) control.allocate_control(slots_.control_bytes());
    return Places{control.place(), area.allocate(sender_.area_bytes())};
  });
  // The second gather is also a barrier: no rank uses the memory before all have initialised their parts.
  gathered_or_thrown(space_, [&] {
    ByRank<const std::byte*> areas;
    for (const Places& each : all) areas.push_back(space_.at(each.area));
    receiver_.begin_at(std::move(areas));
    sender_.begin_at(space_.at(area.place()));
    slots_.begin_at(all[0].control);
    return '\0';
  });
  control.keep();
  own_area_ = area.keep();
}

SharedExchange::~SharedExchange() {
  if (own_area_ && space_.is_usable()) slots_.close(own_area_);
}

Bytes SharedExchange::memory_bytes() const {
  return own_area_ ? sender_.memory_bytes() + receiver_.memory_bytes() + slots_.memory_bytes() : 0;
}

void SharedExchange::start(const Edges& edges) {
  ++exchange_;
  if (is_planted("exchange finished early") && space_.size() > 1) slots_.finish(exchange_);
  const Edges::Receive* const receive = receiver_.begin(edges.receives, exchange_);
  const Edges::Send* const send = sender_.begin(edges.sends, exchange_);
  copy_own(edges, send, receive);
}

// Copies the edges from this rank to itself: the k-th send to the k-th receive. `send`, `receive`: the first of these edges.
void SharedExchange::copy_own(const Edges& edges, const Edges::Send* send, const Edges::Receive* receive) {
  const Rank me = space_.rank();
  const Edges::Send* const last_send = edges.sends.data() + edges.sends.size();
  const Edges::Receive* const last_receive = edges.receives.data() + edges.receives.size();
  for (std::uint64_t number = 0;; ++number, ++send, ++receive) {
    while (send != last_send && (send->to != me || send->bytes == 0)) ++send;
    while (receive != last_receive && (receive->from != me || receive->bytes == 0)) ++receive;
    const bool sends = send != last_send, receives = receive != last_receive;
    if (!sends && !receives) return;
    if (!sends || !receives || send->bytes != receive->bytes)
      receiver_.difference().note(me, number, sends ? send->bytes : EdgeDifference::nothing,
                                  receives ? receive->bytes : EdgeDifference::nothing);
    if (!sends || !receives) return;
    if (send->bytes <= receive->bytes && send->memory != receive->memory)
      copy_bytes(receive->memory, send->memory, index(send->bytes));
  }
}

bool SharedExchange::advance_both() {
  const bool received = receiver_.is_over() || receiver_.advance(), sent = sender_.is_over() || sender_.advance();
  return received && sent;
}

// Called before this rank sleeps, and before it stops waiting for a rank that has left.
Rank SharedExchange::awaited() {
  receiver_.look();
  sender_.look();
  if (sender_.is_over()) return receiver_.awaited();
  return receiver_.is_over() ? sender_.awaited() : SharedSpace::anybody;
}

bool SharedExchange::proceed() {
  return space_.poll([this] { return advance_both(); }, [this] { return awaited(); }, looks_);
}

// Each piece ends a wait. Otherwise a wait that has become long, and so sleeps, would sleep again for each further piece of the
// message.
void SharedExchange::complete() {
  while (!advance_both()) {
    const Bytes before = moved();
    space_.wait_until([&] { return advance_both() || moved() != before; }, [this] { return awaited(); });
  }
}

// Tells senders that this rank has read all messages, and throws if the ends of an edge did not agree.
void SharedExchange::end() {
  if (space_.size() > 1) {
    slots_.finish(exchange_);
    space_.ring_all();
  }
  sender_.end();
  const auto shown = [this](Rank rank) { return space_.shown(rank); };
  if (const std::string sentence = receiver_.difference().sentence(space_.rank(), shown); !sentence.empty()) [[unlikely]]
    throw Error(ErrorCode::misuse, sentence);
  if (const auto& unwanted = sender_.unwanted()) [[unlikely]]
    throw Error(ErrorCode::misuse,
                fmt::format("rank {} sends {} bytes to rank {}, which expects none; let both name the same number",
                            space_.shown(space_.rank()), unwanted->bytes, space_.shown(unwanted->to)));
}

void SharedExchange::withdraw(const Error& why) noexcept {
  if (!space_.is_usable()) return;
  sender_.withdraw();
  if (!space_.has_failed()) fail_all(space_, why);
}

}  // namespace quadrille
