// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/comparison.hpp"

#include <algorithm>
#include <utility>

#include "problem/collective_facts.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/forms/document.hpp"
#include "schedule/regions.hpp"

namespace quadrille {
namespace {

void normalise(std::vector<Message>& messages) {
  for (Message& message : messages) message.regions = flattened(message.regions);
  std::erase_if(messages, [](const Message& message) { return message.regions.empty(); });
}

bool does_something(const Round& round) {
  return !round.locals.empty() || !round.sends.empty() || !round.receives.empty() || !round.control_sends.empty() ||
         !round.control_receives.empty();
}

bool is_same(const Program& one, const Program& other) {
  if (one == other) return true;
  try {
    return normalised(one) == normalised(other);
  } catch (const Error&) {  // a region that has no runs
    return false;
  }
}

bool have_same_problem(const Schedule& one, const Schedule& other) {
  return is_same(one.problem, other.problem) ||
         (moves_the_same(one.problem, other.problem) && one.problem.nodes == other.problem.nodes);
}

template <class Numbers>
void add_all(ContentHash& hash, const Numbers& numbers) {
  hash.add(numbers.size());
  for (const auto number : numbers) hash.add(number);
}

void add_all(ContentHash& hash, const Regions& regions) {
  hash.add(regions.size());
  for (const Region& region : regions) hash.add(region);
}

void add_all(ContentHash& hash, const std::vector<Message>& messages) {
  hash.add(messages.size());
  for (const Message& message : messages) {
    const Port port = message.port.value_or(Port{0, 0});
    hash.add(message.peer, message.port.has_value(), port.dimension, port.direction);
    add_all(hash, message.regions);
  }
}

void add_all(ContentHash& hash, const std::vector<Control>& controls) {
  hash.add(controls.size());
  for (const Control& control : controls) hash.add(control.peer, control.bytes);
}

}  // namespace

BufferBytes buffer_bytes(const Schedule& schedule, Rank rank) {
  const auto size = [&](const std::vector<Bytes>& stated, Bytes defined) {
    return stated.empty() ? defined : stated.at(index(rank));
  };
  return {size(schedule.stated_input_bytes, input_bytes(schedule.problem, rank)),
          size(schedule.stated_output_bytes, output_bytes(schedule.problem, rank))};
}

std::vector<Local> pieces_of(const Local& local) {
  const Regions source = flattened(local.source), target = flattened(local.target);
  if (bytes(source) != bytes(target)) return {{local.kind, local.order, source, target}};
  std::vector<Local> pieces;
  for_each_pair_of_runs(source, target, [&](const Region& from, const Region& to) {
    pieces.push_back({local.kind, local.order, {from}, {to}});
  });
  return pieces;
}

Program normalised(Program program) {
  for (Round& round : program.rounds) {
    std::vector<Local> pieces;
    for (const Local& local : round.locals)
      for (Local& piece : pieces_of(local)) pieces.push_back(std::move(piece));
    std::erase_if(pieces, [](const Local& local) { return local.source.empty() && local.target.empty(); });
    round.locals = std::move(pieces);
    normalise(round.sends);
    normalise(round.receives);
  }
  std::erase_if(program.rounds, [](const Round& round) { return !does_something(round); });
  return program;
}

bool is_same(const Schedule& one, const Schedule& other) {
  if (!have_same_problem(one, other) || specification(one) != specification(other)) return false;
  for (Rank rank = 0; rank < one.problem.ranks; ++rank)
    if (buffer_bytes(one, rank) != buffer_bytes(other, rank) || !is_same(one.program(rank), other.program(rank))) return false;
  return true;
}

void ContentHash::add(std::string_view text) { add_all(*this, text); }

void ContentHash::add(const Region& region) {
  add(region.buffer, region.offset, region.length);
  for (const Level& level : region.levels) add(level.count, level.stride);
}

void ContentHash::add(const Round& round) {
  add(round.number, round.locals.size());
  for (const Local& local : round.locals) {
    add(local.kind, local.order);
    add_all(*this, local.source);
    add_all(*this, local.target);
  }
  add_all(*this, round.sends);
  add_all(*this, round.receives);
  add_all(*this, round.control_sends);
  add_all(*this, round.control_receives);
}

std::uint64_t hash_of(const Round& round) {
  ContentHash hash;
  hash.add(round);
  return hash.value();
}

std::uint64_t hash_of(const Program& program) {
  ContentHash hash;
  hash.add(program.rank, program.scratch_bytes, program.stages.size());
  for (const Stage& stage : program.stages) {
    hash.add(stage.name);
    hash.add(stage.first_round, stage.round_count);
  }
  hash.add(program.rounds.size());
  for (const Round& round : program.rounds) hash.add(round);
  return hash.value();
}

std::uint64_t hash_of(const Problem& problem) {
  ContentHash hash;
  hash.add(problem.collective, problem.ranks, problem.block_bytes, problem.root, problem.element_bytes, problem.commutative,
           problem.reproducible);
  add_all(hash, problem.nodes);
  add_all(hash, problem.grid);
  if (has_pair_counts(problem.collective)) {
    const Traffic traffic(problem);
    if (traffic.shares_blocks()) hash.add(true);
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      hash.add(traffic.sent_by(rank).size());
      for (const Share& share : traffic.sent_by(rank)) hash.add(share.peer, share.bytes);
    }
  } else if (problem.counts) {
    add_all(hash, *problem.counts);
  }
  return hash.value();
}

}  // namespace quadrille
