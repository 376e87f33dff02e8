// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/ranks.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/executions/in_flight.hpp"
#include "execute/nodes/nodes_exchange.hpp"
#include "groups/chooser.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"
#include "seeds/fake_mpi/fake_mpi.hpp"
#include "seeds/far.hpp"
#include "seeds/system.hpp"

namespace quadrille::seeds {
namespace {

bool poll_fake_mpi() {
  FakeMpi::current()->progress();
  return false;
}

// The ranks before they have a group.
class Unmet final : public Communicator, public Transport {
 public:
  Unmet(Roll& roll, std::size_t rank, Count ranks, std::shared_ptr<InFlight> in_flight)
      : roll_(roll), rank_(static_cast<Rank>(rank)), ranks_(ranks), in_flight_(std::move(in_flight)) {}
  Rank rank() const override { return rank_; }
  Count size() const override { return ranks_; }
  std::string_view transport_name() const override { return "seeds"; }
  const std::vector<Count>& nodes() const override { return none_; }
  void barrier() override { all_gather(&ranks_, std::vector<Count>(index(ranks_)).data(), sizeof ranks_); }
  void all_gather(const void* mine, void* all, Bytes count) override {
    roll_.all_gather(index(rank_), mine, all, index(count), [&] {
      in_flight_->advance();
      FakeMpi::current()->progress();
    });
  }
  std::shared_ptr<std::byte> allocate(Bytes) override { std::abort(); }
  [[noreturn]] void abort(int) override { std::abort(); }
  Transport& transport() override { return *this; }

  void broadcast(void* data, Bytes count, Rank from) override {
    std::vector<std::byte> all(index(count * ranks_));
    all_gather(data, all.data(), count);
    std::memcpy(data, all.data() + from * count, index(count));
  }
  std::shared_ptr<Communicator> kept() override { std::abort(); }
  Count cores() const override { std::abort(); }
  Executor executor() const override { return Executor::mpi; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script>) override { std::abort(); }
  std::unique_ptr<Executable> prepare_exchange() override { std::abort(); }

 private:
  Roll& roll_;
  const Rank rank_;
  const Count ranks_;
  const std::shared_ptr<InFlight> in_flight_;
  const std::vector<Count> none_;
};

class StartsOfNodes final : public Starts {
 public:
  explicit StartsOfNodes(std::shared_ptr<InFlight> in_flight) : in_flight_(std::move(in_flight)) {}
  void begin(std::uint32_t) override {}
  const std::shared_ptr<InFlight>& in_flight() const override { return in_flight_; }
  void give_core_away() const override {
    poll_fake_mpi();
    sched_yield();
  }

 private:
  const std::shared_ptr<InFlight> in_flight_;
};

// A group on several nodes. As in the MPI plug-in, messages are copies within a node, and messages of MPI between nodes.
class OnNodes final : public Communicator, public Transport {
 public:
  struct Shared {
    std::shared_ptr<Communicator> unmet;
    std::unique_ptr<SharedCommunicator> node;
    std::vector<Count> nodes;
    std::vector<Rank> places;
    std::shared_ptr<InFlight> in_flight;
    StartsOfNodes starts;
    int& tags;
  };
  explicit OnNodes(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  Rank rank() const override { return shared_->unmet->rank(); }
  Count size() const override { return shared_->unmet->size(); }
  std::string_view transport_name() const override { return "seeds"; }
  const std::vector<Count>& nodes() const override { return shared_->nodes; }
  void barrier() override { shared_->unmet->barrier(); }
  void all_gather(const void* mine, void* all, Bytes count) override { shared_->unmet->all_gather(mine, all, count); }
  void broadcast(void* data, Bytes count, Rank from) override { shared_->unmet->transport().broadcast(data, count, from); }
  std::shared_ptr<std::byte> allocate(Bytes bytes) override { return shared_->node->allocate(bytes); }
  [[noreturn]] void abort(int) override { std::abort(); }
  Transport& transport() override { return *this; }

  std::shared_ptr<Communicator> kept() override { return std::make_shared<OnNodes>(shared_); }
  Count cores() const override { return shared_->node->cores(); }
  Executor executor() const override { return Executor::hybrid; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    const int tag = shared_->tags++;
    return made_or_thrown(*shared_->unmet, [&] {
      return hybrid_executable(*shared_->node, shared_->places, index(rank()), tag, script, *shared_->in_flight);
    });
  }
  std::unique_ptr<Executable> prepare_exchange() override {
    const int first = std::exchange(shared_->tags, shared_->tags + tags_of_far_edges);
    return made_or_thrown(*shared_->unmet, [&] {
      const ByRank<Count> nodes(shared_->nodes.begin(), shared_->nodes.end());
      NodeMap map(nodes, rank());
      const PackingRule rule = PackingRule::among(map.count(), map.most_ranks());
      return std::make_unique<NodesExchange>(shared_->node->space(), shared_->node->costs(), std::move(map), rule,
                                             far_edges(index(rank()), first));
    });
  }
  Bytes buffered_message_bytes(Rank peer) const override {
    const Rank place = shared_->places[index(peer)];
    return place < 0 ? -1 : shared_->node->buffered_message_bytes(place);
  }
  std::shared_ptr<Starts> starts(Executor) override { return {shared_, &shared_->starts}; }

 private:
  const std::shared_ptr<Shared> shared_;
};

}  // namespace

void Roll::all_gather(std::size_t rank, const void* mine, void* all, std::size_t bytes, const std::function<void()>& wait) {
  const std::size_t number = counts_[rank]++;
  if (meetings_.size() <= number) meetings_.resize(number + 1);
  if (!meetings_[number]) meetings_[number] = std::make_unique<Meeting>(), meetings_[number]->parts.resize(ranks_);
  Meeting& meeting = *meetings_[number];
  const auto* const first = static_cast<const std::byte*>(mine);
  meeting.parts[rank].assign(first, first + bytes);
  meeting.known.join(Memory::current()->released());
  ++meeting.arrived;
  Fibres::current()->note_progress();
  while (meeting.arrived < ranks_) {
    if (Fibres::current()->any_dead()) throw Error(ErrorCode::peer_lost, "a rank has died before the ranks have met");
    wait();
    Fibres::current()->give_way("meeting", nullptr);
  }
  Memory::current()->acquire(meeting.known);
  for (std::size_t each = 0; each < ranks_; ++each) {
    if (meeting.parts[each].size() != bytes) throw Error(ErrorCode::misuse, "the ranks gather different numbers of bytes");
    std::memcpy(static_cast<std::byte*>(all) + each * bytes, meeting.parts[each].data(), bytes);
  }
}

std::unique_ptr<Communicator> new_group(Roll& roll, std::size_t rank, const Nodes& nodes, OfProcess& own) {
  const auto ranks = static_cast<Count>(nodes.of_ranks.size());
  const bool is_one =
      std::all_of(nodes.of_ranks.begin(), nodes.of_ranks.end(), [&](Count node) { return node == nodes.of_ranks[0]; });
  static const std::atomic<bool> has_ended{false};
  Progress progress{.ended = &has_ended, .in_flight = std::make_shared<InFlight>(own.in_flight, own.memory_of_plans)};
  if (!is_one) progress.poll = &poll_fake_mpi;
  const auto in_flight = progress.in_flight;
  const auto unmet = std::make_shared<Unmet>(roll, rank, ranks, in_flight);
  Met met = meet(*unmet, {.assumed_node = is_one ? -1 : nodes.of_ranks[rank]}, nodes.costs.copies, progress, own.process);
  if (!met.node) return nullptr;
  if (is_one) {
    let_choose(*met.node);
    return std::move(met.node);
  }
  std::vector<Rank> places(index(ranks), -1);
  Rank next = 0;
  for (Rank each = 0; each < ranks; ++each)
    if (met.nodes[each] == met.nodes[static_cast<Rank>(rank)]) places[index(each)] = next++;
  auto group = std::make_unique<OnNodes>(std::shared_ptr<OnNodes::Shared>(new OnNodes::Shared{
      unmet, std::move(met.node), met.nodes, std::move(places), in_flight, StartsOfNodes(in_flight), own.tags}));
  let_choose(*group);
  return group;
}

}  // namespace quadrille::seeds
