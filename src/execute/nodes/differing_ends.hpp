// SPDX-License-Identifier: BSD-3-Clause
// How a rank in an exchange between nodes finds out that the ends of an edge name different lengths. It compares what arrives
// with what it expects. But the two ends may also expect different forms of messages (FarEdges::Form): the edge is long for one
// end only, or the two nodes have decided differently. A rank looks for messages of the other form from time to time during long
// waits.
//
// A look asks the MPI library several times whether a message has arrived. The library may yield the core each time, so a look
// may take as long as several exchanges. Therefore a rank whose waits are short does not look for its own messages. It looks for
// the messages that other ranks of its node miss, and only while those ranks wait for long.
//
// Such a message may also belong to a later exchange with the same tag, because its sender may be ahead. In that case the missing
// message was sent earlier, and it arrives before the next look of the rank that misses it. So a rank fails only if it finds the
// same message in two of its looks, and if between these looks the rank that misses a message has looked, too. In each look a
// rank notes what it misses, and before a look it receives what has arrived. Tags repeat after 64 decisions. No rank gets that
// far ahead of an exchange in which a rank of its node has still to send (NodeBoard::most_ahead). Exchanges that never pack have
// no decisions; their tags differ from all others.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "execute/nodes/nodes_state.hpp"
#include "execute/shared/unplanned/exchange.hpp"

namespace quadrille {

class DifferingEnds {
 public:
  explicit DifferingEnds(NodesState& state) : state_(state), suspicions_(state.node.size()) {}

  void begin();  // called at the begin of an exchange

  // The message of this rank's edge has another length than the rank expects: `sent` bytes.
  void note(std::size_t edge, Bytes sent);
  // The packed message has more edges from that rank than `expected`.
  void note_further(Rank from, std::uint64_t expected, Bytes sent) {
    difference_.note(from, expected, sent, EdgeDifference::nothing);
  }
  // A packed message has arrived: does it have the edges that the ranks of this node expect? This is needed because ranks that
  // expect no edge do not compare.
  void compare_totals(Count node, const PackedMessage& packed);
  // The packed message has too few edges from a rank. Perhaps the missing edge is long for its sender.
  void note_absent(std::size_t edge);
  bool has_absent() const { return !absent_.empty(); }
  void look_for_absent();

  // Called while this rank waits. Throws Error{misuse} if ranks wait for messages that will not come.
  void look();
  void is_complete();           // this rank has stopped waiting
  void throw_if_found() const;  // Error{misuse}, if ends differ in this exchange

  Bytes memory_bytes() const;

 private:
  using Form = FarEdges::Form;
  struct Found {  // a message that this rank has not asked for
    Form form;
    Rank from;
    Bytes bytes;
  };

  void look_for_other_forms();
  void look_for_others_of_mates();
  void look_for_own_edges();
  std::optional<Bytes> packed_instead(Rank from) const;
  void note_missing();
  std::optional<Found> found_instead_of(std::uint64_t what);
  [[noreturn]] void fail_because_of(std::uint64_t what, const Found& found) const;

  NodesState& state_;
  EdgeDifference difference_;
  std::string more_than_expected_;   // a sentence, if a packed message has more edges for a rank than that rank expects
  std::vector<std::size_t> absent_;  // edges to receive that were not in the packed message
  std::chrono::steady_clock::time_point absent_since_;
  std::vector<std::vector<std::byte>> lost_;  // messages that no rank expects
  std::uint64_t looks_for_others_ = 0;
  bool has_noted_ = false;            // does the board show what this rank misses?
  std::vector<std::uint32_t> open_;   // names of the receives that are open in this look
  std::vector<Rank> suspects_;        // the ranks whose messages of the other form were found in the last look
  ByRank<std::uint64_t> suspicions_;  // by place: what that rank missed when this rank last found another form; 0: not found
  std::optional<LongSince> waits_;    // measures the waits of this execution
  LongSince questions_{SharedSpace::between_questions};
};

}  // namespace quadrille
