// SPDX-License-Identifier: BSD-3-Clause
// Checks the content of all kinds of pictures by parsing the SVG. Their appearance must be judged by eye; docs/pictures.md shows
// some.
#include "quadrille/draw.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/error.hpp"
#include "support/cases.hpp"
#include "support/pictures.hpp"
#include "support/sentence_of.hpp"
#include "verify/mutants.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

TEST(Draw, EveryAlgorithm) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 4, 7}) {
      const Problem problem = problem_of(algorithm->collective, p, 24);
      const Choice choice = standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      const Schedule schedule = make_schedule(problem, choice);
      SCOPED_TRACE(fmt::format("{}/{} p={}", name(algorithm->collective), algorithm->id, p));
      std::vector<std::string> pictures{draw_space_time(schedule), draw_traffic(schedule), draw_links(schedule, Topology::ring(p)),
                                        draw_links(schedule, Topology::ring(p), {.each_round = true})};
      if (algorithm->collective != Collective::barrier) pictures.push_back(draw_blocks(schedule));
      for (const std::string& svg : pictures) {
        const Read picture(svg);
        picture.expect_inside();
        picture.expect_no_covered_text();
      }
    }
}

TEST(DrawWrong, EveryPictureShowsTheFirstFinding) {
  const Schedule schedule = wrong_bruck();
  const std::vector<Finding> findings = verify(schedule);
  ASSERT_EQ(findings.size(), 6u);
  for (const std::string& svg : {draw_space_time(schedule, {.findings = findings}), draw_blocks(schedule, {.findings = findings}),
                                 draw_links(schedule, Topology::ring(5), {.findings = findings, .round = 1}),
                                 draw_traffic(schedule, {.findings = findings})}) {
    const Read picture(svg);
    picture.expect_inside();
    EXPECT_THAT(picture.texts().front(), HasSubstr(": wrong, 6 findings, ")) << svg;
    const std::string words = fmt::format("{}", fmt::join(picture.texts(), " "));
    EXPECT_THAT(words, HasSubstr("First of 2 causes: the message 0 to 4 in round 2 is not finished: "));
    EXPECT_THAT(words, HasSubstr("First of 6 findings: rank 4, stage 'level 2', round 2: unmatched-message: rank 0 sends nothing "
                                 "to rank 4 in this round; 8 bytes are waited for"));
    EXPECT_THAT(words, HasSubstr("At the end: 8 B missing (nothing was delivered), 8 B foreign (something else was delivered)."));
    EXPECT_EQ(count_of(picture.explanations("path"), "rank 4, stage 'level 2', round 2: unmatched-message"), 1u) << "one cross";
  }
}

// Every mutant gives a picture or an error with a sentence.
TEST(DrawWrong, MutantsAreDrawnOrRefused) {
  Count drawn = 0;
  std::uint64_t seed = 0;
  for (const Algorithm* algorithm : all_algorithms()) {
    const Problem problem = problem_of(algorithm->collective, 4, 24);
    const Choice choice = standard_choice(*algorithm, problem);
    if (!applies(problem, choice)) continue;
    for (int i = 0; i < 8; ++i) {
      Mutator mutator(make_schedule(problem, choice), ++seed);
      const std::string change = mutator.mutate();
      const Schedule schedule = mutator.mutant();
      const std::vector<Finding> findings = verify(schedule);
      if (findings.empty()) continue;
      SCOPED_TRACE(fmt::format("{}/{}, {}, seed {}", name(algorithm->collective), algorithm->id, change, seed));
      for (const auto& draw : std::vector<std::function<std::string()>>{
               [&] { return draw_space_time(schedule, {.findings = findings}); },
               [&] { return draw_blocks(schedule, {.findings = findings}); },
               [&] { return draw_links(schedule, Topology::ring(4), {.findings = findings}); },
               [&] { return draw_traffic(schedule, {.findings = findings}); }}) {
        const Read picture(draw());
        picture.expect_inside();
        picture.expect_no_covered_text();
        EXPECT_GT(count_of(picture.explanations("path"), fmt::format("{}: ", name(findings.front().rule))), 0u)
            << to_string(findings.front());
        ++drawn;
      }
    }
  }
  EXPECT_GT(drawn, 400);
}

TEST(Draw, RefusesWhatCannotBeDrawn) {
  const Schedule many = make_schedule(Problem::alltoall(1'000'000, 8), "shift"),
                 few = make_schedule(Problem::alltoall(4, 8), "shift");
  EXPECT_THAT(sentence_of([&] { draw_space_time(many); }), HasSubstr("1000000 ranks are too many"));
  EXPECT_THAT(sentence_of([&] { draw_blocks(many); }), HasSubstr("too many"));
  EXPECT_THAT(sentence_of([&] { draw_traffic(many); }), HasSubstr("too many"));
  EXPECT_THAT(sentence_of([&] { draw_links(many, Topology::ring(1'000'000)); }), HasSubstr("2000000 links are too many"));
  EXPECT_THAT(sentence_of([&] { draw_links(few, Topology::ring(5)); }), HasSubstr("has 5 ranks, not 4"));
  EXPECT_THAT(sentence_of([&] { draw_traffic(few, {.round = 9}); }),
              HasSubstr("nothing is sent in round 9; messages are in rounds 0 to 2"));
  EXPECT_THAT(sentence_of([&] { draw_links(few, Topology::ring(4), {.round = 9}); }), HasSubstr("nothing is sent in round 9"));
  EXPECT_THAT(sentence_of([&] { draw_blocks(make_schedule(Problem::alltoall(4, 0), "shift")); }),
              HasSubstr("no rank holds a single byte"));
  EXPECT_THAT(sentence_of([&] { draw_blocks(make_schedule(Problem::alltoall(64, 8), "ring")); }),
              HasSubstr("pieces of memory are too many"));
}

}  // namespace
}  // namespace quadrille
