// SPDX-License-Identifier: BSD-3-Clause
// Certificates prove their bounds, here and in a program that shares no code with the library (check_bound.py). Both refuse
// certificates that are changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <random>

#include "quadrille/bound.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "support/cases.hpp"
#include "support/own_folder.hpp"
#include "support/source_folder.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

bool is_proved(const BoundDocument& document, const Bound& bound) {
  try {
    return proved_value(document.problem, document.network, bound) == bound.exact;
  } catch (const Error&) {
    return false;
  }
}

// The bounds of cost.hpp are computed by formulas; their certificates are computed from the blocks.
TEST(Certificates, ProveTheBoundsOfRanksAndNodes) {
  std::size_t checked = 0;
  for (const Collective collective : all_collectives())
    for (const Count ranks : {2, 3, 5, 8, 9})
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        Problem problem = problem_of(collective, ranks, 12, static_cast<Rank>(seed) % ranks, seed);
        for (Rank rank = 0; rank < ranks; ++rank) problem.nodes.push_back(rank * static_cast<Rank>(seed) % 4);
        for (const Count ports : {1, 2, 3}) {
          std::vector<Bound> bounds = lower_bounds(problem, ports, 4);
          for (const std::vector<Bound>& more : {lower_bounds_between_nodes(problem, ports), lower_bounds_by_matchings(problem)})
            bounds.insert(bounds.end(), more.begin(), more.end());
          for (const Bound& bound : bounds) {
            if (bound.value == 0) continue;
            SCOPED_TRACE(fmt::format("{} among {}, seed {}: {} by {}", name(collective), ranks, seed, bound.figure, bound.source));
            EXPECT_EQ(bound.value, bound.exact.rounded_up());
            EXPECT_EQ(proved_value(problem, {}, bound), bound.exact);
            ++checked;
          }
        }
      }
  EXPECT_GT(checked, 3000u);
}

class DrawnCertificates : public OwnFolder {
 protected:
  Count draw(Count least, Count most) {
    return least + static_cast<Count>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

  BoundDocument draw_document() {
    static const char* const networks[] = {"ring:5", "array:4",     "torus:2x4",       "mesh:2x3",  "hypercube:8",
                                           "full:4", "cluster:3x2", "dragonfly:2x2x2", "torus:3x3", "fat-tree:2"};
    const bool on_network = draw(0, 2) > 0;
    const std::size_t network = index(draw(0, 12));
    const Topology topology = network < std::size(networks)
                                  ? parse_topology(networks[network])
                                  : parse_edge_list("0 a 1/3\n1 a 2\n2 b\n3 b 0.5\na b 3/4\n0 1\n", "capacities");
    const Collective collective = all_collectives()[index(draw(0, size(all_collectives()) - 1))];
    const Count ranks = on_network ? topology.ranks() : draw(2, 9);
    BoundDocument document{.problem = problem_of(collective, ranks, draw(1, 40), draw(0, ranks - 1), random_())};
    if (collective == Collective::alltoallv && draw(0, 3) == 0) {
      std::vector<TrafficEntry> entries;
      for (Rank from = 0; from < ranks; ++from)
        for (Rank to = 0; to < ranks; ++to)
          if (draw(0, 1) == 1) entries.push_back({from, to, 3 + from});
      document.problem = with_shared_blocks(Problem::alltoallv(ranks, std::move(entries)));
    }
    if (draw(0, 1) == 1)
      for (Rank rank = 0; rank < ranks; ++rank) document.problem.nodes.push_back(draw(0, 3));
    const Count ports = draw(1, 3);
    document.bounds = certified_bounds(document.problem, ports, on_network ? &topology : nullptr, draw(0, 3));
    if (on_network) document.network = links_of(topology);
    if (collective == Collective::alltoall)
      for (Bound& bound : lower_bounds(document.problem, ports, draw(2, 6)))
        if (bound.certificate.kind == BoundKind::compound) document.bounds.push_back(std::move(bound));
    const bool of_nodes = !document.problem.nodes.empty() && draw(0, 1) == 1;
    const LeastTimes times{.startup_s = Fraction(draw(0, 100), 1000),
                           .byte_s = Fraction(draw(0, 100), draw(1, 999)),
                           .ports = ports,
                           .of_nodes = of_nodes,
                           .counts_links = !of_nodes && draw(0, 3) > 0,
                           .adds_up = draw(0, 3) > 0};
    document.bounds.push_back(time_bound(document.problem, document.bounds, times, draw(0, 1) == 1));
    return document;
  }

  // Changes the value, or something of the certificate.
  Bound changed(Bound bound, bool& is_value) {
    Certificate& certificate = bound.certificate;
    const auto change = [&](Count& number) { number = std::max<Count>(0, number + (draw(0, 1) == 0 ? 1 : -1)); };
    is_value = false;
    switch (draw(0, 5)) {
      case 0:
        if (!certificate.members.empty()) return change(certificate.members[index(draw(0, size(certificate.members) - 1))]), bound;
        break;
      case 1: return certificate.outwards = !certificate.outwards, bound;
      case 2: return certificate.ports += 1, bound;
      case 3:
        if (!certificate.prices.empty()) return change(certificate.prices[index(draw(0, size(certificate.prices) - 1))]), bound;
        if (!bound.parts.empty()) {
          bool of_part = false;
          return bound.parts[0] = changed(bound.parts[0], of_part), bound;
        }
        break;
      case 4:
        if (certificate.rounds > 0) return change(certificate.rounds), bound;
        break;
      default: break;
    }
    is_value = true;
    bound.exact = bound.exact + Fraction(draw(0, 1) == 0 ? 1 : -1, draw(1, 1000));
    return bound;
  }

  // What the other program says of each bound of the documents.
  std::vector<bool> verdicts_of(const std::vector<BoundDocument>& documents) const {
    const std::filesystem::path file = place_ / "bounds.json";
    std::ofstream out(file);
    for (const BoundDocument& document : documents) out << (&document == &documents[0] ? '[' : ',') << bounds_json(document);
    out << ']';
    out.close();
    const std::string command = fmt::format("python3 {} {}", (source_folder / "tests/cost/check_bound.py").string(), file.string());
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::vector<bool> verdicts;
    char line[512];
    while (std::fgets(line, sizeof line, pipe) != nullptr) verdicts.push_back(std::string_view(line).starts_with("proved"));
    ::pclose(pipe);
    return verdicts;
  }

  std::mt19937_64 random_{11};
};

TEST_F(DrawnCertificates, AreProvedByAnotherProgramAndRefusedIfChanged) {
  const std::size_t wanted = extent<std::size_t>(100, 600, 10'000);
  std::vector<BoundDocument> documents;
  std::vector<bool> here;
  std::size_t drawn = 0, changes = 0, refused = 0;
  std::map<BoundKind, std::size_t> kinds;
  while (drawn < wanted) {
    BoundDocument document = draw_document();
    const std::vector<Bound> bounds = document.bounds;
    for (const Bound& bound : bounds) {
      here.push_back(is_proved(document, bound));
      EXPECT_TRUE(here.back()) << bounds_json(document);
      ++drawn, ++kinds[bound.certificate.kind];
    }
    for (const Bound& bound : bounds) {
      bool is_value = false;
      document.bounds.push_back(changed(bound, is_value));
      here.push_back(is_proved(document, document.bounds.back()));
      EXPECT_FALSE(is_value && here.back());
      ++changes, refused += here.back() ? 0 : 1;
    }
    // Reading gives what was written.
    const std::string text = bounds_json(document);
    EXPECT_EQ(bounds_json(parse_bounds(text)), text);
    documents.push_back(std::move(document));
  }
  // A changed certificate that both programs accept is another proof of the same bound, such as one by another rank.
  EXPECT_EQ(verdicts_of(documents), here);
  EXPECT_GT(refused * 10, changes * 6) << refused << " of " << changes;
  RecordProperty("certificates", static_cast<int>(drawn));
  RecordProperty("changed", static_cast<int>(changes));
  RecordProperty("refused", static_cast<int>(refused));
  EXPECT_GE(kinds.size(), wanted < 600 ? 6u : 8u) << "each kind was drawn";
}

TEST(Certificates, RefuseWhatProvesNothing) {
  const Problem problem = Problem::alltoall(4, 8);
  const auto refuses = [&](const std::string& figure, const Certificate& certificate) {
    try {
      proved_value(problem, {}, proved(figure, 1, "", certificate));
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::misuse;
    }
  };
  EXPECT_TRUE(refuses("c2", {.kind = BoundKind::crossing, .members = {4}}));
  EXPECT_TRUE(refuses("c2", {.kind = BoundKind::crossing, .members = {}}));
  EXPECT_TRUE(refuses("c2", {.kind = BoundKind::crossing, .members = {0, 0}}));
  EXPECT_TRUE(refuses("c2", {.kind = BoundKind::crossing, .members = {0, 1, 2, 3}}));
  EXPECT_TRUE(refuses("c1", {.kind = BoundKind::crossing, .members = {0}}));
  EXPECT_TRUE(refuses("c2", {.kind = BoundKind::spread, .members = {0}}));
  EXPECT_TRUE(refuses("c2_shared", {.kind = BoundKind::crossing, .members = {0}}));
  EXPECT_TRUE(refuses("matchings", {.kind = BoundKind::odd_set, .members = {0, 1}}));
  EXPECT_TRUE(refuses("time", {.kind = BoundKind::flow}));
  EXPECT_TRUE(refuses("speed", {.kind = BoundKind::crossing, .members = {0}}));
  EXPECT_TRUE(refuses("c2", {.kind = BoundKind::none}));
  EXPECT_FALSE(refuses("c2", {.kind = BoundKind::crossing, .members = {0}}));
}

TEST(BoundDocuments, RefuseWhatIsMissingOrTooLarge) {
  const Topology network = Topology::ring(4);
  const Problem problem = Problem::alltoall(4, 8);
  const std::string good = bounds_json({problem, links_of(network), certified_bounds(problem, 1, &network)});
  const auto told = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t place = text.find(from);
    if (place == std::string::npos) return "no " + from;
    try {
      parse_bounds(text.replace(place, from.size(), to));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_EQ(told("1", "1"), "read");
  EXPECT_THAT(told(", \"outwards\": true", ""), ::testing::HasSubstr("expected a key 'outwards'"));
  EXPECT_THAT(told(", \"members\": [0]", ""), ::testing::HasSubstr("expected a key 'members'"));
  EXPECT_THAT(told(", \"prices\": [", ", \"price\": ["), ::testing::HasSubstr("expected a key 'prices'"));
  EXPECT_THAT(told("\"vertices\": 4", "\"vertices\": 4611686018427387904"),
              ::testing::HasSubstr("a number of vertices in 1..4194304"));
  EXPECT_THAT(told("[\"2\", \"1\"]", "[\"9223372036854775808\", \"1\"]"), ::testing::HasSubstr("more than 2^63 - 1"));
  EXPECT_THAT(told("[\"2\", \"1\"]", "[\"-2\", \"-1\"]"), ::testing::HasSubstr("the denominator is less than 1"));
}

TEST(Fraction, IsExact) {
  EXPECT_EQ(Fraction(6, 4), Fraction(3, 2));
  EXPECT_EQ(Fraction(1, 3) + Fraction(1, 6), Fraction(1, 2));
  EXPECT_EQ(Fraction(2, 3) * Fraction(9, 4), Fraction(3, 2));
  EXPECT_LT(Fraction(-1, 2), Fraction(1, 3));
  EXPECT_EQ(Fraction(7, 2).rounded_up(), 4);
  EXPECT_EQ(Fraction(-7, 2).rounded_up(), -3);
  EXPECT_EQ(decimal(Fraction::Wide{1} << 100), "1267650600228229401496703205376");
  EXPECT_EQ(decimal(-Fraction::Wide{10}), "-10");
  EXPECT_THROW(Fraction(Fraction::Wide{1} << 100) * Fraction(Fraction::Wide{1} << 100), Error);
}

}  // namespace
}  // namespace quadrille
