// SPDX-License-Identifier: BSD-3-Clause
// Mutated documents: whatever comes, reading ends in schedules or in an Error, what was read can be written again, and everything
// that takes a schedule takes it, right or wrong, or says in an Error why not. tests/fuzz/parse_fuzz.cpp is for libFuzzer.
//
// QUADRILLE_FUZZ=1000000 QUADRILLE_SEED=7 quadrille_tests --gtest_filter='ParseFuzz.*' looks at as many, from this seed on.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "plan/probe_data.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/interpreter.hpp"
#include "quadrille/model.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/verify.hpp"
#include "schedule/documents.hpp"
#include "support/cases.hpp"
#include "support/environment.hpp"
#include "support/last_words.hpp"

namespace quadrille {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t end) { return random() % end; }

// Where a run of digits begins, searched from a random place on; the end of the text if there is none.
std::size_t digits_after(const std::string& text, std::size_t start) {
  return std::min(text.find_first_of("0123456789", start), text.size());
}

void mutate(std::string& text, Random& random) {
  static const std::vector<std::string> numbers{"0",
                                                "-1",
                                                "1e3",
                                                "9223372036854775807",
                                                "-9223372036854775808",
                                                "9223372036854775808",
                                                "18446744073709551616",
                                                "1000000000000",
                                                "4611686018427387904",
                                                "-4611686018427387905",
                                                "1",
                                                "8",
                                                "1e999",
                                                "0.5",
                                                "null",
                                                "\"7\"",
                                                "[]"};
  static const std::vector<std::string> pieces{"[",
                                               "]",
                                               "{",
                                               "}",
                                               "\"",
                                               ",",
                                               ":",
                                               "\\",
                                               "*",
                                               "/",
                                               "#",
                                               "\n",
                                               "rank ",
                                               "round ",
                                               "stage ",
                                               "\xff",
                                               std::string(1, '\0'),
                                               "[[[[",
                                               "input[0:1]",
                                               "->",
                                               " *2/4",
                                               " *4611686018427387904/0",
                                               "reduce source-first scratch[0:8] -> output[0:8]\n",
                                               "control to 1 9223372036854775807\n",
                                               "control from 0 9223372036854775807\n",
                                               "quadrille-schedule-text/1\n"};
  const std::size_t place = below(random, text.size() + 1);
  const std::size_t length = std::min(below(random, 40), text.size() - place);
  switch (below(random, 10)) {  // numbers most often: what is changed so can still be read
    case 0:
      if (place < text.size()) text[place] = static_cast<char>(text[place] ^ (1 << below(random, 8)));
      break;
    case 1: text.erase(place, length); break;
    case 2: text.insert(place, pieces[below(random, pieces.size())]); break;
    case 3: text.insert(below(random, text.size() + 1), std::string(text, place, length * below(random, 4))); break;
    case 4:
    case 6:
    case 7: {
      const std::size_t digits = digits_after(text, place);
      const std::size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
      text.replace(digits, end - digits, numbers[below(random, numbers.size())]);
      break;
    }
    default: {
      const std::size_t digits = digits_after(text, place);
      if (digits < text.size()) text[digits] = static_cast<char>('0' + below(random, 10));
      break;
    }
  }
}

// Does what may throw an Error, which has to be a sentence.
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

// How much work it is to go through all runs of all regions, and through all bytes of all buffers; a few words can mean 2^60.
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

// Unknown machine, known model: each coefficient as the model has it, or 1.
Coefficients some_coefficients(const Model& model) {
  Coefficients coefficients;
  for (const Coefficient& each : model.coefficients)
    coefficients[std::string(each.key)] = std::clamp(each.standard.value_or(1.0), each.least, each.most);
  return coefficients;
}

// With the data of its collective; what has no findings must be right.
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

// Everything that takes a schedule. Only what is small is gone through run by run. Returns whether the verifier has nothing against
// it.
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
      case 0: succeeds([&] { draw_blocks(schedule, findings); }); break;
      case 1: succeeds([&] { draw_space_time(schedule, findings); }); break;
      case 2: succeeds([&] { draw_links(schedule, topology, {}, findings); }); break;
      case 3: succeeds([&] { draw_traffic(schedule, {}, findings); }); break;
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

constexpr unsigned most_seconds_a_case = 60;  // nothing hangs

TEST(ParseFuzz, MutatedDocumentsAreUsedOrRefused) {
  const std::uint64_t seed = testing::number_in_environment("QUADRILLE_SEED", 20240611);
  const std::uint64_t cases = testing::number_in_environment("QUADRILLE_FUZZ", testing::sanitized ? 5000 : 20000);
  const std::vector<std::string> documents = right_documents();
  Tally tally;
  testing::LastWords last_words;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Random random(seed + i);
    std::string text = documents[below(random, documents.size())];
    for (std::size_t mutations = 1 + below(random, 4); mutations > 0; --mutations) mutate(text, random);
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
  EXPECT_GT(tally.readable, cases / 20);  // the mutations are not all hopeless
  EXPECT_GT(tally.right, cases / 100);
}

}  // namespace
}  // namespace quadrille
