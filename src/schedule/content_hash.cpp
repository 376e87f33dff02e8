// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/content_hash.hpp"

#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

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
    hash.add(message.peer);
    hash.add(message.port.has_value());
    hash.add(message.port ? message.port->dimension : 0);
    hash.add(message.port ? message.port->direction : 0);
    add_all(hash, message.regions);
  }
}

void add_all(ContentHash& hash, const std::vector<Control>& controls) {
  hash.add(controls.size());
  for (const Control& control : controls) {
    hash.add(control.peer);
    hash.add(control.bytes);
  }
}

}  // namespace

void ContentHash::add(std::string_view text) { add_all(*this, text); }

void ContentHash::add(const Region& region) {
  add(region.buffer);
  add(region.offset);
  add(region.length);
  for (const Level& level : region.levels) {
    add(level.count);
    add(level.stride);
  }
}

void ContentHash::add(const Round& round) {
  add(round.number);
  add(round.locals.size());
  for (const Local& local : round.locals) {
    add(local.kind);
    add(local.order);
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
  hash.add(program.rank);
  hash.add(program.scratch_bytes);
  hash.add(program.stages.size());
  for (const Stage& stage : program.stages) {
    hash.add(stage.name);
    hash.add(stage.first_round);
    hash.add(stage.round_count);
  }
  hash.add(program.rounds.size());
  for (const Round& round : program.rounds) hash.add(round);
  return hash.value();
}

std::uint64_t hash_of(const Problem& problem) {
  ContentHash hash;
  hash.add(problem.collective);
  for (const Count number : {problem.ranks, problem.block_bytes, problem.root, problem.element_bytes}) hash.add(number);
  hash.add(problem.commutative);
  hash.add(problem.reproducible);
  add_all(hash, problem.nodes);
  add_all(hash, problem.grid);
  if (has_pair_counts(problem.collective)) {
    const Traffic traffic(problem);
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      hash.add(traffic.sent_by(rank).size());
      for (const Share& share : traffic.sent_by(rank)) {
        hash.add(share.peer);
        hash.add(share.bytes);
      }
    }
  } else if (problem.counts) {
    add_all(hash, *problem.counts);
  }
  return hash.value();
}

}  // namespace quadrille
