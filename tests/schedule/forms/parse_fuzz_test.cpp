// SPDX-License-Identifier: BSD-3-Clause
// Reads randomly changed schedules. Reading any text must end with schedules or with an Error. What was read can be
// written again. Every function that takes a schedule must accept it, correct or not, or throw an Error.
// tests/fuzz runs the same mutations as a program of its own.
//
// To run more cases with another seed: QUADRILLE_FUZZ=1000000 QUADRILLE_SEED=7 quadrille_tests
// --gtest_filter='ParseFuzz.*'
#include <gtest/gtest.h>

#include <iostream>

#include "quadrille/cost.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/interpreter.hpp"
#include "quadrille/model.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/verify.hpp"
#include "schedule/forms/documents.hpp"
#include "support/cases.hpp"
#include "support/environment.hpp"
#include "support/last_words.hpp"
#include "support/mutate.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille {
namespace {

using testing::below;
using testing::Random;

// Calls a function that may throw an Error; the error must be a sentence.
template <class Act>
bool succeeds(Act&& act) {
  try {
    act();
    return true;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
    EXPECT_LT(std::string(error.what()).size(), 1000u);
    return false;
  }
}

// Returns whether visiting all runs of all regions and all bytes of all buffers is little work. A few words of text can describe
// 2^60 of them.
bool is_small(const Schedule& schedule) {
  constexpr Bytes most = 1 << 16;
  Bytes work = 0;
  const auto add = [&](Bytes more) { work = more < 0 || more > most ? most + 1 : std::min(most + 1, work + more); };
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    const Program program = schedule.program(rank);
    add(program.scratch_bytes);
    add(input_bytes(schedule.problem, rank));
    add(output_bytes(schedule.problem, rank));
    const auto add_regions = [&](const Regions& regions) {
      for (const Region& region : regions) {
        Bytes runs = 1;
        for (const Level& level : region.levels) runs = times_at_most(runs, level.count, most + 1);
        add(times_at_most(runs, region.length, most + 1));
      }
    };
    for (const Round& round : program.rounds) {
      for (const Local& local : round.locals) add_regions(local.source), add_regions(local.target);
      for (const Message& message : round.sends) add_regions(message.regions);
      for (const Message& message : round.receives) add_regions(message.regions);
    }
  }
  return work <= most;
}

// Returns coefficients for the model: the standard value of each, or 1.
Coefficients some_coefficients(const Model& model) {
  Coefficients coefficients;
  for (const Coefficient& each : model.coefficients)
    coefficients[std::string(each.key)] = std::clamp(each.standard.value_or(1.0), each.least, each.most);
  return coefficients;
}

// Interprets the schedule with data of its collective. A schedule without findings must give the right result.
void interpret_or_refuse(const Schedule& schedule, bool has_findings) {
  const Problem& problem = schedule.problem;
  const auto operation = problem.element_bytes == 8 ? built_in_operator("sum", "u64") : built_in_operator("matmul2", "u8");
  if (is_reduction(problem.collective) &&
      (operation->element_bytes != problem.element_bytes || (problem.commutative && !operation->commutative)))
    return;
  const auto data = [&](Rank rank) { return probe_data(problem, rank, operation); };
  std::vector<ByteVector> inputs;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    inputs.emplace_back(static_cast<std::size_t>(input_bytes(problem, rank)));
    data(rank)->fill_input(0, inputs.back().data());
  }
  const bool ran = succeeds([&] {
    const auto outputs = interpret(schedule, inputs, {.operation = is_reduction(problem.collective) ? operation : nullptr});
    for (Rank rank = 0; rank < problem.ranks && !has_findings; ++rank)
      EXPECT_EQ(data(rank)->compare_output(0, outputs[static_cast<std::size_t>(rank)].data()), "");
  });
  EXPECT_TRUE(ran || has_findings);
}

// Calls everything that takes a schedule; functions that visit every run only if the schedule is small. Returns
// whether the verifier has no findings.
bool use(const Schedule& schedule, Random& random) {
  std::vector<Finding> findings;
  const bool verified = succeeds([&] { findings = verify(schedule, {.most_pieces = 1 << 14}); });
  const bool has_findings = !verified || !findings.empty();
  succeeds([&] { lower_bounds(schedule.problem, figures(schedule).ports, figures(schedule).c1); });
  const std::span<const Model* const> models = all_models();
  const Model& model = *models[below(random, models.size())];
  const Topology topology = Topology::ring(schedule.problem.ranks);
  const WorkloadOptions options{.topology = below(random, 2) == 0 ? &topology : nullptr, .nodes = below(random, 2) == 0};
  succeeds([&] { simulate_rounds(schedule, model, some_coefficients(model), options); });
  if (model.times_of_message)
    succeeds([&] {
      simulate_events(schedule, message_times(model, some_coefficients(model)),
                      {.policy = static_cast<Policy>(below(random, 3)), .barriers = below(random, 4) == 0});
    });
  if (below(random, 8) == 0) switch (below(random, 4)) {
      case 0: succeeds([&] { draw_blocks(schedule, {.findings = findings}); }); break;
      case 1: succeeds([&] { draw_space_time(schedule, {.findings = findings}); }); break;
      case 2: succeeds([&] { draw_links(schedule, topology, {.findings = findings}); }); break;
      case 3: succeeds([&] { draw_traffic(schedule, {.findings = findings}); }); break;
    }
  if (is_small(schedule)) {
    succeeds([&] { EXPECT_FALSE(parse_documents(json_of(schedule)).empty()); });
    interpret_or_refuse(schedule, has_findings || !verified);
  }
  return verified && !has_findings;
}

struct Tally {
  std::uint64_t documents = 0, readable = 0, right = 0;
};

void read_and_use(const std::string& text, Random& random, Tally& tally) {
  ++tally.documents;
  std::vector<Schedule> schedules;
  if (!succeeds([&] { schedules = parse_documents(text); })) return;
  ++tally.readable;
  bool right = true;
  for (const Schedule& schedule : schedules) {
    const std::string written = text_of(schedule);
    EXPECT_EQ(text_of(parse_documents(written).at(0)), written);
    right = use(schedule, random) && right;
  }
  tally.right += right ? 1 : 0;
}

std::vector<std::string> right_documents() {
  std::vector<Schedule> schedules;
  for (const char* specification : {"direct", "shift", "bruck:radix=2", "bruck:radix=3,ports=2,form=classical"})
    schedules.push_back(make_schedule(Problem::alltoall(5, 8), specification));
  for (const Collective collective : {Collective::allreduce, Collective::scan, Collective::reduce_scatter, Collective::barrier})
    for (const Algorithm* algorithm : algorithms_for(collective)) {
      Problem problem = problem_of(collective, 4, 16);
      if (is_reduction(collective)) problem.element_bytes = algorithm->id.size() % 2 == 0 ? 4 : 8;
      problem.commutative = problem.element_bytes != 4;
      problem.nodes = {0, 0, 1, 1};
      const Choice choice = parse_choice(problem, algorithm->id);
      if (applies(problem, choice)) schedules.push_back(make_schedule(problem, choice));
    }
  std::vector<std::string> documents;
  for (const Schedule& schedule : schedules) {
    documents.push_back(text_of(schedule));
    documents.push_back(json_of(schedule));
    documents.push_back("[" + json_of(schedule) + "]");
  }
  return documents;
}

constexpr unsigned most_seconds_a_case = 60;  // no case may hang

TEST(ParseFuzz, MutatedDocumentsAreUsedOrRefused) {
  const std::uint64_t seed = testing::number_in_environment("QUADRILLE_SEED", 20240611);
  const std::uint64_t cases = testing::number_in_environment("QUADRILLE_FUZZ", testing::sanitized ? 5000 : 20000);
  const std::vector<std::string> documents = right_documents();
  Tally tally;
  testing::LastWords last_words;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Random random(seed + i);
    std::string text = documents[below(random, documents.size())];
    for (std::size_t mutations = 1 + below(random, 4); mutations > 0; --mutations) testing::mutate(text, random);
    last_words.text = "QUADRILLE_SEED=" + std::to_string(seed + i) + " QUADRILLE_FUZZ=1\n" + text + "\n";
    ::alarm(most_seconds_a_case);
    EXPECT_NO_THROW(read_and_use(text, random, tally));
    if (HasFailure()) FAIL() << last_words.text;
    if (i % 100000 == 99999)
      std::cout << tally.documents << " documents, seed " << seed << ": " << tally.readable << " readable, " << tally.right
                << " right" << std::endl;
  }
  ::alarm(0);
  if (cases < 1000) return;
  EXPECT_GT(tally.readable, cases / 20);  // the mutations leave enough texts readable
  EXPECT_GT(tally.right, cases / 100);
}

}  // namespace
}  // namespace quadrille
