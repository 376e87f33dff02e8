// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/differing_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// What a rank misses from a node, as one number (NodeBoard::note_missing): the packed message, or messages for edges. The number
// has 32 bits of the decision's number, the node, the form, and 11 bits of the number of the look in which the rank missed it.
struct Missed {
  std::uint64_t decision;
  Count node;
  bool is_packed;

  std::uint64_t in_look(std::uint64_t look) const {
    return decision << 32 | static_cast<std::uint64_t>(node) << 12 | static_cast<std::uint64_t>(is_packed) << 11 | look % (1 << 11);
  }
  static Missed from(std::uint64_t what) { return {what >> 32, static_cast<Count>(what >> 12 & 0xfffff), (what >> 11 & 1) != 0}; }
  static bool still(std::uint64_t before, std::uint64_t now) { return before != now && before >> 11 == now >> 11; }
};

// A rank that misses several messages notes each of them for this many looks, because another rank must see the note in two of
// its own looks.
constexpr std::uint64_t looks_for_each = 4;

constexpr const char* advice = "let both ends of each edge name the same number of bytes";

}  // namespace

void DifferingEnds::begin() {
  difference_.clear();
  more_than_expected_.clear();
  suspects_.clear();
  absent_.clear(), lost_.clear();
  waits_.emplace(SharedSpace::between_questions);
}

void DifferingEnds::is_complete() {
  if (std::exchange(has_noted_, false)) state_.board.note_missing(0);
}

void DifferingEnds::throw_if_found() const {
  if (const std::string sentence = difference_.sentence(state_.me(), [](Rank rank) { return rank; }); !sentence.empty())
      [[unlikely]]
    throw Error(ErrorCode::misuse, sentence);
  if (!more_than_expected_.empty()) [[unlikely]]
    throw Error(ErrorCode::misuse, more_than_expected_);
}

Bytes DifferingEnds::memory_bytes() const { return memory_bytes_of(open_, suspects_, suspicions_); }

// ---- What arrives

// Each rank compares the edges that it expects with the packed message. This function compares for ranks that expect no edge.
void DifferingEnds::compare_totals(Count node, const PackedMessage& packed) {
  const Count here = state_.map.ranks_of(state_.map.own());
  if (packed.totals() == state_.sum(node, &NodeBoard::Row::in, here).totals || !more_than_expected_.empty()) return;
  for (Rank place = 0; place < here; ++place) {
    const EdgeTotals sent = packed.totals_to(place), expected = state_.board.row(place, node, state_.decision).in.totals;
    if (sent.edges > expected.edges)
      more_than_expected_ = fmt::format(
          "the ranks of the node of rank {} send {} edges with {} bytes together to rank {}, on the node of rank {}, "
          "which expects {} with {} bytes; {}",
          state_.map.rank_at(node, 0), sent.edges, sent.bytes, state_.map.rank_at(state_.map.own(), place),
          state_.map.rank_at(state_.map.own(), 0), expected.edges, expected.bytes, advice);
  }
}

void DifferingEnds::note_absent(std::size_t edge) {
  if (absent_.empty()) absent_since_ = std::chrono::steady_clock::now();
  absent_.push_back(edge);
}

// An edge that is absent may be long for its sender. In that case this rank receives the edge's own message, because the sender
// may wait until it is received. The edge's own message may arrive a little later than the packed message.
void DifferingEnds::look_for_absent() {
  state_.queue.start_all_receives();  // because arrived messages may be for receives that are not started
  const bool is_time_up = std::chrono::steady_clock::now() - absent_since_ > SharedSpace::between_questions;
  std::erase_if(absent_, [&](std::size_t edge) {
    const Rank from = state_.edges->receives[edge].from;
    const auto bytes = state_.far().unexpected(state_.kind(Form::early), from);
    if (!bytes && !is_time_up) return false;
    note(edge, bytes.value_or(EdgeDifference::nothing));
    if (bytes) {
      lost_.emplace_back(index(*bytes));
      state_.queue.receive_now(state_.kind(Form::early), from, lost_.back().data(), *bytes, NodesState::lost);
    }
    return true;
  });
}

void DifferingEnds::note(std::size_t edge, Bytes sent) {
  const auto& [from, memory, expected] = state_.edges->receives[edge];
  std::uint64_t number = 0;
  for (const Edges::Receive& each : state_.edges->receives.first(edge)) number += each.from == from && each.bytes > 0;
  difference_.note(from, number, sent, expected);
}

// ---- What does not arrive

void DifferingEnds::look() {
  if (state_.decision == 0) return;
  if (waits_->is_over()) look_for_other_forms();
  if (questions_.is_over()) look_for_others_of_mates();
}

void DifferingEnds::look_for_other_forms() {
  ++looks_for_others_;
  open_.clear();
  if (state_.edges->may_pack && state_.is_decided) state_.queue.list_open(open_);
  std::erase(open_, NodesState::lost);
  note_missing();
  look_for_own_edges();
}

// Has this rank got a message in place of one that another rank of this node misses?
void DifferingEnds::look_for_others_of_mates() {
  for (Rank place = 0; place < state_.node.size(); ++place) {
    const std::uint64_t what = state_.board.missing(place), before = std::exchange(suspicions_[place], 0);
    if (what == 0) continue;
    const std::optional<Found> found = found_instead_of(what);
    if (!found) continue;
    suspicions_[place] = what;
    if (Missed::still(before, what)) fail_because_of(what, *found);
  }
}

// This rank misses an edge. Does its sender take the edge for long and this rank for short, or the other way round?
void DifferingEnds::look_for_own_edges() {
  const auto edge_of = [this](std::uint32_t name) -> const Edges::Receive& { return state_.edges->receives[name]; };
  const auto last =
      std::remove_if(open_.begin(), open_.end(), [](std::uint32_t name) { return (name & NodesState::packed_name) != 0; });
  open_.erase(last, open_.end());
  std::sort(open_.begin(), open_.end());
  const auto question = [&](std::uint32_t name) { return std::pair(edge_of(name).from, state_.is_short(edge_of(name).bytes)); };
  std::stable_sort(open_.begin(), open_.end(), [&](std::uint32_t a, std::uint32_t b) { return question(a) < question(b); });
  const std::vector<Rank> before = std::exchange(suspects_, {});
  for (auto name = open_.begin(); name != open_.end(); ++name) {
    if (name != open_.begin() && question(name[-1]) == question(*name)) continue;
    const auto& [from, memory, expected] = edge_of(*name);
    std::optional<Bytes> sent = state_.far().unexpected(state_.kind(state_.is_short(expected) ? Form::early : Form::single), from);
    if (!sent && !state_.is_short(expected)) sent = packed_instead(from);
    if (!sent || state_.queue.start_all_receives()) continue;  // the message may be for a receive that was not started
    if (std::find(before.begin(), before.end(), from) != before.end())
      throw Error(
          ErrorCode::misuse,
          fmt::format("rank {}, on the node of rank {}, sends {} bytes to rank {}, on the node of rank {}, which expects {}; {}",
                      from, state_.map.rank_at(state_.map.node_of(from), 0), *sent, state_.me(),
                      state_.map.rank_at(state_.map.own(), 0), expected, advice));
    suspects_.push_back(from);
  }
}

// Returns the length of an edge from that rank in the packed message: of the first edge that differs from what this rank expects.
std::optional<Bytes> DifferingEnds::packed_instead(Rank from) const {
  const Count node = state_.map.node_of(from);
  const auto bytes = state_.board.arrived(node, state_.decision);
  if (!bytes) return {};
  const PackedMessage packed = state_.packed_from(node, *bytes);
  const PackedMessage::Range found = packed.edges(state_.map.place_of(from), state_.node.rank());
  Count next = found.first;
  const auto sent = [&] { return static_cast<Bytes>(packed.edge(next).size()); };
  for (const Edges::Receive& edge : state_.edges->receives) {
    if (edge.from != from || edge.bytes == 0 || !state_.is_short(edge.bytes)) continue;
    if (next == found.last || sent() != edge.bytes) break;
    ++next;
  }
  return next < found.last ? std::optional(sent()) : std::nullopt;
}

void DifferingEnds::note_missing() {
  std::vector<Missed> all;
  for (const std::uint32_t name : open_) {
    const bool is_packed = (name & NodesState::packed_name) != 0;
    const Count node =
        is_packed ? static_cast<Count>(name & ~NodesState::packed_name) : state_.map.node_of(state_.edges->receives[name].from);
    if (all.empty() || all.back().node != node || all.back().is_packed != is_packed)
      all.push_back({state_.decision, node, is_packed});
  }
  if (all.empty()) return;
  state_.board.note_missing(all[looks_for_others_ / looks_for_each % all.size()].in_look(looks_for_others_));
  has_noted_ = true;
}

// Has this rank got a message that the other node may have sent instead of what is missing? A rank that has completed its part of
// an exchange also looks during later exchanges.
std::optional<DifferingEnds::Found> DifferingEnds::found_instead_of(std::uint64_t what) {
  const auto [decision, node, is_packed] = Missed::from(what);
  const auto ahead = static_cast<std::int32_t>(static_cast<std::uint32_t>(decision - state_.decision));
  if (ahead > 0 || (ahead == 0 && !state_.is_decided)) return {};  // the message may be for a receive that this rank starts later
  const auto found = [this, decision = decision](Form form, Rank from) -> std::optional<Found> {
    const auto bytes = state_.far().unexpected({form, decision}, from);
    return bytes ? std::optional(Found{form, from, *bytes}) : std::nullopt;
  };
  for (Rank place = 0; place < state_.map.ranks_of(node);
       ++place)  // the other node may know other edges, and so choose other leaders
    if (auto message = found(Form::packed, state_.map.rank_at(node, place))) return message;
  if (!is_packed || ahead != 0) return {};
  for (const auto& [from_node, edges] : state_.to_unpack)
    for (const std::uint64_t key : edges) {
      if (from_node != node) break;
      const Rank from = state_.edges->receives[ShortEdges::edge_of(key)].from;
      for (const Form form : {Form::single, Form::early})
        if (const auto message = found(form, from)) return state_.queue.start_all_receives() ? std::nullopt : message;
    }
  return {};
}

void DifferingEnds::fail_because_of(std::uint64_t what, const Found& found) const {
  const Missed missed = Missed::from(what);
  const std::uint64_t decision = state_.decision - static_cast<std::uint32_t>(state_.decision - missed.decision);
  EdgeTotals in;
  for (Rank place = 0; place < state_.node.size(); ++place) in.add(state_.board.row(place, missed.node, decision).in.totals);
  const bool is_packed = found.form == Form::packed;
  const char *const single = "a message for each of its edges", *const packed = "one packed message";
  const char* const expected = !missed.is_packed ? single : is_packed ? "one packed message from or to other ranks" : packed;
  throw Error(ErrorCode::misuse,
              fmt::format("the node of rank {} sends {} to the node of rank {}, which expects {}: {} edges with {} bytes together; "
                          "rank {} has sent rank {} a message of {} bytes instead; {}",
                          state_.map.rank_at(missed.node, 0), is_packed ? packed : single, state_.map.rank_at(state_.map.own(), 0),
                          expected, in.edges, in.bytes, found.from, state_.me(), found.bytes, advice));
}

}  // namespace quadrille
