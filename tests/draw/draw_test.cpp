// SPDX-License-Identifier: BSD-3-Clause
// Checks the content of pictures by parsing the SVG. Their appearance must be judged by eye; docs/pictures.md shows
// some.
#include "quadrille/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include <pugixml.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"
#include "support/cases.hpp"
#include "verify/mutants.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

struct Words {
  double x, y;
  std::string text;
};

class Read {
 public:
  explicit Read(const std::string& svg) {
    const auto result = document_.load_string(svg.c_str());
    EXPECT_TRUE(result) << result.description();
    root_ = document_.child("svg");
    EXPECT_GT(root_.attribute("width").as_double(), 0);
  }

  std::vector<std::string> explanations(const char* shape, const std::string& kind = {}) const {
    std::vector<std::string> list;
    for (const auto node : root_.children(shape))
      if (node.child("title") && (kind.empty() || node.attribute("class").as_string() == kind))
        list.emplace_back(node.child("title").text().get());
    return list;
  }

  std::size_t count(const char* shape, const std::string& kind) const {
    std::size_t found = 0;
    for (const auto node : root_.children(shape)) found += node.attribute("class").as_string() == kind ? 1 : 0;
    return found;
  }

  std::vector<Words> words(const std::string& kind = {}) const {
    std::vector<Words> list;
    for (const auto node : root_.children("text"))
      if (kind.empty() || node.attribute("class").as_string() == kind)
        list.push_back({node.attribute("x").as_double(), node.attribute("y").as_double(), node.text().get()});
    return list;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> list;
    for (const Words& entry : words()) list.push_back(entry.text);
    return list;
  }

  // Checks that all coordinates lie inside the picture.
  void expect_inside() const {
    const double width = root_.attribute("width").as_double(), height = root_.attribute("height").as_double();
    for (const auto node : root_.children("rect")) {
      EXPECT_LE(node.attribute("x").as_double() + node.attribute("width").as_double(), width);
      EXPECT_LE(node.attribute("y").as_double() + node.attribute("height").as_double(), height);
    }
    for (const Words& entry : words()) {
      EXPECT_LE(entry.x, width) << entry.text;
      EXPECT_LE(entry.y, height) << entry.text;
    }
  }

 private:
  pugi::xml_document document_;
  pugi::xml_node root_;
};

std::string sentence(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Draw, SpaceTimeHasAnArrowForEachMessage) {
  const Read picture(draw_space_time(make_schedule(Problem::alltoall(5, 8), "bruck:radix=2")));
  const auto arrows = picture.explanations("path");
  EXPECT_EQ(arrows.size(), 15u);
  EXPECT_THAT(arrows, IsSupersetOf({"round 0: 0 to 1, 16 B", "round 1: 4 to 1, 16 B", "round 2: 0 to 4, 8 B"}));
  EXPECT_THAT(picture.texts(), IsSupersetOf({"rank 0", "4", "level 0", "level 1", "level 2", "16 B", "8 B"}));
  EXPECT_EQ(picture.explanations("rect").size(), 5u) << "each rank copies its own block";
}

TEST(Draw, SpaceTimeShowsCountsAndBarriers) {
  const Schedule schedule = make_schedule(problem_of(Collective::alltoallv, 4, 8), "two-phase:counts=gathered");
  Count control = 0, sent = 0;
  for (Rank rank = 0; rank < 4; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      control += static_cast<Count>(round.control_sends.size());
      sent += static_cast<Count>(round.sends.size());
    }
  ASSERT_GT(control, 0);
  EXPECT_EQ(static_cast<Count>(Read(draw_space_time(schedule)).explanations("path").size()), control + sent);
  const Read barrier(draw_space_time(make_schedule(problem_of(Collective::barrier, 5, 0), "dissemination")));
  EXPECT_EQ(barrier.explanations("path").size(), 15u);
}

// Figure 2 of the paper: at the start rank i holds its blocks for all ranks, at the end the blocks of all ranks for
// it.
TEST(Draw, BlocksShowTheInitialAndTheFinalPlaces) {
  const Count p = 5;
  const Read picture(draw_blocks(make_schedule(Problem::alltoall(p, 8), "bruck:radix=2,form=classical")));
  std::map<std::string, std::vector<Words>> places;
  for (const Words& entry : picture.words("on-colour")) places[entry.text].push_back(entry);
  ASSERT_EQ(places.size(), 25u);
  // Panels follow each other in the document, and in each panel the output comes last.
  const auto place_of = [&](Rank from, Rank to, bool at_the_end) {
    const auto& list = places.at(fmt::format("{},{}", from, to));
    return at_the_end ? list.back() : list.front();
  };
  const double width = place_of(1, 0, false).x - place_of(0, 0, false).x,
               height = place_of(0, 1, false).y - place_of(0, 0, false).y;
  EXPECT_GT(width, 10);
  EXPECT_GT(height, 10);
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to) {
      EXPECT_NEAR(place_of(from, to, false).x, place_of(0, 0, false).x + width * static_cast<double>(from), 0.2);
      EXPECT_NEAR(place_of(from, to, false).y, place_of(0, 0, false).y + height * static_cast<double>(to), 0.2);
      EXPECT_NEAR(place_of(from, to, true).x, place_of(0, 0, true).x + width * static_cast<double>(to), 0.2);
      EXPECT_NEAR(place_of(from, to, true).y, place_of(0, 0, true).y + height * static_cast<double>(from), 0.2);
    }
}

TEST(Draw, BlocksOfReductionsNameTheCombinedRanks) {
  const Read picture(draw_blocks(make_schedule(problem_of(Collective::allreduce, 8, 64), "recursive-doubling")));
  EXPECT_THAT(picture.texts(), IsSupersetOf({"0", "7", "0..1", "0..3", "4..7", "0..7"}));
  EXPECT_THAT(picture.explanations("rect"), ::testing::Contains("from 0..7, bytes 0 to 63"));
}

TEST(Draw, LinksShowTheirLoads) {
  const Schedule schedule = make_schedule(Problem::alltoall(5, 8), "shift");
  const Topology ring = Topology::ring(5);
  const auto loads = Read(draw_links(schedule, ring, 1)).explanations("path");
  EXPECT_EQ(loads.size(), 10u);
  EXPECT_THAT(loads, IsSupersetOf({"0 -> 1 (dimension 0, +): 16 B in 2 messages", "0 -> 4 (dimension 0, -): 0 B in 0 messages"}));
  Count bytes = 0;
  for (const std::string& load : Read(draw_links(schedule, ring)).explanations("path"))
    bytes += std::stol(load.substr(load.find(": ") + 2));
  EXPECT_EQ(bytes, 5 * 8 * (1 + 1 + 2 + 2));
}

// A link that leaves the picture and comes back is drawn in two parts; every other link is drawn once, also at
// switches.
TEST(Draw, LinksAreDrawnOnAllKindsOfNetworks) {
  for (const auto& [name, again] : std::vector<std::pair<std::string, std::size_t>>{{"ring:1", 0},
                                                                                    {"ring:2", 0},
                                                                                    {"ring:6", 0},
                                                                                    {"array:6", 0},
                                                                                    {"torus:3x4", 14},
                                                                                    {"torus:2x2", 8},
                                                                                    {"torus:1x5", 0},
                                                                                    {"mesh:3x4", 0},
                                                                                    {"torus:2x3x2", 12 + 8 + 12},
                                                                                    {"mesh:2x2x3", 0},
                                                                                    {"hypercube:8", 0},
                                                                                    {"full:5", 0},
                                                                                    {"cluster:3x2", 0},
                                                                                    {"cluster:1x1", 0},
                                                                                    {"cluster:1x3", 0},
                                                                                    {"fat-tree:4", 0},
                                                                                    {"dragonfly:3x2x2", 0}}) {
    SCOPED_TRACE(name);
    const Topology topology = parse_topology(name);
    const Read picture(draw_links(make_schedule(Problem::alltoall(topology.ranks(), 8), "shift"), topology));
    picture.expect_inside();
    EXPECT_THAT(draw_links(make_schedule(Problem::alltoall(topology.ranks(), 8), "shift"), topology),
                ::testing::Not(HasSubstr("nan")));
    const auto links = picture.explanations("path");
    EXPECT_EQ(links.size(), static_cast<std::size_t>(topology.link_count()) + again);
  }
}

TEST(Draw, TrafficShowsTheBytesSent) {
  const Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck:radix=2");
  EXPECT_EQ(Read(draw_traffic(schedule)).explanations("rect").size(), 15u);
  EXPECT_THAT(Read(draw_traffic(schedule, 1)).explanations("rect"),
              ::testing::UnorderedElementsAre("0 to 2: 16 B", "1 to 3: 16 B", "2 to 4: 16 B", "3 to 0: 16 B", "4 to 1: 16 B"));
}

TEST(Draw, EveryAlgorithm) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 4, 7}) {
      const Problem problem = problem_of(algorithm->collective, p, 24);
      const Choice choice = standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      const Schedule schedule = make_schedule(problem, choice);
      SCOPED_TRACE(fmt::format("{}/{} p={}", name(algorithm->collective), algorithm->id, p));
      Read(draw_space_time(schedule)).expect_inside();
      Read(draw_traffic(schedule)).expect_inside();
      Read(draw_links(schedule, Topology::ring(p))).expect_inside();
      if (algorithm->collective != Collective::barrier) Read(draw_blocks(schedule)).expect_inside();
    }
}

// Rank 0 does not send to rank 4 in round 2, and rank 3 sends a wrong block to rank 0 in round 1.
Schedule wrong_bruck() {
  Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck:radix=2");
  schedule.symmetry.reset();
  schedule.program = [made = schedule.program](Rank rank) {
    Program program = made(rank);
    for (Round& round : program.rounds) {
      if (rank == 0 && round.number == 2) round.sends.clear();
      if (rank == 3 && round.number == 1) round.sends.front().regions = {{Buffer::input, 0, 8, {}}, {Buffer::output, 16, 8, {}}};
    }
    return program;
  };
  return schedule;
}

std::size_t count_of(const std::vector<std::string>& list, const std::string& part) {
  return static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [&](const std::string& entry) { return entry.find(part) != std::string::npos; }));
}

TEST(DrawWrong, EveryPictureShowsTheFirstFinding) {
  const Schedule schedule = wrong_bruck();
  std::vector<Finding> findings = verify(schedule);
  ASSERT_EQ(findings.size(), 6u);
  std::reverse(findings.begin(), findings.end());  // the first finding is the cause, not the first one in the list
  for (const std::string& svg : {draw_space_time(schedule, findings), draw_blocks(schedule, findings),
                                 draw_links(schedule, Topology::ring(5), 1, findings), draw_traffic(schedule, {}, findings)}) {
    const Read picture(svg);
    picture.expect_inside();
    EXPECT_THAT(picture.texts().front(), ::testing::EndsWith(": wrong")) << svg;
    const std::string words = fmt::format("{}", fmt::join(picture.texts(), " "));
    EXPECT_THAT(words, HasSubstr("First of 6 findings: rank 4, stage 'level 2', round 2: unmatched-message: rank 0 sends nothing "
                                 "in this round; 8 bytes are waited for"));
    EXPECT_THAT(words, HasSubstr("At the end: 8 B missing (nothing was delivered), 8 B foreign (something else was delivered)."));
    EXPECT_EQ(count_of(picture.explanations("path"), "rank 4, stage 'level 2', round 2: unmatched-message"), 1u) << "one cross";
  }
}

TEST(DrawWrong, SpaceTimeDrawsHalfAnArrowForAMessageWithOneEnd) {
  const Schedule missing = wrong_bruck();
  const auto waits = Read(draw_space_time(missing, verify(missing))).explanations("path");
  EXPECT_EQ(count_of(waits, "round 2: 4 waits for a message of 0, which sends none"), 1u);
  EXPECT_EQ(count_of(waits, "which nobody receives"), 0u);
  Schedule deaf = make_schedule(Problem::alltoall(5, 8), "bruck:radix=2");
  deaf.symmetry.reset();
  deaf.program = [made = deaf.program](Rank rank) {
    Program program = made(rank);
    if (rank == 3) program.rounds.back().receives.clear();
    return program;
  };
  const auto unheard = Read(draw_space_time(deaf, verify(deaf))).explanations("path");
  EXPECT_EQ(count_of(unheard, "round 2: 4 to 3, 8 B, which nobody receives"), 1u);
  EXPECT_EQ(count_of(unheard, "nobody receives"), 1u);
}

TEST(DrawWrong, BlocksMarksMissingAndForeignBytes) {
  const Schedule schedule = wrong_bruck();
  const Read picture(draw_blocks(schedule, verify(schedule)));
  EXPECT_THAT(picture.explanations("rect", "fault-missing"),
              ::testing::ElementsAre("holds nothing at the end; expected rank 0, bytes from 32"));
  EXPECT_THAT(picture.explanations("rect", "fault"),
              ::testing::ElementsAre("holds rank 2, bytes from 24 at the end; expected rank 2, bytes from 0"));
  EXPECT_EQ(picture.count("line", "fault"), 3u) << "one diagonal and two";
}

// A schedule that does nothing, and a correct one, which has no findings.
TEST(DrawWrong, AnEmptyScheduleDeliversNothing) {
  Schedule schedule = make_schedule(Problem::alltoall(3, 8), "direct");
  EXPECT_EQ(draw_blocks(schedule, verify(schedule)), draw_blocks(schedule));
  schedule.symmetry.reset();
  schedule.program = [](Rank rank) { return Program{rank, 0, {}, {}}; };
  const Read picture(draw_blocks(schedule, verify(schedule)));
  EXPECT_EQ(count_of(picture.explanations("rect"), "holds nothing at the end"), 9u);
  EXPECT_THAT(picture.texts(), IsSupersetOf({"at the end", "output"}));
  Read(draw_space_time(schedule, verify(schedule))).expect_inside();
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
               [&] { return draw_space_time(schedule, findings); }, [&] { return draw_blocks(schedule, findings); },
               [&] { return draw_links(schedule, Topology::ring(4), {}, findings); },
               [&] { return draw_traffic(schedule, {}, findings); }}) {
        const Read picture(draw());
        picture.expect_inside();
        EXPECT_GT(count_of(picture.explanations("path"), fmt::format("{}: ", name(findings.front().rule))), 0u)
            << to_string(findings.front());
        ++drawn;
      }
    }
  }
  EXPECT_GT(drawn, 400);
}

// Names from files may contain any characters.
TEST(Draw, EscapesNames) {
  Schedule schedule = make_schedule(Problem::alltoall(2, 8), "shift");
  schedule.program = [made = schedule.program](Rank rank) {
    Program program = made(rank);
    for (Stage& stage : program.stages) stage.name = "<b> & \"\a";
    return program;
  };
  const std::string svg = draw_space_time(schedule);
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("<b>")));
  EXPECT_THAT(Read(svg).texts(), ::testing::Contains("<b> & \"\\x07"));
}

TEST(Draw, RefusesWhatCannotBeDrawn) {
  const Schedule many = make_schedule(Problem::alltoall(1'000'000, 8), "shift"),
                 few = make_schedule(Problem::alltoall(4, 8), "shift");
  EXPECT_THAT(sentence([&] { draw_space_time(many); }), HasSubstr("1000000 ranks are too many"));
  EXPECT_THAT(sentence([&] { draw_blocks(many); }), HasSubstr("too many"));
  EXPECT_THAT(sentence([&] { draw_traffic(many); }), HasSubstr("too many"));
  EXPECT_THAT(sentence([&] { draw_links(many, Topology::ring(1'000'000)); }), HasSubstr("2000000 links are too many"));
  EXPECT_THAT(sentence([&] { draw_links(few, Topology::ring(5)); }), HasSubstr("has 5 ranks, not 4"));
  EXPECT_THAT(sentence([&] { draw_traffic(few, 9); }), HasSubstr("nothing is sent in round 9; messages are in rounds 0 to 2"));
  EXPECT_THAT(sentence([&] { draw_links(few, Topology::ring(4), 9); }), HasSubstr("nothing is sent in round 9"));
  EXPECT_THAT(sentence([&] { draw_blocks(make_schedule(Problem::alltoall(4, 0), "shift")); }),
              HasSubstr("no rank holds a single byte"));
  EXPECT_THAT(sentence([&] { draw_blocks(make_schedule(Problem::alltoall(64, 8), "ring")); }),
              HasSubstr("pieces of memory are too many"));
}

}  // namespace
}  // namespace quadrille
