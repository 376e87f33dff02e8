// SPDX-License-Identifier: BSD-3-Clause
// Counting what models price, one program in memory at a time.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "problem/node_ranks.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

struct Totals {
  Count sent = 0, received = 0;
  Bytes out = 0, in = 0;

  void send(Bytes bytes) {
    ++sent;
    add_bytes(out, bytes);
  }
  void receive(Bytes bytes) {
    ++received;
    add_bytes(in, bytes);
  }
  void add(const Totals& other) {
    sent += other.sent;
    received += other.received;
    add_bytes(out, other.out);
    add_bytes(in, other.in);
  }
  Count messages() const { return std::max(sent, received); }
  Bytes bytes() const { return std::max(out, in); }
};

bool is_one_run(const Regions& regions) {
  const auto repeats = [](const Level& level) { return level.count > 1; };
  return regions.size() <= 1 && (regions.empty() || std::none_of(regions[0].levels.begin(), regions[0].levels.end(), repeats));
}

class Counting {
 public:
  Counting(const Schedule& schedule, const WorkloadOptions& options)
      : schedule_(schedule), topology_(options.topology), nodes_(schedule.problem) {
    if (topology_) check_ranks(*topology_, schedule.problem);
    result_.has_links = topology_ != nullptr;
    result_.has_nodes = options.nodes && !schedule.problem.nodes.empty() && nodes_.node_count() > 1;
  }

  Workload run() && {
    if (schedule_.symmetry && !result_.has_links && !result_.has_nodes)
      for (const Rank rank : schedule_.symmetry->representatives) count(schedule_.program(rank));
    else
      for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank) count(schedule_.program(rank));
    for (auto& [number, messages] : messages_) {
      RoundFigures& round = rounds_[number];
      if (result_.has_links) count_links(round, messages);
      if (result_.has_nodes) count_nodes(round, messages);
    }
    std::size_t stage = 0;
    for (const auto& [number, round] : rounds_) {
      if (round.messages == 0) continue;
      advance(stage, number);
      StageFigures& figures = result_.stages[stage];
      figures.startups += round.messages;
      add_bytes(figures.volume, round.bytes);
      add_bytes(figures.wire, std::max(round.bytes, round.link_bytes));
      figures.rounds.push_back(round);
    }
    return std::move(result_);
  }

 private:
  void advance(std::size_t& stage, Count round) const {
    while (stage + 1 < named_.size() && round >= named_[stage + 1].first_round) ++stage;
  }

  void count(const Program& program) {
    if (result_.stages.empty())
      for (const Stage& stage : named_ = program.stages) result_.stages.push_back({.name = stage.name});
    result_.held =
        std::max({result_.held, input_bytes(schedule_.problem, program.rank), output_bytes(schedule_.problem, program.rank)});
    result_.scratch = std::max(result_.scratch, program.scratch_bytes);
    Bytes control_bytes = 0;
    std::vector<Totals> of_stage(result_.stages.size());
    std::size_t stage = 0;
    for (const Round& round : program.rounds) {
      advance(stage, round.number);
      RoundFigures& figures = rounds_[round.number];
      figures.number = round.number;
      const Totals totals = totals_of(round, result_.stages[stage], figures);
      of_stage[stage].add(totals);
      figures.messages = std::max(figures.messages, totals.messages());
      figures.bytes = std::max(figures.bytes, totals.bytes());
      figures.both_ways = figures.both_ways || (totals.sent > 0 && totals.received > 0);
      result_.ports = std::max(result_.ports, totals.messages());
      result_.messages_counted += totals.sent + totals.received;
      for (const Control& control : round.control_sends) add_bytes(control_bytes, control.bytes);
    }
    result_.control_bytes = std::max(result_.control_bytes, control_bytes);
    for (std::size_t i = 0; i < of_stage.size(); ++i)
      result_.stages[i].load = std::max(result_.stages[i].load, of_stage[i].bytes());
    if (result_.has_links || result_.has_nodes) collect(program);
  }

  static Totals totals_of(const Round& round, StageFigures& stage, RoundFigures& figures) {
    Totals totals;
    const auto longest = [&](Bytes length) { return figures.longest = std::max(figures.longest, length), length; };
    for (const Message& message : round.sends) totals.send(longest(bytes(message.regions)));
    for (const Message& message : round.receives) totals.receive(bytes(message.regions));
    for (const Control& control : round.control_sends) totals.send(longest(control.bytes));
    for (const Control& control : round.control_receives) totals.receive(control.bytes);
    for (const Message& message : round.sends) stage.in_pieces = stage.in_pieces || !is_one_run(message.regions);
    return totals;
  }

  // For links and nodes, which all ranks' messages of a round use together.
  void collect(const Program& program) {
    for (const Round& round : program.rounds) {
      const auto keep = [&](Rank peer, const std::optional<Port>& port, Bytes length) {
        messages_[round.number].push_back({program.rank, peer, port, length});
      };
      for (const Message& message : round.sends) keep(message.peer, message.port, bytes(message.regions));
      for (const Control& control : round.control_sends)
        if (schedule_.problem.collective == Collective::barrier || !topology_) keep(control.peer, {}, control.bytes);
    }
  }

  void count_links(RoundFigures& round, const std::vector<RoutedMessage>& messages) const {
    const BusiestLink busiest = busiest_link(*topology_, messages, [](const RoutedMessage&, const std::string&) {});
    round.sharing = busiest.messages;
    round.link_bytes = busiest.bytes;
    for (auto first = messages.begin(); first != messages.end();) {  // they stand by sender
      const auto last = std::find_if(first, messages.end(), [&](const RoutedMessage& each) { return each.from != first->from; });
      const auto ways = std::max<Count>(1, static_cast<Count>(topology_->links_from(first->from).size()));
      round.turns = std::max(round.turns, (last - first + ways - 1) / ways);
      first = last;
    }
  }

  void count_nodes(RoundFigures& round, const std::vector<RoutedMessage>& messages) const {
    std::map<std::pair<Rank, Rank>, Totals> exchanges;  // by the lower rank and the higher
    std::unordered_map<Rank, Totals> inside;            // by rank
    for (const RoutedMessage& message : messages) {
      if (nodes_.node_of(message.from) == nodes_.node_of(message.to)) {
        inside[message.from].send(message.bytes);
        inside[message.to].receive(message.bytes);
      } else {
        const auto [low, high] = std::minmax(message.from, message.to);
        Totals& exchange = exchanges[{low, high}];
        message.from == low ? exchange.send(message.bytes) : exchange.receive(message.bytes);
      }
    }
    std::unordered_map<Count, Totals> of_node;
    for (const auto& [pair, exchange] : exchanges)
      for (const Rank rank : {pair.first, pair.second}) of_node[nodes_.node_of(rank)].send(exchange.bytes());
    for (const auto& [node, totals] : of_node) {
      round.exchanges = std::max(round.exchanges, totals.sent);
      round.exchanged = std::max(round.exchanged, totals.out);
    }
    for (const auto& [rank, totals] : inside) {
      round.inside_messages = std::max(round.inside_messages, totals.messages());
      round.inside_bytes = std::max(round.inside_bytes, totals.bytes());
    }
  }

  const Schedule& schedule_;
  const Topology* topology_;
  const NodeRanks nodes_;
  std::vector<Stage> named_;
  std::map<Count, RoundFigures> rounds_;
  MessagesByRound messages_;
  Workload result_;
};

}  // namespace

Workload workload(const Schedule& schedule, const WorkloadOptions& options) { return Counting(schedule, options).run(); }

std::vector<StageFigures> stage_figures(const Schedule& schedule) { return workload(schedule).stages; }

}  // namespace quadrille
