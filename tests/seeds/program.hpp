// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives, and a run of one under a seed.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "seeds/fibres.hpp"

namespace quadrille::seeds {

enum class Do : int {
  plan,
  run,
  burst,
  start,
  test,
  end,
  drop,
  exchange,
  barrier,
  gather,
  tell,
  regroup,
  part,
  neighbors,
  typed,
  swap
};

struct Step {
  Do what;
  std::size_t slot;    // of a plan
  std::uint64_t seed;  // decides the rest: the problem, the data, the sizes
};

struct Program {
  std::vector<std::int64_t> nodes;  // by rank: its node
  std::vector<Step> steps;
};

std::string to_string(const Program& program);

// What is wrong with a run; empty: nothing.
struct Outcome {
  std::string failure;
  std::string program;  // that has run, for people
  std::deque<Switch> switches;
  std::uint64_t points = 0;
  bool has_death = false;
};

enum class Area { engine, nodes };

std::string program_in_progress();

Program random_program(Area area, std::uint64_t seed);
Outcome run_program(const Program& program, std::uint64_t seed);

// Removes steps and ranks as long as the run still fails in the same way.
Program shrunk(Program program, std::uint64_t seed);

}  // namespace quadrille::seeds
