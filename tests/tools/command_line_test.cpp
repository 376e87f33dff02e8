// SPDX-License-Identifier: BSD-3-Clause
// Tests of what all subcommands share: sizes, help, -o, units of a table's column, the lines about left-out algorithms, and the
// numbers of rounds.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class CommandLineTest : public CommandTest {
 protected:
  // Returns the sizes that a value of --block stands for.
  std::vector<std::int64_t> sizes(const std::string& block) const {
    const Json verdicts =
        Json::parse(prints({"verify", "alltoall", "--ranks", "2", "--algorithm", "direct", "--json", "--block", block}));
    std::vector<std::int64_t> list;
    if (verdicts.is_object()) return {verdicts["block_bytes"]};
    for (const Json& verdict : verdicts) list.push_back(verdict["block_bytes"]);
    return list;
  }

  void refuses_size(const std::string& block, const std::string& hint) const {
    refuses({"verify", "alltoall", "--ranks", "2", "--algorithm", "direct", "--block", block}, hint);
  }

  std::string help_in(const std::string& columns, Words words) const {
    words.insert(words.begin(), {"env", "COLUMNS=" + columns, QUADRILLE_COMMAND});
    return run_program(words).out;
  }

  // Returns the subcommands listed in the command's help.
  std::vector<std::string> subcommands() const {
    std::vector<std::string> names;
    bool listed = false;
    for (const std::string& line : lines_of(prints({"help"}))) {
      std::smatch match;
      if (listed && std::regex_search(line, match, std::regex("^  ([a-z]+)  "))) names.push_back(match[1]);
      if (line.empty() || line.ends_with(':')) listed = line == "Subcommands:";
    }
    EXPECT_GE(names.size(), 20u);
    return names;
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  // Returns the units of the sizes in the columns with these headings. A column's figures end below its heading.
  static std::map<std::string, std::set<std::string>> units_by_column(const std::string& text,
                                                                      const std::vector<std::string>& headings) {
    const auto lines = lines_of(std::regex_replace(text, std::regex("µ|–"), "?"));  // a column a character
    std::map<std::string, std::set<std::string>> units;
    std::size_t header = 0;
    while (lines.at(header).find("  " + headings[0]) == std::string::npos) ++header;
    for (const std::string& heading : headings) {
      const std::size_t end = lines[header].find("  " + heading) + 2 + heading.size();
      for (std::size_t i = header + 1; i < lines.size() && !lines[i].empty(); ++i) {
        const std::size_t space = lines[i].rfind(' ', end - 1);
        units[heading].insert(lines[i].substr(space + 1, end - space - 1));
      }
    }
    return units;
  }
};

TEST_F(CommandLineTest, SizesAreBytesOrHaveAUnit) {
  EXPECT_EQ(sizes("64,64B,1K,1KiB,1kB,1KB,0"), (std::vector<std::int64_t>{64, 64, 1024, 1024, 1000, 1000, 0}));
  EXPECT_EQ(sizes("1M,1G,1T,1MiB,1MB"), (std::vector<std::int64_t>{1 << 20, 1 << 30, std::int64_t{1} << 40, 1 << 20, 1'000'000}));
  EXPECT_EQ(sizes("1.5MiB,0.25K,1.001kB,2.0B,007.50K,0.0000000000009094947017729282379150390625T"),
            (std::vector<std::int64_t>{3 << 19, 256, 1001, 2, 7680, 1}));
  refuses_size("1.5", "'1.5' is not a whole number of bytes");
  refuses_size("0.3KiB", "'0.3KiB' is not a whole number of bytes");
  refuses_size("1.0005kB", "is not a whole number of bytes");
  refuses_size("8388608T", "2^63");
  refuses_size("8388607.9999999999999999T", "is not a whole number of bytes");
  refuses_size("1k", "unknown unit 'k'; did you mean 1K?");
  refuses_size("64kib", "did you mean 64KiB?");
  refuses_size("1e3", "kB or KB, MB");
  refuses_size("1.", "unknown unit '.'");
  refuses_size(".5K", "is not a size");
  refuses_size("1,5.5.5K", "unknown unit '.5K'");
}

TEST_F(CommandLineTest, ARangeOfSizesDoubles) {
  EXPECT_EQ(sizes("8B..64B"), (std::vector<std::int64_t>{8, 16, 32, 64}));
  EXPECT_EQ(sizes("8..100,1K"), (std::vector<std::int64_t>{8, 16, 32, 64, 1024}));
  EXPECT_EQ(sizes("0..4"), (std::vector<std::int64_t>{0, 1, 2, 4}));
  EXPECT_EQ(sizes("1.5K..6K"), (std::vector<std::int64_t>{1536, 3072, 6144}));
  EXPECT_EQ(sizes("5..5"), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(sizes("1..1M").size(), 21u);
  EXPECT_EQ(sizes("1B..1152921504606846975B").size(), 60u);
  refuses_size("1..9223372036854775807", "reaches 2^62 bytes");
  EXPECT_EQ(
      Json::parse(prints({"schedule", "gatherv", "--algorithm", "linear", "--ranks", "3", "--counts", "1..4", "--json"}))["counts"],
      Json({1, 2, 4}));
  refuses_size("1K..8", "write 8..1K");
  refuses_size("8..", "'8..' is not a range; write FIRST..LAST");
  refuses_size("8..16..32", "'8..16..32' is not a range; write FIRST..LAST");
}

TEST_F(CommandLineTest, HelpCanBeAskedForInEveryWay) {
  const std::string whole = prints({"--help"});
  EXPECT_EQ(prints({"-h"}), whole);
  EXPECT_EQ(prints({"help"}), whole);
  for (const std::string& subcommand : subcommands()) {
    const std::string help = prints({subcommand, "--help"});
    EXPECT_EQ(prints({subcommand, "-h"}), help) << subcommand;
    EXPECT_EQ(prints({"help", subcommand}), help) << subcommand;
    EXPECT_NE(help.find("Usage: quadrille " + subcommand), std::string::npos) << help;
    EXPECT_NE(help.find("Example"), std::string::npos) << help;
    EXPECT_NE(whole.find("\n  " + subcommand + " "), std::string::npos) << subcommand;
  }
  refuses({"help", "verfy"}, "did you mean 'verify'?");
  refuses({"help", "verify", "more"}, "one argument too many");
  refuses({"list", "verify"}, "there is no collective or table 'verify'");
}

TEST_F(CommandLineTest, EverySubcommandIsNamedWhereverSubcommandsAreListed) {
  const std::string error = run({}).talk, unknown = run({"qqqqqqqqqqqq"}).talk, manual = prints({"manual"});
  const std::string bash = prints({"completion", "bash"}), fish = prints({"completion", "fish"}),
                    zsh = prints({"completion", "zsh"});
  for (const std::string& subcommand : subcommands()) {
    const auto is_in = [&](const std::string& text, const std::string& before, const std::string& after) {
      EXPECT_NE(text.find(before + subcommand + after), std::string::npos) << subcommand << " in\n" << text;
    };
    EXPECT_TRUE(std::regex_search(error, std::regex(" " + subcommand + "[,;]"))) << subcommand << " in " << error;
    EXPECT_TRUE(std::regex_search(unknown, std::regex(" " + subcommand + "[,\n]"))) << subcommand << " in " << unknown;
    is_in(manual, "\n.SS \\fBquadrille ", "\\fR");
    is_in(bash, "\n        ", ") words=");
    is_in(fish, " -a ", " -d ");
    is_in(zsh, "\n    ", ")\n");
  }
}

// No line of help is longer than the terminal is wide, unless it is one word. No word is lost, and examples stay unchanged.
TEST_F(CommandLineTest, HelpFitsTheTerminal) {
  const auto words_of = [](const std::string& text) {
    std::istringstream in(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  const auto width_of = [](const std::string& line) {  // of UTF-8
    return std::count_if(line.begin(), line.end(), [](char letter) { return (letter & 0xc0) != 0x80; });
  };
  for (const std::string& subcommand : subcommands()) {
    const std::vector<std::string> words = words_of(prints({"help", subcommand}));
    for (const std::string columns : {"40", "60", "80", "132"}) {
      const std::string help = help_in(columns, {"help", subcommand});
      EXPECT_EQ(words_of(help), words);
      for (const std::string& line : lines_of(help.substr(0, help.find("\nExample"))))
        EXPECT_TRUE(width_of(line) <= std::stoi(columns) || line.find(' ', line.find_first_not_of(' ')) == std::string::npos)
            << line;
    }
    EXPECT_EQ(help_in("nonsense", {"help", subcommand}), prints({"help", subcommand})) << "no terminal and no width";
  }
}

// An option is in the same group in every subcommand's help, and none is in CLI11's default group.
TEST_F(CommandLineTest, OptionsAreInGroups) {
  std::map<std::string, std::set<std::string>> groups;
  for (const std::string& subcommand : subcommands()) {
    std::string group;
    for (const std::string& line : lines_of(prints({"help", subcommand}))) {
      std::smatch match;
      if (std::regex_match(line, match, std::regex("([A-Z][a-z ]*):"))) group = match[1];
      if (std::regex_search(line, match, std::regex("^  (?:-[a-z], )?--([a-z-]+)"))) groups[match[1]].insert(group);
    }
  }
  EXPECT_EQ(groups["block"], (std::set<std::string>{"Problem"}));
  EXPECT_EQ(groups["algorithm"], (std::set<std::string>{"Algorithm"}));
  EXPECT_EQ(groups["machine"], (std::set<std::string>{"Machine and model"}));
  EXPECT_EQ(groups["json"], (std::set<std::string>{"Output"}));
  EXPECT_EQ(groups["output"], (std::set<std::string>{"Output"}));
  EXPECT_EQ(groups["help"], (std::set<std::string>{"Others"}));
  for (const auto& [option, headings] : groups) EXPECT_FALSE(headings.contains("Options")) << option;
}

TEST_F(CommandLineTest, EveryResultGoesToAFile) {
  const std::vector<Words> calls{{"list"},
                                 {"list", "models"},
                                 {"list", "alltoall", "--json"},
                                 {"info"},
                                 {"info", "--json"},
                                 {"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "3"},
                                 {"verify", "alltoall", "--ranks", "4"},
                                 {"draw", "alltoall", "--algorithm", "bruck", "--ranks", "3"},
                                 {"price", "alltoall", "--ranks", "4", "--machine", "sp2"},
                                 {"simulate", "alltoall", "--ranks", "4", "--machine", "sp2"},
                                 {"completion", "bash"},
                                 {"help"},
                                 {"help", "verify"}};
  for (Words words : calls) {
    const std::string printed = prints(words);
    for (const std::string option : {"-o", "--output"}) {
      words.insert(words.end(), {option, file("result").string()});
      EXPECT_EQ(prints(words), "") << words[0];
      EXPECT_EQ(contents(file("result")), printed) << words[0];
      words.resize(words.size() - 2);
    }
  }
  EXPECT_EQ(prints({"race", "alltoall", "--ranks", "2", "--repetitions", "1", "--time", "0.001", "-o", file("race").string()}), "");
  EXPECT_NE(contents(file("race")).find("alltoall among 2 ranks"), std::string::npos);
  prints({"calibrate", "--ranks", "2", "--time", "0.01", "-o", file("machine").string()});
  EXPECT_NE(contents(file("machine")).find("quadrille calibrate"), std::string::npos);
  prints({"reproduce", "bruck1997-fig3", "-o", file("figures").string()});
  EXPECT_TRUE(fs::is_directory(file("figures")));
  EXPECT_EQ(prints({"reproduce", "--list", "-o", file("exhibits").string()}), "");
  EXPECT_EQ(contents(file("exhibits")), prints({"reproduce", "--list"}));
  refuses({"list", "-o", file("no/such/place").string()}, "No such file");
}

// A file of another format than its extension says cannot be read by the programs that the extension is for.
TEST_F(CommandLineTest, RefusesExtensionsOfOtherFormats) {
  const auto refuses_file = [&](Words words, const std::string& name, const std::string& hint) {
    words.push_back(file(name).string());
    refuses(words, hint);
    EXPECT_FALSE(fs::exists(file(name))) << name;
  };
  const Words draw{"draw", "alltoall", "--algorithm", "bruck", "--ranks", "3", "-o"};
  const std::string svg = file("x.svg").string();
  refuses_file(draw, "x.eps",
               "x.eps' would hold SVG, not EPS; write '" + svg + "' and convert it: rsvg-convert '" + svg + "' -f eps -o '");
  refuses_file(draw, "x.emf", "SVG, not EMF");
  refuses_file(draw, ".png", ".png' would hold SVG, not PNG");
  refuses_file(draw, "x.json", "x.json' would hold SVG, not JSON; name another file");
  for (const std::string name : {"x.svg", "x.SVG", "picture", "x.txt", "png"})
    EXPECT_EQ(prints({"draw", "alltoall", "--algorithm", "bruck", "--ranks", "3", "-o", file(name).string()}), "") << name;

  const Words race{"race", "alltoall", "--ranks", "2", "--repetitions", "1", "--time", "0.001"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refuses_file(with(race, {"--plot"}), "x.ps", "SVG, not PostScript");
  refuses_file(with(race, {"-o"}), "race.svg", "text, not SVG; name another file");
  refuses_file(with(race, {"-o"}), "race.json", "text, not JSON; ask for that by --json");
  refuses_file(with(race, {"-o"}), "race.csv", "text, not CSV; ask for that by --csv");
  refuses_file(with(race, {"--json", "-o"}), "race.csv", "JSON, not CSV");
  refuses_file({"plot", "missing.json", "-o"}, "x.eps", "SVG, not EPS");
  refuses_file({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "3", "-o"}, "s.json", "text, not JSON");
  refuses_file({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "3", "--format", "json", "-o"}, "s.csv",
               "JSON, not CSV");
  refuses_file({"calibrate", "--ranks", "2", "--json", "-o"}, "m.json", "TOML, not JSON");
  refuses_file({"reproduce", "--list", "-o"}, "l.json", "text, not JSON");
  refuses_file({"wisdom", "show", "-o"}, "w.json", "text, not JSON; ask for that by --json");
  refuses_file({"wisdom", "export", "-o"}, "w.json", "text, not JSON; name another file");
  refuses_file({"wisdom", "export", "--for", "mpich", "-o"}, "w.csv", "JSON, not CSV; name another file");
  refuses_file({"manual", "-o"}, "m.pdf", "text, not PDF");
  prints({"reproduce", "bruck1997-fig3", "-o", file("folder.png").string()});
  EXPECT_TRUE(fs::is_directory(file("folder.png"))) << "a folder promises nothing";
}

// Each algorithm that is left out gets one line, which says for which numbers of ranks.
TEST_F(CommandLineTest, SaysInALineWhatIsLeftOut) {
  const Outcome outcome = run({"verify", "alltoall", "--ranks", "2..16", "--block", "8,16", "--json", "--all"});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto lines = lines_of(outcome.talk);
  ASSERT_EQ(lines.size(), 7u) << outcome.talk;
  EXPECT_EQ(lines[0],
            "left out: xor among 3 ranks: it pairs rank i with i ^ d and therefore needs a power of two, not 3 ranks; also among "
            "5..7, 9..15 ranks");
  EXPECT_TRUE(lines[1].starts_with("left out: hypercube among 3 ranks: ")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with("; also among 5..7, 9..15 ranks")) << lines[1];
  for (const std::string subcommand : {"price", "simulate"}) {
    const std::string text = prints({subcommand, "alltoall", "--ranks", "6", "--machine", "sp2"});
    EXPECT_NE(text.find("\nxor does not apply: "), std::string::npos) << text;
    EXPECT_NE(text.find("\nhypercube does not apply: "), std::string::npos) << text;
  }
}

TEST_F(CommandLineTest, AColumnHasOneUnit) {
  const auto one = [&](const Words& words, const std::vector<std::string>& headings) {
    const std::string text = prints(words);
    for (const auto& [heading, units] : units_by_column(text, headings)) {
      EXPECT_EQ(units.size(), 1u) << heading << '\n' << text;
      EXPECT_TRUE(units.begin()->ends_with("B")) << heading << '\n' << text;
    }
    return text;
  };
  const std::string mixed = one({"verify", "alltoall", "--ranks", "16", "--block", "128,1K", "--algorithm", "ring", "--all"},
                                {"block", "C2", "traffic out", "traffic in", "scratch"});
  EXPECT_NE(mixed.find("15360 B   1920 B"), std::string::npos) << "C2 and its bound have the same unit\n" << mixed;
  const std::string whole = one({"verify", "alltoall", "--ranks", "9", "--block", "1K,1M", "--all"}, {"block", "C2", "scratch"});
  EXPECT_NE(whole.find(" 1024 KiB "), std::string::npos) << "the largest unit that suits all\n" << whole;
  one({"price", "alltoall", "--ranks", "24", "--block", "128", "--machine", "sp2"}, {"bytes", "buffers", "control"});
  one({"simulate", "alltoall", "--topology", "torus:4x4", "--block", "96", "--machine", "paragon", "--algorithm", "bruck"},
      {"on a link"});
  one({"race", "alltoall", "--ranks", "3", "--block", "512", "--repetitions", "1", "--time", "0.001"}, {"C2"});
  const std::string links =
      prints({"verify", "alltoall", "--topology", "torus:4x4", "--algorithm", "torus", "--algorithm", "direct", "--block", "1K"});
  auto volumes = units_by_column(links, {"C2", "C2 shared"});
  EXPECT_EQ(volumes["C2"], volumes["C2 shared"]) << links;
  EXPECT_EQ(volumes["C2"].size(), 1u) << links;
  const std::string shares = prints({"verify", "gatherv", "--ranks", "3", "--counts", "1,1000,1K"});
  EXPECT_NE(shares.find("1 B..1024 B"), std::string::npos) << shares;
  const std::string figures = prints({"verify", "alltoall", "--ranks", "16", "--block", "128", "--algorithm", "ring"});
  EXPECT_NE(figures.find("15360 B    1920 B"), std::string::npos) << "value and bound have the same unit\n" << figures;
}

// The first round is 0 in the schedule, the simulators, the pictures and what the verifier finds, and so is the first part of
// a stage.
TEST_F(CommandLineTest, RoundsBeginAtZeroEverywhere) {
  const auto with = [](const std::string& subcommand, const Words& more) {
    Words words{subcommand, "alltoall", "--algorithm", "shift", "--topology", "ring:5"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto first_number = [](const std::string& text, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "none";
  };
  EXPECT_EQ(first_number(prints(with("schedule", {})), "\nround (\\d+)"), "0");
  EXPECT_EQ(first_number(prints(with("draw", {})), "round (\\d+): 0 to 1"), "0");
  EXPECT_EQ(first_number(prints(with("draw", {"--as", "blocks"})), ">round (\\d+)<"), "0");
  EXPECT_NE(prints(with("draw", {"--as", "links", "--round", "0"})).find(", round 0"), std::string::npos);
  for (const std::string by : {"rounds", "events"}) {
    const Words words = with("simulate", {"--machine", "sp2", "--model", "linear", "--by", by});
    EXPECT_EQ(first_number(prints(words), "\nexchange +(\\d+)"), "0");
    Words json = words;
    json.push_back("--json");
    EXPECT_EQ(Json::parse(prints(json))["candidates"][0]["stages"][0]["rounds"][0]["number"], 0);
  }
  const Outcome text = run(with("verify", {"--strict"})), json = run(with("verify", {"--strict", "--json"}));
  EXPECT_EQ(first_number(text.out, "round (\\d+): link-contention"), "1") << "distance 2 is the second\n" << text.out;
  EXPECT_EQ(Json::parse(json.out)["findings"][0]["round"], 1);
  const Json turns =
      Json::parse(prints({"schedule", "alltoall", "--algorithm", "torus:order=dimension-split", "--grid", "3x3", "--json"}));
  std::set<std::string> names;
  for (const Json& stage : turns["stages"]) names.insert(stage["name"]);
  EXPECT_TRUE(names.contains("turn 0") && names.contains("turn 1") && !names.contains("turn 2")) << turns["stages"];
}

TEST_F(CommandLineTest, RunHasOneUsage) {
  const std::string help = help_in("132", {"help", "run"});
  EXPECT_NE(help.find("\nUsage: quadrille run [-n N] [--heap] [--] COMMAND...\n"), std::string::npos) << help;
  EXPECT_EQ(help.find("Usage"), help.rfind("Usage")) << help;
  EXPECT_NE(help.find("SIGTERM within 100 ms. If a rank exits"), std::string::npos) << "the sentence is broken at a line end\n"
                                                                                    << help;
}

TEST_F(CommandLineTest, PatternsTakeTheirSeedEitherWay) {
  const auto figures = [&](const std::string& pattern) {
    return prints({"verify", "alltoallv", "--ranks", "4", "--algorithm", "direct", "--json", "--pattern", pattern});
  };
  EXPECT_EQ(figures("uniform,seed=3"), figures("uniform:seed=3"));
  EXPECT_NE(figures("uniform,seed=3"), figures("uniform"));
}

// "--block= --ranks 4" must not take "--ranks" as the value of --block.
TEST_F(CommandLineTest, AnEmptyValueIsRefused) {
  refuses({"verify", "alltoall", "--ranks=", "4", "--algorithm", "ring"}, "--ranks needs a value");
  refuses({"verify", "alltoall", "--block=", "--ranks", "4"}, "--block needs a value");
  refuses({"list", "alltoall", "--json="}, "--json takes no value");
  refuses({"list", "--jsn="}, "did you mean '--json'?");
}

TEST_F(CommandLineTest, WordsBehindTwoDashesAreArguments) {
  EXPECT_EQ(prints({"list", "--", "alltoall"}), prints({"list", "alltoall"}));
  EXPECT_EQ(prints({"list", "alltoall", "bruck", "--"}), prints({"list", "alltoall", "bruck"}));
  refuses({"list", "--", "--json"}, "there is no collective or table '--json'");
  refuses({"verify", "--", "-no-such.json"}, "cannot read '-no-such.json'");
  refuses({"completion", "--", "bash", "more"}, "'more' is one argument too many");
}

}  // namespace
}  // namespace quadrille
