// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/exchange.hpp"

#include <fmt/format.h>

#include "execute/agreement.hpp"
#include "execute/executions/exchanger.hpp"
#include "execute/script/copies.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "execute/shared/wait/lending.hpp"
#include "foundation/assert.hpp"

namespace quadrille {

SharedExchange::SharedExchange(SharedSpace& space, const CopyCosts& costs)
    : space_(space), slots_(space), sender_(space, slots_, costs), receiver_(space, slots_) {
  if (space.size() > 1) meet();
}

void SharedExchange::meet() {
  struct Places {
    Offset control, area;
  };
  Claim control(space_), area(space_);
  try {
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
  } catch (...) {
    if (space_.has_failed()) {  // a rank that has not noticed the failure may still write there
      control.keep();
      area.keep();
    }
    throw;
  }
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
  const Edges::Receive* const receive = receiver_.begin(edges.receives, exchange_);
  const Edges::Send* const send = sender_.begin(edges.sends, exchange_);
  copy_own(edges, send, receive);
}

// The k-th edge that leads from this rank to itself meets the k-th that comes from it. `send`, `receive`: the first ones.
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

// Called before the rank sleeps, and before it gives a rank up that has left.
Rank SharedExchange::awaited() {
  receiver_.look();
  sender_.look();
  if (sender_.is_over()) return receiver_.awaited();
  return receiver_.is_over() ? sender_.awaited() : SharedSpace::anybody;
}

bool SharedExchange::proceed() {
  return space_.poll([this] { return advance_both(); }, [this] { return awaited(); }, looks_);
}

// Each piece ends a wait: a long wait sleeps, and would do so for each further piece of a long message.
void SharedExchange::complete() {
  while (!advance_both()) {
    const Bytes before = moved();
    space_.wait_until([&] { return advance_both() || moved() != before; }, [this] { return awaited(); });
  }
}

// Tells senders that this rank has read all messages, and throws if the ranks did not agree.
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

void SharedExchange::give_up(const Error& why) noexcept {
  if (!space_.is_usable()) return;
  sender_.withdraw();
  if (!space_.has_failed()) fail_all(space_, why);
}

}  // namespace quadrille
