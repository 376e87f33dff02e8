// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/nodes_exchange.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "foundation/assert.hpp"
#include "foundation/planted.hpp"

namespace quadrille {

NodesExchange::NodesExchange(std::shared_ptr<SharedSpace> node, const CopyCosts& costs, NodeMap map, const PackingRule& rule,
                             std::unique_ptr<FarEdges> far, const MessageWindow& window)
    : kept_(std::move(node)),
      state_(*kept_, std::move(map), rule, std::move(far), window),
      near_(*kept_, costs),
      ends_(state_),
      rows_(state_.map.count()) {
  meet();
}

void NodesExchange::meet() {
  Claim control(state_.node);
  const auto all = gathered_or_thrown(state_.node, [&] {
    if (state_.node.rank() == 0) control.allocate_control(state_.board.control_bytes());
    return control.place();
  });
  gathered_or_thrown(state_.node, [&] {  // also a barrier: no rank uses the board before all have initialised their parts
    state_.board.begin_at(all[0]);
    return '\0';
  });
  control.keep();
  has_board_ = true;
}

NodesExchange::~NodesExchange() {
  if (has_board_ && state_.node.is_usable()) state_.board.close();
}

Bytes NodesExchange::memory_bytes() const {
  return near_.memory_bytes() + state_.queue.memory_bytes() + (state_.node.rank() == 0 ? state_.board.control_bytes() : 0) +
         ends_.memory_bytes() + out_.memory_bytes() + in_.memory_bytes() +
         memory_bytes_of(rows_, packed_, to_pack_, state_.to_unpack);
}

void NearEdges::clear() {
  lists_.clear();
  error_ = nullptr;
}

void NearEdges::begin() {
  edges_ = lists_.edges();
  is_over_ = false;
  exchange_.begin({.edges = &edges_});
}

bool NearEdges::advance() {
  if (is_over_) return true;
  try {
    is_over_ = exchange_.advance();
  } catch (const Error&) {
    if (node_.has_failed()) throw;
    error_ = std::current_exception();
    is_over_ = true;
  }
  return is_over_;
}

void NodesExchange::start(const Edges& edges) {
  list(edges);
  near_.begin();
}

// Starts early messages, and lists and adds up the short edges.
void NodesExchange::list(const Edges& edges) {
  state_.edges = &edges;
  ++state_.exchange;
  near_.clear();
  out_.clear(), in_.clear(), to_pack_.clear(), state_.to_unpack.clear();
  state_.queue.clear();
  ends_.begin();
  if (edges.may_pack) ++state_.decision;
  if (std::exchange(has_rows_, false)) std::fill(rows_.begin(), rows_.end(), NodeBoard::Row{});
  const FarEdges::Kind at_once = state_.kind(edges.may_pack ? Form::early : Form::straight);
  for (std::size_t i = 0; i < edges.receives.size(); ++i) {
    const auto& [from, memory, bytes] = edges.receives[i];
    const Count node = state_.map.node_of(from);
    if (node == state_.map.own()) {
      near_.lists().receive(state_.map.place_of(from), memory, bytes);
    } else if (bytes > 0 && state_.is_short(bytes)) {
      in_.add(state_.map.steps_to(node), state_.map.place_of(from), i);
      rows_[node].in.add(summary_of(from, state_.me(), bytes));
    } else if (bytes > 0) {
      state_.queue.receive(at_once, from, memory, bytes, static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t i = 0; i < edges.sends.size(); ++i) {
    const auto& [to, memory, bytes] = edges.sends[i];
    const Count node = state_.map.node_of(to);
    if (node == state_.map.own()) {
      near_.lists().send(state_.map.place_of(to), memory, bytes);
    } else if (bytes > 0 && state_.is_short(bytes)) {
      out_.add(state_.map.steps_to(node), state_.map.place_of(to), i);
      rows_[node].out.add(summary_of(state_.me(), to, bytes));
    } else if (bytes > 0) {
      state_.queue.send(at_once, to, memory, bytes);
    }
  }
  state_.queue.start();
  out_.sort(), in_.sort();
  has_rows_ = !out_.is_empty() || !in_.is_empty();
  state_.is_decided = !has_rows_;
  has_entered_ = !edges.may_pack;
  if (!has_entered_) enter();
}

EdgeSummary NodesExchange::summary_of(Rank from, Rank to, Bytes bytes) const {
  const Count source = state_.map.node_of(from), target = state_.map.node_of(to);
  return {{bytes, 1},
          {state_.map.number_to_lead(source, state_.map.place_of(from), target),
           state_.map.number_to_lead(target, state_.map.place_of(to), source)}};
}

// Shows this rank's part of the short edges, if it has any.
void NodesExchange::enter() {
  if (!state_.board.may_enter(state_.decision, has_rows_)) return;
  has_entered_ = true;
  if (is_planted("row published early")) state_.board.enter(state_.decision);
  if (has_rows_) {
    const NodeBoard::Page page = state_.board.own_page(state_.decision);
    prepare_parts(page.parts);
    std::copy(rows_.begin(), rows_.end(), page.rows.begin());
  }
  state_.board.enter(state_.decision);
  state_.node.ring_all();
}

// Copies the edges to each node into `parts`, as far as there is room.
void NodesExchange::prepare_parts(std::span<std::byte> parts) {
  Bytes at = 0;
  out_.by_node([&](Count steps, Keys edges) {
    NodeBoard::Row& row = rows_[state_.map.node_after(steps)];
    if (part_bytes(row.out.totals) > static_cast<Bytes>(parts.size()) - at) return;
    list_packed(edges);
    prepare_part(parts.data() + at, packed_);
    row.part = at;
    at += part_bytes(row.out.totals);
  });
}

void NodesExchange::list_packed(Keys edges) {
  packed_.clear();
  for (const std::uint64_t key : edges) {
    const Edges::Send& edge = state_.edges->sends[ShortEdges::edge_of(key)];
    packed_.push_back({ShortEdges::place_of(key), edge.memory, edge.bytes});
  }
}

bool NodesExchange::advance_all() {
  const bool is_near_over = near_.advance();
  if (!has_entered_) enter();
  if (!state_.is_decided && has_entered_ && state_.board.all_have_entered(state_.decision)) decide();
  if (!to_pack_.empty()) send_packed();
  if (state_.far().has_open()) do  // starts the messages of a long list before this rank gives its core away
      for (const FarEdges::Arrival& arrival : state_.queue.advance()) take(arrival);
    while (state_.queue.has_gone_on());
  if (!state_.to_unpack.empty()) unpack();
  if (ends_.has_absent()) [[unlikely]]
    ends_.look_for_absent();
  if (is_near_over && has_entered_ && state_.is_decided && to_pack_.empty() && state_.to_unpack.empty() && !ends_.has_absent() &&
      !state_.far().has_open()) {
    ends_.is_complete();
    return true;
  }
  ends_.look();
  return false;
}

// ---- Deciding

// Called by a rank with short edges when all ranks of its node have entered.
void NodesExchange::decide() {
  state_.is_decided = true;
  in_.by_node([this](Count steps, Keys edges) { expect_decided(state_.map.node_after(steps), edges); });
  packs_later_ = false;
  out_.by_node([this](Count steps, Keys edges) { send_decided(state_.map.node_after(steps), edges); });
  state_.queue.start();
  if (!packs_later_) return;
  state_.board.note_packed(state_.decision);
  state_.node.ring_all();
}

void NodesExchange::expect_decided(Count node, Keys edges) {
  const auto [totals, leaders] = state_.sum(node, &NodeBoard::Row::in, state_.node.size());
  if (state_.rule.packs(totals, state_.map.ranks_of(node))) {
    if (state_.map.leader(state_.map.own(), node, leaders.receiver) == state_.me())
      state_.queue.receive_now(state_.kind(Form::packed), state_.map.leader(node, state_.map.own(), leaders.sender),
                               state_.board.incoming(node), state_.rule.most_bytes,
                               NodesState::packed_name | static_cast<std::uint32_t>(node));
    state_.to_unpack.push_back({node, edges});
    return;
  }
  for (const std::uint64_t key : edges) {
    const auto& [from, memory, bytes] = state_.edges->receives[ShortEdges::edge_of(key)];
    state_.queue.receive(state_.kind(Form::single), from, memory, bytes, static_cast<std::uint32_t>(ShortEdges::edge_of(key)));
  }
}

void NodesExchange::send_decided(Count node, Keys edges) {
  const auto [totals, leaders] = state_.sum(node, &NodeBoard::Row::out, state_.node.size());
  if (!state_.rule.packs(totals, state_.node.size())) {
    for (const std::uint64_t key : edges) {
      const auto& [to, memory, bytes] = state_.edges->sends[ShortEdges::edge_of(key)];
      state_.queue.send(state_.kind(Form::single), to, memory, bytes);
    }
    return;
  }
  if (rows_[node].part == NodeBoard::Row::no_part) {
    list_packed(edges);
    pack(state_.board.outgoing(node), state_.node.size(), totals, state_.sum(node, &NodeBoard::Row::out, state_.node.rank()).totals,
         packed_);
    packs_later_ = true;
  }
  if (state_.map.leader(state_.map.own(), node, leaders.sender) == state_.me())
    lead(node, totals, state_.map.leader(node, state_.map.own(), leaders.receiver));
}

// ---- Packed messages

// Begins the message with the parts that its senders have prepared. Senders without a prepared part write into the message
// themselves.
void NodesExchange::lead(Count node, const EdgeTotals& totals, Rank to) {
  std::byte* const message = state_.board.outgoing(node);
  TableWriter table(message);
  EdgeTotals before;
  for (Rank place = 0; place < state_.node.size(); ++place) {
    const NodeBoard::Row& row = state_.board.row(place, node, state_.decision);
    const EdgeTotals& own = row.out.totals;
    table.add(own.edges);
    if (own.edges > 0 && row.part != NodeBoard::Row::no_part)
      add_part(message, state_.node.size(), totals, before, state_.board.part(place, row, state_.decision), own);
    before.add(own);
  }
  table.end();
  to_pack_.push_back({node, packed_bytes(state_.node.size(), totals), to});
}

void NodesExchange::send_packed() {
  std::erase_if(to_pack_, [this](const ToPack& message) {
    for (Rank place = 0; place < state_.node.size(); ++place) {
      const NodeBoard::Row& row = state_.board.row(place, message.node, state_.decision);
      if (row.out.totals.edges > 0 && row.part == NodeBoard::Row::no_part && !state_.board.has_packed(place, state_.decision))
        return false;
    }
    state_.queue.send_now(state_.kind(Form::packed), message.to, state_.board.outgoing(message.node), message.bytes);
    return true;
  });
}

void NodesExchange::take(const FarEdges::Arrival& arrival) {
  if (arrival.name == NodesState::lost) return;
  if (arrival.name & NodesState::packed_name) {
    const auto node = static_cast<Count>(arrival.name & ~NodesState::packed_name);
    const Bytes bytes = std::max(arrival.bytes, Bytes{0});
    state_.board.note_arrival(node, state_.decision, bytes);
    state_.node.ring_all();
    ends_.compare_totals(node, state_.packed_from(node, bytes));
    return;
  }
  if (arrival.bytes == state_.edges->receives[arrival.name].bytes) [[likely]]
    return;
  ends_.note(arrival.name, arrival.bytes == FarEdges::Arrival::too_long ? EdgeDifference::too_long : arrival.bytes);
}

void NodesExchange::unpack() {
  std::erase_if(state_.to_unpack, [this](const NodesState::ToUnpack& message) {
    const auto bytes = state_.board.arrived(message.node, state_.decision);
    if (bytes) unpack(message, state_.packed_from(message.node, *bytes));
    return bytes.has_value();
  });
}

void NodesExchange::unpack(const NodesState::ToUnpack& message, const PackedMessage& packed) {
  for (auto first = message.edges.begin(); first != message.edges.end();) {
    const Rank sender = ShortEdges::place_of(*first);
    const auto last =
        std::find_if(first, message.edges.end(), [&](std::uint64_t key) { return ShortEdges::place_of(key) != sender; });
    unpack({first, last}, packed, packed.edges(sender, state_.node.rank()));
    first = last;
  }
}

// The edges of one sender. An edge that is missing in the message is perhaps long for its sender.
void NodesExchange::unpack(Keys keys, const PackedMessage& packed, PackedMessage::Range found) {
  Count next = found.first, missing = static_cast<Count>(keys.size()) - found.count();
  for (const std::uint64_t key : keys) {
    const std::size_t edge = ShortEdges::edge_of(key);
    const auto& [from, memory, expected] = state_.edges->receives[edge];
    const std::span<const std::byte> sent = next < found.last ? packed.edge(next) : std::span<const std::byte>{};
    const auto bytes = static_cast<Bytes>(sent.size());
    if (bytes != expected && missing > 0) [[unlikely]] {
      --missing;
      ends_.note_absent(edge);
      continue;
    }
    if (bytes != expected) [[unlikely]]
      ends_.note(edge, bytes);
    if (bytes <= expected) std::memcpy(memory, sent.data(), sent.size());
    ++next;
  }
  if (next < found.last) [[unlikely]]
    ends_.note_further(state_.edges->receives[ShortEdges::edge_of(keys[0])].from, keys.size(),
                       static_cast<Bytes>(packed.edge(next).size()));
}

// ---- Endings

bool NodesExchange::proceed() {
  return state_.node.poll([this] { return advance_all(); }, [] { return SharedSpace::anybody; }, looks_);
}

// While messages between nodes are open, the rank must poll: no rank wakes it when one arrives. Otherwise it sleeps, so that a
// rank that works can have the core.
//
// A rank that has started messages first lets other ranks start theirs. Otherwise a rank whose messages have already arrived
// would go on to its next exchange at once, and send the messages of two exchanges together. For two messages the receiver would
// send a separate acknowledgement packet; for one message it sends the acknowledgement with its own next message. All later
// exchanges would have more packets in this way, and idle links between them.
void NodesExchange::complete() {
  if (state_.far().has_open() && state_.node.shares_core()) sched_yield();
  while (!advance_all()) {
    if (state_.far().has_open()) {
      const bool is_quiet = state_.far().is_quiet();
      const auto driving = is_quiet ? SharedSpace::Driving::without_yielding : SharedSpace::Driving::as_usual;
      state_.node.give_core_away_after(driving);
      state_.node.poll_until([&] { return advance_all() || !state_.far().has_open() || state_.far().is_quiet() != is_quiet; },
                             driving);
    } else {
      state_.node.wait_until([this] { return advance_all() || state_.far().has_open(); }, [] { return SharedSpace::anybody; });
    }
  }
}

void NodesExchange::end() {
  near_.throw_if_failed();
  ends_.throw_if_found();
}

void NodesExchange::withdraw(const Error& why) noexcept {
  state_.far().withdraw();
  near_.abandon(why);
}

}  // namespace quadrille
