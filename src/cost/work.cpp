// SPDX-License-Identifier: BSD-3-Clause
#include "cost/work.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "problem/limits.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_classes = 16;

class Classes {
 public:
  Classes(const Symmetry& symmetry, const NodeRanks& nodes)
      : symmetry_(symmetry), nodes_(nodes), is_reached_(index(nodes.node_count())) {}

  std::vector<Count> run() {
    std::vector<Count> standing;
    for (Count node = 0; node < nodes_.node_count(); ++node) {
      if (is_reached_[index(node)]) continue;
      const auto takes_there = [&](Count from) { return find_move(from, node); };
      if (std::none_of(standing.begin(), standing.end(), takes_there)) standing.push_back(node);
      if (standing.size() > most_classes) return {};
      reach(node);
    }
    return standing;
  }

 private:
  using Move = ByRank<Count>;  // the node to which a group element maps each node

  // Looks for a group element that maps node `from` to node `to`, and every node to a node. If there is one,
  // stores it and returns true.
  bool find_move(Count from, Count to) {
    if (nodes_.size(from) != nodes_.size(to)) return false;
    const Rank first = nodes_.ranks(from)[0];
    for (const Rank rank : nodes_.ranks(to)) {
      if (symmetry_.representative_of(rank) != symmetry_.representative_of(first)) continue;
      if (Move move = move_of(first, rank); !move.empty()) return moves_.push_back(std::move(move)), true;
    }
    return false;
  }

  // Returns the nodes to which a group element maps the nodes: the element that maps rank `from` to rank `to`. Empty if the
  // element does not map nodes to nodes.
  Move move_of(Rank from, Rank to) const {
    Move move;
    for (Count node = 0; node < nodes_.node_count(); ++node) {
      const auto target = [&](Rank rank) { return nodes_.node_of(symmetry_.image(to, symmetry_.preimage(from, rank))); };
      const auto ranks = nodes_.ranks(node);
      const Count there = target(ranks[0]);
      if (nodes_.size(there) != nodes_.size(node)) return {};
      if (std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) { return target(rank) != there; })) return {};
      move.push_back(there);
    }
    return move;
  }

  // Marks the node and all nodes that the known moves reach from it.
  void reach(Count node) {
    std::vector<Count> next;
    const auto mark = [&](Count reached) {
      if (is_reached_[index(reached)]) return;
      is_reached_[index(reached)] = true;
      next.push_back(reached);
    };
    mark(node);
    for (Count each = 0; each < nodes_.node_count(); ++each)  // a move that was found later may reach more nodes from a marked node
      if (is_reached_[index(each)] && each != node) next.push_back(each);
    while (!next.empty()) {
      const Count here = next.back();
      next.pop_back();
      for (const Move& move : moves_) mark(move[here]);
    }
  }

  const Symmetry& symmetry_;
  const NodeRanks& nodes_;
  std::vector<bool> is_reached_;
  std::vector<Move> moves_;
};

constexpr Count few_messages = Count{1} << 12;   // up to this, counting all nodes is faster than finding representatives
constexpr Count much_effort = Count{1} << 23;    // limit for counting all nodes, about half a second; beyond it, nodes are sampled
constexpr Count sample_effort = Count{1} << 20;  // limit for a sample of more than least_sampled nodes
constexpr Count most_messages = Count{1} << 27;  // limit for any sample; a few very large nodes may exceed it
constexpr Count least_sampled = 3;

// The messages and the amount of local work of one rank, without regions.
class Steps {
 public:
  struct Transfer {
    Rank peer = 0;
    Bytes bytes = 0;
  };
  struct RoundWork {
    Count number = 0;
    std::size_t sends = 0, receives = 0, end = 0;  // where its sends, its receives and the next round begin
    Bytes copied = 0, combined = 0;
  };

  void read(const Program& program) {
    rounds_.clear();
    transfers_.clear();
    for (const Round& round : program.rounds) {
      RoundWork& own = rounds_.emplace_back(RoundWork{.number = round.number, .sends = transfers_.size()});
      for (const Message& message : round.sends) transfers_.push_back({message.peer, bytes(message.regions)});
      for (const Control& control : round.control_sends) transfers_.push_back({control.peer, control.bytes});
      own.receives = transfers_.size();
      for (const Message& message : round.receives) transfers_.push_back({message.peer, bytes(message.regions)});
      for (const Control& control : round.control_receives) transfers_.push_back({control.peer, control.bytes});
      own.end = transfers_.size();
      for (const Local& local : round.locals)
        add_bytes(local.kind == LocalKind::copy ? own.copied : own.combined, bytes(local.source));
    }
  }

  const std::vector<RoundWork>& rounds() const { return rounds_; }
  std::span<const Transfer> sends(const RoundWork& round) const {
    return {transfers_.data() + round.sends, transfers_.data() + round.receives};
  }
  std::span<const Transfer> receives(const RoundWork& round) const {
    return {transfers_.data() + round.receives, transfers_.data() + round.end};
  }
  Count messages() const { return size(transfers_); }

 private:
  std::vector<RoundWork> rounds_;
  std::vector<Transfer> transfers_;
};

void add_times(Bytes& sum, Count times, Bytes bytes) {
  const auto product = checked_product(times, bytes);
  add_bytes(sum, product ? *product : std::numeric_limits<Bytes>::max());
}

constexpr Bytes longest_short = 16 << 10;  // longer messages within a node are copied by their receiver alone

struct Way {  // messages in one direction, sent or received
  Count outside = 0, inside = 0;
  Bytes outside_bytes = 0, inside_bytes = 0;
  Bytes short_bytes = 0;  // of inside_bytes, those in short messages

  void add(Count times, const Way& other) {
    outside += times * other.outside, inside += times * other.inside;
    add_times(outside_bytes, times, other.outside_bytes);
    add_times(inside_bytes, times, other.inside_bytes);
  }
};

// Sums over the ranks of the node that is being counted, and the figures to which they are added.
struct Tally {
  RoundFigures* figures = nullptr;
  bool is_touched = false;
  Way sent, received;
  Bytes copied = 0, combined = 0;
};

class Counting {
 public:
  Counting(const Schedule& schedule, ByRound<RoundFigures>& rounds, const std::function<void(const Program&)>& visit)
      : schedule_(schedule),
        symmetry_(schedule.symmetry ? &*schedule.symmetry : nullptr),
        nodes_(schedule.problem.nodes.empty() ? NodeRanks(ByRank<Count>(schedule.problem.ranks)) : NodeRanks(schedule.problem)),
        rounds_(rounds),
        visit_(visit) {}

  CountedWork run() && {
    if (symmetry_) {
      for (const Rank rank : symmetry_->representatives()) steps_.emplace_back().read(made(rank));
      if (nodes_.node_count() == 1) return count_only_node(), result_;
      if (count_standing_nodes()) return result_;
    } else {
      steps_.resize(1);
    }
    count_nodes();
    return result_;
  }

 private:
  Program made(Rank rank) {
    Program program = schedule_.program(rank);
    visit_(program);
    if (effort_ == 0) tallies_.expect(program);
    for (const Round& round : program.rounds) effort_ += effort_of(round);
    return program;
  }

  // Estimates the time to make and read a round.
  static Count effort_of(const Round& round) {
    Count effort = 1;
    for (const auto* messages : {&round.sends, &round.receives})
      for (const Message& message : *messages) effort += 1 + size(message.regions);
    for (const Local& local : round.locals) effort += size(local.source) + size(local.target);
    return effort;
  }

  // If there is only one node, no message leaves it. So one rank of each orbit is counted, and its figures are multiplied.
  void count_only_node() {
    const Count times = schedule_.problem.ranks / size(steps_);
    for (std::size_t i = 0; i < steps_.size(); ++i) count_rank(symmetry_->representatives()[i], steps_[i], times);
    end_node();
  }

  bool count_standing_nodes() {
    Count messages = 0;  // of one rank
    for (const Steps& steps : steps_) messages = std::max(messages, steps.messages());
    if (messages <= few_messages / schedule_.problem.ranks) return false;
    const std::vector<Count> standing = standing_nodes(*symmetry_, nodes_);
    for (const Count node : standing) count_node(node);
    return !standing.empty();
  }

  // Counts all nodes, or as many as time allows: first the nodes of the root, of rank 0 and of the last rank and the largest node,
  // then others spread over the whole range.
  void count_nodes() {
    const Count count = nodes_.node_count();
    std::vector<bool> is_counted(index(count));
    Count counted = 0;
    const auto count_once = [&](Count node) {
      if (is_counted[index(node)]) return;
      is_counted[index(node)] = true;
      count_node(node);
      ++counted;
    };
    if (count > least_sampled) {
      Count largest = 0;
      for (Count node = 1; node < count; ++node)
        if (nodes_.size(node) > nodes_.size(largest)) largest = node;
      for (const Count node : {nodes_.node_of(schedule_.problem.root), Count{0}, count - 1, largest}) count_once(node);
    }
    for_each_spread(count, /*zero_first=*/false, [&](Count at) {
      const bool is_too_much = counted > 0 && effort_ / counted > much_effort / count;
      if (counted >= least_sampled && is_too_much && effort_ > sample_effort) return false;
      count_once(at);
      return true;
    });
    if (counted < count) result_.nodes_sampled = counted;
  }

  void count_node(Count node) {
    for (const Rank rank : nodes_.ranks(node)) {
      if (!symmetry_) steps_[0].read(made(rank));
      count_rank(rank, steps_[symmetry_ ? index(symmetry_->orbit_of(rank)) : 0], 1);
    }
    end_node();
  }

  Way counted(Rank rank, std::span<const Steps::Transfer> transfers) const {
    Way way;
    const Count home = nodes_.node_of(rank);
    for (const auto& [peer, bytes] : transfers) {
      const bool leaves = nodes_.node_of(symmetry_ ? symmetry_->image(rank, peer) : peer) != home;
      ++(leaves ? way.outside : way.inside);
      add_bytes(leaves ? way.outside_bytes : way.inside_bytes, bytes);
      if (!leaves && bytes <= longest_short) add_bytes(way.short_bytes, bytes);
    }
    return way;
  }

  void count_rank(Rank rank, const Steps& steps, Count times) {
    result_.messages += steps.messages();
    effort_ += steps.messages();
    check_limit(schedule_.problem, result_.messages, most_messages, "messages, all of which have to be counted");
    for (const Steps::RoundWork& round : steps.rounds()) {
      Tally& tally = tallies_[round.number];
      if (!tally.figures) tally.figures = &rounds_[round.number];
      if (!tally.is_touched) tally.is_touched = true, touched_.push_back(&tally);
      RoundFigures& figures = *tally.figures;
      figures.number = round.number;
      const Way sent = counted(rank, steps.sends(round)), received = counted(rank, steps.receives(round));
      tally.sent.add(times, sent), tally.received.add(times, received);
      add_times(tally.copied, times, round.copied);
      add_times(tally.combined, times, round.combined);
      figures.outside_messages = std::max({figures.outside_messages, sent.outside, received.outside});
      figures.outside_bytes = std::max({figures.outside_bytes, sent.outside_bytes, received.outside_bytes});
      figures.taken_messages = std::max(figures.taken_messages, ceil_divide(3 * received.inside + sent.inside, 4));
      Bytes work = std::max(received.inside_bytes, sent.short_bytes);
      figures.taken_bytes = std::max(figures.taken_bytes, work);
      add_bytes(work, round.copied);
      figures.with_copied = std::max(figures.with_copied, work);
      add_bytes(work, round.combined);
      figures.with_combined = std::max(figures.with_combined, work);
    }
  }

  void end_node() {
    const auto raise = [](auto& figure, auto value) { figure = std::max(figure, value); };
    for (Tally* tally : touched_) {
      RoundFigures& figures = *tally->figures;
      raise(figures.node_outside_messages, std::max(tally->sent.outside, tally->received.outside));
      raise(figures.exchanged, std::max(tally->sent.outside_bytes, tally->received.outside_bytes));
      raise(figures.node_inside_messages, tally->sent.inside);
      raise(figures.node_inside_bytes, tally->sent.inside_bytes);
      raise(figures.node_copied, tally->copied);
      raise(figures.node_combined, tally->combined);
      *tally = {.figures = &figures};
    }
    touched_.clear();
  }

  const Schedule& schedule_;
  const Symmetry* symmetry_;  // null if none is stated
  const NodeRanks nodes_;
  ByRound<RoundFigures>& rounds_;
  const std::function<void(const Program&)>& visit_;
  std::vector<Steps> steps_;  // of each orbit's representative; without a symmetry, of the rank that is being counted
  ByRound<Tally> tallies_;
  std::vector<Tally*> touched_;  // tallies used by the current node
  Count effort_ = 0;             // about how many messages and regions have been read
  CountedWork result_;
};

}  // namespace

std::vector<Count> standing_nodes(const Symmetry& symmetry, const NodeRanks& nodes) { return Classes(symmetry, nodes).run(); }

CountedWork count_work(const Schedule& schedule, ByRound<RoundFigures>& rounds, const std::function<void(const Program&)>& visit) {
  return Counting(schedule, rounds, visit).run();
}

}  // namespace quadrille
