// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/history.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace quadrille::seeds {
namespace {

using What = RecordedStep::What;

constexpr std::array<const char*, 9> functions_called{"Allreduce", "Bcast",    "Alltoallv", "Ibcast",           "Reduce_scatter",
                                                      "Barrier",   "Comm_dup", "Gatherv",   "Neighbor_alltoall"};
constexpr std::array<std::string_view, 6> functions_of_messages{"Send", "Recv", "Sendrecv", "Isend", "Waitall", "Put"};

// A random size whose number of bits is random, too.
std::uint64_t sized(Chance& chance, unsigned most_bits) {
  return chance.next() & ((std::uint64_t{1} << chance.below(most_bits + 1)) - 1);
}

// The communicators of a program, and the sites that its ranks have in common.
struct Application {
  Count world_size = 1;
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedSite> sites;
};

RecordedSite random_site(Chance& chance, std::size_t communicators) {
  RecordedSite site{.kind = static_cast<RecordedKind>(chance.below(6)), .communicator = chance.below(communicators)};
  if (site.kind != RecordedKind::point_to_point && site.kind != RecordedKind::others) site.function = chance.of(functions_called);
  site.root = static_cast<Rank>(chance.below(5)) - 1;
  if (chance.one_in(3)) site.type = "f64", site.operation = chance.one_in(2) ? "sum" : "?", site.type_bytes = 8;
  site.block_bytes = static_cast<Bytes>(sized(chance, 50));
  if (chance.one_in(3))
    for (std::uint64_t left = chance.below(chance.one_in(10) ? 400 : 12); left > 0; --left)
      site.counts.push_back(static_cast<Bytes>(sized(chance, 40)));
  if (chance.one_in(8))
    for (std::uint64_t left = chance.below(7); left > 0; --left) site.peers.push_back(static_cast<Rank>(chance.below(5)) - 1);
  return site;
}

Application random_application(Chance& chance, std::uint64_t ranks) {
  Application program{.world_size = static_cast<Count>(ranks + (chance.one_in(4) ? sized(chance, 12) : 0))};
  std::vector<Rank> world(static_cast<std::size_t>(program.world_size));
  std::iota(world.begin(), world.end(), Rank{0});
  program.communicators.push_back({"MPI_COMM_WORLD", world, 0, false});
  for (std::uint64_t left = chance.below(6); left > 0; --left) {
    RecordedCommunicator made{.name = chance.one_in(3) ? "part" : "", .members = {}, .nth = 0, .is_inter = chance.one_in(6)};
    const std::uint64_t step = 1 + chance.below(3);
    for (const Rank rank : world)
      if (chance.below(step) == 0) made.members.push_back(rank);
    if (chance.one_in(3)) std::reverse(made.members.begin(), made.members.end());
    if (chance.one_in(5)) made.members.insert(made.members.begin(), 1 + chance.below(3), Rank{-1});
    made.nth = std::count_if(program.communicators.begin(), program.communicators.end(), [&](const RecordedCommunicator& each) {
      return each.members == made.members && each.is_inter == made.is_inter;
    });
    program.communicators.push_back(std::move(made));
  }
  for (std::uint64_t left = 1 + chance.below(12); left > 0; --left)
    program.sites.push_back(random_site(chance, program.communicators.size()));
  return program;
}

// Makes the steps of one rank.
class Author {
 public:
  Author(Chance& chance, const Application& program, RankHistory& history)
      : chance_(chance), program_(program), history_(history) {}

  void write(std::uint64_t calls, std::uint64_t sites) {
    rate_ = 1e9 + static_cast<double>(chance_.below(3'000'000'000));
    add({.what = What::make}), add({.what = What::begin, .rate = rate_});
    define_communicators(1);
    for (std::uint64_t i = 0; i < sites; ++i) define_site();
    while (calls_ < calls) loop(calls);
    define_communicators(program_.communicators.size());
    if (chance_.one_in(3)) return;  // it goes on running
    end_ticks_ += chance_.below(1 << 20);
    add({.what = What::end, .duration = std::max<std::uint64_t>(end_ticks_, 1)});
    if (chance_.one_in(6)) return;  // another thread was inside
    add({.what = What::close});
    if (history_.facts.folds) add({.what = What::fold});
  }

 private:
  struct Typical {
    std::uint64_t gap, duration;
    bool varies;
  };

  void add(RecordedStep step) { history_.steps.push_back(std::move(step)); }

  // Those of the program that the rank belongs to, up to this number of all.
  void define_communicators(std::size_t until) {
    for (; seen_ < until; ++seen_) {
      const RecordedCommunicator& each = program_.communicators[seen_];
      own_.push_back(~std::size_t{0});
      if (std::find(each.members.begin(), each.members.end(), history_.facts.rank) == each.members.end()) continue;
      own_.back() = history_.communicators.size();
      history_.communicators.push_back(each);
      add({.what = What::communicator});
    }
  }

  // Most ranks have the same sites, and some have other counts.
  void define_site() {
    RecordedSite site = chance_.one_in(6) ? random_site(chance_, program_.communicators.size()) : chance_.of(program_.sites);
    if (!site.counts.empty() && chance_.one_in(2)) site.counts[0] += history_.facts.rank;
    define_communicators(std::max<std::size_t>(seen_, site.communicator + 1));
    if (own_[site.communicator] == ~std::size_t{0}) site.communicator = 0;
    site.communicator = own_[site.communicator];
    history_.sites.push_back(std::move(site));
    add({.what = What::site});
    typical_.push_back({time(), time(), chance_.one_in(2)});
  }

  std::uint64_t time() {
    constexpr std::uint64_t limit = std::uint64_t{1} << 22;
    if (chance_.one_in(12)) return limit - 2 + chance_.below(4);
    return sized(chance_, chance_.one_in(10) ? 45 : 21);
  }

  std::uint64_t near(std::uint64_t ticks) { return ticks + chance_.below(ticks / 4 + 2); }

  void call(std::uint32_t site) {
    const Typical& typical = typical_[site];
    RecordedStep step{.what = What::call, .number = site, .gap = typical.gap, .duration = typical.duration};
    if (typical.varies) step.gap = near(step.gap), step.duration = near(step.duration);
    if (chance_.one_in(300)) step.gap = time(), step.duration = time();
    if (chance_.one_in(60)) step.away = 1 + sized(chance_, chance_.one_in(5) ? 50 : 24);
    end_ticks_ += step.gap + step.away + step.duration;
    add(step);
    ++calls_;
  }

  // Something between two calls.
  void interrupt() {
    switch (chance_.below(8)) {
      case 0: define_site(); break;
      case 1: define_communicators(std::min(seen_ + 1, program_.communicators.size())); break;
      case 2:
        add({.what = What::name,
             .number = static_cast<std::uint32_t>(chance_.below(history_.communicators.size())),
             .text = std::string(chance_.below(20), static_cast<char>('a' + chance_.below(26)))});
        break;
      case 3: add({.what = What::sampled, .number = any_site()}); break;
      case 4: add({.what = What::unseen}); break;
      case 5: add({.what = What::rate, .rate = rate_ *= 1 + 1e-6 * static_cast<double>(chance_.below(100))}); break;
      case 6:
        if (chance_.one_in(20)) add({.what = What::wall_time});
        break;
      default: call(any_site());
    }
  }

  std::uint32_t any_site() { return static_cast<std::uint32_t>(chance_.below(history_.sites.size())); }

  // A loop of the program: some calls again and again, with loops among them.
  void loop(std::uint64_t most_calls) {
    std::vector<std::uint32_t> body;
    const std::uint64_t length = 1 + (chance_.one_in(40) ? chance_.below(5000) : chance_.below(12));
    while (body.size() < length) body.insert(body.end(), chance_.one_in(4) ? 1 + chance_.below(6) : 1, any_site());
    const std::uint64_t turns = 1 + (chance_.one_in(3) ? chance_.below(300) : chance_.below(6));
    const std::uint64_t interrupted_one_in = 1 + sized(chance_, 12);
    const bool sends = chance_.one_in(3);
    for (std::uint64_t turn = 0; turn < turns; ++turn)
      for (const std::uint32_t site : body) {
        if (calls_ >= most_calls) return;
        call(site);
        if (sends && !history_.functions.empty() && chance_.one_in(4))
          add({.what = What::message,
               .number = static_cast<std::uint32_t>(chance_.below(history_.functions.size())),
               .duration = sized(chance_, 20)});
        if (chance_.one_in(interrupted_one_in + 4)) interrupt();
      }
  }

  Chance& chance_;
  const Application& program_;
  RankHistory& history_;
  std::size_t seen_ = 0;          // communicators of the program
  std::vector<std::size_t> own_;  // by communicator of the program: its number here
  std::vector<Typical> typical_;  // of sites
  std::uint64_t calls_ = 0, end_ticks_ = 0;
  double rate_ = 0;
};

}  // namespace

std::vector<RankHistory> random_histories(Chance& chance, std::uint64_t run) {
  const bool is_long = chance.one_in(25);  // longer than a mapped part of the file
  const bool has_many_sites = chance.one_in(150);
  const std::uint64_t ranks = is_long || has_many_sites ? 1 : 1 + chance.below(4);
  const Application program = random_application(chance, ranks);
  const bool folds = chance.one_in(2);
  std::vector<RankHistory> all(ranks);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    RankHistory& history = all[rank];
    history.facts = {.program = chance.one_in(8) ? "" : "./app -n 8",
                     .mpi = "MPI 4",
                     .version = "1",
                     .host = "node" + std::to_string(chance.below(3)),
                     .rank = static_cast<Rank>(rank),
                     .world_size = program.world_size,
                     .run = run,
                     .start_unix_ns = static_cast<std::int64_t>(run * 1'000'000 + chance.below(1000)),
                     .process = static_cast<std::int64_t>(sized(chance, 22)),
                     .folds = folds};
    history.start_ticks = 1 + sized(chance, 60);
    for (std::uint64_t i = chance.below(functions_of_messages.size() + 1); i > 0; --i)
      history.functions.push_back(functions_of_messages[i - 1]);
    const std::uint64_t calls = is_long ? 60'000 + chance.below(90'000)
                                        : chance.below(chance.one_in(3)   ? 20
                                                       : chance.one_in(3) ? 5000
                                                                          : 300);
    Author(chance, program, history).write(calls, has_many_sites ? 16'000 + chance.below(1000) : 1 + chance.below(8));
    if (is_long ? chance.one_in(2) : chance.one_in(100)) history.longest_file = 4096 + (std::uint64_t{1} << 18) + sized(chance, 17);
    if (chance.one_in(200)) history.longest_file = 1 + chance.below(300'000);
  }
  return all;
}

}  // namespace quadrille::seeds
