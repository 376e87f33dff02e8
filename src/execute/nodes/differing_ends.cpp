// SPDX-License-Identifier: BSD-3-Clause
// How a rank that waits for long in an exchange between nodes finds out that the ends of an edge name different lengths.
//
// The two ends may expect different forms of messages: one takes the edge for long, or the two nodes have decided differently. A
// rank looks for that now and then while it waits for long.
//
// A look asks the MPI library several times whether a message has arrived. Each time it may yield the core, so a look may take as
// long as several exchanges. So a rank whose waits are short never looks for its own messages, and looks for those that others of
// its node miss only while these wait for long.
//
// A message of the other form may also belong to a later exchange with the same tag, because its sender may be ahead. Then what is
// missing has been sent before. So a rank fails only if it finds the same in two looks, and the rank that misses something has
// looked again in between: each rank says what it misses each time that it looks, and receives what has arrived before it looks.
// Nobody is 64 decisions ahead of an exchange in which a rank of its node has still to send (NodeBoard::most_ahead). Exchanges that
// never pack make no decisions; their tags differ from all others.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "execute/nodes/nodes_exchange.hpp"

namespace quadrille {
namespace {

// What a rank misses from a node, as one number (NodeBoard::note_missing): the packed message, or messages for edges. It has 32
// bits of the decision, the node, the form, and 11 bits of the number of the look in which the rank missed it.
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

// A rank notes one of the things that it misses in so many looks, then the next one: others must see it in two looks.
constexpr std::uint64_t looks_for_each = 4;

}  // namespace

void NodesExchange::look_for_other_forms() {
  ++looks_for_others_;
  open_.clear();
  if (edges_->may_pack && is_decided_) queue_.list_open(open_);
  std::erase(open_, lost);
  note_missing();
  look_for_own_edges();
}

// Do ranks of this node miss something of which this rank has got the other form?
void NodesExchange::look_for_others_of_mates() {
  for (Rank place = 0; place < node_.size(); ++place) {
    const std::uint64_t what = board_.missing(place), before = std::exchange(suspicions_[place], 0);
    if (what == 0) continue;
    const std::optional<Found> found = found_instead_of(what);
    if (!found) continue;
    suspicions_[place] = what;
    if (Missed::still(before, what)) fail_because_of(what, *found);
  }
}

// Has the sender of an edge that this rank misses taken a long edge for a short one, or the other way round?
void NodesExchange::look_for_own_edges() {
  const auto edge_of = [this](std::uint32_t name) -> const Edges::Receive& { return edges_->receives[name]; };
  const auto last = std::remove_if(open_.begin(), open_.end(), [](std::uint32_t name) { return (name & packed_name) != 0; });
  open_.erase(last, open_.end());
  std::sort(open_.begin(), open_.end());
  const auto question = [&](std::uint32_t name) { return std::pair(edge_of(name).from, is_short(edge_of(name).bytes)); };
  std::stable_sort(open_.begin(), open_.end(), [&](std::uint32_t a, std::uint32_t b) { return question(a) < question(b); });
  const std::vector<Rank> before = std::exchange(suspects_, {});
  for (auto name = open_.begin(); name != open_.end(); ++name) {
    if (name != open_.begin() && question(name[-1]) == question(*name)) continue;
    const auto& [from, memory, expected] = edge_of(*name);
    std::optional<Bytes> sent = far_.unexpected(kind(is_short(expected) ? Form::early : Form::single), from);
    if (!sent && !is_short(expected)) sent = packed_instead(from);
    if (!sent || queue_.start_all_receives()) continue;  // it may be an edge that waits
    if (std::find(before.begin(), before.end(), from) != before.end())
      throw Error(
          ErrorCode::misuse,
          fmt::format("rank {}, on the node of rank {}, sends {} bytes to rank {}, on the node of rank {}, which expects {}; {}",
                      from, map_.rank_at(map_.node_of(from), 0), *sent, me(), map_.rank_at(map_.own(), 0), expected, advice));
    suspects_.push_back(from);
  }
}

// The length of the first edge from that rank that is in the packed message, although this rank expects another one, or none.
std::optional<Bytes> NodesExchange::packed_instead(Rank from) const {
  const Count node = map_.node_of(from);
  const auto bytes = board_.arrived(node, decision_);
  if (!bytes) return {};
  const PackedMessage packed(board_.incoming(node), *bytes, map_.ranks_of(node));
  const PackedMessage::Range found = packed.edges(map_.place_of(from), node_.rank());
  Count next = found.first;
  const auto sent = [&] { return static_cast<Bytes>(packed.edge(next).size()); };
  for (const Edges::Receive& edge : edges_->receives) {
    if (edge.from != from || edge.bytes == 0 || !is_short(edge.bytes)) continue;
    if (next == found.last || sent() != edge.bytes) break;
    ++next;
  }
  return next < found.last ? std::optional(sent()) : std::nullopt;
}

void NodesExchange::note_missing() {
  std::vector<Missed> all;
  for (const std::uint32_t name : open_) {
    const bool is_packed = (name & packed_name) != 0;
    const Count node = is_packed ? static_cast<Count>(name & ~packed_name) : map_.node_of(edges_->receives[name].from);
    if (all.empty() || all.back().node != node || all.back().is_packed != is_packed) all.push_back({decision_, node, is_packed});
  }
  if (all.empty()) return;
  board_.note_missing(all[looks_for_others_ / looks_for_each % all.size()].in_look(looks_for_others_));
  has_noted_ = true;
}

// Has this rank got a message that the other node may have sent instead? A rank that has completed its part looks in later
// exchanges, too.
std::optional<NodesExchange::Found> NodesExchange::found_instead_of(std::uint64_t what) {
  const auto [decision, node, is_packed] = Missed::from(what);
  const auto ahead = static_cast<std::int32_t>(static_cast<std::uint32_t>(decision - decision_));
  if (ahead > 0 || (ahead == 0 && !is_decided_)) return {};  // it may be a message for which this rank has still to ask
  const auto found = [this, decision = decision](Form form, Rank from) -> std::optional<Found> {
    const auto bytes = far_.unexpected({form, decision}, from);
    return bytes ? std::optional(Found{form, from, *bytes}) : std::nullopt;
  };
  for (Rank place = 0; place < map_.ranks_of(node); ++place)  // the other node may know of other edges, and so have other leaders
    if (auto message = found(Form::packed, map_.rank_at(node, place))) return message;
  if (!is_packed || ahead != 0) return {};
  for (const auto& [from_node, edges] : to_unpack_)
    for (const std::uint64_t key : edges) {
      if (from_node != node) break;
      const Rank from = edges_->receives[ShortEdges::edge_of(key)].from;
      for (const Form form : {Form::single, Form::early})
        if (const auto message = found(form, from)) return queue_.start_all_receives() ? std::nullopt : message;
    }
  return {};
}

void NodesExchange::fail_because_of(std::uint64_t what, const Found& found) const {
  const Missed missed = Missed::from(what);
  const std::uint64_t decision = decision_ - static_cast<std::uint32_t>(decision_ - missed.decision);
  EdgeTotals in;
  for (Rank place = 0; place < node_.size(); ++place) in.add(board_.row(place, missed.node, decision).in.totals);
  const bool is_packed = found.form == Form::packed;
  const char *const single = "a message for each of its edges", *const packed = "one packed message";
  const char* const expected = !missed.is_packed ? single : is_packed ? "one packed message from or to other ranks" : packed;
  throw Error(ErrorCode::misuse,
              fmt::format("the node of rank {} sends {} to the node of rank {}, which expects {}: {} edges with {} bytes together; "
                          "rank {} has sent rank {} a message of {} bytes instead; {}",
                          map_.rank_at(missed.node, 0), is_packed ? packed : single, map_.rank_at(map_.own(), 0), expected,
                          in.edges, in.bytes, found.from, me(), found.bytes, advice));
}

}  // namespace quadrille
