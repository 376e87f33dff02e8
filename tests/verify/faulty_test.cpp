// SPDX-License-Identifier: BSD-3-Clause
// Faulty schedules for people to read: tests/verify/faulty/RULE.WHAT.sched breaks the rule. The comment at its head says what is
// wrong. Each line to which a finding points ends in `# error: RULE`, or `# error: RULE REGION, RULE, ..`. The line's rank and
// round are the place that the finding must name; a `rank` line stands for findings about the whole program. `# verify OPTIONS` at
// the head gives options of `quadrille verify`, and `# symmetry translation` states a symmetry, which the text form cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "quadrille/document.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {
namespace {

struct Place {
  std::string rule;
  std::optional<Rank> rank;
  std::optional<Count> round;
  auto operator<=>(const Place&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Place& place) {
  out << place.rule;
  if (place.rank) out << " at rank " << *place.rank;
  if (place.round) out << " in round " << *place.round;
  return out;
}

struct FaultyFile {
  std::string name, text, head;
  std::set<Place> places;
  std::set<std::pair<Place, std::string>> regions;  // of the marks that name one
  VerifyOptions options;
  bool states_translation = false;

  std::string rule() const { return name.substr(0, name.find('.')); }
};

void read_options(std::istream& words, VerifyOptions& options) {
  for (std::string option; words >> option;) {
    std::string value;
    if (option == "--strict")
      options.strict_links = true;
    else if (!(words >> value))
      FAIL() << option << " needs a value";
    else if (option == "--ports")
      options.port_limit = std::stoll(value);
    else if (option == "--node-ports")
      options.node_port_limit = std::stoll(value);
    else if (option == "--topology")
      options.topology = parse_topology(value);
    else
      FAIL() << "unknown option " << option;
  }
}

// Reads what follows `# error:`.
void read_marks(const std::string& list, std::optional<Rank> rank, std::optional<Count> round, FaultyFile& file) {
  std::istringstream marks(list);
  for (std::string mark; std::getline(marks, mark, ',');) {
    std::istringstream words(mark);
    Place place{"", rank, round};
    std::string region;
    words >> place.rule >> std::ws;
    std::getline(words, region);
    file.places.insert(place);
    if (!region.empty()) file.regions.emplace(place, region);
  }
}

FaultyFile read_file(const std::filesystem::path& path) {
  constexpr std::string_view opening = "# error:";
  FaultyFile file;
  file.name = path.filename();
  std::ifstream stream(path);
  file.text.assign(std::istreambuf_iterator<char>(stream), {});
  std::optional<Rank> rank;
  std::optional<Count> round;
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, second;
    words >> first;
    if (first == "#") {
      words >> second;
      if (second == "verify")
        read_options(words, file.options);
      else if (second == "symmetry")
        file.states_translation = words >> second && second == "translation";
      else
        file.head += line;
    } else if (first == "rank") {
      words >> rank.emplace();
      round.reset();
    } else if (first == "round") {
      words >> round.emplace();
    }
    if (const auto at = line.find(opening); at != std::string::npos)
      read_marks(line.substr(at + opening.size()), rank, round, file);
  }
  return file;
}

std::vector<FaultyFile> corpus() {
  std::vector<FaultyFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(QUADRILLE_SOURCE_DIR "/tests/verify/faulty"))
    files.push_back(read_file(entry.path()));
  return files;
}

Schedule schedule_of(const FaultyFile& file) {
  Schedule schedule = parse_documents(file.text).at(0);
  if (file.states_translation) schedule.symmetry = translation_symmetry(schedule.problem.ranks);
  return schedule;
}

TEST(Faulty, FindingsPointToTheMarkedLines) {
  for (const FaultyFile& file : corpus()) {
    SCOPED_TRACE(file.name);
    std::set<Place> places;
    std::set<std::pair<Place, std::string>> regions;
    std::string all;
    for (const Finding& finding : verify(schedule_of(file), file.options)) {
      const Place place{std::string(name(finding.rule)), finding.rank, finding.round};
      places.insert(place);
      if (finding.region) regions.emplace(place, to_string(*finding.region));
      all += "\n  " + to_string(finding);
    }
    EXPECT_EQ(places, file.places) << "the findings are:" << all;
    for (const auto& [place, region] : file.regions)
      EXPECT_TRUE(regions.contains({place, region})) << "no " << place << " at " << region << " among:" << all;
  }
}

TEST(Faulty, EachFileSaysWhatIsWrong) {
  for (const FaultyFile& file : corpus()) {
    EXPECT_GE(file.head.size(), 20u) << file.name << " has no comment at its head";
    EXPECT_TRUE(std::any_of(file.places.begin(), file.places.end(), [&](const Place& place) { return place.rule == file.rule(); }))
        << file.name << " marks no line with the rule in its name";
    EXPECT_LE(schedule_of(file).problem.ranks, 5) << file.name;
  }
}

TEST(Faulty, EveryRuleOccursInSeveralCollectives) {
  std::map<std::string, std::set<Collective>> collectives;
  std::map<std::string, int> files;
  for (const FaultyFile& file : corpus()) {
    collectives[file.rule()].insert(schedule_of(file).problem.collective);
    ++files[file.rule()];
  }
  for (const Rule rule : all_rules()) {
    EXPECT_GE(files[std::string(name(rule))], 3) << name(rule);
    EXPECT_GE(collectives[std::string(name(rule))].size(), 2u) << name(rule);
  }
  EXPECT_EQ(files.size(), all_rules().size()) << "the names begin with rules";
}

}  // namespace
}  // namespace quadrille
