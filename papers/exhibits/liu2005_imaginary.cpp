// SPDX-License-Identifier: BSD-3-Clause
// Imaginary nodes on tori of two dimensions whose sides are not multiples of four.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

using Block = std::int32_t;  // sender times number of ranks, plus receiver
constexpr Block nothing = -1;

// What each rank holds, byte by byte. A block has one byte.
class Memory {
 public:
  Memory(const Schedule& schedule) : ranks_(schedule.problem.ranks) {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      auto& own = buffers_.emplace_back();
      for (Rank to = 0; to < ranks_; ++to) own[place_of(Buffer::input)].push_back(static_cast<Block>(rank * ranks_ + to));
      own[place_of(Buffer::output)].assign(index(ranks_), nothing);
      own[place_of(Buffer::scratch)].assign(index(schedule.program(rank).scratch_bytes), nothing);
    }
  }

  std::vector<Block> read(Rank rank, const Regions& regions) const {
    std::vector<Block> blocks;
    for (const Region& region : regions)
      for (const Bytes at : places_of({region})) blocks.push_back(buffers_[index(rank)][place_of(region.buffer)][index(at)]);
    return blocks;
  }

  void write(Rank rank, const Regions& regions, const std::vector<Block>& blocks) {
    std::size_t next = 0;
    for (const Region& region : regions)
      for (const Bytes at : places_of({region})) buffers_[index(rank)][place_of(region.buffer)][index(at)] = blocks[next++];
  }

 private:
  static std::size_t place_of(Buffer buffer) { return static_cast<std::size_t>(buffer); }

  Count ranks_;
  std::vector<std::array<std::vector<Block>, 3>> buffers_;  // by rank and buffer
};

// The exchange on a torus with imaginary rows and columns. The first row also acts for the imaginary rows, which lie between the
// last row and the first. The same holds for columns.
class PaddedTorus {
 public:
  PaddedTorus(Count rows, Count columns) : real_{rows, columns} {
    for (const Count side : real_) padded_.push_back((side + 3) / 4 * 4);
  }

  // The sum over the steps of the most blocks that any real link carries, and how many blocks do not arrive. Blocks of imaginary
  // nodes do not exist.
  struct Run {
    Count volume = 0, missing = 0;
  };
  Run run() const {
    const Schedule schedule = torus_exchange(padded_, 1, "torus:order=at2");
    std::vector<Program> programs;
    std::map<Count, std::vector<std::pair<Rank, const Round*>>> rounds;
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
    for (const Program& program : programs)
      for (const Round& round : program.rounds) rounds[round.number].push_back({program.rank, &round});
    Memory memory(schedule);
    Run run;
    for (const auto& [number, all] : rounds) run.volume += most_on_a_link(schedule, memory, all);
    const Rank p = schedule.problem.ranks;
    for (Rank rank = 0; rank < p; ++rank) {
      const std::vector<Block> output = memory.read(rank, {block(Buffer::output, 0, p)});
      for (Rank from = 0; from < p; ++from)
        run.missing += is_real(rank) && is_real(from) && output[index(from)] != from * p + rank ? 1 : 0;
    }
    return run;
  }

 private:
  using Loads = std::map<std::tuple<Count, Count, std::size_t, int>, Count>;  // by row, column, dimension and direction of a link

  Count most_on_a_link(const Schedule& schedule, Memory& memory, const std::vector<std::pair<Rank, const Round*>>& round) const {
    Loads loads;
    std::map<std::tuple<Rank, Rank, std::optional<Port>>, std::vector<Block>> sent;
    for (const auto& [rank, own] : round)
      for (const Local& local : own->locals) memory.write(rank, local.target, memory.read(rank, local.source));
    for (const auto& [rank, own] : round)
      for (const Message& message : own->sends) {
        std::vector<Block>& blocks = sent[{rank, message.peer, message.port}] = memory.read(rank, message.regions);
        const Count real = std::count_if(blocks.begin(), blocks.end(), [&](Block block) {
          return block != nothing && is_real(block / schedule.problem.ranks) && is_real(block % schedule.problem.ranks);
        });
        if (real > 0 && message.port) add(loads, rank, message.peer, *message.port, real);
      }
    for (const auto& [rank, own] : round)
      for (const Message& message : own->receives) {
        // Both ends of a message name the port by which the message leaves its sender.
        memory.write(rank, message.regions, sent.at({message.peer, rank, message.port}));
      }
    Count most = 0;
    for (const auto& [link, blocks] : loads) most = std::max(most, blocks);
    return most;
  }

  bool is_real(Rank rank) const { return rank / padded_[1] < real_[0] && rank % padded_[1] < real_[1]; }

  // Adds the real links between the nodes that act for sender and receiver. A hop over an imaginary node is shorter.
  void add(Loads& loads, Rank from, Rank to, const Port& port, Count blocks) const {
    const auto host = [&](Rank rank, std::size_t dimension) {
      const Count place = dimension == 0 ? rank / padded_[1] : rank % padded_[1];
      return place < real_[dimension] ? place : 0;
    };
    const auto dimension = static_cast<std::size_t>(port.dimension);
    std::array<Count, 2> at{host(from, 0), host(from, 1)};
    while (at[dimension] != host(to, dimension)) {
      loads[{at[0], at[1], dimension, port.direction}] += blocks;
      at[dimension] = (at[dimension] + port.direction + real_[dimension]) % real_[dimension];
    }
  }

  std::vector<Count> real_, padded_;
};

Reproduction make_liu2005_imaginary(const Making& making) {
  Reproduction made{.remarks = {"AT2 runs on the torus whose sides are rounded up to multiples of four. The first row and the "
                                "first column act for the imaginary ones, so several messages of a step share their links; a step "
                                "takes the bytes of its busiest link. Blocks from and to imaginary nodes do not exist. The bound "
                                "is that of the real torus. Our exchange order=dimension-split needs no imaginary nodes."}};
  Sheet& sheet =
      made.add_sheet({.columns = {"torus", "with imaginary nodes", "blocks with imaginary nodes", "blocks of dimension-split",
                                  "bound (blocks)", "imaginary nodes over the bound", "dimension-split over the bound"}});
  for (const Count side : making.small ? std::vector<Count>{3, 5} : std::vector<Count>{3, 5, 6, 7, 9}) {
    making.show(fmt::format("{0}x{0}", side));
    const std::vector<Bound> bounds = lower_bounds(Problem::alltoall(side * side, 1), Topology::torus({side, side}));
    const Count bound =
        std::find_if(bounds.begin(), bounds.end(), [](const Bound& each) { return each.figure == "c2_shared"; })->value;
    const auto [imaginary, missing] = PaddedTorus(side, side).run();
    const Count padded = (side + 3) / 4 * 4, ours = figures(torus_exchange({side, side}, 8, "torus:order=dimension-split")).c2;
    const std::string name = fmt::format("{0}x{0}", side);
    sheet.rows.push_back({name, fmt::format("{0}x{0}", padded), imaginary, Number(ours) / 8, bound, ratio(imaginary, bound),
                          ratio(ours, 8 * bound)});
    made.equal(fmt::format("{}: blocks that do not arrive with imaginary nodes (\"can be used in tori with an arbitrary number of "
                           "nodes in each dimension by adding imaginary nodes\")",
                           name),
               0, missing, "section VI");
    made.equal(fmt::format("{}: blocks of our exchange order=dimension-split over the bound", name), 1, ratio(ours, 8 * bound),
               "lemma 1, by our own bound");
  }
  return made;
}

}  // namespace

extern const Exhibit liu2005_imaginary{
    .title = "Imaginary nodes on tori of two dimensions",
    .source = "liu2005, section VI",
    .about = "AT2 on the padded torus, counted on the links of the real one, beside our exchange by dimensions",
    .make = make_liu2005_imaginary,
};

}  // namespace quadrille::papers
