// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille reproduce: its files and verdicts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>

#include "papers/exhibit.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Returns the text of each file in a folder, by the file's name.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) files[entry.path().filename().string()] = contents(entry.path());
  return files;
}

TEST_F(CommandTest, ReproducesAnExhibit) {
  const std::string listed = prints({"reproduce", "--list"});
  EXPECT_NE(listed.find("bruck1997-fig5"), std::string::npos);
  EXPECT_GE(Json::parse(prints({"reproduce", "--list", "--json"})).size(), 30u);
  const fs::path folder = file("new") / "folder";
  EXPECT_NE(prints({"reproduce", "bruck1997-fig5", "-o", folder.string()}).find("bruck1997-fig5: holds"), std::string::npos);
  const auto files = files_in(folder);
  EXPECT_EQ(files.at("bruck1997-fig5-linear.csv").rfind("bytes per block,radix 2 (ms)", 0), 0u);
  EXPECT_TRUE(files.contains("bruck1997-fig5-fitted.csv"));
  EXPECT_EQ(files.size(), 3u) << "no half-written file";
  const std::string& plot = files.at("bruck1997-fig5.svg");
  EXPECT_TRUE(plot.ends_with("</svg>\n"));
  EXPECT_LT(plot.size(), 30'000u);
  for (const char* part :
       {">Verdict: holds", ">bytes per block<", ">time (ms)<", ">best power of two<", "prefers-color-scheme: dark"})
    EXPECT_NE(plot.find(part), std::string::npos) << part;
  EXPECT_EQ(prints({"reproduce", "bruck1997-fig7", "-o", file("tables").string()}).find("bruck1997-fig7"), 0u);
  EXPECT_EQ(files_in(file("tables")).count("bruck1997-fig7.svg"), 0u) << "a table needs no picture";
  const Json verdict = Json::parse(prints({"reproduce", "bruck1997-fig3", "--json"}));
  EXPECT_EQ(verdict["verdict"], "misprint");
  EXPECT_EQ(verdict["comparisons"][0]["ours"], 3);
  EXPECT_EQ(verdict["comparisons"][6]["finding"]["verdict"], "misprint");
  EXPECT_EQ(verdict["comparisons"][6]["finding"]["transcript_in_doubt"], true);
  EXPECT_EQ(Json::parse(prints({"reproduce", "bruck1997-fig3", "bruck1997-fig4", "--json"})).size(), 2u);
  EXPECT_NE(prints({"reproduce", "bruck1997-fig5", "--markdown"}).find("(reproduction/bruck1997-fig5.svg)"), std::string::npos);
}

// The exhibits are a program of their own. A copy of the command whose folder lacks it explains itself all the same.
TEST_F(CommandTest, SaysWhatIsNotBuiltYet) {
  const std::string bare = file("bin/quadrille").string();
  fs::create_directories(file("bin"));
  fs::copy_file(QUADRILLE_COMMAND, bare);
  for (const char* subcommand : {"reproduce", "audit", "project"}) {
    const Outcome missing = run_program({bare, subcommand, "--json"});
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_EQ(missing.out, "");
    EXPECT_EQ(missing.talk, fmt::format("quadrille: 'quadrille {}' cannot start its program {}: No such file or directory\n",
                                        subcommand, file("libexec/quadrille/quadrille-on-demand").string()));
    EXPECT_EQ(run_program({bare, subcommand, "--help"}).out, prints({subcommand, "--help"}));
    EXPECT_EQ(run_program({bare, subcommand, "--nonsense"}).talk, run({subcommand, "--nonsense"}).talk);
  }
  EXPECT_EQ(run_program({bare, "manual"}).out, prints({"manual"}));
  EXPECT_EQ(run_program({bare, "completion", "bash"}).out, prints({"completion", "bash"}));
  write("CMakeCache.txt", "");  // a build
  EXPECT_EQ(run_program({bare, "audit"}).talk,
            fmt::format("quadrille: 'quadrille audit' is not built yet; build it: cmake --build '{}' "
                        "--target quadrille_on_demand\n",
                        fs::weakly_canonical(place_).string()));
  fs::create_directories(file("libexec/quadrille"));
  fs::create_directories(file("lib"));
  const fs::path program = write("libexec/quadrille/quadrille-on-demand", ""), library = write("lib/libquadrille.so", "");
  fs::last_write_time(program, fs::last_write_time(library) - std::chrono::seconds(1));
  EXPECT_NE(run_program({bare, "audit"}).talk.find("is older than the library; build it: "), std::string::npos);
  fs::last_write_time(program, fs::last_write_time(library));
  EXPECT_NE(run_program({bare, "audit"}).talk.find("Permission denied"), std::string::npos);
}

// Exhibits are made in parallel but reported in the order of the arguments. Progress names the exhibit that is waited for.
TEST_F(CommandTest, ReproducesSeveralInTheOrderOfTheArguments) {
  const std::vector<std::string> ids{"bruck1997-bounds", "bruck1997-fig3", "grama2003-figures", "bruck1997-fig3"};
  ::setenv("QUADRILLE_PROGRESS_SECONDS", "0.01", 1);
  const Outcome outcome = run({"reproduce", ids[0], ids[1], ids[2], ids[3], "--json"});
  ::unsetenv("QUADRILLE_PROGRESS_SECONDS");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  const Json verdicts = Json::parse(outcome.out);
  ASSERT_EQ(verdicts.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(verdicts[i]["id"], ids[i]);
  EXPECT_NE(outcome.talk.find("bruck1997-bounds (1 of 4)"), std::string::npos) << outcome.talk;
}

// One table names and explains the verdicts; the help and the documentation print it.
TEST_F(CommandTest, ExplainsVerdicts) {
  const std::string help = prints({"reproduce", "--help"});
  const std::string index = prints({"reproduce", "bruck1997-fig3", "bruck1997-fig4", "--markdown"});
  for (const papers::VerdictLevel& level : papers::verdict_levels) {
    EXPECT_NE(help.find(fmt::format("  {}: ", level.name)), std::string::npos) << level.name;
    EXPECT_NE(index.find(fmt::format("| *{}* | {} |", level.name, level.meaning)), std::string::npos) << level.name;
  }
}

TEST_F(CommandTest, RefusesUnknownExhibits) {
  refuses({"reproduce"}, "name an exhibit");
  refuses({"reproduce", "bruck1997-fgi4"}, "did you mean 'bruck1997-fig4'?");
  refuses({"reproduce", "bruck1997-fig5", "nothing"}, "there is no exhibit 'nothing'");
  refuses({"reproduce", "--list", "all"}, "--list takes no exhibit");
  refuses({"reproduce", "all", "--json", "--markdown"}, "exclude each other");
  refuses({"reproduce", "bruck1997-fig5", "-o", ""}, "name of a folder");
  refuses({"reproduce", "bruck1997-fig5", "-o", write("file", "text").string()}, "cannot make the folder");
  refuses({"reproduce", "bruck1997-fig5", "-o", "/proc/nowhere"}, "cannot make the folder");
}

}  // namespace
}  // namespace quadrille
