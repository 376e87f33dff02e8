// SPDX-License-Identifier: BSD-3-Clause
// The command as a user meets it: exit codes, what is on stdout and what on stderr, files that appear whole or not at all.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "quadrille/model.hpp"
#include "support/own_folder.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Outcome {
  int exit_code = -1;
  std::string out, talk;
};

class CommandTest : public testing::OwnFolder {
 protected:
  fs::path file(const std::string& name) const { return place_ / name; }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  // Runs the command; stdout goes to `target`, or is closed if that is empty.
  Outcome run(const Words& arguments, const std::string& input = {}, std::string target = "stdout") const {
    Words words{QUADRILLE_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    const bool captured = target == "stdout";
    if (captured) target = file("stdout").string();
    const std::string in = write("stdin", input).string(), talk = file("stderr").string();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
    if (target.empty())
      posix_spawn_file_actions_addclose(&actions, 1);
    else
      posix_spawn_file_actions_addopen(&actions, 1, target.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, talk.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, QUADRILLE_COMMAND, &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0);
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), captured ? contents(target) : "", contents(talk)};
  }

  // Exit 2, nothing on stdout, one line on stderr that holds `hint`.
  void refuses(const Words& arguments, const std::string& hint, const std::string& input = {}) const {
    const Outcome outcome = run(arguments, input);
    std::string line;
    for (const std::string& word : arguments) line += word + ' ';
    SCOPED_TRACE(line);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
    EXPECT_EQ(outcome.talk.rfind("quadrille: ", 0), 0u) << outcome.talk;
    EXPECT_NE(outcome.talk.find(hint), std::string::npos) << outcome.talk;
  }

  // Exit 0, and what stdout holds.
  std::string prints(const Words& arguments, const std::string& input = {}) const {
    const Outcome outcome = run(arguments, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    return outcome.out;
  }
};

TEST_F(CommandTest, RefusesWhatNobodyMeant) {
  refuses({}, "say what to do");
  refuses({"lst"}, "did you mean 'list'?");
  refuses({"--versio"}, "did you mean '--version'?");
  refuses({"list", "alltoal"}, "did you mean 'alltoall'?");
  refuses({"list", "--foo"}, "there is no option '--foo'");
  refuses({"list", "--jsn"}, "did you mean '--json'?");
  refuses({"list", "--json=3"}, "--json takes no value");
  refuses({"list", "alltoall", "more"}, "one argument too many");
  refuses({"list", "--json", "--markdown"}, "exclude each other");
  refuses({"list", "two\nlines"}, "two\\x0alines");
  refuses({"completion"}, "quadrille completion bash");
  refuses({"completion", "fish"}, "bash");
}

TEST_F(CommandTest, RefusesBadNumbers) {
  const auto schedule = [](const std::string& ranks, const std::string& block) {
    return Words{"schedule", "alltoall", "--algorithm", "bruck", "--ranks", ranks, "--block", block};
  };
  refuses(schedule("0", "8B"), "it must be at least 1");
  refuses(schedule("-3", "8B"), "it must be at least 1");
  refuses(schedule("", "8B"), "no whole number");
  refuses(schedule("4x", "8B"), "no whole number");
  refuses(schedule("4,,5", "8B"), "no whole number");
  refuses(schedule("8..2", "8B"), "write 2..8");
  refuses(schedule("99999999999999999999", "8B"), "does not fit");
  refuses(schedule("1..9000000000000000000", "8B"), "ask for fewer");
  refuses(schedule("4", "8"), "write 8B");
  refuses(schedule("4", "8b"), "unknown unit 'b'");
  refuses(schedule("4", "B"), "no size");
  refuses(schedule("4", "-8B"), "negative");
  refuses(schedule("4", "8B,"), "no size");
  refuses(schedule("4", "9999999999TiB"), "2^63");
  refuses(schedule("4", "99999999999999999999B"), "2^63");
  refuses(schedule("4000", "1TiB"), "2^63");
  refuses(schedule("3037000500", "1B"), "2^63");
  refuses({"schedule", "alltoall", "--algorithm", "bruck", "--ranks"}, "--ranks needs a value");
  refuses({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "3", "--ranks", "4"}, "more than once");
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
  for (const Collective collective : all_collectives())
    if (const std::string id(name(collective)); algorithms_for(collective).empty())
      refuses({"schedule", id, "--ranks", "4", "--algorithm", "all"}, "no algorithm for " + id + " yet");
  refuses({"verify", "alltoall", "--ranks", "6", "--algorithm", "vendor"}, "has no schedule");
}

TEST_F(CommandTest, RefusesContradictions) {
  const auto direct = [](const std::string& option, const std::string& value) {
    return Words{"schedule", "alltoall", "--algorithm", "direct", "--ranks", "4", option, value};
  };
  refuses(direct("--root", "1"), "has no root");
  refuses(direct("--grid", "2x3"), "6 places for 4 ranks");
  refuses(direct("--grid", "2x"), "no whole number");
  refuses(direct("--topology", "torus:3x4"), "has 12 ranks, not 4");
  refuses(direct("--topology", "torus:0x4"), "is no side");
  refuses({"verify", "alltoall", "--ranks", "4", "--algorithm", "direct", "--strict"}, "--topology");
  refuses(direct("--node-sizes", "3,3"), "hold 6 ranks, not 4");
  refuses(direct("--node-sizes", "3"), "hold 3 ranks, not 4");
  refuses(direct("--node-sizes", "9000000000000000000"), "hold more than");
  refuses(direct("--node-sizes", "4x9000000000000000000"), "hold more than");
  refuses(direct("--node-sizes", "2x"), "no whole number");
  refuses(direct("--node-sizes", "2x0"), "at least 1");
  refuses(direct("--nodes", "0,1,0"), "hold 3 ranks, not 4");
  refuses(direct("--nodes", "0,-1,0,0"), "at least 0");
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--nodes", "0", "--node-sizes", "1"}, "exclude each other");
  refuses(direct("--format", "jsn"), "did you mean 'json'?");
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--ranks", "4", "--format", "text", "--json"}, "exclude each other");
  refuses({"verify", "alltoall"}, "--ranks");
  refuses({"verify", "alltoall", "x.json", "--ranks", "4"}, "one argument too many");
  refuses({"verify", "alltoall", "--ranks", "4", "--ports", "0"}, "at least 1");
  refuses({"verify", "alltoall", "--ranks", "4", "--policy", "blockin"}, "did you mean 'blocking'?");
  refuses({"race", "alltoall", "--ranks", "2,3"}, "one number of ranks");
  refuses({"race", "alltoall", "--ranks", "100000"}, "the limit is");
  refuses({"race", "alltoall", "--executor", "thread"}, "did you mean 'threads'?");
  refuses({"race", "alltoall", "--algorithm", "vendor", "--executor", "threads"}, "mpirun");
  refuses({"race", "alltoall", "--algorithm", "xor", "--ranks", "6"}, "power of two");
  refuses({"race", "alltoall", "--rounds", "0"}, "at least 1");
  refuses({"race", "alltoall", "--timeout", "0"}, "seconds");
  refuses({"race", "alltoall", "--ranks", "2", "--block", "8B,1000TiB"}, "this machine has");
}

TEST_F(CommandTest, RefusesWhatIsTooLongToPrint) {
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--ranks", "1000000"}, "too long");
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--ranks", "100000000000", "--block", "0"}, "too long");
}

TEST_F(CommandTest, RefusesFilesThatAreNoSchedules) {
  refuses({"verify", file("none").string()}, "No such file");
  refuses({"verify", "alltoal"}, "did you mean 'alltoall'?");
  refuses({"verify", place_.string()}, "directory");
  refuses({"verify", write("empty", "").string()}, "it is empty");
  refuses({"verify", write("blank", " \n\n").string()}, "it is empty");
  refuses({"verify", write("list", "[]").string()}, "list");
  refuses({"verify", write("open", "{").string()}, "open");
  refuses({"verify", write("number", "1").string()}, "number");
  refuses({"verify", write("object", "{}").string()}, "object");
  refuses({"verify", "/dev/zero"}, "no text");
  refuses({"verify", "-"}, "stdin");
  refuses({"verify", "-", "--ranks", "4"}, "leave --algorithm, --ranks");
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

TEST_F(CommandTest, NoticesThatStdoutTakesNothing) {
  for (const Words& words : {Words{"list"}, Words{"--help"}, Words{"--version"}, Words{"verify", "alltoall", "--ranks", "3"},
                             Words{"schedule", "alltoall", "--ranks", "3", "--algorithm", "ring"}}) {
    for (const std::string target : {"/dev/full", ""}) {
      const Outcome outcome = run(words, {}, target);
      EXPECT_EQ(outcome.exit_code, 2) << words[0];
      EXPECT_NE(outcome.talk.find("cannot write to stdout: No space left"), std::string::npos) << outcome.talk;
    }
  }
}

TEST_F(CommandTest, ListsEveryAlgorithmOfTheTable) {
  const std::string text = prints({"list"}), index = prints({"list", "--markdown"});
  const Json json = Json::parse(prints({"list", "--json"}));
  ASSERT_EQ(json.size(), all_algorithms().size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Algorithm& algorithm = *all_algorithms()[i];
    EXPECT_EQ(json[i]["id"], algorithm.id);
    EXPECT_EQ(json[i]["collective"], name(algorithm.collective));
    EXPECT_EQ(json[i]["parameters"].size(), algorithm.parameters.size());
    EXPECT_NE(text.find("\n  " + std::string(algorithm.id) + " "), std::string::npos) << algorithm.id;
    EXPECT_NE(index.find(std::string(algorithm.id)), std::string::npos) << algorithm.id;
    const std::string page = prints({"list", std::string(name(algorithm.collective)), "--markdown"});
    EXPECT_NE(page.find("\n| `" + std::string(algorithm.id) + "` |"), std::string::npos) << algorithm.id;
  }
  EXPECT_EQ(Json::parse(prints({"list", "barrier", "--json"})).size(), algorithms_for(Collective::barrier).size());
}

TEST_F(CommandTest, HelpTeaches) {
  EXPECT_EQ(prints({"--version"}).rfind("quadrille ", 0), 0u);
  for (const Words& words : {Words{"--help"}, Words{"list", "--help"}, Words{"info", "--help"}, Words{"schedule", "--help"},
                             Words{"verify", "--help"}, Words{"race", "--help"}, Words{"completion", "--help"}}) {
    const std::string help = prints(words);
    EXPECT_NE(help.find("Example"), std::string::npos) << words[0];
    EXPECT_NE(help.find("Usage"), std::string::npos) << words[0];
  }
  const std::string script = prints({"completion", "bash"});
  for (const std::string word : {"schedule", "--algorithm", "alltoall", "bruck", "nonblocking"})
    EXPECT_NE(script.find(word), std::string::npos) << word;
}

TEST_F(CommandTest, InfoNamesMachineAndTransport) {
  EXPECT_NE(prints({"info"}).find("chosen"), std::string::npos);
  const Json info = Json::parse(prints({"info", "--json"}));
  EXPECT_GE(info["machine"]["cores"], 1);
  EXPECT_EQ(info["plug_ins"].size(), 2u);
  EXPECT_FALSE(info["reason"].get<std::string>().empty());
}

// What one call prints another one reads, in both forms, through a file and through stdin.
TEST_F(CommandTest, SchedulesOfAllAlgorithmsComeBackVerified) {
  for (const Algorithm* algorithm : algorithms_for(Collective::alltoall)) {
    SCOPED_TRACE(algorithm->id);
    const Words question{"alltoall",     "--algorithm", std::string(algorithm->id), "--ranks", "8", "--block", "12B",
                         "--node-sizes", "1,4,3"};
    const auto ask = [&](Words words, const Words& rest) {
      words.insert(words.end(), question.begin(), question.end());
      words.insert(words.end(), rest.begin(), rest.end());
      return prints(words);
    };
    const Json direct = Json::parse(ask({"verify"}, {"--json"}));
    EXPECT_EQ(direct["ok"], true);
    EXPECT_EQ(direct["findings"], Json::array());
    EXPECT_LE(direct["lower_bounds"]["c1"], direct["c1"]);
    EXPECT_LE(direct["lower_bounds"]["c2"], direct["c2"]);
    for (const Words& form : {Words{"--json"}, Words{"--format", "text"}}) {
      const std::string document = ask({"schedule"}, form);
      EXPECT_EQ(Json::parse(prints({"verify", write("document", document).string(), "--json"})), direct);
      EXPECT_EQ(Json::parse(prints({"verify", "-", "--json"}, document)), direct);
    }
  }
}

TEST_F(CommandTest, NodesSayHowManyRanksThereAre) {
  const auto verdict = [&](const Words& nodes, const std::string& algorithm) {
    Words words{"verify", "alltoall", "--json", "--algorithm", algorithm};
    words.insert(words.end(), nodes.begin(), nodes.end());
    return Json::parse(prints(words));
  };
  const Json equal = verdict({"--node-sizes", "4x6"}, "clustered");
  EXPECT_EQ(equal["ranks"], 24);
  EXPECT_EQ(equal["c1"], 80 + 3);
  EXPECT_EQ(verdict({"--node-sizes", "4,4x4,4"}, "clustered")["c1"], equal["c1"]);
  EXPECT_EQ(verdict({"--nodes", "3,5,5,0,0,0"}, "clustered:mode=exchange")["c1"], 13);  // 2 of the 15 steps are copies
  EXPECT_EQ(verdict({"--node-sizes", "1..3", "--ranks", "6"}, "clustered:mode=exchange")["c1"], 13);
  EXPECT_EQ(Json::parse(prints({"schedule", "alltoall", "--algorithm", "direct", "--nodes", "0,1,0", "--json"}))["nodes"],
            Json::array({0, 1, 0}));
}

// A short name stands for the same schedule as the long one.
TEST_F(CommandTest, LeavesDefaultsOutOfNames) {
  const auto name_of = [&](const std::string& algorithm) {
    const std::string text = prints({"verify", "alltoall", "--node-sizes", "2,3", "--algorithm", algorithm});
    return text.substr(0, text.find(", 5 ranks"));
  };
  EXPECT_EQ(name_of("clustered:adapters=1,mode=inter,factor=concentrated"), "alltoall/clustered");
  EXPECT_EQ(name_of("clustered:mode=exchange,factor=basic"), "alltoall/clustered:mode=exchange");
  EXPECT_EQ(name_of("clustered:mode=exchange,factor=concentrated"), "alltoall/clustered:factor=concentrated,mode=exchange");
}

TEST_F(CommandTest, ChecksThePortsOfNodes) {
  const Words flat{"verify", "alltoall", "--algorithm", "one-factor", "--node-sizes", "2x2", "--node-ports"};
  const auto with = [&](const std::string& ports) {
    Words words = flat;
    words.push_back(ports);
    return words;
  };
  EXPECT_EQ(run(with("2")).exit_code, 0);
  const Outcome outcome = run(with("1"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("node-port-limit: node 0 has 2 exchanges with other nodes on 1 port"), std::string::npos)
      << outcome.out;
  refuses(with("0"), "at least 1");
}

TEST_F(CommandTest, LooksAtTheLinksOfANetwork) {
  const auto verify_on = [&](const std::string& algorithm, const std::string& topology) {
    return run({"verify", "alltoall", "--algorithm", algorithm, "--topology", topology, "--block", "4B", "--strict", "--json"});
  };
  const Outcome free = verify_on("torus", "torus:4x8");
  EXPECT_EQ(free.exit_code, 0) << free.talk;
  const Json figures = Json::parse(free.out);
  EXPECT_EQ(figures.at("ranks"), 32);
  EXPECT_EQ(figures.at("parameters").at("order"), "at2") << "the topology's sides are the grid's";
  EXPECT_EQ(figures.at("sharing"), 1);
  EXPECT_EQ(figures.at("c2_shared"), 128);
  EXPECT_EQ(figures.at("lower_bounds").at("c2_shared"), 128);

  const Outcome shared = verify_on("shift", "ring:6");
  EXPECT_EQ(shared.exit_code, 1);
  EXPECT_EQ(Json::parse(shared.out).at("findings").at(0).at("rule"), "link-contention");

  EXPECT_EQ(verify_on("clustered", "cluster:4x3").exit_code, 0) << "the topology's nodes are the problem's";
  EXPECT_EQ(verify_on("one-factor", "cluster:4x3").exit_code, 1);

  const Outcome graph = run({"verify", "alltoall", "--algorithm", "shift", "--topology", "edges:-", "--json"}, "0 a\n1 a\n2 a\n");
  EXPECT_EQ(graph.exit_code, 0) << graph.talk;
  EXPECT_EQ(Json::parse(graph.out).at("ranks"), 3);
  refuses({"verify", "alltoall", "--algorithm", "shift", "--topology", "edges:" + write("list", "0 1\n0\n").string()}, "line 2");

  const std::string platform = "<platform>\n<cluster topology='TORUS' topo_parameters='4,2' radical='0-7'/></platform>";
  const Outcome torus =
      run({"verify", "alltoall", "--algorithm", "torus", "--topology", write("a.xml", platform).string(), "--strict"});
  EXPECT_EQ(torus.exit_code, 0) << torus.out << torus.talk;
  EXPECT_EQ(torus.out, prints({"verify", "alltoall", "--algorithm", "torus", "--topology", "platform:-", "--strict"}, platform));
  refuses({"verify", "alltoall", "--topology", write("b.xml", "<platform>\n<cluster/></platform>").string()}, "line 2");

  // A document keeps its ports, and so its ways.
  const Outcome document = run({"schedule", "alltoall", "--algorithm", "torus:kernel=ar", "--topology", "ring:8", "--json"});
  const Outcome read = run({"verify", "-", "--topology", "ring:8", "--strict"}, document.out);
  EXPECT_EQ(read.exit_code, 0) << read.out << read.talk;
  EXPECT_NE(read.out.find("sharing"), std::string::npos);
}

TEST_F(CommandTest, DrawsOneSchedule) {
  const Words bruck{"draw", "alltoall", "--algorithm", "bruck", "--ranks", "5"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::string picture = prints(bruck);
  EXPECT_EQ(picture.rfind("<svg ", 0), 0u);
  EXPECT_NE(picture.find("round 0: 0 to 1, 16 B"), std::string::npos);
  EXPECT_EQ(prints(with(bruck, {"--as", "space-time", "-o", file("bruck.svg").string()})), "");
  EXPECT_EQ(contents(file("bruck.svg")), picture);
  EXPECT_NE(prints(with(bruck, {"--as", "blocks"})).find("from 4 to 0"), std::string::npos);
  EXPECT_NE(prints(with(bruck, {"--as", "traffic", "--round", "2"})).find("0 to 4: 8 B"), std::string::npos);
  EXPECT_NE(prints(with(bruck, {"--as", "links", "--topology", "ring:5"})).find("0 -&gt; 1 (dimension 0, +): 48 B in 3 messages"),
            std::string::npos);

  const std::string kept = file("kept.svg").string();
  const std::string text = prints({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "5"});
  EXPECT_EQ(prints({"draw", "-"}, text), picture) << "a document's picture is the same";
  EXPECT_NE(prints({"draw", "-", "--as", "links", "--topology", "ring:5"}, text).find("48 B in 3 messages"), std::string::npos);
  std::string wrong = text;
  wrong.replace(wrong.find("send to 1"), 9, "send to 2");
  refuses({"draw", "-", "-o", kept}, "only right schedules are drawn, and 'quadrille verify' finds: rank", wrong);
  refuses({"draw", "-", "--ranks", "5"}, "a file says itself", text);
  refuses({"draw", "alltoal"}, "did you mean 'alltoall'?");
  refuses({"draw"}, "name a collective");
  refuses({"draw", "alltoall", "--ranks", "5", "-o", kept}, "say which algorithm");
  refuses(with(bruck, {"--as", "block", "-o", kept}), "did you mean 'blocks'?");
  refuses(with(bruck, {"--as", "links", "-o", kept}), "say which: --topology");
  refuses(with(bruck, {"--as", "links", "--topology", "ring:6", "-o", kept}), "has 6 ranks, not 5");
  refuses(with(bruck, {"--as", "blocks", "--round", "1", "-o", kept}), "--as blocks shows all rounds");
  refuses(with(bruck, {"--as", "traffic", "--round", "7", "-o", kept}), "nothing is sent in round 7");
  refuses(with(bruck, {"--as", "traffic", "--round", "-1", "-o", kept}), "at least 0");
  refuses({"draw", "alltoall", "--algorithm", "bruck", "--ranks", "5,6", "-o", kept}, "one schedule, not 2");
  refuses({"draw", "alltoall", "--algorithm", "bruck", "--ranks", "5000", "-o", kept}, "5000 ranks are too many");
  EXPECT_FALSE(fs::exists(kept));
}

TEST_F(CommandTest, SeveralCasesAreAnArray) {
  const Json schedules =
      Json::parse(prints({"schedule", "alltoall", "--algorithm", "bruck:radix=2..5", "--ranks", "2..3,5", "--json"}));
  EXPECT_EQ(schedules.size(), 1u + 2u + 4u);
  const Json verdicts = Json::parse(prints({"verify", write("all", schedules.dump()).string(), "--json"}));
  ASSERT_EQ(verdicts.size(), 7u);
  for (const Json& verdict : verdicts) EXPECT_EQ(verdict["ok"], true);
}

TEST_F(CommandTest, VerifiesAllThatApplyAndSaysWhatDoesNot) {
  const Outcome outcome = run({"verify", "alltoall", "--ranks", "2..4,6", "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.talk.find("left out: xor among 3 ranks"), std::string::npos) << outcome.talk;
  EXPECT_NE(outcome.talk.find("left out: xor among 6 ranks"), std::string::npos) << outcome.talk;
  std::size_t applying = 0;
  for (const Count p : {2, 3, 4, 6})
    for (const Algorithm* algorithm : algorithms_for(Collective::alltoall))
      applying += reason_against(alltoall(p, 1), parse_choice(alltoall(p, 1), algorithm->id)) ? 0 : 1;
  EXPECT_EQ(Json::parse(outcome.out).size(), applying);
  EXPECT_NE(prints({"verify", "alltoall", "--ranks", "5"}).find("cases without findings"), std::string::npos);
  EXPECT_NE(prints({"verify", "alltoall", "--ranks", "5", "--algorithm", "bruck"}).find("no findings"), std::string::npos);
}

TEST_F(CommandTest, SimulatesByRoundsAndByEvents) {
  const auto simulate = [](const Words& more) {
    Words words{"simulate", "alltoall", "--ranks", "16", "--block", "64B", "--machine", "sp1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Json rounds = Json::parse(prints(simulate({"--algorithm", "bruck", "--json"})));
  EXPECT_EQ(rounds["by"], "rounds");
  EXPECT_EQ(rounds["candidates"][0]["end_ps"], 4 * (29'000'000 + 8 * 64 * 120'000));
  EXPECT_EQ(rounds["candidates"][0]["stages"].size(), 4u);
  const Json events = Json::parse(prints(simulate({"--algorithm", "bruck", "--by", "events", "--barriers", "--json"})));
  EXPECT_EQ(events["candidates"][0]["end_ps"], rounds["candidates"][0]["end_ps"]);
  EXPECT_EQ(events["candidates"][0]["messages"], 64);
  const std::string ranking =
      prints(simulate({"--by", "events", "--policy", "all", "--late", "2:1ms", "--jitter", "0.1", "--seed", "3"}));
  EXPECT_NE(ranking.find("2 ranks 1.00 ms late, jitter of up to 0.1 times, drawn from seed 3"), std::string::npos) << ranking;
  EXPECT_NE(ranking.find("dataflow"), std::string::npos);
  const std::string links =
      prints({"simulate", "alltoall", "--topology", "torus:4x4", "--machine", "paragon", "--algorithm", "shift"});
  EXPECT_NE(links.find("busiest link"), std::string::npos) << links;
  EXPECT_NE(links.find("0 -> "), std::string::npos) << links;
  EXPECT_EQ(Json::parse(prints({"simulate", "alltoall", "--ranks", "2..4", "--machine", "sp1", "--json"})).size(), 3u);
  prints(simulate({"--topology", "ring:16", "--by", "events", "--slow-links", "2:4", "--output", file("slow").string()}));
  EXPECT_NE(contents(file("slow")).find("2 links 4 times as slow"), std::string::npos);

  refuses({"simulate"}, "name a collective");
  refuses({"simulate", "alltoall", "--ranks", "4"}, "name a machine");
  refuses(simulate({"--by", "event"}), "did you mean 'events'?");
  refuses(simulate({"--policy", "dataflow"}), "--by events");
  refuses(simulate({"--by", "events", "--late", "3"}), "such as 3:50us");
  refuses(simulate({"--by", "events", "--late", "17:1us"}), "17 of 16 ranks");
  refuses(simulate({"--by", "events", "--late", "3:5"}), "'5' is no time");
  refuses(simulate({"--by", "events", "--slow-links", "1:2"}), "--topology");
  refuses(simulate({"--by", "events", "--jitter", "-1"}), "no number from 0 on");
  refuses(simulate({"--by", "events", "--seed", "x"}), "no whole number");
  refuses(simulate({"--by", "events", "--barriers", "--policy", "blocking"}), "leave --policy out");
  refuses(simulate({"--by", "events", "--model", "cluster"}), "says nothing for the model cluster");
  refuses({"simulate", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "flat", "--by", "events"}, "loggp and linear");
  refuses({"simulate", "alltoall", "--ranks", "4", "--machine", "sp2", "--block", "2305843009213693952B"}, "2^63");
}

TEST_F(CommandTest, PricesAndSaysWhy) {
  const Words words{"price", "alltoallv", "--pattern", "transpose:8KiB", "--ranks", "64", "--machine", "sp2"};
  Words papers = words;
  for (const char* algorithm : {"shift", "two-phase", "grid", "four-stage"})
    papers.insert(papers.end(), {"--algorithm", algorithm});
  const std::string text = prints(papers);
  EXPECT_NE(text.find("Fastest: four-stage"), std::string::npos) << text;
  EXPECT_NE(text.find("Next: "), std::string::npos) << text;
  Words more = words;
  more.push_back("--json");
  const Json object = Json::parse(prints(more));
  EXPECT_EQ(object["candidates"].size(), algorithms_for(Collective::alltoallv).size());
  EXPECT_EQ(object["machine"], "sp2");
  EXPECT_EQ(object["model"], "flat");
  EXPECT_EQ(
      Json::parse(prints({"price", "alltoall", "--ranks", "2..4", "--block", "8B,1KiB", "--machine", "t3e", "--json"})).size(), 6u);
  refuses({"price", "alltoallv", "--ranks", "4"}, "name a machine");
  refuses({"price", "alltoallv", "--ranks", "4", "--machine", "sp22"}, "did you mean 'sp2'?");
  refuses({"price", "alltoallv", "--ranks", "4", "--machine", "sp2", "--contention", "0.5"}, "no number from 1 on");
  refuses({"price", "alltoallv", "--ranks", "4", "--machine", write("bad.toml", "]").string()}, "line 1");
  refuses({"price"}, "name a collective");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "flta"}, "did you mean 'flat'?");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "loggp"}, "it does for: flat, linear");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "linear", "--contention", "2"},
          "knows no contention");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "paragon"}, "--topology");
  refuses({"race", "alltoall", "--ranks", "4", "--machine", "paragon"}, "says nothing for the model flat");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "myrinet", "--model", "cluster"}, "--node-sizes");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--block", "2305843009213693952B"}, "2^63");
  refuses({"price", "alltoallv", "--ranks", "4", "--pattern", "spike:1KiB", "--block", "8B", "--machine", "sp2"},
          "leave --block out");
}

TEST_F(CommandTest, RanksCandidatesAndSaysWhereTheWinnerChanges) {
  const Json object = Json::parse(prints({"price", "alltoall", "--ranks", "64", "--block", "64B", "--machine", "sp1", "--algorithm",
                                          "bruck:radix=2", "--algorithm", "bruck:radix=64", "--json"}));
  EXPECT_EQ(object["fastest_by_block"], Json::parse(R"([{"from_block_bytes": 1, "algorithm": "bruck"},
                                                        {"from_block_bytes": 107, "algorithm": "bruck:radix=64"}])"));
  double before = 0;
  for (const Json& candidate : object["candidates"]) {
    EXPECT_GE(candidate["blocking_s"].get<double>(), before);
    before = candidate["blocking_s"];
  }
  const std::string text =
      prints({"price", "alltoall", "--ranks", "6", "--machine", "sp2", "--algorithm", "xor", "--algorithm", "shift"});
  EXPECT_NE(text.find("xor does not apply: it pairs"), std::string::npos) << text;
  EXPECT_NE(text.find("Fastest: shift"), std::string::npos) << text;
  refuses({"price", "alltoall", "--ranks", "6", "--machine", "sp2", "--algorithm", "xor"}, "xor does not apply");
  refuses({"price", "alltoall", "--ranks", "6", "--machine", "sp2", "--algorithm", "xr", "--algorithm", "shift"}, "'xr'");
  const std::string segments = prints({"price", "broadcast", "--ranks", "8", "--block", "64KiB", "--machine", "sp2", "--algorithm",
                                       "chain:segments=64", "--algorithm", "binomial"});
  EXPECT_NE(segments.find("binomial; from "), std::string::npos) << "short blocks have no 64 segments\n" << segments;
  const std::string nothing = prints({"price", "alltoallv", "--pattern", "transpose:0B", "--ranks", "9", "--machine", "sp2"});
  EXPECT_NE(nothing.find("which takes no time at all"), std::string::npos) << nothing;
  const std::string allreduce = prints({"price", "allreduce", "--ranks", "8", "--block", "8B", "--machine", "sp2"});
  EXPECT_NE(allreduce.find("recursive-doubling; from "), std::string::npos) << allreduce;
}

TEST_F(CommandTest, ListsModelsAndMachines) {
  const Json models = Json::parse(prints({"list", "models", "--json"})),
             machines = Json::parse(prints({"list", "machines", "--json"}));
  EXPECT_EQ(models.size(), all_models().size());
  EXPECT_EQ(machines.size(), machine_names().size());
  const std::string text = prints({"list", "models"}), table = prints({"list", "models", "--markdown"});
  for (const Model* model : all_models()) {
    EXPECT_NE(text.find(std::string(model->id) + ": "), std::string::npos) << text;
    EXPECT_NE(table.find(model->formula), std::string::npos) << table;
  }
  EXPECT_NE(prints({"list", "machines"}).find("startup_us = 29"), std::string::npos);
  EXPECT_NE(prints({"list", "machines", "--markdown"}).find("| `paragon` |"), std::string::npos);
}

TEST_F(CommandTest, CalibratesAndPricesByThat) {
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "this-machine"}, "quadrille calibrate");
  EXPECT_NE(prints({"calibrate", "--ranks", "2", "--time", "0.05"}).find("a round of an exchange"), std::string::npos);
  EXPECT_NE(prints({"price", "alltoall", "--ranks", "4", "--machine", "this-machine"}).find("Fastest: "), std::string::npos);
  const std::string own = file("own.toml").string();
  const Json report = Json::parse(prints({"calibrate", "--ranks", "2", "--time", "0.05", "--output", own, "--json"}));
  EXPECT_GT(report["fits"][0]["samples"].size(), 3u);
  EXPECT_GE(report["fits"][0]["worst_error"].get<double>(), 0);
  EXPECT_NE(contents(own).find("# a round of an exchange: off by "), std::string::npos) << contents(own);
  EXPECT_NE(prints({"price", "alltoall", "--ranks", "4", "--machine", own}).find("Fastest: "), std::string::npos);
  refuses({"calibrate", "--ranks", "1"}, "at least 2");
  refuses({"calibrate", "--ranks", "100000"}, "too many");
  refuses({"calibrate", "--time", "soon"}, "is no time");
  refuses({"calibrate", "--executor", "thread"}, "did you mean 'threads'?");
  refuses({"calibrate", "--executor", "mpi"}, "nobody to exchange with");
  refuses({"calibrate", "--output", file("nowhere/own.toml").string()}, "No such file");
}

// The text of each file in a folder, by its name.
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
  EXPECT_EQ(files.at("bruck1997-fig5.csv").rfind("bytes a block,radix 2 (ms)", 0), 0u);
  EXPECT_EQ(files.size(), files.contains("bruck1997-fig5.svg") ? 2u : 1u) << "nothing half written";
  if (files.contains("bruck1997-fig5.svg")) {
    EXPECT_NE(files.at("bruck1997-fig5.svg").find("</svg>"), std::string::npos);
    EXPECT_LT(files.at("bruck1997-fig5.svg").size(), 60'000u);
  }
  const Json verdict = Json::parse(prints({"reproduce", "bruck1997-fig3", "--json"}));
  EXPECT_EQ(verdict["verdict"], "the paper is wrong");
  EXPECT_EQ(verdict["comparisons"][0]["ours"], 3);
  EXPECT_EQ(Json::parse(prints({"reproduce", "bruck1997-fig3", "bruck1997-fig4", "--json"})).size(), 2u);
  EXPECT_NE(prints({"reproduce", "bruck1997-fig5", "--markdown"}).find("(reproduction/bruck1997-fig5.svg)"), std::string::npos);
}

TEST_F(CommandTest, ReproducesWithoutGnuplot) {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", file("empty").string().c_str(), 1);
  const Outcome outcome = run({"reproduce", "bruck1997-fig5", "bruck1997-fig6", "-o", file("figures").string()});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
  EXPECT_NE(outcome.talk.find("no gnuplot"), std::string::npos) << outcome.talk;
  EXPECT_EQ(files_in(file("figures")).size(), 2u);
}

TEST_F(CommandTest, RefusesToReproduceWhatThereIsNot) {
  refuses({"reproduce"}, "name an exhibit");
  refuses({"reproduce", "bruck1997-fgi4"}, "did you mean 'bruck1997-fig4'?");
  refuses({"reproduce", "bruck1997-fig5", "nothing"}, "there is no exhibit 'nothing'");
  refuses({"reproduce", "--list", "all"}, "--list takes no exhibit");
  refuses({"reproduce", "all", "--json", "--markdown"}, "exclude each other");
  refuses({"reproduce", "bruck1997-fig5", "-o", ""}, "name of a folder");
  refuses({"reproduce", "bruck1997-fig5", "-o", write("file", "text").string()}, "cannot make the folder");
  refuses({"reproduce", "bruck1997-fig5", "-o", "/proc/nowhere"}, "cannot make the folder");
}

TEST_F(CommandTest, TrafficByPatternAndFile) {
  const auto counts_of = [&](const Words& more) {
    Words words{"schedule", "alltoallv", "--algorithm", "shift", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(prints(words))["counts"];
  };
  EXPECT_EQ(counts_of({"--ranks", "4", "--pattern", "transpose:1KiB,2B"}),
            Json::parse("[[1024, 2, 2, 2], [2, 2, 1024, 2], [2, 1024, 2, 2], [2, 2, 2, 1024]]"));
  EXPECT_EQ(counts_of({"--ranks", "2", "--pattern", "equal", "--block", "5B"}), Json::parse("[[5, 5], [5, 5]]"));
  const Words spike{"--ranks", "9", "--pattern", "spike:64KiB"};
  EXPECT_EQ(counts_of(spike), counts_of(spike));
  EXPECT_NE(counts_of(spike), counts_of({"--ranks", "9", "--pattern", "spike:64KiB,seed=2"}));
  prints({"verify", "alltoallv", "--ranks", "6", "--pattern", "sparse:0.3,seed=4", "--block", "100B"});
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "spike"}, "needs its largest size");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "spkie:8B"}, "did you mean 'spike'?");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "uniform:8B"}, "too much");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "sparse:2"}, "no number from 0 to 1");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "uniform", "--counts", "1B"}, "exclude each other");
  refuses({"verify", "allgatherv", "--ranks", "4", "--pattern", "uniform"}, "for alltoallv");

  const auto from_file = [&](const std::string& text) { return counts_of({"--counts", write("counts", text).string()}); };
  const Json expected = Json::parse("[[1, 0, 2048], [0, 5, 0], [7, 0, 0]]");
  EXPECT_EQ(from_file("# a comment\n1, 0 ,2KiB\r\n\n0,5,0\n7,0,0\n"), expected);
  EXPECT_EQ(from_file("%%MatrixMarket matrix coordinate integer general\n% more\n3 3 4\n1 1 1\n1 3 2048\n2 2 5\n3 1 7\n"),
            expected);
  EXPECT_EQ(from_file("%%MatrixMarket matrix array real general\n3 3\n1\n0\n7\n0\n5.0\n0\n2.048e3\n0\n0\n"), expected);
  EXPECT_EQ(from_file("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"), Json::parse("[[8, 8], [8, 0]]"));
  EXPECT_EQ(Json::parse(prints({"schedule", "gatherv", "--algorithm", "linear", "--ranks", "3", "--counts",
                                write("shares", "3\n0\n9\n").string(), "--json"}))["counts"],
            Json({3, 0, 9}));
  const auto refuses_file = [&](const std::string& text, const std::string& hint) {
    refuses({"verify", "alltoallv", "--ranks", "2", "--counts", write("bad", text).string()}, hint);
  };
  refuses_file("1,2\n3\n", "line 2: expected 2 numbers as in the rows before, found 1");
  refuses_file("1,2\n3,x\n", "line 2: 'x' is no size");
  refuses_file("1,2\n3,-4\n", "line 2: a number of bytes is -4");
  refuses_file("1,2\n3,\n", "line 2: number 2 is missing");
  refuses_file("1,99999999999999999999\n3,4\n", "line 1");
  refuses_file("1,2,3\n4,5,6\n7,8,9\n", "a matrix for 3 ranks, not 2");
  refuses_file("1,2\n", "1 rows of 2 numbers");
  refuses_file("# nothing\n", "holds no numbers");
  refuses_file("%%MatrixMarket matrix coordinate complex general\n", "line 1: expected integer or real or pattern");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2\n", "line 2: expected rows, columns and entries");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2 1\n3 1 5\n", "line 3: the row is 3; it must be 1 to 2");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n1 1 5\n", "line 4: row 1, column 1 is there twice");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n", "expected 2 entries, found 1");
  refuses_file("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 0.5\n", "line 3: a number of bytes is whole");
  refuses_file("%%MatrixMarket matrix array integer general\n1 1\n5\n6\n", "line 4: expected the end");
  refuses({"verify", "alltoallv", "--ranks", "2", "--counts", "no-such-file"}, "cannot read 'no-such-file'");
}

TEST_F(CommandTest, RootsAndSharesOfOtherCollectives) {
  const Json all = Json::parse(prints({"verify", "broadcast", "--ranks", "1..4", "--root", "all", "--json"}));
  EXPECT_EQ(all.size(), (1 + 2 + 3 + 4) * algorithms_for(Collective::broadcast).size());
  EXPECT_EQ(all.back()["root"], 3);
  const Json some =
      Json::parse(prints({"verify", "scatter", "--ranks", "2..4", "--root", "1,3", "--algorithm", "binomial", "--json"}));
  EXPECT_EQ(some.size(), 4u);  // 3 is a root of four ranks only
  refuses({"verify", "broadcast", "--ranks", "2..4", "--root", "2"}, "the root is 2");
  refuses({"verify", "broadcast", "--ranks", "2", "--root", "2,3"}, "no root of '2,3'");
  refuses({"race", "broadcast", "--ranks", "2", "--root", "all"}, "one root");

  const Json given =
      Json::parse(prints({"schedule", "gatherv", "--algorithm", "linear", "--ranks", "3", "--counts", "3B,0,1KiB", "--json"}));
  EXPECT_EQ(given["counts"], Json({3, 0, 1024}));
  const Words drawn{"schedule", "scatterv", "--algorithm", "binomial", "--ranks", "6", "--block", "8B", "--json"};
  const Json first = Json::parse(prints(drawn));
  EXPECT_EQ(first["counts"].size(), 6u);
  EXPECT_EQ(first, Json::parse(prints(drawn)));
  EXPECT_EQ(Json::parse(prints({"verify", "-", "--json"}, first.dump()))["ok"], true);
  refuses({"verify", "scatterv", "--ranks", "3", "--counts", "1B,2B"}, "needs 3 counts");
  refuses({"verify", "scatter", "--ranks", "3", "--counts", "1B,2B,3B"}, "blocks of one size");
  refuses({"verify", "scatterv", "--ranks", "100000000"}, "too many shares");
  EXPECT_EQ(Json::parse(prints({"verify", "barrier", "--ranks", "9", "--algorithm", "dissemination:ports=2", "--json"}))["c1"], 2);
}

TEST_F(CommandTest, RacesOfOtherCollectives) {
  for (const std::string collective : {"broadcast", "scatterv", "gather", "barrier", "allgatherv"}) {
    const std::string text = prints(
        {"race", collective, "--ranks", "3", "--rounds", "1", "--time", "0.02s", "--executor", "threads", "--policy", "all"});
    EXPECT_NE(text.find("fastest: "), std::string::npos) << text;
  }
}

TEST_F(CommandTest, RacesOnAGrid) {
  const Json result =
      Json::parse(prints({"race", "alltoall", "--topology", "torus:2x2", "--algorithm", "torus", "--algorithm", "shift", "--block",
                          "5B", "--rounds", "1", "--time", "0.02s", "--executor", "threads", "--json"}));
  EXPECT_EQ(result["ranks"], 4);
  const Json& entries = result["sizes"].at(0)["entries"];
  ASSERT_GE(entries.size(), 2u);
  for (const Json& entry : entries) EXPECT_EQ(entry["checked"], true) << entry;
  EXPECT_NE(entries.dump().find("at2"), std::string::npos) << "the topology's sides are the grid";
}

TEST_F(CommandTest, FindingsHavePlacesAndExitCodeOne) {
  Json document = Json::parse(prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "4", "--json"}));
  Json& messages = document["stages"][0]["rounds"][1]["messages"];
  ASSERT_EQ(messages.size(), 4u);
  messages.erase(messages.begin());  // rank 0's block for rank 2, or one like it
  const std::string bad = write("bad", document.dump()).string();

  const Outcome text = run({"verify", bad});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("1 finding\n"), std::string::npos) << text.out;
  const Outcome outcome = run({"verify", bad, "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const Json verdict = Json::parse(outcome.out);
  EXPECT_EQ(verdict["ok"], false);
  ASSERT_EQ(verdict["findings"].size(), 1u);
  EXPECT_EQ(verdict["findings"][0]["rule"], "delivery");
  EXPECT_TRUE(verdict["findings"][0]["rank"].is_number());

  const Outcome limited = run({"verify", "alltoall", "--algorithm", "direct", "--ranks", "4", "--ports", "2", "--json"});
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_EQ(Json::parse(limited.out)["findings"][0]["rule"], "port-limit");
}

TEST_F(CommandTest, RacesOnThreads) {
  const Words race{"race",     "alltoall", "--ranks", "2",     "--block",    "8B,1KiB",
                   "--rounds", "2",        "--time",  "0.05s", "--executor", "threads"};
  const std::string text = prints(race);
  for (const std::string part : {"bruck", "fastest: ", "8 B a block", "1 KiB a block", "┃"})
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  Words as_json = race;
  as_json.insert(as_json.end(), {"--json", "--output", file("race.json").string(), "--policy", "all", "--algorithm", "direct",
                                 "--algorithm", "bruck"});
  EXPECT_EQ(prints(as_json), "");
  const Json result = Json::parse(contents(file("race.json")));
  EXPECT_EQ(result["transport"], "threads");
  ASSERT_EQ(result["sizes"].size(), 2u);
  for (const Json& size : result["sizes"]) {
    ASSERT_EQ(size["entries"].size(), 6u);  // two algorithms under three policies
    for (const Json& entry : size["entries"]) {
      EXPECT_EQ(entry["checked"], true);
      EXPECT_GT(entry["median_s"], 0.0);
      EXPECT_TRUE(entry["ratio"].is_null());
    }
  }
}

TEST_F(CommandTest, RunStartsRanksAndAnswersForThem) {
  const Outcome race = run({"run", "-n", "3", QUADRILLE_COMMAND, "race", "alltoall", "--block", "8B", "--algorithm", "direct",
                            "--rounds", "1", "--time", "0.01s", "--json"});
  EXPECT_EQ(race.exit_code, 0) << race.talk;
  const Json report = Json::parse(race.out);
  EXPECT_EQ(report["transport"], "shared");
  EXPECT_EQ(report["ranks"], 3);
  EXPECT_EQ(report["sizes"][0]["entries"][0]["executor"], "shared");
  EXPECT_EQ(run({"run", "-n", "4", "--", "sh", "-c", "exit $((QUADRILLE_RANK == 2 ? 7 : 0))"}).exit_code, 7);
  EXPECT_EQ(run({"run", "sh", "-c", "exit 0"}).exit_code, 0);
}

TEST_F(CommandTest, RunStopsTheOthersWhenARankIsKilled) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run({"run", "-n", "3", "sh", "-c", "[ $QUADRILLE_RANK = 1 ] && kill -9 $$; exec sleep 60"}).exit_code, 128 + 9);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(CommandTest, RunRefusesInOneSentence) {
  for (const Words& words : {Words{"run"}, Words{"run", "-n", "0", "true"}, Words{"run", "-n", "2", "/nowhere/at/all"},
                             Words{"run", "-n", "100000", "true"}, Words{"run", "-n"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 2) << words.back();
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
  }
}

}  // namespace
}  // namespace quadrille
