// SPDX-License-Identifier: BSD-3-Clause
// Makes groups of ranks that share memory; the ranks can already communicate in another way. Processes that meet for the first time
// exchange cards (process.hpp) and map each other's files. After that a new group costs one small all_gather, and some cache lines
// in the control file of its first rank. It has no file, descriptor or MPI context of its own.
//
// Ranks that have met make further groups without cards, in one of two ways. An acquaintance is a group whose ranks all remember
// it; a group within it costs one broadcast. That works only in programs without concurrent threads in MPI, for ranks of one world
// and one node. A circle (Process::Circle) is a set of processes that have all met; a group within it costs one all_gather. It
// serves all other cases.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/shared/communicator.hpp"
#include "execute/shared/memory/process.hpp"

namespace quadrille {

// What each rank tells the others when a group is made.
struct AboutRank {
  Count assumed_node = -1;       // if not -1: ranks are on one node only if this is equal (QUADRILLE_NODE_SIZES)
  bool compares_starts = false;  // starts.hpp
  bool is_wrong = false;         // it cannot tell its node, because its settings are wrong
  bool keeps = false;            // it has room to remember one more group that has met (Acquaintance)
};

// What one rank remembers of a group that has met and whose ranks are all on one node.
struct Acquaintance {
  ByRank<std::shared_ptr<Peer>> peers;
  bool reads_private_memory = false;  // can each of them read any other's?
  Bytes control_bytes = 0;            // how many bytes at the start of each control file all the other ranks have mapped
  bool any_compares = false;
  SharingCosts costs;
};

struct Met {
  ByRank<Count> nodes;  // by rank: its node; nodes are numbered in the order of their first ranks
  bool any_compares = false;
  std::optional<Rank> first_wrong;  // the first rank with AboutRank::is_wrong
  // The ranks of this rank's node, which share memory. Null on all ranks of the group or on none. It has all ranks if there is only
  // one node.
  std::unique_ptr<SharedCommunicator> node;
  std::string no_sharing;  // why `node` is null, or why ranks of one machine count as several nodes
  // For meet_again. Null on all ranks or on none; not null only if all ranks of the group share memory and have room to remember
  // it.
  std::shared_ptr<const Acquaintance> acquaintance;
};

// Collective. Calls only `group.all_gather`, and only before it returns; throws what that throws. If `costs` are not given, they
// are measured once per process. `process` is for tests: null stands for Process::current().
Met meet(Communicator& group, const AboutRank& about = {}, const std::optional<CopyCosts>& costs = {}, Progress progress = {},
         std::shared_ptr<Process> process = nullptr);

// Collective over `members`, ranks of the acquaintance `all`: makes a group of them. `rank` is this rank's number in the new group.
// `broadcast` sends bytes from rank 0 to all members. Returns null on all ranks if they have to call `meet` instead.
std::unique_ptr<SharedCommunicator> meet_again(const Acquaintance& all, const std::vector<Rank>& members, Rank rank,
                                               const std::function<void(void*, Bytes)>& broadcast, Progress progress);

// Collective: makes the group of the ranks that have been given this head, each with its own mapping of it. They need no other
// means of communication. Throws on all ranks or on none.
std::unique_ptr<SharedCommunicator> meet_at(const std::shared_ptr<SpaceHead>& head, Rank rank, Count ranks,
                                            const std::optional<CopyCosts>& costs = {});

}  // namespace quadrille
