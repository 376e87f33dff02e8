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

namespace quadrille {

NodesExchange::NodesExchange(std::shared_ptr<SharedSpace> node, const CopyCosts& costs, NodeMap map, const PackingRule& rule,
                             std::unique_ptr<FarEdges> far, const MessageWindow& window)
    : kept_(std::move(node)),
      node_(*kept_),
      map_(std::move(map)),
      rule_(rule),
      queue_(std::move(far), window, map_.rank_at(map_.own(), node_.rank()), map_.rank_count()),
      far_(queue_.far()),
      board_(node_, map_.count(), rule.most_bytes),
      near_(node_, costs),
      rows_(map_.count()),
      suspicions_(node_.size()) {
  meet();
}

void NodesExchange::meet() {
  Claim control(node_);
  try {
    const auto all = gathered_or_thrown(node_, [&] {
      if (node_.rank() == 0) control.allocate_control(board_.control_bytes());
      return control.place();
    });
    gathered_or_thrown(node_, [&] {  // also a barrier: no rank uses the board before all have initialised their parts
      board_.begin_at(all[0]);
      return '\0';
    });
  } catch (...) {
    if (node_.has_failed()) control.keep();  // a rank that has not noticed the failure may still write there
    throw;
  }
  control.keep();
  has_board_ = true;
}

NodesExchange::~NodesExchange() {
  if (has_board_ && node_.is_usable()) board_.close();
}

Bytes NodesExchange::memory_bytes() const {
  return near_.memory_bytes() + queue_.memory_bytes() + (node_.rank() == 0 ? board_.control_bytes() : 0) + out_.memory_bytes() +
         in_.memory_bytes() + memory_bytes_of(rows_, packed_, to_pack_, to_unpack_, open_, suspects_, suspicions_);
}

void NodesExchange::start(const Edges& edges) {
  list(edges);
  near_edges_ = near_lists_.edges();
  is_near_over_ = false;
  near_.begin({.edges = &near_edges_});
}

// Starts early messages, and lists and adds up the short edges.
void NodesExchange::list(const Edges& edges) {
  edges_ = &edges;
  ++exchange_;
  near_lists_.clear();
  near_error_ = nullptr;
  out_.clear(), in_.clear(), to_pack_.clear(), to_unpack_.clear();
  queue_.clear();
  difference_.clear();
  more_than_expected_.clear();
  suspects_.clear();
  absent_.clear(), lost_.clear();
  waits_.emplace(SharedSpace::between_questions);
  if (edges.may_pack) ++decision_;
  if (std::exchange(has_rows_, false)) std::fill(rows_.begin(), rows_.end(), NodeBoard::Row{});
  const FarEdges::Kind at_once = kind(edges.may_pack ? Form::early : Form::straight);
  for (std::size_t i = 0; i < edges.receives.size(); ++i) {
    const auto& [from, memory, bytes] = edges.receives[i];
    const Count node = map_.node_of(from);
    if (node == map_.own()) {
      near_lists_.receive(map_.place_of(from), memory, bytes);
    } else if (bytes > 0 && is_short(bytes)) {
      in_.add(map_.steps_to(node), map_.place_of(from), i);
      rows_[node].in.add(summary_of(from, me(), bytes));
    } else if (bytes > 0) {
      queue_.receive(at_once, from, memory, bytes, static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t i = 0; i < edges.sends.size(); ++i) {
    const auto& [to, memory, bytes] = edges.sends[i];
    const Count node = map_.node_of(to);
    if (node == map_.own()) {
      near_lists_.send(map_.place_of(to), memory, bytes);
    } else if (bytes > 0 && is_short(bytes)) {
      out_.add(map_.steps_to(node), map_.place_of(to), i);
      rows_[node].out.add(summary_of(me(), to, bytes));
    } else if (bytes > 0) {
      queue_.send(at_once, to, memory, bytes);
    }
  }
  queue_.start();
  out_.sort(), in_.sort();
  has_rows_ = !out_.is_empty() || !in_.is_empty();
  is_decided_ = !has_rows_;
  has_entered_ = !edges.may_pack;
  if (!has_entered_) enter();
}

EdgeSummary NodesExchange::summary_of(Rank from, Rank to, Bytes bytes) const {
  const Count source = map_.node_of(from), target = map_.node_of(to);
  return {{bytes, 1},
          {map_.number_to_lead(source, map_.place_of(from), target), map_.number_to_lead(target, map_.place_of(to), source)}};
}

// Shows this rank's part of the short edges, if it has any.
void NodesExchange::enter() {
  if (!board_.may_enter(decision_, has_rows_)) return;
  has_entered_ = true;
  if (has_rows_) {
    const NodeBoard::Page page = board_.own_page(decision_);
    prepare_parts(page.parts);
    std::copy(rows_.begin(), rows_.end(), page.rows.begin());
  }
  board_.enter(decision_);
  node_.ring_all();
}

// Copies what goes to each node, as far as there is room.
void NodesExchange::prepare_parts(std::span<std::byte> parts) {
  Bytes at = 0;
  out_.by_node([&](Count steps, Keys edges) {
    NodeBoard::Row& row = rows_[map_.node_after(steps)];
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
    const Edges::Send& edge = edges_->sends[ShortEdges::edge_of(key)];
    packed_.push_back({ShortEdges::place_of(key), edge.memory, edge.bytes});
  }
}

bool NodesExchange::advance_all() {
  if (!is_near_over_) advance_near();
  if (!has_entered_) enter();
  if (!is_decided_ && has_entered_ && board_.all_have_entered(decision_)) decide();
  if (!to_pack_.empty()) send_packed();
  if (far_.has_open()) do  // a long list goes on before this rank gives its core away
      for (const FarEdges::Arrival& arrival : queue_.advance()) take(arrival);
    while (queue_.has_gone_on());
  if (!to_unpack_.empty()) unpack();
  if (!absent_.empty()) [[unlikely]]
    look_for_absent();
  if (is_near_over_ && has_entered_ && is_decided_ && to_pack_.empty() && to_unpack_.empty() && absent_.empty() &&
      !far_.has_open()) {
    if (std::exchange(has_noted_, false)) board_.note_missing(0);
    return true;
  }
  if (decision_ > 0) {
    if (waits_->is_over()) look_for_other_forms();
    if (questions_.is_over()) look_for_others_of_mates();
  }
  return false;
}

// The node's exchange throws an error of misuse when its edges are complete; the others go on first.
void NodesExchange::advance_near() {
  try {
    is_near_over_ = near_.advance();
  } catch (const Error&) {
    if (node_.has_failed()) throw;
    near_error_ = std::current_exception();
    is_near_over_ = true;
  }
}

// ---- Deciding

// Adds up the rows of the first `places` ranks of this node.
EdgeSummary NodesExchange::sum(Count node, EdgeSummary NodeBoard::Row::*direction, Rank places) const {
  EdgeSummary sum;
  for (Rank place = 0; place < places; ++place) sum.add(board_.row(place, node, decision_).*direction);
  return sum;
}

// Called by a rank with short edges when all ranks of its node have entered.
void NodesExchange::decide() {
  is_decided_ = true;
  in_.by_node([this](Count steps, Keys edges) { expect_decided(map_.node_after(steps), edges); });
  packs_later_ = false;
  out_.by_node([this](Count steps, Keys edges) { send_decided(map_.node_after(steps), edges); });
  queue_.start();
  if (!packs_later_) return;
  board_.note_packed(decision_);
  node_.ring_all();
}

void NodesExchange::expect_decided(Count node, Keys edges) {
  const auto [totals, leaders] = sum(node, &NodeBoard::Row::in, node_.size());
  if (rule_.packs(totals, map_.ranks_of(node))) {
    if (map_.leader(map_.own(), node, leaders.receiver) == me())
      queue_.receive_now(kind(Form::packed), map_.leader(node, map_.own(), leaders.sender), board_.incoming(node), rule_.most_bytes,
                         packed_name | static_cast<std::uint32_t>(node));
    to_unpack_.push_back({node, edges});
    return;
  }
  for (const std::uint64_t key : edges) {
    const auto& [from, memory, bytes] = edges_->receives[ShortEdges::edge_of(key)];
    queue_.receive(kind(Form::single), from, memory, bytes, static_cast<std::uint32_t>(ShortEdges::edge_of(key)));
  }
}

void NodesExchange::send_decided(Count node, Keys edges) {
  const auto [totals, leaders] = sum(node, &NodeBoard::Row::out, node_.size());
  if (!rule_.packs(totals, node_.size())) {
    for (const std::uint64_t key : edges) {
      const auto& [to, memory, bytes] = edges_->sends[ShortEdges::edge_of(key)];
      queue_.send(kind(Form::single), to, memory, bytes);
    }
    return;
  }
  if (rows_[node].part == NodeBoard::Row::no_part) {
    list_packed(edges);
    pack(board_.outgoing(node), node_.size(), totals, sum(node, &NodeBoard::Row::out, node_.rank()).totals, packed_);
    packs_later_ = true;
  }
  if (map_.leader(map_.own(), node, leaders.sender) == me()) lead(node, totals, map_.leader(node, map_.own(), leaders.receiver));
}

// ---- Packed messages

// Begins the message with what its senders have prepared. Those without a prepared part write theirs into it.
void NodesExchange::lead(Count node, const EdgeTotals& totals, Rank to) {
  std::byte* const message = board_.outgoing(node);
  TableWriter table(message);
  EdgeTotals before;
  for (Rank place = 0; place < node_.size(); ++place) {
    const NodeBoard::Row& row = board_.row(place, node, decision_);
    const EdgeTotals& own = row.out.totals;
    table.add(own.edges);
    if (own.edges > 0 && row.part != NodeBoard::Row::no_part)
      add_part(message, node_.size(), totals, before, board_.part(place, row, decision_), own);
    before.add(own);
  }
  table.end();
  to_pack_.push_back({node, packed_bytes(node_.size(), totals), to});
}

void NodesExchange::send_packed() {
  std::erase_if(to_pack_, [this](const ToPack& message) {
    for (Rank place = 0; place < node_.size(); ++place) {
      const NodeBoard::Row& row = board_.row(place, message.node, decision_);
      if (row.out.totals.edges > 0 && row.part == NodeBoard::Row::no_part && !board_.has_packed(place, decision_)) return false;
    }
    queue_.send_now(kind(Form::packed), message.to, board_.outgoing(message.node), message.bytes);
    return true;
  });
}

void NodesExchange::take(const FarEdges::Arrival& arrival) {
  if (arrival.name == lost) return;
  if (arrival.name & packed_name) {
    const auto node = static_cast<Count>(arrival.name & ~packed_name);
    const Bytes bytes = std::max(arrival.bytes, Bytes{0});
    board_.note_arrival(node, decision_, bytes);
    node_.ring_all();
    compare_totals(node, {board_.incoming(node), bytes, map_.ranks_of(node)});
    return;
  }
  if (arrival.bytes == edges_->receives[arrival.name].bytes) [[likely]]
    return;
  note_difference(arrival.name, arrival.bytes == FarEdges::Arrival::too_long ? EdgeDifference::too_long : arrival.bytes);
}

// Ranks compare the edges that they expect with what is in the packed message. Nobody does for a rank that expects none.
void NodesExchange::compare_totals(Count node, const PackedMessage& packed) {
  const Count here = map_.ranks_of(map_.own());
  if (packed.totals() == sum(node, &NodeBoard::Row::in, here).totals || !more_than_expected_.empty()) return;
  for (Rank place = 0; place < here; ++place) {
    const EdgeTotals sent = packed.totals_to(place), expected = board_.row(place, node, decision_).in.totals;
    if (sent.edges > expected.edges)
      more_than_expected_ = fmt::format(
          "the ranks of the node of rank {} send {} edges with {} bytes together to rank {}, on the node of rank {}, "
          "which expects {} with {} bytes; {}",
          map_.rank_at(node, 0), sent.edges, sent.bytes, map_.rank_at(map_.own(), place), map_.rank_at(map_.own(), 0),
          expected.edges, expected.bytes, advice);
  }
}

void NodesExchange::unpack() {
  std::erase_if(to_unpack_, [this](const ToUnpack& message) {
    const auto bytes = board_.arrived(message.node, decision_);
    if (bytes) unpack(message, {board_.incoming(message.node), *bytes, map_.ranks_of(message.node)});
    return bytes.has_value();
  });
}

void NodesExchange::unpack(const ToUnpack& message, const PackedMessage& packed) {
  for (auto first = message.edges.begin(); first != message.edges.end();) {
    const Rank sender = ShortEdges::place_of(*first);
    const auto last =
        std::find_if(first, message.edges.end(), [&](std::uint64_t key) { return ShortEdges::place_of(key) != sender; });
    unpack({first, last}, packed, packed.edges(sender, node_.rank()));
    first = last;
  }
}

// The edges of one sender. An edge that is missing in the message is perhaps a long one for its sender.
void NodesExchange::unpack(Keys keys, const PackedMessage& packed, PackedMessage::Range found) {
  Count next = found.first, missing = static_cast<Count>(keys.size()) - found.count();
  for (const std::uint64_t key : keys) {
    const std::size_t edge = ShortEdges::edge_of(key);
    const auto& [from, memory, expected] = edges_->receives[edge];
    const std::span<const std::byte> sent = next < found.last ? packed.edge(next) : std::span<const std::byte>{};
    const auto bytes = static_cast<Bytes>(sent.size());
    if (bytes != expected && missing > 0) [[unlikely]] {
      --missing;
      if (absent_.empty()) absent_since_ = std::chrono::steady_clock::now();
      absent_.push_back(edge);
      continue;
    }
    if (bytes != expected) [[unlikely]]
      note_difference(edge, bytes);
    if (bytes <= expected) std::memcpy(memory, sent.data(), sent.size());
    ++next;
  }
  if (next < found.last) [[unlikely]]
    difference_.note(edges_->receives[ShortEdges::edge_of(keys[0])].from, keys.size(), static_cast<Bytes>(packed.edge(next).size()),
                     EdgeDifference::nothing);
}

// If the sender of an absent edge takes it for a long edge, this rank receives that, because the sender may wait. The message may
// come a little later than the packed one.
void NodesExchange::look_for_absent() {
  queue_.start_all_receives();  // what has arrived may be an edge that waits
  const bool is_time_up = std::chrono::steady_clock::now() - absent_since_ > SharedSpace::between_questions;
  std::erase_if(absent_, [&](std::size_t edge) {
    const Rank from = edges_->receives[edge].from;
    const auto bytes = far_.unexpected(kind(Form::early), from);
    if (!bytes && !is_time_up) return false;
    note_difference(edge, bytes.value_or(EdgeDifference::nothing));
    if (bytes) {
      lost_.emplace_back(index(*bytes));
      queue_.receive_now(kind(Form::early), from, lost_.back().data(), *bytes, lost);
    }
    return true;
  });
}

void NodesExchange::note_difference(std::size_t edge, Bytes sent) {
  const auto& [from, memory, expected] = edges_->receives[edge];
  std::uint64_t number = 0;
  for (const Edges::Receive& each : edges_->receives.first(edge)) number += each.from == from && each.bytes > 0;
  difference_.note(from, number, sent, expected);
}

// ---- Endings

bool NodesExchange::proceed() {
  return node_.poll([this] { return advance_all(); }, [] { return SharedSpace::anybody; }, looks_);
}

// While messages between nodes are open, the rank must poll: nobody wakes it when one arrives. Otherwise it sleeps, so that it does
// not take the core of a rank that works.
//
// A rank that has started messages first lets other ranks start theirs. Otherwise a rank whose messages have already arrived would
// go on to its next exchange at once, and send the messages of two exchanges together. Their receiver acknowledges two messages by
// a packet of its own, but one message with its next message; and then it goes on in the same way. So there would be more packets,
// and links would be idle in between.
void NodesExchange::complete() {
  if (far_.has_open() && node_.shares_core()) sched_yield();
  while (!advance_all()) {
    if (far_.has_open()) {
      const bool is_quiet = far_.is_quiet();
      const auto driving = is_quiet ? SharedSpace::Driving::without_yielding : SharedSpace::Driving::as_usual;
      node_.give_core_away_after(driving);
      node_.poll_until([&] { return advance_all() || !far_.has_open() || far_.is_quiet() != is_quiet; }, driving);
    } else {
      node_.wait_until([this] { return advance_all() || far_.has_open(); }, [] { return SharedSpace::anybody; });
    }
  }
}

void NodesExchange::end() {
  if (near_error_) [[unlikely]]
    std::rethrow_exception(near_error_);
  if (const std::string sentence = difference_.sentence(me(), [](Rank rank) { return rank; }); !sentence.empty()) [[unlikely]]
    throw Error(ErrorCode::misuse, sentence);
  if (!more_than_expected_.empty()) [[unlikely]]
    throw Error(ErrorCode::misuse, more_than_expected_);
}

void NodesExchange::give_up(const Error& why) noexcept {
  far_.withdraw();
  near_.abandon(why);
}

}  // namespace quadrille
