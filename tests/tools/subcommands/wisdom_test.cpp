// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille wisdom: show, merge, path.
#include "quadrille/wisdom.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class WisdomCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    ::setenv("QUADRILLE_WISDOM", (place_ / "kept/").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("QUADRILLE_WISDOM");
    CommandTest::TearDown();
  }

  static WisdomRecord race(Collective collective, Bytes bytes, const std::string& date = "2026-11-22") {
    WisdomRecord record{.situation = {.collective = collective, .ranks = 24, .nodes = 6, .ranks_of_node = 4, .block_bytes = bytes},
                        .date = date,
                        .repetitions = 15};
    record.entries = {{{.algorithm = parse_candidate(collective, "direct"), .executor = Executor::hybrid}, {3e-6, 2.5e-6, 3.5e-6}},
                      {{.algorithm = Vendor{}, .executor = Executor::mpi}, {4e-6, 3.5e-6, 4.5e-6}}};
    return record;
  }

  static Wisdom of(const std::vector<WisdomRecord>& records) {
    Wisdom wisdom{.machine = {"Z80", 1, "none", "MPICH 4.0.2"}};
    for (const WisdomRecord& record : records) wisdom.add(record);
    return wisdom;
  }
};

TEST_F(WisdomCommand, Shows) {
  EXPECT_EQ(prints({"wisdom", "show"}), "");
  EXPECT_THAT(run({"wisdom", "show"}).talk, HasSubstr("quadrille tune"));
  const Wisdom wisdom = of({race(Collective::alltoall, 64), race(Collective::allgather, 8)});
  save_wisdom(wisdom_file(wisdom.machine), wisdom);
  const std::string text = prints({"wisdom", "show"});
  for (const char* part : {"Z80, 1 core, network none, MPI MPICH 4.0.2", "24 on 6 nodes", "16..256 B", "direct blocking hybrid",
                           "3.00 µs", "0.75", "2026-11-22"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(prints({"wisdom", "show", "--collective", "allgather"}), Not(HasSubstr("alltoall")));
  const Json json = Json::parse(prints({"wisdom", "show", "--json", "--collective", "alltoall", wisdom_file(wisdom.machine)}));
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["machine"]["processor"], "Z80");
  ASSERT_EQ(json[0]["races"].size(), 1u);
  EXPECT_EQ(json[0]["races"][0]["speaks_for"]["most_bytes"], 256);
  EXPECT_EQ(json[0]["races"][0]["entries"][1]["algorithm"], "vendor");
  EXPECT_NEAR(json[0]["races"][0]["entries"][0]["median_s"].get<double>(), 3e-6, 1e-12);
  EXPECT_THAT(prints({"wisdom", "show", "-"}, wisdom_text(wisdom)), HasSubstr("Z80"));
}

TEST_F(WisdomCommand, LeavesOutFilesOfOlderVersions) {
  const Wisdom wisdom = of({race(Collective::alltoall, 64)});
  save_wisdom(wisdom_file(wisdom.machine), wisdom);
  const std::string older = write("kept/older.wisdom", "quadrille-wisdom 3\n");
  const Outcome outcome = run({"wisdom", "show"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Z80"));
  EXPECT_THAT(outcome.talk, HasSubstr("older.wisdom"));
  refuses({"wisdom", "show", older}, "older version");
}

TEST_F(WisdomCommand, Merges) {
  const Wisdom a = of({race(Collective::alltoall, 64, "2026-11-20"), race(Collective::alltoall, 8)});
  const Wisdom b = of({race(Collective::alltoall, 64, "2026-11-21")});
  Wisdom both = a;
  both.merge(b);
  const std::string first = write("a", wisdom_text(a)), second = write("b", wisdom_text(b));
  EXPECT_EQ(prints({"wisdom", "merge", first, second}), wisdom_text(both));
  EXPECT_EQ(prints({"wisdom", "merge", second, first, "-o", file("c")}), "");
  EXPECT_EQ(contents(file("c")), wisdom_text(both));
  const Json pooled = Json::parse(prints({"wisdom", "show", "--json", file("c")}));
  EXPECT_EQ(pooled[0]["races"][0]["launches"], 1);
  EXPECT_EQ(pooled[0]["races"][1]["launches"], 2) << "of two days";
  Wisdom other = b;
  other.machine.cores = 2;
  refuses({"wisdom", "merge", first, write("other", wisdom_text(other))}, "are of two machines");
  refuses({"wisdom", "merge", first}, "name the files to merge");
}

TEST_F(WisdomCommand, NamesTheFileOfThisMachine) {
  const std::string path = prints({"wisdom", "path"});
  EXPECT_EQ(path.rfind((place_ / "kept/").string(), 0), 0u) << path;
  EXPECT_THAT(path, HasSubstr("cores-none-"));
  ::setenv("QUADRILLE_WISDOM", "off", 1);
  refuses({"wisdom", "path"}, "QUADRILLE_WISDOM is off");
}

// A pipe may be named, but one that lies in the user's folder would block the reader.
TEST_F(WisdomCommand, ReadsPipesOnlyIfTheyAreNamed) {
  const std::string one = write("one", wisdom_text(of({race(Collective::alltoall, 64)})));
  EXPECT_THAT(run_program({"bash", "-c", "\"$0\" wisdom show <(cat \"$1\")", QUADRILLE_COMMAND, one}).out, HasSubstr("Z80"));
  fs::create_directory(file("kept"));
  for (const char* name : {"kept/pipe.wisdom", "kept/pipe.wisdom.vendor"}) ASSERT_EQ(::mkfifo(file(name).c_str(), 0600), 0);
  for (const Words& words : {Words{"show"}, Words{"export", "--for", "openmpi"}}) {
    Words limited{"timeout", "30", QUADRILLE_COMMAND, "wisdom"};
    limited.insert(limited.end(), words.begin(), words.end());
    const Outcome outcome = run_program(limited);
    EXPECT_EQ(outcome.exit_code, 2) << words[0];
    EXPECT_THAT(outcome.talk, HasSubstr("is not a regular file"));
  }
}

TEST_F(WisdomCommand, Refuses) {
  refuses({"wisdom"}, "say what to do with wisdom: show, merge, export, path");
  refuses({"wisdom", "shwo"}, "did you mean 'show'?");
  refuses({"wisdom", "show", "--collective", "alltoal"}, "did you mean 'alltoall'?");
  refuses({"wisdom", "show", file("none")}, "none");
  refuses({"wisdom", "show", write("old", "quadrille-wisdom 3\nalgorithms x\n")},
          "it has the form of an older version of quadrille");
  refuses({"wisdom", "show", write("damaged", "{\"quadrille_wisdom\": 4, \"algorithms\": \"x\"}")}, "it is for the algorithms of");
  refuses({"wisdom", "path", "more"}, "one argument too many");
  refuses({"wisdom", "export"}, "--for openmpi or --for mpich");
  for (const char* action : {"merge", "export", "path"}) {
    refuses({"wisdom", action, "--json"}, "--json is for 'quadrille wisdom show'");
    refuses({"wisdom", action, "--collective", "alltoall"}, "--collective is for 'quadrille wisdom show'");
  }
  for (const char* action : {"show", "merge", "path"})
    refuses({"wisdom", action, "--for", "mpich"}, "--for is for 'quadrille wisdom export'");
}

}  // namespace
}  // namespace quadrille
