// SPDX-License-Identifier: BSD-3-Clause
// Rules files for the MPI libraries' own algorithms.
#include "tune/rules/vendor_rules.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

WisdomRecord record(Bytes bytes, std::vector<WisdomEntry> entries, Count ranks = 8) {
  WisdomRecord record;
  record.situation = {.collective = Collective::alltoall, .ranks = ranks, .ranks_of_node = ranks, .block_bytes = bytes};
  record.entries = std::move(entries);
  return record;
}

WisdomEntry entry(const std::string& algorithm, double lower, double median, double upper) {
  return {{.algorithm = parse_candidate(Collective::alltoall, algorithm), .executor = Executor::mpi}, {median, lower, upper}};
}

TEST(VendorRules, NeedIntervalsThatDoNotOverlap) {
  Wisdom wisdom;
  wisdom.records = {
      record(8, {entry("vendor:linear", 1, 2, 3), entry("vendor", 4, 5, 6)}),
      record(64, {entry("vendor:linear", 1, 2, 4.5), entry("vendor", 4, 5, 6)}),
      record(512, {entry("vendor", 1, 2, 3), entry("vendor:linear", 4, 5, 6)}),
      record(4096, {entry("vendor:pairwise", 1, 1.5, 2), entry("vendor:linear", 1, 1.6, 2), entry("vendor", 4, 5, 6)})};
  const VendorRules rules = vendor_rules(wisdom);
  ASSERT_EQ(rules.size(), 1u);
  const AlgorithmBySize expected{{8, "linear"}, {64, ""}, {512, ""}, {4096, "pairwise"}};
  EXPECT_EQ(rules.begin()->second, expected);
}

TEST(VendorRules, MustAgreeForAllPlacementsOnNodes) {
  Wisdom wisdom;
  wisdom.records = {record(8, {entry("vendor:linear", 1, 2, 3), entry("vendor", 4, 5, 6)}),
                    record(8, {entry("vendor:pairwise", 1, 2, 3), entry("vendor", 4, 5, 6)}),
                    record(64, {entry("vendor:linear", 1, 2, 3), entry("vendor", 4, 5, 6)}),
                    record(64, {entry("vendor:linear", 1, 2, 3), entry("vendor", 4, 5, 6)})};
  wisdom.records[1].situation.nodes = wisdom.records[3].situation.nodes = 2;
  const AlgorithmBySize expected{{8, ""}, {64, "linear"}};
  EXPECT_EQ(vendor_rules(wisdom).begin()->second, expected);
}

TEST(VendorRules, MayDependOnTheRanksOfANode) {
  Wisdom wisdom;
  wisdom.records = {record(8, {entry("vendor:linear", 1, 2, 3), entry("vendor", 4, 5, 6)}),
                    record(8, {entry("vendor:pairwise", 1, 2, 3), entry("vendor", 4, 5, 6)}),
                    record(64, {entry("vendor:pairwise", 1, 2, 3), entry("vendor", 4, 5, 6)})};
  wisdom.records[1].situation.nodes = wisdom.records[2].situation.nodes = 2;
  wisdom.records[1].situation.ranks_of_node = 4;
  wisdom.records[2].situation.ranks_of_node = 5;  // and 3 on the other node
  const VendorRules expected{{{Collective::alltoall, 8, 4}, {{8, "pairwise"}}}, {{Collective::alltoall, 8, 8}, {{8, "linear"}}}};
  EXPECT_EQ(vendor_rules(wisdom, true), expected);
}

TEST(VendorRules, AreEmptyWithoutABetterAlgorithm) {
  Wisdom wisdom;
  wisdom.records = {record(8, {entry("vendor", 1, 2, 3), entry("vendor:linear", 4, 5, 6)}),
                    record(64, {entry("vendor:linear", 1, 2, 3)})};
  EXPECT_TRUE(vendor_rules(wisdom).empty());
}

TEST(VendorRules, ChangeBetweenMeasuredSizesAndEndBesideThem) {
  const std::vector<RuleFrom> expected{{0, ""}, {8, "a"}, {256, "b"}, {1025, ""}};
  EXPECT_EQ(steps_of({{8, "a"}, {64, "a"}, {1024, "b"}}), expected);
  const std::vector<RuleFrom> of_nothing{{0, "a"}, {1, ""}};
  EXPECT_EQ(steps_of({{0, "a"}}), of_nothing);
  EXPECT_EQ(for_all_sizes({{8, "a"}, {64, "a"}}), "a");
  EXPECT_EQ(for_all_sizes({{8, "a"}, {64, ""}}), "");
}

// The numbers in a rules file for Open MPI, without comments.
std::vector<long> numbers(const std::string& text) {
  std::vector<long> numbers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (long number; words >> number;) numbers.push_back(number);
  }
  return numbers;
}

TEST(OpenMpiRules, AreForTheirNumberOfRanksOnly) {
  const RulesFile file = openmpi_rules({{{Collective::alltoall, 8}, {{64, "linear_sync"}}},
                                        {{Collective::alltoall, 9}, {{8, "pairwise"}}},
                                        {{Collective::allreduce, 2}, {{1024, "ring"}}}});
  EXPECT_EQ(file.rules, 3);
  const std::vector<long> expected{2,                                                    // collectives
                                   2,  3, 1, 1, 0, 0, 0,      0,                         // allreduce: 1 rank,
                                   2,  3, 0, 0, 0, 0, 1024,   4, 4, 0, 1025,   0, 0, 0,  // 2
                                   3,  1, 0, 0, 0, 0,                                    // and more
                                   3,  4, 1, 1, 0, 0, 0,      0,                         // alltoall: bytes of all blocks
                                   8,  3, 0, 0, 0, 0, 8 * 64, 4, 4, 0, 8 * 65, 0, 0, 0,  //
                                   9,  3, 0, 0, 0, 0, 9 * 8,  2, 4, 0, 9 * 9,  0, 0, 0,  //
                                   10, 1, 0, 0, 0, 0};
  EXPECT_EQ(numbers(file.text), expected);
}

TEST(OpenMpiRules, LeaveOutWhatTheFormatCannotExpress) {
  const RulesFile file = openmpi_rules({{{Collective::alltoallv, 4}, {{8, "pairwise"}, {64, ""}}},
                                        {{Collective::gather, 4}, {{8, "binomial"}, {64, "binomial"}}},
                                        {{Collective::alltoall, 4}, {{8, "of_tomorrow"}}}});
  EXPECT_EQ(file.left_out.size(), 2u);
  const std::vector<long> expected{1, 9, 3, 1, 1, 0, 0, 0, 0, 4, 1, 0, 2, 4, 0, 5, 1, 0, 0, 0, 0};
  EXPECT_EQ(numbers(file.text), expected);
}

TEST(OpenMpiRules, SayWhatIsSplitByNodes) {
  const std::string split(split_by_nodes);
  const VendorRules rules{{{Collective::broadcast, 8}, {{64, split}, {1024, "chain"}}},
                          {{Collective::alltoall, 8}, {{64, "linear"}}}};
  const RulesFile file = openmpi_rules_by_nodes(rules);
  EXPECT_EQ(file.rules, 1);
  std::vector<long> expected{8};
  for (const long collective : {0, 1, 2, 6}) expected.insert(expected.end(), {collective, 1, 2, 1, 1, 1, 0, 3});
  expected.insert(expected.end(), {7, 1, 2, 3, 1, 1, 0, 3, 8, 3, 0, 3, 64, 6, 256, 3, 9, 1, 0, 3});
  for (const long collective : {9, 11, 15}) expected.insert(expected.end(), {collective, 1, 2, 1, 1, 1, 0, 3});
  EXPECT_EQ(numbers(file.text), expected);
  const RulesFile others = openmpi_rules(rules);
  EXPECT_EQ(others.rules, 2) << "the other file says nothing of what is split";
  EXPECT_EQ(others.text.find(split), std::string::npos);
  EXPECT_EQ(openmpi_rules_by_nodes({}).rules, 0);
}

// The bytes of an MPICH library, as far as mpich_rules reads them.
std::string library() {
  const std::string other = R"({"collective=alltoall":{"composition=MPIDI_Alltoall_intra_composition_alpha":{}}})";
  const std::string table =
      R"({"collective=alltoall":{"comm_type=intra":{"comm_size<8":{"algorithm=MPIR_Alltoall_intra_pairwise":{}},)"
      R"("comm_size=any":{"algorithm=MPIR_Alltoall_intra_brucks":{}}},)"
      R"("comm_type=inter":{"algorithm=MPIR_Alltoall_inter_pairwise_exchange":{}}},)"
      R"("collective=gatherv":{"algorithm=MPIR_Gatherv_allcomm_linear":{}}})";
  const std::string zero(1, '\0');
  return "code" + zero + other + zero + "more" + table + zero + "algorithm=MPIR_Alltoall_intra_brucks" + zero +
         "algorithm=MPIR_Alltoall_allcomm_nb" + zero + "algorithm=MPIR_Gatherv_allcomm_nb" + zero;
}

TEST(MpichRules, PrecedeTheBuiltInRules) {
  const RulesFile file =
      mpich_rules({{{Collective::alltoall, 4}, {{64, "brucks"}, {512, "nb"}}}, {{Collective::gatherv, 2}, {{8, "nb"}}}}, library());
  EXPECT_EQ(file.rules, 2);
  EXPECT_TRUE(file.left_out.empty());
  const auto tree = nlohmann::ordered_json::parse(file.text);
  const auto& intra = tree["collective=alltoall"]["comm_type=intra"];
  const auto built_in = nlohmann::ordered_json::parse(
      R"({"comm_size<8":{"algorithm=MPIR_Alltoall_intra_pairwise":{}},"comm_size=any":{"algorithm=MPIR_Alltoall_intra_brucks":{}}})");
  EXPECT_EQ(intra["comm_size<=3"], built_in);
  EXPECT_EQ(intra["comm_size=any"], built_in);
  EXPECT_EQ(intra["comm_size<=4"]["is_sendbuf_inplace=yes"], built_in);
  const auto& sizes = intra["comm_size<=4"]["is_sendbuf_inplace=no"];
  std::vector<std::string> order;
  for (const auto& each : sizes.items()) order.push_back(each.key());
  const std::vector<std::string> expected{"avg_msg_size<=63", "avg_msg_size<=180", "avg_msg_size<=512", "avg_msg_size=any"};
  EXPECT_EQ(order, expected);
  EXPECT_EQ(sizes["avg_msg_size<=63"], built_in);
  EXPECT_TRUE(sizes["avg_msg_size<=180"].contains("algorithm=MPIR_Alltoall_intra_brucks"));
  EXPECT_TRUE(sizes["avg_msg_size<=512"].contains("algorithm=MPIR_Alltoall_allcomm_nb"));
  EXPECT_EQ(sizes["avg_msg_size=any"], built_in);
  const auto& gatherv = tree["collective=gatherv"];
  EXPECT_TRUE(gatherv["comm_type=intra"]["comm_size<=2"].contains("algorithm=MPIR_Gatherv_allcomm_nb"));
  EXPECT_TRUE(gatherv["comm_type=inter"].contains("algorithm=MPIR_Gatherv_allcomm_linear"));
}

TEST(MpichRules, DependOnTheRanksOfANode) {
  const RulesFile file =
      mpich_rules({{{Collective::alltoall, 8, 2}, {{64, "brucks"}}}, {{Collective::alltoall, 8, 4}, {{64, "nb"}}}}, library());
  EXPECT_EQ(file.rules, 2);
  const auto tree = nlohmann::ordered_json::parse(file.text);
  const auto& nodes = tree["collective=alltoall"]["comm_type=intra"]["comm_size<=8"];
  std::vector<std::string> order;
  for (const auto& each : nodes.items()) order.push_back(each.key());
  EXPECT_EQ(order, (std::vector<std::string>{"comm_avg_ppn<=1", "comm_avg_ppn<=2", "comm_avg_ppn<=3", "comm_avg_ppn<=4",
                                             "comm_size=any"}));
  EXPECT_TRUE(nodes["comm_avg_ppn<=1"].contains("comm_size<8")) << "the built-in rules";
  EXPECT_TRUE(nodes["comm_avg_ppn<=4"]["is_sendbuf_inplace=no"]["avg_msg_size<=64"].contains("algorithm=MPIR_Alltoall_allcomm_nb"));
}

TEST(MpichRules, LeaveOutWhatTheLibraryDoesNotKnow) {
  const RulesFile file = mpich_rules(
      {{{Collective::alltoall, 4}, {{64, "of_tomorrow"}}}, {{Collective::gatherv, 2}, {{8, "nb"}, {64, ""}}}}, library());
  EXPECT_EQ(file.rules, 0);
  EXPECT_EQ(file.left_out.size(), 2u);
  EXPECT_THROW(mpich_rules({}, "no library"), Error);
}

}  // namespace
}  // namespace quadrille
