// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "execute/shared/memory/process.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/execute.hpp"
#include "seeds/fake_mpi/fake_mpi.hpp"
#include "seeds/memory.hpp"
#include "seeds/ranks.hpp"
#include "seeds/system.hpp"
#include "seeds/typed.hpp"
#include "support/apart.hpp"
#include "support/exchanges.hpp"
#include "support/occasion.hpp"

// The buffers of plans (support/occasion.hpp) lie in memory of their rank that is watched, too.
extern "C" {
void* __real_malloc(std::size_t);
void __real_free(void*);
void* __wrap_malloc(std::size_t bytes) {
  using quadrille::seeds::Fibres, quadrille::seeds::Memory;
  return Fibres::current() ? Memory::current()->allocate_private(bytes) : __real_malloc(bytes);
}
void __wrap_free(void* memory) {
  using quadrille::seeds::Fibres, quadrille::seeds::Memory;
  if (!Memory::is_shared(memory)) return __real_free(memory);
  if (Fibres::current()) Memory::current()->free_private(memory);
}
}

namespace quadrille::seeds {
namespace {

using testing::Drawn, testing::Exchanges, testing::Occasion;

constexpr std::array<const char*, 16> names_of_steps{"plan", "run",       "burst",   "start",  "test", "end",
                                                     "drop", "exchange",  "barrier", "gather", "tell", "regroup",
                                                     "part", "neighbors", "typed",   "swap"};
constexpr std::size_t slots = 3;

const Program* in_progress = nullptr;

// One rank's part of a program.
class RankRun {
 public:
  using Rolls = std::map<std::uint64_t, std::unique_ptr<Roll>>;  // of groups of some ranks, by the step's seed

  RankRun(const Program& program, Roll& roll, Rolls& rolls, std::size_t rank, const Nodes& nodes, std::uint64_t seed)
      : program_(program), roll_(roll), rolls_(rolls), rank_(rank), nodes_(nodes), own_(seed * 31 + rank) {}

  void dies_soon_after(std::size_t step) { dies_soon_after_ = step; }

  // Returns what is wrong, or "".
  std::string run() {
    while (!own_process_.process) try {
        own_process_.process = std::make_shared<Process>();
      } catch (const Error& error) {
        if (!Machine::current()->has_failed()) return error.what();  // after an injected failure it tries again
      }
    if (nodes_.knows_costs) keep_costs(own_process_.process->card().id, nodes_.costs);
    if (!regroup()) return Machine::current()->has_failed() ? "" : "no group was made";
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (dies_soon_after_ == i) Fibres::current()->may_die(rank_, Fibres::current()->points() + 1 + own_() % 500);
      carry_out(program_.steps[i]);
      if (!wrong_.empty()) return wrong_;
      if (!group_) return Machine::current()->has_failed() ? "" : "no group was made again";
    }
    while (!open_.empty()) end_one();
    return wrong_;
  }

 private:
  bool regroup() {
    while (!open_.empty()) end_one();
    for (auto& each : plans_) each.reset();
    for (auto& each : exchanges_) each.reset();
    group_ = nullptr, part_ = nullptr;
    group_ = new_group(roll_, rank_, nodes_, own_process_);
    return group_ != nullptr;
  }

  // Some ranks make a group of their own, which stays for a while, and run a plan there.
  void split(std::uint64_t seed) {
    std::vector<std::size_t> members;
    for (std::size_t rank = 0; rank < nodes_.of_ranks.size(); ++rank)
      if ((seed >> rank & 1) != 0) members.push_back(rank);
    const auto place = static_cast<std::size_t>(std::find(members.begin(), members.end(), rank_) - members.begin());
    if (members.size() < 2 || place == members.size()) return;
    part_ = nullptr;
    Nodes nodes = nodes_;
    nodes.of_ranks.assign(members.size(), 0);
    auto& roll = rolls_[seed];
    if (!roll) roll = std::make_unique<Roll>(members.size());
    part_ = new_group(*roll, place, nodes, own_process_);
    if (!part_) return note(Machine::current()->has_failed() ? "" : "no group of some ranks was made");
    std::mt19937_64 common(seed);
    Occasion run(*part_, common);
    for (int i = 0; i < 3; ++i) note(run.run(common));
  }

  void note(const std::string& fault) {
    if (wrong_.empty()) wrong_ = fault;
  }

  void end_one() {
    const auto chosen = open_.begin() + static_cast<std::ptrdiff_t>(own_() % open_.size());
    if (own_() % 4 == 0)
      for (auto looks = own_() % 20; looks > 0; --looks) chosen->request().test();
    note(chosen->end());
    open_.erase(chosen);
  }

  void carry_out(const Step& step) {
    std::mt19937_64 common(step.seed);
    auto& plan = plans_[step.slot];
    switch (step.what) {
      case Do::plan: plan = std::make_shared<Drawn>(*group_, common, false, true); return;
      case Do::drop: plan.reset(); return;
      case Do::run:
        if (plan) note(Occasion(plan, common).run(common));
        return;
      case Do::burst:  // ranks that only send are ahead of the others
        for (auto left = plan ? 3 + common() % 6 : 0; left > 0; --left) note(Occasion(plan, common).run(common));
        return;
      case Do::start:
        if (!plan) return;
        open_.emplace_back(plan, common);
        open_.back().begin(common);
        return;
      case Do::test:
        if (open_.empty()) return;
        if (Request& request = open_[own_() % open_.size()].request(); !request.is_over()) request.test();
        return;
      case Do::end:
        if (!open_.empty() && own_() % 2 == 0) end_one();
        return;
      case Do::exchange: {
        auto& exchange = exchanges_[step.seed % 2];
        if (!exchange) exchange = std::make_unique<Exchanges>(*group_, step.seed, step.seed % 2 == 0);
        constexpr Bytes most[] = {50, 2000, 70'000};
        note(exchange->run(1 + static_cast<long>(step.seed / 6 % 4), most[step.seed / 2 % 3]));
        return;
      }
      case Do::barrier: group_->barrier(); return;
      case Do::gather: {
        constexpr Bytes sizes[] = {8, 440, 441, 3000, 9000};
        const Bytes bytes = sizes[step.seed % 5];
        std::vector<std::byte> mine(index(bytes), static_cast<std::byte>(step.seed + rank_)), all(index(bytes * group_->size()));
        group_->all_gather(mine.data(), all.data(), bytes);
        for (std::size_t i = 0; i < all.size(); ++i)
          if (all[i] != static_cast<std::byte>(step.seed + i / index(bytes))) return note("a gather has wrong bytes");
        return;
      }
      case Do::tell: {
        const auto from = static_cast<Rank>(step.seed % static_cast<std::uint64_t>(group_->size()));
        std::uint64_t told = group_->rank() == from ? step.seed : 0;
        group_->transport().broadcast(&told, sizeof told, from);
        if (told != step.seed) note("a broadcast has wrong bytes");
        return;
      }
      case Do::regroup: regroup(); return;
      case Do::part: split(step.seed); return;
      case Do::neighbors: note(exchange_with_neighbors(*group_, step.seed)); return;
      case Do::typed: note(make_typed_calls(*group_, step.seed)); return;
      case Do::swap:  // an error of the program: rank 0 starts two plans in another order than the others
        for (const std::size_t each : {rank_ == 0 ? 0 : 1, rank_ == 0 ? 1 : 0})
          if (std::mt19937_64 data(step.seed + each); plans_[each]) note(Occasion(plans_[each], data).run(data));
        return;
    }
  }

  const Program& program_;
  Roll& roll_;
  Rolls& rolls_;
  const std::size_t rank_;
  const Nodes& nodes_;
  std::mt19937_64 own_;  // decides what this rank alone does
  OfProcess own_process_;
  std::size_t dies_soon_after_ = ~std::size_t{0};
  std::unique_ptr<Communicator> group_, part_;
  std::array<std::shared_ptr<Drawn>, slots> plans_;
  std::array<std::unique_ptr<Exchanges>, 2> exchanges_;
  std::vector<Occasion> open_;
  std::string wrong_;
};

}  // namespace

std::string program_in_progress() { return in_progress ? to_string(*in_progress) : ""; }

std::string to_string(const Program& program) {
  std::string text = fmt::format("{} ranks on nodes {}\n", program.nodes.size(), fmt::join(program.nodes, ","));
  for (const Step& step : program.steps)
    text += fmt::format("  {} {} {:x}\n", names_of_steps[static_cast<std::size_t>(step.what)], step.slot, step.seed);
  return text;
}

Program random_program(Area area, std::uint64_t seed) {
  Chance chance(seed ^ 0x70726f67);
  Program program;
  const std::size_t nodes = area == Area::engine ? 1 : 2 + chance.below(2);
  const std::size_t ranks = nodes + 1 + chance.below(area == Area::engine ? 4 : 3);  // some ranks share a node
  for (std::size_t rank = 0; rank < ranks; ++rank)
    program.nodes.push_back(static_cast<std::int64_t>(rank < nodes ? rank : chance.below(nodes)));
  if (area == Area::nodes && chance.one_in(2)) std::sort(program.nodes.begin(), program.nodes.end());
  constexpr Do drawn[] = {Do::plan,    Do::plan,   Do::burst, Do::run,  Do::burst,   Do::run,       Do::start,
                          Do::start,   Do::start,  Do::test,  Do::test, Do::end,     Do::end,       Do::exchange,
                          Do::barrier, Do::gather, Do::tell,  Do::drop, Do::regroup, Do::neighbors, Do::part};
  program.steps.push_back({Do::plan, 0, chance.next()});
  for (std::uint64_t left = 3 + chance.below(16); left > 0; --left)
    if (const Do what = chance.of(drawn); what != Do::part || area == Area::engine)
      program.steps.push_back({what, chance.below(slots), chance.next()});
  if (chance.one_in(20)) program.steps.push_back({Do::typed, 0, chance.next()});
  if (area == Area::engine && chance.one_in(12)) program.steps.push_back({Do::swap, 0, chance.next()});
  return program;
}

namespace {

Outcome run_in_this_thread(const Program& program, std::uint64_t seed) {
  forget_wisdom();
  ::setenv("QUADRILLE_WISDOM", "off", 1);
  Chance chance(seed);
  Outcome outcome;
  const std::size_t ranks = program.nodes.size();
  const bool is_one_node =
      std::count(program.nodes.begin(), program.nodes.end(), program.nodes[0]) == static_cast<std::ptrdiff_t>(ranks);
  Fibres fibres(chance);
  Memory memory(chance);
  Machine machine(chance);
  FakeMpi messages(chance);
  machine.cores = chance.one_in(3) ? static_cast<int>(ranks) : 1;
  machine.reads_private = !chance.one_in(4);
  machine.reads_in_parts = chance.one_in(2);
  machine.spurious_one_in = chance.one_in(3) ? 4 : 0;
  if (is_one_node && chance.one_in(12)) machine.fails_one_in = 5 + chance.below(60);
  constexpr const char* memories[] = {"64M", "64M", "20K", "100K"};
  ::setenv("QUADRILLE_PLAN_MEMORY", chance.of(memories), 1);
  Nodes nodes{{program.nodes.begin(), program.nodes.end()}, {}};
  nodes.costs.copies = chance.one_in(3) ? CopyCosts{} : testing::costs_of_copying_once(chance.one_in(3) ? 1 : 0);
  nodes.costs.yields_hand_over = chance.one_in(2), nodes.costs.shared_cores = machine.cores < static_cast<int>(ranks);
  nodes.knows_costs = !chance.one_in(8);
  const bool has_death = is_one_node && machine.fails_one_in == 0 && chance.one_in(3);
  const std::size_t victim = has_death ? chance.below(ranks) : ranks;
  const bool dies_early = chance.one_in(3);  // while the ranks meet, or later, in a step
  const std::size_t last_step = chance.below(program.steps.size() + 1);
  if (has_death && dies_early) fibres.may_die(victim, 1 + chance.below(600));
  const bool is_wrong =
      std::any_of(program.steps.begin(), program.steps.end(), [](const Step& step) { return step.what == Do::swap; });
  fibres.expect_wakes(is_one_node && machine.fails_one_in == 0 && !is_wrong);
  const auto is_expected = [&](ErrorCode code) {
    if (fibres.any_dead() || machine.has_failed())
      return code == ErrorCode::peer_lost || code == ErrorCode::environment || code == ErrorCode::transport ||
             code == ErrorCode::too_large || (is_wrong && code == ErrorCode::misuse);
    return is_wrong && (code == ErrorCode::misuse || code == ErrorCode::peer_lost);
  };
  fibres.on_death = [&](std::size_t rank) { machine.end_process(rank); };
  Roll roll(ranks);
  RankRun::Rolls rolls;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    fibres.add([&, rank] {
      std::string wrong;
      try {
        RankRun run(program, roll, rolls, rank, nodes, seed);
        if (rank == victim && !dies_early) run.dies_soon_after(last_step);
        wrong = run.run();
      } catch (const Error& error) {
        if (!is_expected(error.code())) wrong = fmt::format("throws '{}'", error.what());
      } catch (const std::exception& error) {
        wrong = fmt::format("throws '{}'", error.what());
      }
      if (!wrong.empty()) fibres.fail(wrong);
    });
  in_progress = &program;
  outcome.program = to_string(program);
  outcome.failure = fibres.run();
  in_progress = nullptr;
  outcome.switches = fibres.last_switches();
  outcome.points = fibres.points(), outcome.has_death = fibres.any_dead();
  return outcome;
}

}  // namespace

// The library keeps results for each thread and knowledge for the process. Those of earlier runs would change this one.
Outcome run_program(const Program& program, std::uint64_t seed) {
  Outcome outcome;
  std::thread([&] { outcome = run_in_this_thread(program, seed); }).join();
  return outcome;
}

// The words of a failure, without ranks, places and numbers.
std::string kind_of(const std::string& failure) {
  std::string words;
  for (const char each : failure)
    if (each < '0' || each > '9') words += each;
  return words.substr(0, 40);
}

Program shrunk(Program program, std::uint64_t seed) {
  int runs = 0;
  const std::string kind = kind_of(run_program(program, seed).failure);
  const auto fails = [&](const Program& one) { return ++runs < 300 && kind_of(run_program(one, seed).failure) == kind; };
  for (std::size_t part = std::max<std::size_t>(1, program.steps.size() / 2); part > 0; part /= 2)
    for (std::size_t first = 0; first < program.steps.size();) {
      Program less = program;
      const auto from = less.steps.begin() + static_cast<std::ptrdiff_t>(first);
      less.steps.erase(from, from + static_cast<std::ptrdiff_t>(std::min(part, less.steps.size() - first)));
      if (fails(less))
        program = less;
      else
        first += part;
    }
  while (program.nodes.size() > 2) {
    Program less = program;
    less.nodes.pop_back();
    const std::set<std::int64_t> nodes(less.nodes.begin(), less.nodes.end());
    if (nodes.size() == less.nodes.size() || !fails(less)) break;
    program = less;
  }
  return program;
}

}  // namespace quadrille::seeds
