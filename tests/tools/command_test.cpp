// SPDX-License-Identifier: BSD-3-Clause
// Tests of the command as a user calls it: errors and exit codes, output files that appear complete or not at all, and help.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <set>

#include "foundation/mpi_libraries.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, RefusesMistypedWordsWithAHint) {
  refuses({}, "say what to do");
  refuses({"lst"}, "did you mean 'list'?");
  refuses({"--versio"}, "did you mean '--version'?");
  refuses({"list", "alltoal"}, "did you mean 'alltoall'?");
  refuses({"list", "bcast"}, "there is no collective or table 'bcast'; did you mean 'broadcast'?");
  for (const char* subcommand : {"verify", "race", "price"})
    refuses({subcommand, "MPI_Alltoall"}, "there is no collective or file 'MPI_Alltoall'; did you mean 'alltoall'?");
  for (const char* subcommand : {"explain", "tune"})
    refuses({subcommand, "Ibcast"}, "there is no collective 'Ibcast'; did you mean 'broadcast'?");
  refuses({"list", "topologie"}, "did you mean 'topologies'?");
  refuses({"list", "--foo"}, "there is no option '--foo'");
  refuses({"race", "--rounds", "5"}, "'--rounds' is called '--repetitions' now");
  refuses({"list", "--jsn"}, "did you mean '--json'?");
  refuses({"list", "--json=3"}, "--json takes no value");
  refuses({"list", "alltoall", "bruck", "more"}, "one argument too many");
  refuses({"list", "--json", "--markdown"}, "exclude each other");
  refuses({"list", "two\nlines"}, "two\\x0alines");
  refuses({"completion"}, "quadrille completion bash");
  refuses({"completion", "powershell"}, "bash, fish, zsh");
}

TEST_F(CommandTest, RefusesAlgorithmsWithAReason) {
  const auto schedule = [](const std::string& algorithm) {
    return Words{"schedule", "alltoall", "--ranks", "6", "--algorithm", algorithm};
  };
  refuses({"schedule", "alltoall", "--ranks", "6"}, "there are: direct");
  refuses(schedule("brukc"), "did you mean 'bruck'?");
  refuses(schedule("bruck:radx=2"), "did you mean 'radix'?");
  refuses(schedule("bruck:radix=7"), "2..6");
  refuses(schedule("bruck:radix=1"), "2..6");
  refuses(schedule("bruck:ports=6"), "1..5");
  refuses(schedule("bruck:radix=two"), "whole number");
  refuses(schedule("bruck:radix=90..99"), "2..6");
  refuses(schedule("bruck:radix=9..2"), "write 2..9");
  refuses(schedule("bruck:form=clasical"), "did you mean 'classical'?");
  refuses(schedule("bruck:radix=2..3"), "--format json");
  refuses(schedule("bruck:ports=2,level=halving"), "ports=1");
  refuses(schedule("xor"), "power of two");
  refuses(schedule("vendor"), "has no schedule");
  refuses({"verify", "alltoall", "--ranks", "6", "--algorithm", "vendor"}, "has no schedule");
}

TEST_F(CommandTest, RefusesToPrintTooLongSchedules) {
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--ranks", "1000000"}, "too long");
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--ranks", "100000000000", "--block", "0"}, "too long");
}

TEST_F(CommandTest, RefusesFilesThatAreNotSchedules) {
  refuses({"verify", file("none").string()}, "No such file");
  refuses({"verify", "alltoal"}, "did you mean 'alltoall'?");
  refuses({"verify", place_.string()}, "directory");
  refuses({"verify", write("empty", "").string()}, "it is empty");
  refuses({"verify", write("blank", " \n\n").string()}, "it is empty");
  refuses({"verify", write("list", "[]").string()}, "list");
  refuses({"verify", write("open", "{").string()}, "open");
  refuses({"verify", write("number", "1").string()}, "number");
  refuses({"verify", write("object", "{}").string()}, "object");
  refuses({"verify", "/dev/zero"}, "not a text file");
  refuses({"verify", "-"}, "stdin");
  refuses({"verify", "-", "--ranks", "4"}, "leave --ranks, --block and the like out");
  refuses({"verify", "-", "--algorithm", "ring"}, "leave --algorithm out");
}

TEST_F(CommandTest, FilesAppearWholeOrNotAtAll) {
  const Words schedule{"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "5", "--output"};
  const auto to = [&](const std::string& target, Words words) {
    words.push_back(target);
    return words;
  };
  refuses(to("", schedule), "name of a file");
  refuses(to(place_.string(), schedule), "directory");
  refuses(to(file("no/such/place").string(), schedule), "No such file");
  refuses(to("/dev/full", schedule), "No space left");
  refuses(to(file("kept").string(), {"schedule", "alltoall", "--algorithm", "xor", "--ranks", "6", "--output"}), "power of two");
  EXPECT_FALSE(fs::exists(file("kept")));

  const std::string text = prints({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "5"});
  EXPECT_EQ(prints(to(write("old", "before").string(), schedule)), "");
  EXPECT_EQ(contents(file("old")), text);
  fs::create_symlink("old", file("link"));
  EXPECT_EQ(prints(to(file("link").string(), schedule)), "");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(std::distance(fs::directory_iterator(place_), {}), 5) << "old, link, stdin, stdout, stderr and no temporary file";
}

// A link to a file that does not exist creates that file, as a shell's `>` does.
TEST_F(CommandTest, OutputFollowsLinksToMissingFiles) {
  const Words schedule{"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "5"};
  const auto write_to = [&](const std::string& target) {
    Words words = schedule;
    words.insert(words.end(), {"--output", target});
    return words;
  };
  const std::string text = prints(schedule);
  fs::create_directory(file("folder"));
  fs::create_symlink("folder/second", file("first"));
  fs::create_symlink("end", file("folder/second"));
  prints(write_to(file("first").string()));
  EXPECT_TRUE(fs::is_symlink(file("first")) && fs::is_symlink(file("folder/second")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file("folder/end"))));
  EXPECT_EQ(contents(file("folder/end")), text);
  fs::create_symlink("circle", file("circle"));
  refuses(write_to(file("circle").string()), "Too many levels of symbolic links");
  fs::create_symlink("no/such/place", file("nowhere"));
  refuses(write_to(file("nowhere").string()), "No such file");
  EXPECT_EQ(run(write_to("/dev/stdout")).out, text);
}

// Output to /dev/fd/N keeps what the open file holds, and later writes follow the output.
TEST_F(CommandTest, OutputGoesToOpenFilesAsTheyAre) {
  const std::string expected = "old\n" + prints({"list", "barrier"}) + "new\n";
  const std::string log = file("log").string();
  for (const std::string how : {"-o /dev/stdout", "-o /proc/self/fd/1", "-o -", "-o /dev/stderr 2>&1", "-o /dev/fd/3 3>&1",
                                "-o link 3>&1", "-o /proc/$$/fd/1"})
    for (const std::string redirection : {">", ">>"}) {
      SCOPED_TRACE(how + ' ' + redirection);
      const bool anothers = how.find("$$") != std::string::npos;
      if (anothers && redirection == ">") continue;  // the shell does not know that the file has grown
      const std::string script =
          fmt::format("cd '{}'; ln -sf /dev/fd/3 link; rm -f log; {{ echo old; '{}' list barrier {}; echo new; }} {} log",
                      place_.string(), QUADRILLE_COMMAND, how, redirection);
      const Outcome outcome = run_program({"bash", "-c", script});
      EXPECT_EQ(outcome.talk, "");
      EXPECT_EQ(contents(log), expected);
    }
  EXPECT_FALSE(fs::exists(file("-")));
  const Outcome closed = run({"list", "barrier", "-o", "/dev/fd/77"});
  EXPECT_EQ(closed.exit_code, 2);
  EXPECT_EQ(closed.talk, "quadrille: cannot write '/dev/fd/77': Bad file descriptor\n");
}

// A file that root replaces keeps its owner. It loses set-user-ID and other special bits, which must not apply to new content.
TEST_F(CommandTest, AReplacedFileKeepsItsOwnerAndNoSpecialMode) {
  const fs::path old = write("old", "before");
  const bool is_root = ::geteuid() == 0;
  if (is_root) ASSERT_EQ(::chown(old.c_str(), 12345, 23456), 0);
  ::chmod(old.c_str(), 06751);
  prints({"list", "barrier", "-o", old.string()});
  struct stat status {};
  ASSERT_EQ(::stat(old.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0751u);
  EXPECT_EQ(status.st_uid, is_root ? 12345 : ::geteuid());
  EXPECT_EQ(status.st_gid, is_root ? 23456 : ::getegid());
}

TEST_F(CommandTest, OutputNamesMayBeAsLongAsTheFileSystemAllows) {
  const Words schedule{"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "5", "--output"};
  for (const std::size_t letters : {252u, 255u, 255u}) {  // the last exists by then
    Words words = schedule;
    words.push_back(file(std::string(letters, 'n')).string());
    prints(words);
    EXPECT_NE(contents(words.back()), "");
  }
  Words words = schedule;
  words.push_back(file(std::string(256, 'n')).string());
  refuses(words, "File name too long");
}

// The test kills the writer once it has opened a file without a name; /proc shows such a file as '#' and a number.
TEST_F(CommandTest, AKilledWriterLeavesNothing) {
  const int nameless = ::open(place_.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (nameless < 0) GTEST_SKIP() << "skipped: this file system has no files without a name";
  ::close(nameless);
  write("old", "before");
  write("stdout", ""), write("stderr", ""), write("stdin", "");
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(place_)) found.insert(entry.path().filename());
    return found;
  };
  const auto before = names();
  for (const std::string target : {"new", "old"}) {
    const Outcome outcome = run_program(
        {"bash", "-c", "\"$@\" & until ls -l /proc/$!/fd 2>&1 | grep -q -e '/#' -e 'No such file'; do :; done; kill -9 $!; wait $!",
         "bash", QUADRILLE_COMMAND, "schedule", "alltoall", "--algorithm", "shift", "--ranks", "1000", "--output",
         file(target).string()});
    EXPECT_EQ(outcome.exit_code, 128 + SIGKILL) << outcome.talk;
    EXPECT_EQ(names(), before);
  }
  EXPECT_EQ(contents(file("old")), "before");
}

TEST_F(CommandTest, AFileSizeLimitIsReportedAsAFailedWrite) {
  const fs::path old = write("old", "before");
  const Outcome outcome = run_program({"bash", "-c", "ulimit -f 1; exec \"$@\"", "bash", QUADRILLE_COMMAND, "schedule", "alltoall",
                                       "--algorithm", "shift", "--ranks", "64", "-o", old.string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.talk, fmt::format("quadrille: cannot write '{}': File too large\n", old.string()));
  EXPECT_EQ(contents(old), "before");
}

TEST_F(CommandTest, ReportsThatStdoutCannotBeWritten) {
  for (const Words& words : {Words{"list"}, Words{"--help"}, Words{"--version"}, Words{"verify", "alltoall", "--ranks", "3"},
                             Words{"schedule", "alltoall", "--ranks", "3", "--algorithm", "ring"}}) {
    for (const std::string target : {"/dev/full", ""}) {
      const Outcome outcome = run(words, {}, target);
      EXPECT_EQ(outcome.exit_code, 2) << words[0];
      EXPECT_NE(outcome.talk.find("cannot write to stdout: No space left"), std::string::npos) << outcome.talk;
    }
  }
}

TEST_F(CommandTest, HelpHasExamplesAndUsage) {
  EXPECT_EQ(prints({"--version"}).rfind("quadrille ", 0), 0u);
  for (const Words& words : {Words{"--help"}, Words{"list", "--help"}, Words{"info", "--help"}, Words{"schedule", "--help"},
                             Words{"verify", "--help"}, Words{"race", "--help"}, Words{"completion", "--help"}}) {
    const std::string help = prints(words);
    EXPECT_NE(help.find("Example"), std::string::npos) << words[0];
    EXPECT_NE(help.find("Usage"), std::string::npos) << words[0];
  }
}

TEST_F(CommandTest, EachResultBeginsWithItsFormat) {
  const Words price{"price", "alltoall", "--ranks", "2", "--machine", "sp2", "--json", "--block"};
  const auto with = [](Words words, const std::string& last) { return words.push_back(last), words; };
  for (const Words& words : {Words{"info", "--json"}, Words{"list", "barrier", "--json"}, Words{"list", "models", "--json"},
                             with(price, "8"), with(price, "8,16"), Words{"verify", "alltoall", "--ranks", "2", "--json"},
                             Words{"simulate", "alltoall", "--ranks", "2", "--machine", "sp2", "--json"}}) {
    const auto result = nlohmann::ordered_json::parse(prints(words));
    for (const auto& each : result.is_array() ? result : nlohmann::ordered_json::array({result})) {
      EXPECT_EQ(each.begin().key(), "format");
      EXPECT_EQ(each.begin().value(), "quadrille-" + words[0] + "/1");
    }
  }
}

TEST_F(CommandTest, InfoNamesMachineAndTransport) {
  EXPECT_NE(prints({"info"}).find("chosen"), std::string::npos);
  const Json info = Json::parse(prints({"info", "--json"}));
  EXPECT_GE(info["machine"]["cores"], 1);
  EXPECT_EQ(info["plug_ins"].size(), ids_with_plug_in().size());
  EXPECT_FALSE(info["reason"].get<std::string>().empty());
}

}  // namespace
}  // namespace quadrille
