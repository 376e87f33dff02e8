// SPDX-License-Identifier: BSD-3-Clause
// Ranks that can already talk to each other come to share memory. Processes that meet for the first time exchange cards
// (process.hpp) and map each other's files. After that a group takes one small all_gather, and some cache lines in the control file
// of its first rank: it has no file, descriptor or MPI context of its own.
//
// Ranks that have met make further groups without cards, in one of two ways. Acquaintances serve programs without concurrent
// threads in MPI, for ranks of one world and one node: one broadcast. Circles (Process::Circle) serve the others: one gather.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/shared/communicator.hpp"
#include "execute/shared/process.hpp"

namespace quadrille {

// What a rank says of itself where a group is made.
struct AboutRank {
  Count assumed_node = -1;       // not -1: ranks share a node only if they assume the same (QUADRILLE_NODE_SIZES)
  bool compares_starts = false;  // starts.hpp
  bool is_wrong = false;         // it cannot say on which node it is, for a reason of its own
  bool keeps = false;            // it has room to remember one more group that has met (Acquaintance)
};

// What one rank knows of a group that has met and whose ranks are all on one node.
struct Acquaintance {
  ByRank<std::shared_ptr<Peer>> peers;
  bool reads_private_memory = false;  // can each of them read any other's?
  Bytes control_bytes = 0;            // so many bytes of each one's control file, from its beginning, are mapped by all the others
  bool any_compares = false;
  SharingCosts costs;
};

struct Met {
  ByRank<Count> nodes;  // of each rank of the group, numbered in the order of their first ranks
  bool any_compares = false;
  std::optional<Rank> first_wrong;  // AboutRank::is_wrong
  // The ranks of this rank's node, which share memory; on all ranks of the group or on none. Of all ranks if there is one node.
  std::unique_ptr<SharedCommunicator> node;
  std::string no_sharing;  // why there is none; or why ranks of several nodes do not share memory, though on one machine
  // For meet_again. On all ranks or on none: only if all ranks of the group share memory and all have room to remember it.
  std::shared_ptr<const Acquaintance> acquaintance;
};

// Collective. `group` is used for as long as this takes, and only to gather. Throws what its gathering throws. `costs` that are not
// given are measured, once in a process. `process`: null for this one's.
Met meet(Communicator& group, const AboutRank& about = {}, const std::optional<CopyCosts>& costs = {}, Progress progress = {},
         std::shared_ptr<Process> process = nullptr);

// Collective: a group of ranks that have met, `members` of `all`; `rank` is this one's in the new group. `broadcast` sends
// bytes of rank 0 to all. Returns null on all ranks if they have to call `meet` instead.
std::unique_ptr<SharedCommunicator> meet_again(const Acquaintance& all, const std::vector<Rank>& members, Rank rank,
                                               const std::function<void(void*, Bytes)>& broadcast, Progress progress);

// Collective: the group whose head the ranks have been given, each its own mapping of it; they need no other way to talk to each
// other. Throws on all ranks or on none.
std::unique_ptr<SharedCommunicator> meet_at(const std::shared_ptr<SpaceHead>& head, Rank rank, Count ranks,
                                            const std::optional<CopyCosts>& costs = {});

}  // namespace quadrille
