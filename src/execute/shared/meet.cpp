// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/meet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <tuple>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/shared/group_space.hpp"
#include "foundation/environment.hpp"
#include "problem/limits.hpp"

namespace quadrille {
namespace {

// What each rank tells the others when a group is made.
struct GroupCard {
  ProcessCard process{};  // its id is 0 if the process has no shared memory
  std::uint64_t known_processes = 0;
  Count assumed_node = -1;
  Place head = 0;              // where rank 0 made the head in its control file; 0 if there was no room
  bool head_is_mapped = true;  // is the head at a place that all known processes of rank 0 have mapped?
  bool compares = false, is_wrong = false, keeps = false;
};

// The processes of a rank's node that have met for the first time.
struct Introduced {
  KnownRanks known;
  Place head = 0;  // of the node's group
};

// Returns how much of each peer's control file a process maps when they meet. Because this much is mapped early, ranks need not
// agree on mappings each time they make a group. If address space is limited (ulimit -v), the mappings take at most a quarter of
// the free addresses.
Bytes bytes_ahead(Count peers) {
  constexpr Bytes enough = Bytes{64} << 20;  // enough control memory for some thousand groups
  const auto addresses = free_addresses();
  return addresses ? std::min(enough, *addresses / 4 / peers) : enough;
}

// Maps up to `bytes` bytes of a control file; fewer if address space is short. Returns how much is mapped.
Bytes map_ahead(Peer& peer, Bytes bytes) {
  Bytes mapped = Extents::first;  // mapped when the processes met; each further extent is as long as all earlier ones together
  try {
    for (; 2 * mapped <= bytes; mapped *= 2) peer.at(FileKind::control, static_cast<Place>(mapped));
  } catch (const Error&) {}
  return mapped;
}

// Collective over `group`: lets the processes of this rank's node meet. `cards`: of all ranks; `nodes`: the node of each rank.
// `made_head` makes the head of the node's group on the node's first rank, and returns 0 on the others. Each process remembers
// the processes of its node as its known processes, unless it already knows a set of at least this size.
Introduced introduced(Communicator& group, Process* process, const ByRank<ProcessCard>& cards, const ByRank<Count>& nodes,
                      const std::function<Place()>& made_head) {
  struct Outcome {
    bool reads_private_memory = true;
    Bytes control_bytes = 0;
    Place head = 0;
    std::uint64_t known_processes = 0;
  };
  const Count own = nodes[group.rank()], mates = std::count(nodes.begin(), nodes.end(), own);
  Introduced made;
  ByRank<std::optional<Outcome>> of_nodes(group.size());  // by node: of its first rank, with what holds for all of its ranks
  const auto outcomes = gathered_or_thrown(group, [&] {
    const Bytes ahead = bytes_ahead(mates);
    Outcome outcome{.control_bytes = ahead, .head = made_head(), .known_processes = random_id()};
    for (Rank rank = 0; rank < group.size(); ++rank) {
      if (nodes[rank] != own) continue;
      const auto& peer = made.known.peers.emplace_back(process->meet(cards[rank]));
      outcome.reads_private_memory = outcome.reads_private_memory && peer->reads_private_memory();
      if (rank != group.rank()) outcome.control_bytes = std::min(outcome.control_bytes, map_ahead(*peer, ahead));
    }
    return outcome;
  });
  for (Rank rank = 0; rank < group.size(); ++rank) {
    std::optional<Outcome>& node = of_nodes[nodes[rank]];
    if (!node) node = outcomes[rank];
    node->reads_private_memory = node->reads_private_memory && outcomes[rank].reads_private_memory;
    node->control_bytes = std::min(node->control_bytes, outcomes[rank].control_bytes);
  }
  const Outcome& node = *of_nodes[own];
  made.known.reads_private_memory = node.reads_private_memory;
  made.known.control_bytes = node.control_bytes;
  made.head = node.head;
  const bool are_mapped = std::all_of(of_nodes.begin(), of_nodes.end(), [](const std::optional<Outcome>& each) {
    return !each || each->head < static_cast<Place>(each->control_bytes);
  });
  if (!are_mapped) made_or_thrown(group, [&] { return made.known.peers[0]->at(FileKind::control, made.head); });
  if (mates > process->known_processes().size)
    process->set_known_processes({node.known_processes, mates, node.reads_private_memory, node.control_bytes});
  return made;
}

// The head of a group in this process's control file. The destructor releases it, unless `keep` was called: after `keep` the
// group must release it.
class MadeHead {
 public:
  explicit MadeHead(Process* process) : process_(process) {}
  ~MadeHead() {
    if (place_) process_->control().release(place_);
  }
  MadeHead(const MadeHead&) = delete;
  MadeHead& operator=(const MadeHead&) = delete;

  // Makes the head and returns its place. May be called again, for fewer ranks, until other ranks know the place. Throws
  // std::bad_alloc.
  Place make(Count ranks) {
    if (!place_) place_ = process_->control().allocate(SpaceHead::bytes(ranks));
    SharedSpace::make_head(process_->control().at(place_), ranks);
    return place_;
  }
  // Stores in the head the costs that this process has measured, for ranks that have measured none.
  void tell_costs() {
    auto* const head = reinterpret_cast<SpaceHead*>(process_->control().at(place_));
    const auto costs = kept_costs(process_->card().id);
    if (!costs) return;
    std::memcpy(head->costs, &*costs, sizeof *costs);
    head->has_costs = true;
  }
  Place keep() { return std::exchange(place_, 0); }

 private:
  Process* const process_;
  Place place_ = 0;
};

// Returns the node of each rank. Ranks are on one node if host, pid namespace and assumed node are equal.
ByRank<Count> nodes_of(const ByRank<GroupCard>& cards) {
  ByRank<Count> nodes;
  std::map<std::tuple<std::uint64_t, std::uint64_t, Count>, Count> known;
  for (const GroupCard& card : cards)
    nodes.push_back(
        known.emplace(std::tuple(card.process.host, card.process.pid_space, card.assumed_node), static_cast<Count>(known.size()))
            .first->second);
  return nodes;
}

// Returns why ranks of one machine count as different nodes and do not share memory, or "" if there are no such ranks.
std::string reason_on_one_machine(const ByRank<GroupCard>& cards) {
  std::map<std::uint64_t, Rank> first_of_host;
  for (Rank rank = 0; rank < quadrille::size(cards); ++rank) {
    if (cards[rank].process.id == 0) continue;
    const Rank first = first_of_host.emplace(cards[rank].process.host, rank).first->second;
    if (cards[first].process.pid_space != cards[rank].process.pid_space)
      return fmt::format(
          "ranks {} and {} are on one machine but in different pid namespaces, as containers are; start the containers with one "
          "pid namespace (docker: --pid=host) to share memory",
          first, rank);
  }
  return "";
}

std::vector<Rank> members_of(const ByRank<Count>& nodes, Count node) {
  std::vector<Rank> members;
  for (Rank rank = 0; rank < quadrille::size(nodes); ++rank)
    if (nodes[rank] == node) members.push_back(rank);
  return members;
}

// Have all ranks of each node met each other before? Returns the same on all ranks.
bool know_each_other(const ByRank<GroupCard>& cards, const ByRank<Count>& nodes) {
  std::map<Count, std::uint64_t> known_processes;  // by node
  for (Rank rank = 0; rank < quadrille::size(cards); ++rank) {
    const std::uint64_t own = cards[rank].known_processes;
    if (own == 0 || known_processes.emplace(nodes[rank], own).first->second != own) return false;
  }
  return cards[0].head != 0 && cards[0].head_is_mapped;
}

// Makes the group's space. `own` is the place of `head` in this process's control file if this process made the head, else 0.
// Other ranks may use the head already. So if making the space throws, the group is marked as failed, which ends waits for this
// rank. The head is never released in this case.
std::shared_ptr<GroupSpace> space_at(SpaceHead* head, Place own, const std::shared_ptr<Process>& process,
                                     const ByRank<std::shared_ptr<Peer>>& peers, Rank rank, bool reads_private_memory) {
  try {
    return std::make_shared<GroupSpace>(process, peers, head, own, rank, reads_private_memory);
  } catch (...) {
    SharedSpace::end_without(head, rank);
    throw;
  }
}

// One rank's part in the meeting of a group. The constructor and make_space are collective.
class Meeting {
 public:
  // If this process has no shared memory, `process` is null and `why` says why.
  Meeting(Communicator& group, const std::shared_ptr<Process>& process, const std::optional<Error>& why, const AboutRank& about)
      : group_(group), process_(process), why_(why), head_(process_.get()), cards_(group.size()) {
    GroupCard mine{
        .assumed_node = about.assumed_node, .compares = about.compares_starts, .is_wrong = about.is_wrong, .keeps = about.keeps};
    if (process_) {
      known_processes_ = process_->known_processes();
      mine.process = process_->card();
      mine.known_processes = known_processes_.id;
      if (group_.rank() == 0) {
        try {
          mine.head = head_.make(group_.size());
          head_.tell_costs();
          mine.head_is_mapped = mine.head < static_cast<Place>(known_processes_.control_bytes);
        } catch (const std::bad_alloc&) {}  // `head` stays 0, and `make_space` reports it
      }
    }
    if (!process_) sched_getaffinity(0, sizeof mine.process.cores, &mine.process.cores);
    known_.reserve(cards_.size());  // allocated now: once the other ranks have all cards, they may wait for this rank
    group_.all_gather(&mine, cards_.data(), sizeof mine);
    nodes_ = nodes_of(cards_);
    members_ = members_of(nodes_, nodes_[group_.rank()]);
  }

  const ByRank<GroupCard>& cards() const { return cards_; }
  Count cores() const {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (const Rank rank : members_) CPU_OR(&all, &all, &cards_[rank].process.cores);
    return std::max(1, CPU_COUNT(&all));
  }
  const ByRank<Count>& nodes() const { return nodes_; }
  const std::vector<Rank>& members() const { return members_; }
  std::optional<Rank> first_wrong() const {
    const auto wrong = std::find_if(cards_.begin(), cards_.end(), [](const GroupCard& card) { return card.is_wrong; });
    return wrong == cards_.end() ? std::nullopt : std::optional<Rank>(wrong - cards_.begin());
  }
  bool any_compares() const {
    return std::any_of(cards_.begin(), cards_.end(), [](const GroupCard& card) { return card.compares; });
  }

  // Call it after make_space. Returns null unless all ranks share memory and all can remember the group.
  std::shared_ptr<const KnownRanks> known_ranks(const SharingCosts& costs) const {
    const bool all_keep = std::all_of(cards_.begin(), cards_.end(), [](const GroupCard& card) { return card.keeps; });
    if (!all_keep || node_.peers.empty() || size(members_) < group_.size()) return nullptr;
    auto made = std::make_shared<KnownRanks>(node_);
    made->any_compares = any_compares();
    made->costs = costs;
    return made;
  }

  // Makes the space of this rank's node. Throws on all ranks or on none.
  std::shared_ptr<GroupSpace> make_space() {
    const bool is_one_node = size(members_) == group_.size();
    if (is_one_node && know_each_other(cards_, nodes_)) {
      for (const GroupCard& card : cards_) known_.push_back(process_->known(card.process.id));
      return space_of(known_, cards_[0].head, known_processes_.reads_private_memory);
    }
    return introduce();
  }

 private:
  std::shared_ptr<GroupSpace> space_of(const ByRank<std::shared_ptr<Peer>>& peers, Place head, bool reads_private_memory) {
    const auto place = std::find(members_.begin(), members_.end(), group_.rank()) - members_.begin();
    auto* const memory = reinterpret_cast<SpaceHead*>(peers[0]->at(FileKind::control, head));
    return space_at(memory, head_.keep(), process_, peers, place, reads_private_memory);
  }

  std::shared_ptr<GroupSpace> introduce() {
    ByRank<ProcessCard> all;
    for (const GroupCard& card : cards_) all.push_back(card.process);
    Introduced made = introduced(group_, process_.get(), all, nodes_, [&]() -> Place {
      if (why_) throw Error(*why_);
      if (size(members_) > GroupSpace::most_ranks)
        throw Error(ErrorCode::environment, fmt::format("{} ranks of one node cannot share memory; the limit is {}", size(members_),
                                                        GroupSpace::most_ranks));
      if (members_.front() != group_.rank()) return 0;
      const Place head = head_.make(size(members_));
      head_.tell_costs();
      return head;
    });
    node_ = std::move(made.known);
    return space_of(node_.peers, made.head, node_.reads_private_memory);
  }

  Communicator& group_;
  const std::shared_ptr<Process> process_;
  const std::optional<Error> why_;
  MadeHead head_;
  Process::KnownProcesses
      known_processes_;  // copied when the meeting begins, because another thread may change the known processes of `process_`
  ByRank<std::shared_ptr<Peer>> known_;
  ByRank<GroupCard> cards_;
  ByRank<Count> nodes_;
  std::vector<Rank> members_;  // the ranks of this rank's node
  KnownRanks node_;            // the processes of this rank's node, if they had to be introduced
};

// Collective. Returns the same costs on all ranks: those stored in the head by the group's first process if they suit this group,
// else newly measured ones. The stored costs do not suit if this group has more ranks than cores, but the costs were measured
// with a core for every rank. From such a measurement the ranks do not know whether a rank that yields hands its core over.
SharingCosts costs_of(GroupSpace& space, Process& process) {
  if (space.size() == 1) return {};
  SharingCosts costs;
  if (space.head().has_costs) std::memcpy(static_cast<void*>(&costs), space.head().costs, sizeof costs);
  if (!space.head().has_costs || (!costs.shared_cores && !space.core_for_every_rank())) costs = measure_costs(space);
  const auto own = kept_costs(process.card().id);
  if (!own || (costs.shared_cores && !own->shared_cores)) keep_costs(process.card().id, costs);
  return costs;
}

std::unique_ptr<SharedCommunicator> communicator_of(std::shared_ptr<GroupSpace> space, const SharingCosts& costs,
                                                    const std::optional<CopyCosts>& copies = {}) {
  space->set_yields_hand_over(costs.yields_hand_over);
  return std::make_unique<SharedCommunicator>(std::move(space), "shared", copies.value_or(costs.copies));
}

// The space of a group whose processes have not met yet. It has only the head and the rank areas. These suffice for gathers.
class HeadSpace final : public SharedSpace {
 public:
  HeadSpace(SpaceHead* head, Rank rank, Count ranks) : SharedSpace(head, rank, ranks) { set_core_count(usable_core_count()); }

  std::byte* at(Offset) const override { return nullptr; }
  Offset offset_of(const void*) const override { return 0; }
  Offset allocate(Bytes) override { throw std::bad_alloc(); }
  Offset allocate_control(Bytes) override { throw std::bad_alloc(); }
  void release(Offset) override {}
  bool reads_private_memory() const override { return false; }
  void read_private(Rank, const void*, std::span<const TargetPiece>) override {}
};

}  // namespace

Met meet(Communicator& group, const AboutRank& about, const std::optional<CopyCosts>& costs, Progress progress,
         std::shared_ptr<Process> process) {
  warn_of_environment();
  std::optional<Error> why;
  try {
    if (!process) process = Process::current();
  } catch (const Error& error) {
    why = error;
  }
  Meeting meeting(group, process, why, about);
  Met met{.nodes = meeting.nodes(),
          .any_compares = meeting.any_compares(),
          .first_wrong = meeting.first_wrong(),
          .cores = meeting.cores(),
          .node = nullptr,
          .no_sharing = ""};
  const Count nodes = *std::max_element(met.nodes.begin(), met.nodes.end()) + 1;
  const bool all_can_share =
      std::all_of(meeting.cards().begin(), meeting.cards().end(), [](const GroupCard& card) { return card.process.id != 0; });
  if (nodes > 1) met.no_sharing = reason_on_one_machine(meeting.cards());
  if (nodes == group.size() && nodes > 1 && all_can_share) {
    if (met.no_sharing.empty()) met.no_sharing = "each of them has a node of its own";
    return met;
  }
  std::shared_ptr<GroupSpace> space;
  try {
    space = meeting.make_space();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::transport || error.code() == ErrorCode::peer_lost) throw;
    met.no_sharing = error.what();
    return met;
  }
  if (nodes > 1) space->set_names(meeting.members());
  space->set_progress(std::move(progress));
  const SharingCosts known = costs_of(*space, *process);
  met.node = communicator_of(std::move(space), known, costs);
  met.known_ranks = meeting.known_ranks(known);
  return met;
}

std::unique_ptr<SharedCommunicator> meet_again(const KnownRanks& all, const std::vector<Rank>& members, Rank rank,
                                               const std::function<void(void*, Bytes)>& broadcast, Progress progress) {
  const auto& process = Process::current();
  ByRank<std::shared_ptr<Peer>> peers;  // allocated before the broadcast: after it, other ranks may wait for this rank
  for (const Rank member : members) peers.push_back(all.peers[member]);
  MadeHead made(process.get());
  Place head = 0;
  try {
    if (rank == 0) {
      head = made.make(size(members));
      if (!all.costs.shared_cores) made.tell_costs();  // this process may have measured other costs meanwhile
    }
  } catch (const std::bad_alloc&) {}  // `head` stays 0: the ranks call `meet`, which reports it
  if (head >= static_cast<Place>(all.control_bytes)) head = 0;
  broadcast(&head, sizeof head);
  if (!head) return nullptr;
  auto* const memory = reinterpret_cast<SpaceHead*>(peers[0]->at(FileKind::control, head));
  auto space = space_at(memory, made.keep(), process, peers, rank, all.reads_private_memory);
  space->set_progress(std::move(progress));
  const SharingCosts costs = all.costs.shared_cores ? all.costs : costs_of(*space, *process);
  return communicator_of(std::move(space), costs);
}

std::unique_ptr<SharedCommunicator> meet_at(const std::shared_ptr<SpaceHead>& head, Rank rank, Count ranks,
                                            const std::optional<CopyCosts>& costs) {
  SharedCommunicator strangers(std::make_shared<HeadSpace>(head.get(), rank, ranks), "shared");
  const auto process = Process::current();
  ByRank<ProcessCard> cards(ranks);
  strangers.all_gather(&process->card(), cards.data(), sizeof(ProcessCard));
  KnownRanks group = introduced(strangers, process.get(), cards, ByRank<Count>(ranks, 0), [] { return Place{0}; }).known;
  strangers.barrier();  // after this barrier the rank areas may be reused
  auto space =
      std::make_shared<GroupSpace>(process, std::move(group.peers), head.get(), Place{0}, rank, group.reads_private_memory, head);
  space->set_progress({.in_flight = InFlight::of_process()});
  const SharingCosts known = costs_of(*space, *process);
  return communicator_of(std::move(space), known, costs);
}

}  // namespace quadrille
