// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille wisdom export --confirm. A script stands for the launcher: it prints races with times that depend on the
// settings.
#include <gmock/gmock.h>

#include "quadrille/wisdom.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ConfirmedRules : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("launcher", R"(case ${OMPI_MCA_coll_han_priority:-}${OMPI_MCA_coll_tuned_dynamic_rules_filename:-} in
"") kind=plain ;; 100*) kind=nodes ;; *) kind=rules ;; esac
echo "a line of the launcher"
cat ')" + place_.string() +
                          R"('/$3.$kind
)");
  }

  // Writes what the launcher prints of a collective with certain settings.
  void set(const std::string& collective, const std::string& kind, const std::map<Bytes, double>& times_us, Count ranks = 8) const {
    Json race{{"collective", collective},
              {"ranks", ranks},
              {"nodes", 2},
              {"transport", "Open MPI"},
              {"machine", {{"model", "Z80"}}},
              {"version", "1"},
              {"memory", "private"},
              {"operator", "sum"},
              {"type", "f64"},
              {"cold", false},
              {"sizes", Json::array()}};
    for (const auto& [bytes, us] : times_us) {
      Json entry{
          {"algorithm", "vendor"}, {"same_as", Json::array()}, {"short_name", "vendor"}, {"policy", ""},     {"executor", "mpi"},
          {"buffers", 2},          {"keep_step", false},       {"checked", true},        {"ratio", nullptr}, {"to_best", nullptr}};
      for (int i = 0; i < 9; ++i) entry["samples_s"].push_back(Json::array({us * 1e-6 * (1 + 0.001 * i)}));
      for (const char* figure : {"median_s", "least_s", "most_s", "lower_s", "upper_s"}) entry[figure] = us * 1e-6;
      race["sizes"].push_back({{"block_bytes", bytes}, {"conclusion", "fastest"}, {"best", 0}, {"entries", {entry}}});
    }
    write(collective + '.' + kind, race.dump());
  }

  static WisdomRecord record(Collective collective, Bytes bytes, const std::string& best) {
    WisdomRecord record{.situation = {.collective = collective, .ranks = 8, .nodes = 2, .ranks_of_node = 4, .block_bytes = bytes},
                        .date = "2026-11-22",
                        .repetitions = 15};
    record.entries = {{{.algorithm = Vendor{best}, .executor = Executor::mpi}, {3e-6, 2.5e-6, 3.2e-6}},
                      {{.algorithm = Vendor{}, .executor = Executor::mpi}, {4e-6, 3.5e-6, 4.5e-6}}};
    return record;
  }

  std::string wisdom() const {
    Wisdom wisdom{.machine = {"Z80", 1, "none", "Open MPI 4.1.4"}};
    wisdom.add(record(Collective::alltoall, 64, "pairwise"));
    wisdom.add(record(Collective::alltoall, 1024, "linear"));
    wisdom.add(record(Collective::broadcast, 64, "chain"));
    return write("kept.vendor", wisdom_text(wisdom)).string();
  }

  Words words() const {
    return {"wisdom", "export", "--for", "openmpi", wisdom(), "-o", file("rules"), "--confirm", "sh " + file("launcher").string()};
  }
};

TEST_F(ConfirmedRules, KeepsWhatIsFasterWithoutOurLibrary) {
  set("barrier", "plain", {{0, 5}});
  set("alltoall", "plain", {{64, 10}, {1024, 20}});
  set("alltoall", "rules", {{64, 5}, {1024, 20.1}});
  set("alltoall", "nodes", {{64, 5}, {1024, 20.1}});
  set("broadcast", "plain", {{64, 10}});
  set("broadcast", "rules", {{64, 8}});
  set("broadcast", "nodes", {{64, 2}});
  const Outcome outcome = run(words());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("8 ranks on 2 nodes, without our library"), HasSubstr("split-by-nodes"),
                                 HasSubstr("2.00 ("), HasSubstr("5.00 ("), HasSubstr("not confirmed: no rule")));
  EXPECT_THAT(contents(file("rules")), AllOf(HasSubstr("# pairwise"), Not(HasSubstr("# linear")), Not(HasSubstr("# chain"))));
  EXPECT_THAT(contents(file("rules.nodes")), HasSubstr("64 6\n"));
  EXPECT_THAT(outcome.talk, AllOf(HasSubstr("OMPI_MCA_coll_tuned_dynamic_rules_filename=" + file("rules").string()),
                                  HasSubstr("OMPI_MCA_coll_han_dynamic_rules_filename=" + file("rules.nodes").string())));
}

TEST_F(ConfirmedRules, WritesNoFileIfNothingIsFaster) {
  set("barrier", "plain", {{0, 5}});
  for (const char* kind : {"plain", "rules", "nodes"})
    set("alltoall", kind, {{64, 10}, {1024, 20}}), set("broadcast", kind, {{64, 10}});
  const Outcome outcome = run(words());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_THAT(outcome.talk, HasSubstr("no rule makes the library faster here"));
  EXPECT_FALSE(fs::exists(file("rules")));
  EXPECT_FALSE(fs::exists(file("rules.nodes")));
}

TEST_F(ConfirmedRules, LeavesOutOtherNumbersOfRanks) {
  set("barrier", "plain", {{0, 5}}, 4);
  EXPECT_THAT(run(words()).talk, HasSubstr("no rule makes the library faster here"));
}

TEST_F(ConfirmedRules, RefusesWhatCannotBeConfirmed) {
  refuses({"wisdom", "export", "--for", "openmpi", wisdom(), "--confirm", "mpirun -n 8"}, "--confirm needs a file");
  refuses({"wisdom", "show", "--confirm", "mpirun"}, "--confirm is for 'quadrille wisdom export'");
  EXPECT_EQ(run(words()).exit_code, 2) << "the launcher prints no race";
  EXPECT_FALSE(fs::exists(file("rules")));
}

}  // namespace
}  // namespace quadrille
