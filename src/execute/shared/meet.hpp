// SPDX-License-Identifier: BSD-3-Clause
// Makes groups of ranks that share memory. The ranks can already communicate in another way, such as by MPI. Processes that meet
// for the first time exchange cards (process.hpp) and map each other's files. After that a new group costs one small all_gather,
// and some cache lines in the control file of its first rank. A group needs no additional file, descriptor or MPI context.
//
// Ranks that have met make further groups without cards, in one of two ways. *Known ranks* are a group that all of its ranks
// remember; a further group of some of these ranks costs one broadcast. There are known ranks only in programs without concurrent
// threads in MPI, and only among ranks of one world and one node. *Known processes* (Process::KnownProcesses) have all met each
// other; a group of some of them costs one all_gather. Known processes serve all other cases.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/shared/communicator.hpp"
#include "execute/shared/memory/process.hpp"

namespace quadrille {

// What the caller of `meet` knows about its own rank; `meet` tells it to the other ranks.
struct AboutRank {
  Count assumed_node = -1;       // if not -1: only ranks with the same value are on one node (QUADRILLE_NODE_SIZES)
  bool compares_starts = false;  // this rank asks that the order of starts be compared (Starts)
  bool is_wrong = false;         // the rank does not know its node, because its settings are wrong
  bool keeps = false;            // the rank has room to remember one more group (KnownRanks)
};

// What one rank remembers of a group that has met and whose ranks are all on one node.
struct KnownRanks {
  ByRank<std::shared_ptr<Peer>> peers;
  bool reads_private_memory = false;  // can each rank read the private memory of each other rank?
  Bytes control_bytes = 0;            // all other ranks have mapped this many bytes at the start of each control file
  bool any_compares = false;
  SharingCosts costs;
};

// The result of `meet` at one rank.
struct Met {
  ByRank<Count> nodes;              // by rank: its node; nodes are numbered in the order of their first ranks
  bool any_compares = false;        // does any rank have AboutRank::compares_starts?
  std::optional<Rank> first_wrong;  // the first rank with AboutRank::is_wrong
  Count cores = 1;                  // number of cores on which the ranks of this rank's node may run
  // The communicator of this rank's node, whose ranks share memory. If there is only one node, the communicator has all ranks of
  // the group. If it is null on one rank, it is null on all ranks of the group, and `no_sharing` gives the reason.
  std::unique_ptr<SharedCommunicator> node;
  std::string no_sharing;  // why `node` is null; or why ranks of one machine are on different nodes; else empty
  // For meet_again. Null on all ranks or on none: null unless all ranks of the group share memory and have room to remember the
  // group.
  std::shared_ptr<const KnownRanks> known_ranks;
};

// Collective. It uses `group` only to call `all_gather`, and keeps no reference to it. It throws what `all_gather` throws. If
// `costs` are not given, they are measured once per process. `process` is for tests: null stands for Process::current().
Met meet(Communicator& group, const AboutRank& about = {}, const std::optional<CopyCosts>& costs = {}, Progress progress = {},
         std::shared_ptr<Process> process = nullptr);

// Collective over `members`, some of the known ranks `all`: makes a group of them. `rank` is this rank's number in the
// new group. `broadcast` sends bytes from rank 0 to all members. Returns null on all ranks or on none; after null the
// ranks must call `meet` instead.
std::unique_ptr<SharedCommunicator> meet_again(const KnownRanks& all, const std::vector<Rank>& members, Rank rank,
                                               const std::function<void(void*, Bytes)>& broadcast, Progress progress);

// Collective: makes the group of the ranks that have mapped this head. The ranks need no other means of communication. Throws on
// all ranks or on none.
std::unique_ptr<SharedCommunicator> meet_at(const std::shared_ptr<SpaceHead>& head, Rank rank, Count ranks,
                                            const std::optional<CopyCosts>& costs = {});

}  // namespace quadrille
