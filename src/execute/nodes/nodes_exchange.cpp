// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/nodes_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/shared/memory/claim.hpp"
#include "foundation/assert.hpp"

namespace quadrille {
namespace {

using Form = FarEdges::Form;

constexpr std::uint32_t packed_name = std::uint32_t{1} << 31;  // a received message's name: an edge, or this and a node

// Messages of one form from a node that a rank misses, as one number (NodeBoard::note_missing). It has 32 bits of the exchange, the
// node, the form, and 11 bits of the number of the look in which the rank missed them.
struct Missed {
  std::uint64_t exchange;
  Count node;
  bool is_packed;

  std::uint64_t in_look(std::uint64_t look) const {
    return exchange << 32 | static_cast<std::uint64_t>(node) << 12 | static_cast<std::uint64_t>(is_packed) << 11 | look % (1 << 11);
  }
  static Missed from(std::uint64_t what) { return {what >> 32, static_cast<Count>(what >> 12 & 0xfffff), (what >> 11 & 1) != 0}; }
  static bool still(std::uint64_t before, std::uint64_t now) { return before != now && before >> 11 == now >> 11; }
};

}  // namespace

NodesExchange::NodesExchange(std::shared_ptr<SharedSpace> node, const CopyCosts& costs, NodeMap map, const PackingRule& rule,
                             std::unique_ptr<FarEdges> far)
    : kept_(std::move(node)),
      node_(*kept_),
      map_(std::move(map)),
      rule_(rule),
      far_(std::move(far)),
      board_(node_, map_.count(), rule.most_bytes),
      near_(node_, costs),
      expected_(map_.count()),
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
  return near_.memory_bytes() + far_->memory_bytes() + (node_.rank() == 0 ? board_.control_bytes() : 0) + out_.memory_bytes() +
         in_.memory_bytes() + memory_bytes_of(packed_, to_pack_, to_unpack_, expected_, suspicions_);
}

void NodesExchange::execute(const std::byte* input, std::byte*, Phases*) {
  begin(input, nullptr);
  finish();
}

void NodesExchange::begin(const std::byte* input, std::byte*) {
  if (is_broken_) node_.throw_lost();
  try {
    list(Exchanger::edges_of(input));
    near_edges_ = near_lists_.edges();
    is_near_over_ = false;
    near_.begin(reinterpret_cast<const std::byte*>(&near_edges_), nullptr);
  } catch (...) {
    give_up();
    throw;
  }
}

// Starts early messages, and shows the totals of the others.
void NodesExchange::list(const Edges& edges) {
  edges_ = &edges;
  ++exchange_;
  near_lists_.clear();
  near_error_ = nullptr;
  out_.clear(), in_.clear(), to_pack_.clear(), to_unpack_.clear();
  difference_.clear();
  std::fill(expected_.begin(), expected_.end(), Expected{});
  is_decided_ = !edges.may_pack;
  std::span<NodeBoard::Row> rows;
  if (edges.may_pack) {
    rows = board_.own_rows(++decision_);
    std::fill(rows.begin(), rows.end(), NodeBoard::Row{});
  }
  const auto is_short = [&](Bytes bytes) { return edges.may_pack && bytes <= rule_.longest_short; };
  for (std::size_t i = 0; i < edges.receives.size(); ++i) {
    const auto& [from, memory, bytes] = edges.receives[i];
    const Count node = map_.node_of(from);
    if (node == map_.own()) {
      near_lists_.receive(map_.place_of(from), memory, bytes);
    } else if (bytes > 0 && is_short(bytes)) {
      in_.add(map_.steps_to(node), map_.place_of(from), i);
      rows[index(node)].in.add({bytes, 1});
    } else if (bytes > 0) {
      far_->receive({Form::early, exchange_}, from, memory, bytes, static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t i = 0; i < edges.sends.size(); ++i) {
    const auto& [to, memory, bytes] = edges.sends[i];
    const Count node = map_.node_of(to);
    if (node == map_.own()) {
      near_lists_.send(map_.place_of(to), memory, bytes);
    } else if (bytes > 0 && is_short(bytes)) {
      out_.add(map_.steps_to(node), map_.place_of(to), i);
      rows[index(node)].out.add({bytes, 1});
    } else if (bytes > 0) {
      far_->send({Form::early, exchange_}, to, memory, bytes);
    }
  }
  if (!edges.may_pack) return;
  board_.show_rows(decision_);
  node_.ring_all();
  out_.sort(), in_.sort();
}

bool NodesExchange::advance_all() {
  if (!is_near_over_) advance_near();
  if (!is_decided_ && board_.all_show_rows(decision_)) decide();
  if (!to_pack_.empty()) send_packed();
  if (far_->has_open())
    for (const FarEdges::Arrival& arrival : far_->advance()) take(arrival);
  if (!to_unpack_.empty()) unpack();
  if (is_near_over_ && is_decided_ && to_pack_.empty() && to_unpack_.empty() && !far_->has_open()) return true;
  if (questions_.is_over()) look_for_other_decisions();
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
EdgeTotals NodesExchange::totals(Count node, EdgeTotals NodeBoard::Row::*direction, Rank places) const {
  EdgeTotals sum;
  for (Rank place = 0; place < places; ++place) sum.add(board_.rows(place, decision_)[index(node)].*direction);
  return sum;
}

void NodesExchange::decide() {
  is_decided_ = true;
  in_.by_node([this](Count steps, Keys edges) { expect_decided(map_.node_after(steps), edges); });
  const auto leader_after = [this](Count steps) { return map_.place_of(map_.leader(map_.own(), map_.node_after(steps))); };
  for (Count steps = 1; steps < map_.count(); ++steps)
    if (leader_after(steps) == node_.rank()) lead(map_.node_after(steps));
  out_.by_node([this](Count steps, Keys edges) { send_decided(map_.node_after(steps), edges); });
  board_.note_packed(decision_);
  for (Count steps = 1; steps < map_.count(); ++steps) node_.ring(leader_after(steps));
}

// Receives for others, and sends what others have packed.
void NodesExchange::lead(Count node) {
  const Count here = map_.ranks_of(map_.own()), there = map_.ranks_of(node);
  const EdgeTotals in = totals(node, &NodeBoard::Row::in, here), out = totals(node, &NodeBoard::Row::out, here);
  if (rule_.packs(in, there)) {
    expected_[node] = {1, true};
    far_->receive({Form::packed, exchange_}, map_.leader(node, map_.own()), board_.incoming(node), rule_.most_bytes,
                  packed_name | static_cast<std::uint32_t>(node));
  }
  if (!rule_.packs(out, here)) return;
  TableWriter table(board_.outgoing(node));
  for (Rank place = 0; place < here; ++place) table.add(board_.rows(place, decision_)[index(node)].out.edges);
  table.end();
  to_pack_.push_back({node, packed_bytes(here, out)});
}

void NodesExchange::expect_decided(Count node, Keys edges) {
  const Count here = map_.ranks_of(map_.own()), there = map_.ranks_of(node);
  if (rule_.packs(totals(node, &NodeBoard::Row::in, here), there)) {
    to_unpack_.push_back({node, edges});
    return;
  }
  expected_[node] = {static_cast<Count>(edges.size()), false};
  for (const std::uint64_t key : edges) {
    const auto& [from, memory, bytes] = edges_->receives[ShortEdges::edge_of(key)];
    far_->receive({Form::single, exchange_}, from, memory, bytes, static_cast<std::uint32_t>(ShortEdges::edge_of(key)));
  }
}

void NodesExchange::send_decided(Count node, Keys edges) {
  const Count here = map_.ranks_of(map_.own());
  const EdgeTotals all = totals(node, &NodeBoard::Row::out, here);
  if (!rule_.packs(all, here)) {
    for (const std::uint64_t key : edges) {
      const auto& [to, memory, bytes] = edges_->sends[ShortEdges::edge_of(key)];
      far_->send({Form::single, exchange_}, to, memory, bytes);
    }
    return;
  }
  packed_.clear();
  for (const std::uint64_t key : edges) {
    const Edges::Send& edge = edges_->sends[ShortEdges::edge_of(key)];
    packed_.push_back({ShortEdges::place_of(key), edge.memory, edge.bytes});
  }
  pack(board_.outgoing(node), here, all, totals(node, &NodeBoard::Row::out, node_.rank()), packed_);
}

// ---- Packed messages

void NodesExchange::send_packed() {
  for (Rank place = 0; place < node_.size(); ++place)
    if (!board_.has_packed(place, decision_)) return;
  for (const auto& [node, bytes] : to_pack_)
    far_->send({Form::packed, exchange_}, map_.leader(node, map_.own()), board_.outgoing(node), bytes);
  to_pack_.clear();
}

void NodesExchange::take(const FarEdges::Arrival& arrival) {
  if (arrival.name & packed_name) {
    const auto node = static_cast<Count>(arrival.name & ~packed_name);
    --expected_[node].messages;
    board_.note_arrival(node, decision_, std::max(arrival.bytes, Bytes{0}));
    node_.ring_all();
    return;
  }
  const Edges::Receive& edge = edges_->receives[arrival.name];
  if (edges_->may_pack && edge.bytes <= rule_.longest_short) --expected_[map_.node_of(edge.from)].messages;
  if (arrival.bytes == edge.bytes) [[likely]]
    return;
  std::uint64_t number = 0;
  for (const Edges::Receive& each : edges_->receives.first(arrival.name)) number += each.from == edge.from && each.bytes > 0;
  difference_.note(edge.from, number, arrival.bytes == FarEdges::Arrival::too_long ? EdgeDifference::too_long : arrival.bytes,
                   edge.bytes);
}

void NodesExchange::unpack() {
  std::erase_if(to_unpack_, [this](const ToUnpack& message) {
    const auto bytes = board_.arrived(message.node, decision_);
    if (bytes) unpack(message, {board_.incoming(message.node), *bytes, map_.ranks_of(message.node)});
    return bytes.has_value();
  });
}

void NodesExchange::unpack(const ToUnpack& message, const PackedMessage& packed) {
  PackedMessage::Range found;
  Rank sender = -1;
  Count number = 0;
  const auto note_unexpected = [&] {
    if (sender >= 0 && number < found.count())
      difference_.note(map_.rank_at(message.node, sender), static_cast<std::uint64_t>(number),
                       static_cast<Bytes>(packed.edge(found.first + number).size()), EdgeDifference::nothing);
  };
  for (const std::uint64_t key : message.edges) {
    if (ShortEdges::place_of(key) != sender) {
      note_unexpected();
      sender = ShortEdges::place_of(key);
      found = packed.edges(sender, node_.rank());
      number = 0;
    }
    const auto& [from, memory, expected] = edges_->receives[ShortEdges::edge_of(key)];
    const std::uint64_t which = static_cast<std::uint64_t>(number);
    if (number == found.count()) {
      difference_.note(from, which, EdgeDifference::nothing, expected);
      continue;
    }
    const std::span<const std::byte> sent = packed.edge(found.first + number++);
    const auto bytes = static_cast<Bytes>(sent.size());
    if (bytes != expected) [[unlikely]]
      difference_.note(from, which, bytes, expected);
    if (bytes <= expected) std::memcpy(memory, sent.data(), sent.size());
  }
  note_unexpected();
}

// ---- Endings

// If the lengths at the two ends of an edge differ, the two nodes may have decided differently. Then each waits for messages of the
// other form. Called now and then while this rank waits.
//
// A message of the other form may also belong to a later exchange with the same tag, because the other node may be ahead. So a rank
// fails only if its node still misses what it expects instead: each rank says what it misses each time it looks. If one has looked
// again since this rank found the other form, nothing has come in the meantime.
void NodesExchange::look_for_other_decisions() {
  if (decision_ == 0) return;
  note_missing();
  for (Rank place = 0; place < node_.size(); ++place) {
    const std::uint64_t what = board_.missing(place), before = std::exchange(suspicions_[place], 0);
    if (what == 0 || !finds_instead_of(what)) continue;
    suspicions_[place] = what;
    if (Missed::still(before, what)) fail_because_of(what);
  }
}

void NodesExchange::note_missing() {
  ++looks_for_others_;
  for (Count node = 0; node < map_.count(); ++node)
    if (expected_[node].messages > 0)
      return board_.note_missing(Missed{exchange_, node, expected_[node].is_packed}.in_look(looks_for_others_));
}

// Has this rank got a message that the other node may have sent instead? A leader that has completed its part looks in later
// exchanges, too.
bool NodesExchange::finds_instead_of(std::uint64_t what) {
  const auto [exchange, node, is_packed] = Missed::from(what);
  if (!is_packed)
    return map_.leader(map_.own(), node) == map_.rank_at(map_.own(), node_.rank()) &&
           far_->has_unexpected({Form::packed, exchange}, map_.leader(node, map_.own()));
  if (exchange != static_cast<std::uint32_t>(exchange_)) return false;
  for (const auto& [from_node, edges] : to_unpack_)
    for (const std::uint64_t key : edges)
      if (from_node == node && far_->has_unexpected({Form::single, exchange}, edges_->receives[ShortEdges::edge_of(key)].from))
        return true;
  return false;
}

void NodesExchange::fail_because_of(std::uint64_t what) const {
  const Missed missed = Missed::from(what);
  EdgeTotals in;
  for (Rank place = 0; place < node_.size(); ++place)
    in.add(board_.rows(place, is_decided_ ? decision_ : decision_ - 1)[index(missed.node)].in);
  const char *const single = "a message for each of its edges", *const packed = "one packed message";
  throw Error(
      ErrorCode::misuse,
      fmt::format("the node of rank {} sends {} to the node of rank {}, which expects {}: {} edges with {} bytes together; let "
                  "both ends of each edge name the same number of bytes",
                  map_.rank_at(missed.node, 0), missed.is_packed ? single : packed, map_.rank_at(map_.own(), 0),
                  missed.is_packed ? packed : single, in.edges, in.bytes));
}

bool NodesExchange::advance() {
  try {
    if (!node_.poll([this] { return advance_all(); }, [] { return SharedSpace::anybody; }, looks_)) return false;
  } catch (...) {
    give_up();
    throw;
  }
  end();
  return true;
}

// While messages between nodes are open, the rank must poll: nobody wakes it when one arrives. Otherwise it sleeps, so that it does
// not take the core of a rank that works.
void NodesExchange::finish() {
  try {
    while (!advance_all()) {
      if (far_->has_open())
        node_.poll_until([this] { return advance_all() || !far_->has_open(); }, true);
      else
        node_.wait_until([this] { return advance_all() || far_->has_open(); }, [] { return SharedSpace::anybody; });
    }
  } catch (...) {
    give_up();
    throw;
  }
  end();
}

void NodesExchange::end() {
  if (near_error_) [[unlikely]]
    std::rethrow_exception(near_error_);
  const Rank me = map_.rank_at(map_.own(), node_.rank());
  if (const std::string sentence = difference_.sentence(me, [](Rank rank) { return rank; }); !sentence.empty()) [[unlikely]]
    throw Error(ErrorCode::misuse, sentence);
}

// Called in a catch block. If the node's group has not failed yet, it does now: the other ranks wait for this one.
void NodesExchange::give_up() noexcept {
  try {
    throw;
  } catch (const Error& why) {
    abandon(why);
  } catch (const std::exception& why) {
    abandon(Error(ErrorCode::environment, why.what()));
  }
}

void NodesExchange::abandon(const Error& why) noexcept {
  is_broken_ = true;
  far_->withdraw();
  near_.abandon(why);
}

}  // namespace quadrille
