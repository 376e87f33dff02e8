// SPDX-License-Identifier: BSD-3-Clause
// Counts what the models price, with one program in memory at a time.
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "cost/matchings.hpp"
#include "cost/windows.hpp"
#include "cost/work.hpp"
#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/model.hpp"
#include "quadrille/schedule.hpp"
#include "schedule/symmetry.hpp"
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

constexpr Count most_in_chains = Count{1} << 24;  // limits for counting chains: messages, which take a second, and ranks
constexpr Count most_ranks_in_chains = Count{1} << 16;

constexpr Count programs_for_chained = 64;  // only these are searched for chained stages: the search takes as long as counting

// Returns true if some rank waits, directly or through others, for a rank that waits for it. This is always so in a collective in
// which every rank's output depends on every rank's input. For other collectives, the programs of all ranks are made. If ranks wait
// for each other in a cycle, no rank can run ahead into the next operation.
bool waits_in_cycle(const Schedule& schedule) {
  // Repeatedly removes ranks that do not wait for any remaining rank. The ranks of a cycle are never removed, so a cycle exists if
  // ranks remain.
  constexpr Rank most_ranks = 4096;  // limit for making programs
  const Count ranks = schedule.problem.ranks;
  if (ranks == 1) return false;
  if (all_depend_on_all(schedule.problem.collective)) return true;
  if (ranks > most_ranks) return true;         // making the programs would take long; assume the more expensive case
  ByRank<std::vector<Rank>> receivers(ranks);  // by sender
  ByRank<Count> awaited(ranks);                // number of ranks for which each rank waits
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<Rank>& own = receivers[rank];
    for (const Round& round : schedule.program(rank).rounds) {
      for (const Message& message : round.sends) own.push_back(message.peer);
      for (const Control& control : round.control_sends) own.push_back(control.peer);
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    std::erase(own, rank);
    for (const Rank receiver : own) ++awaited[receiver];
  }
  std::vector<Rank> free;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (awaited[rank] == 0) free.push_back(rank);
  for (std::size_t next = 0; next < free.size(); ++next)
    for (const Rank receiver : receivers[free[next]])
      if (--awaited[receiver] == 0) free.push_back(receiver);
  return size(free) < ranks;
}

class WorkloadCounting {
 public:
  WorkloadCounting(const Schedule& schedule, const WorkloadOptions& options) : schedule_(schedule), topology_(options.topology) {
    if (topology_) check_ranks(*topology_, schedule.problem);
    result_.has_links = topology_ != nullptr;
    if (options.nodes && !schedule.problem.nodes.empty()) nodes_.emplace(schedule.problem);
    result_.has_nodes = nodes_ && nodes_->node_count() > 1;
    result_.has_work = options.work;
    result_.is_exchange = is_exchange(schedule.problem.collective);
    if (result_.has_links || result_.has_nodes) sends_.emplace(schedule, !moves_data(schedule.problem.collective) || !topology_);
    if (!options.work && !schedule.symmetry) check_limit(schedule.problem, schedule.problem.ranks, most_programs, "programs");
    if (options.windows && !options.work) {
      windows_ = find_windows(schedule);
      joined_ = std::make_unique<WorkloadCounting>(schedule, WorkloadOptions{.topology = topology_, .chains = true});
    }
    // If all ranks do the same, the longest chain is what each of them sends.
    const bool is_alike = schedule.symmetry && schedule.symmetry->representatives().size() == 1;
    if ((options.chains || options.windows) && !options.work && !is_alike && schedule.problem.ranks <= most_ranks_in_chains)
      chains_.emplace(schedule, true);
  }

  Workload run() && {
    if (!result_.has_work || sends_) {
      if (schedule_.symmetry)
        for (const Rank rank : schedule_.symmetry->representatives()) add_program_of(rank);
      else
        for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank) add_program_of(rank);
    }
    bool in_cycle = false;
    if (result_.has_work) {
      const CountedWork work = count_work(schedule_, rounds_, [&](const Program& program) {
        if (!sends_) count(program);
      });
      result_.nodes_sampled = work.nodes_sampled;
      result_.messages_counted = work.messages;
      in_cycle = waits_in_cycle(schedule_);
    }
    return finish(in_cycle);
  }

 private:
  void add_program_of(Rank rank) {
    const auto made = windows_.programs.find(rank);
    Program program = made == windows_.programs.end() ? schedule_.program(rank) : std::move(made->second);
    add(program);
    if (joined_) joined_->add(with_rounds_joined(std::move(program), windows_.begins));
  }

  void add(const Program& program) {
    count(program);
    if (sends_) sends_->add(program);
  }

  Workload finish(bool in_cycle) {
    if (sends_) count_together(*sends_);
    if (chains_) count_chains();
    std::size_t stage = 0;
    rounds_.for_each([&](Count number, const RoundFigures& round) {
      if (round.messages == 0 && round.with_combined == 0) return;
      QUADRILLE_ASSERT(round.queue <= round.chain);
      QUADRILLE_ASSERT(round.taken_bytes <= round.with_copied && round.with_copied <= round.with_combined);
      advance(stage, number);
      StageFigures& figures = result_.stages[stage];
      figures.startups += round.messages;
      add_bytes(figures.volume, round.bytes);
      add_bytes(figures.wire, std::max(round.bytes, round.link_bytes));
      figures.rounds.push_back(round);
      RoundFigures& last = figures.rounds.back();
      last.in_cycle = in_cycle;
      last.chain = std::max(last.chain, last.bytes), last.queue = std::max(last.queue, last.bytes);
    });
    if (joined_) count_windows();
    return std::move(result_);
  }

  void advance(std::size_t& stage, Count round) const {
    while (stage + 1 < named_.size() && round >= named_[stage + 1].first_round) ++stage;
  }

  void count(const Program& program) {
    if (result_.stages.empty())
      for (const Stage& stage : named_ = program.stages) result_.stages.push_back({.name = stage.name});
    if (!is_begun_) rounds_.expect(program), is_begun_ = true;
    if (result_.stages.empty() && !program.rounds.empty()) result_.stages.emplace_back();  // a file may name no stages
    result_.held =
        std::max({result_.held, input_bytes(schedule_.problem, program.rank), output_bytes(schedule_.problem, program.rank)});
    result_.scratch = std::max(result_.scratch, program.scratch_bytes);
    keep_for_chains(program);
    Bytes control_bytes = 0;
    std::vector<Totals> of_stage(result_.stages.size());
    std::size_t stage = 0;
    WrittenBytes received;  // in the present stage
    for (const Round& round : program.rounds) {
      const std::size_t before = stage;
      advance(stage, round.number);
      if (result_.has_work && programs_ < programs_for_chained && !result_.stages[stage].is_chained) {
        if (stage != before) received = {};
        for (const Message& message : round.sends)
          result_.stages[stage].is_chained = result_.stages[stage].is_chained || received.overlaps(message.regions);
        for (const Message& message : round.receives) received.add(message.regions);
      }
      RoundFigures& figures = rounds_[round.number];
      figures.number = round.number;
      const Totals totals = totals_of(round, figures);
      for (const Message& message : round.sends)
        if (bool& in_pieces = result_.stages[stage].in_pieces; !in_pieces)
          in_pieces = !is_one_run(message.regions) || has_image_in_pieces(program.rank, message.regions);
      of_stage[stage].add(totals);
      figures.messages = std::max(figures.messages, totals.messages());
      figures.bytes = std::max(figures.bytes, totals.bytes());
      figures.both_ways = figures.both_ways || (totals.sent > 0 && totals.received > 0);
      result_.ports = std::max(result_.ports, totals.messages());
      result_.messages_counted += totals.sent + totals.received;
      for (const Control& control : round.control_sends) add_bytes(control_bytes, control.bytes);
    }
    ++programs_;
    result_.control_bytes = std::max(result_.control_bytes, control_bytes);
    for (std::size_t i = 0; i < of_stage.size(); ++i) {
      result_.stages[i].messages = std::max(result_.stages[i].messages, of_stage[i].messages());
      result_.stages[i].load = std::max(result_.stages[i].load, of_stage[i].bytes());
    }
  }

  // Returns true if the group maps a message that is one contiguous run to a message that is not. The images of consecutive blocks
  // need not be consecutive. If the images are consecutive in another order, they count as one run, because a rank lists them as
  // one run. Checked only if links are counted, because only models with links need it.
  bool has_image_in_pieces(Rank representative, const Regions& regions) {
    const Bytes block = schedule_.problem.block_bytes;
    if (!schedule_.symmetry || !result_.has_links || regions.empty() || block == 0 ||
        !is_indexed_by_rank(regions[0].buffer, schedule_.problem.collective))
      return false;
    const Count first = regions[0].offset / block, last = (regions[0].offset + bytes(regions) - 1) / block;
    if (first >= last || std::tuple(representative, first, last) == in_one_run_) return false;
    const Symmetry& symmetry = *schedule_.symmetry;
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank) {
      if (symmetry.representative_of(rank) != representative) continue;
      Rank lowest = symmetry.image(rank, first), highest = lowest;
      for (Rank x = first + 1; x <= last; ++x) {
        lowest = std::min(lowest, symmetry.image(rank, x));
        highest = std::max(highest, symmetry.image(rank, x));
      }
      if (highest - lowest > last - first) return true;
    }
    in_one_run_ = {representative, first, last};
    return false;
  }

  static Totals totals_of(const Round& round, RoundFigures& figures) {
    Totals totals;
    const auto longest = [&](Bytes length) { return figures.longest = std::max(figures.longest, length), length; };
    for (const Message& message : round.sends) totals.send(longest(bytes(message.regions)));
    for (const Message& message : round.receives) totals.receive(bytes(message.regions));
    for (const Control& control : round.control_sends) totals.send(longest(control.bytes));
    for (const Control& control : round.control_receives) totals.receive(control.bytes);
    return totals;
  }

  void keep_for_chains(const Program& program) {
    if (!chains_ || !chains_->is_owner(program.rank)) return;
    for (const Round& round : program.rounds) messages_in_chains_ += size(round.sends) + size(round.control_sends);
    if (messages_in_chains_ > most_in_chains)
      chains_.reset();
    else
      chains_->add(program);
  }

  void count_windows() {
    const auto begins_window = [&](const RoundFigures& round) {
      return round.messages == 0 || std::binary_search(windows_.begins.begin(), windows_.begins.end(), round.number);
    };
    bool is_joined = false;
    for (StageFigures& figures : result_.stages) {
      figures.windows = figures.rounds;
      is_joined = is_joined || !std::all_of(figures.rounds.begin(), figures.rounds.end(), begins_window);
    }
    if (!is_joined) return;
    Workload joined = joined_->finish(false);
    QUADRILLE_ASSERT(joined.stages.size() == result_.stages.size());
    for (std::size_t i = 0; i < result_.stages.size(); ++i) result_.stages[i].windows = std::move(joined.stages[i].rounds);
  }

  // Lets the messages of each round follow each other: first the first message of every rank, then the second ones, and so on.
  void count_chains() {
    const ByRank<Bytes> idle(schedule_.problem.ranks);
    ByRank<Bytes> out = idle, in = idle, sent = idle, queued = idle;  // when each rank is done with its last message
    struct Sends {
      Rank from = 0;
      std::span<const SendsByRound::Send> own;
    };
    std::vector<Sends> all;
    const auto target = [&](Rank from, Rank peer) { return schedule_.symmetry ? schedule_.symmetry->image(from, peer) : peer; };
    const auto follow = [&](RoundFigures& round) {
      for (std::size_t place = 0; !all.empty(); ++place) {
        std::erase_if(all, [&](const Sends& sends) { return sends.own.size() <= place; });
        for (const auto& [from, own] : all) {
          const Rank to = target(from, own[place].peer);
          Bytes end = std::max(out[from], in[to]), taken = std::max(sent[from], queued[to]);
          add_bytes(end, own[place].bytes), add_bytes(taken, own[place].bytes), add_bytes(sent[from], own[place].bytes);
          out[from] = in[to] = end;
          queued[to] = taken;
          round.chain = std::max(round.chain, end), round.queue = std::max(round.queue, taken);
        }
      }
      out = in = sent = queued = idle;
    };
    chains_->for_each(
        [&](Count, Rank from, auto own, auto&&) {
          all.push_back({from, own});
        },
        [&](Count number) {
          if (RoundFigures& round = rounds_[number]; round.messages > 1) follow(round);
          all.clear();
        });
  }

  // Counts links and nodes, which the messages of all ranks use together.
  void count_together(SendsByRound& sends) {
    std::optional<LinkLoads> loads;
    ByRank<Count> ways;  // number of links on which each rank can send at a time
    if (topology_) {
      loads.emplace(*topology_);
      for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank)
        ways.push_back(std::max<Count>(1, size(topology_->links_from(rank))));
    }
    Count turns = 0;
    std::vector<RoutedMessage> messages;
    result_.messages_counted = 0;  // counted again, now with the images
    sends.for_each(
        [&](Count, Rank from, auto own, auto&& image) {
          if (loads) turns = std::max(turns, ceil_divide(static_cast<Count>(own.size()), ways[from]));
          result_.messages_counted += 2 * static_cast<Count>(own.size());  // both ends
          for (const SendsByRound::Send& send : own) {
            const Rank to = image(send.peer);
            if (loads) loads->add(from, to, send.port(), send.bytes);
            if (result_.has_nodes) messages.push_back({from, to, send.port(), send.bytes});
          }
        },
        [&](Count number) {
          RoundFigures& round = rounds_[number];
          if (loads) {
            const LinkLoads::Busiest busiest = loads->take();
            QUADRILLE_ASSERT(busiest.sharing > 0 || busiest.bytes == 0);
            round.sharing = busiest.sharing;
            round.link_bytes = busiest.bytes;
            round.slowest = busiest.longest;
            if (busiest.sharing > 0) round.busiest_link = topology_->link(busiest.number);
            round.turns = std::exchange(turns, 0);
          }
          if (result_.has_nodes) count_nodes(round, messages);
          messages.clear();
        });
  }

  void count_nodes(RoundFigures& round, const std::vector<RoutedMessage>& messages) const {
    std::vector<RankExchange> parts;  // from the first rank to the other
    ByRank<Totals> inside(schedule_.problem.ranks);
    for (const RoutedMessage& message : messages) {
      if (nodes_->node_of(message.from) == nodes_->node_of(message.to)) {
        inside[message.from].send(message.bytes);
        inside[message.to].receive(message.bytes);
      } else {
        parts.push_back({message.from, message.to, message.bytes});
      }
    }
    const auto pair = [](const RankExchange& part) { return std::pair(part.one, part.other); };
    const auto comes_before = [&](const RankExchange& a, const RankExchange& b) { return pair(a) < pair(b); };
    if (!std::is_sorted(parts.begin(), parts.end(), comes_before)) std::sort(parts.begin(), parts.end(), comes_before);
    ByRank<Totals> of_node(nodes_->node_count());
    auto kept = parts.begin();
    for (auto first = parts.begin(); first != parts.end();) {
      Bytes sum = 0;
      auto last = first;
      for (; last != parts.end() && pair(*last) == pair(*first); ++last) add_bytes(sum, last->bytes);
      round.longest_exchange = std::max(round.longest_exchange, sum);
      of_node[nodes_->node_of(first->one)].send(sum);
      of_node[nodes_->node_of(first->other)].receive(sum);
      *kept++ = {first->one, first->other, sum};
      first = last;
    }
    parts.erase(kept, parts.end());
    const LeastMatchings least = least_matchings(std::move(parts), *nodes_);
    round.matchings = least.steps, round.matched = least.bytes;
    for (const Totals& totals : of_node) {
      round.exchanges = std::max(round.exchanges, totals.messages());
      round.exchanged = std::max(round.exchanged, totals.bytes());
    }
    QUADRILLE_ASSERT(round.exchanges <= round.matchings);
    for (const Totals& totals : inside) {
      round.inside_messages = std::max(round.inside_messages, totals.messages());
      round.inside_bytes = std::max(round.inside_bytes, totals.bytes());
    }
  }

  const Schedule& schedule_;
  const Topology* topology_;
  std::optional<NodeRanks> nodes_;  // present if nodes are counted
  Count programs_ = 0;              // that have been counted
  bool is_begun_ = false;           // true if a program has been counted
  std::vector<Stage> named_;
  ByRound<RoundFigures> rounds_;
  // A representative and a range of its blocks whose images are consecutive under every element of the group.
  std::tuple<Rank, Count, Count> in_one_run_;
  std::optional<SendsByRound> sends_;   // the messages, if links or nodes are counted
  std::optional<SendsByRound> chains_;  // the messages, if chains are counted
  Windows windows_;
  std::unique_ptr<WorkloadCounting> joined_;  // counts each window as one round, if windows are counted
  Count messages_in_chains_ = 0;
  Workload result_;
};

}  // namespace

bool is_exchange(Collective collective) {
  return every_rank_has_all(facts_of(collective).input) && every_rank_has_all(facts_of(collective).output);
}

Workload workload(const Schedule& schedule, const WorkloadOptions& options) { return WorkloadCounting(schedule, options).run(); }

std::vector<StageFigures> stage_figures(const Schedule& schedule) { return workload(schedule, {.windows = true}).stages; }

Workload workload_for(const Model& model, const Schedule& schedule, const Topology* topology) {
  return workload(schedule,
                  {.topology = topology, .nodes = model.needs_nodes, .work = model.needs_work, .windows = model.prices_windows});
}

}  // namespace quadrille
