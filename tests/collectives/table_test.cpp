// SPDX-License-Identifier: BSD-3-Clause
// The table, the files of the algorithms and the bibliography agree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/table.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

const std::filesystem::path root = QUADRILLE_SOURCE_DIR;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string title(const Algorithm& algorithm) { return fmt::format("{}/{}", name(algorithm.collective), algorithm.id); }

// Returns what the head of an algorithm's file names before the colon: "gather/linear, gatherv/linear" as two titles.
std::vector<std::string> titles_at_the_head(const std::string& text) {
  const std::size_t begin = text.find('\n') + std::string_view("\n// ").size();
  std::istringstream head(text.substr(begin, text.find(": ", begin) - begin));
  std::vector<std::string> titles;
  for (std::string title; std::getline(head >> std::ws, title, ',');) titles.push_back(title);
  return titles;
}

// Returns the files in the folders that are named after a collective, by the titles at their heads.
std::map<std::string, std::filesystem::path> files_by_title() {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& folder : std::filesystem::directory_iterator(root / "src/collectives")) {
    if (!collective_named(folder.path().filename().string())) continue;  // what several algorithms share
    for (const auto& file : std::filesystem::directory_iterator(folder))
      for (const std::string& title : titles_at_the_head(contents(file)))
        EXPECT_TRUE(files.emplace(title, file).second) << title << " is at the heads of two files";
  }
  return files;
}

TEST(Table, MarksTheBaselines) {
  std::set<std::string> marked, said;
  for (const Algorithm* algorithm : all_algorithms())
    if (is_baseline(*algorithm)) marked.insert(title(*algorithm));
  for (const auto& [title, file] : files_by_title())
    if (contents(file).find("\n// Prefer  never; ") != std::string::npos) said.insert(title);
  EXPECT_GE(marked.size(), 8u);
  EXPECT_EQ(marked, said) << "the heads of their files say so";
  for (const Algorithm* algorithm : default_algorithms()) EXPECT_FALSE(is_baseline(*algorithm)) << title(*algorithm);
}

TEST(Table, HeadsOfFilesHaveTheirFiveParts) {
  for (const auto& [title, file] : files_by_title())
    for (const std::string part : {"Source", "Needs ", "Idea  ", "Cost  ", "Prefer"})
      EXPECT_NE(contents(file).find("\n// " + part + "  "), std::string::npos)
          << title << " has no line '" << part << "' at its head";
}

TEST(Table, HasARowForEachFileAndAFileForEachRow) {
  std::set<std::string> rows, heads;
  for (const Algorithm* algorithm : all_algorithms()) EXPECT_TRUE(rows.insert(title(*algorithm)).second) << title(*algorithm);
  for (const auto& [title, file] : files_by_title()) {
    heads.insert(title);
    std::string id = file.stem();
    std::replace(id.begin(), id.end(), '_', '-');
    EXPECT_TRUE(title.ends_with('/' + id)) << title << " is at the head of " << file;
  }
  EXPECT_EQ(rows, heads);
}

// An algorithm that several collectives share lies in the folder of the first one.
TEST(Table, FilesLieInTheFolderOfTheFirstCollectiveThatTheyServe) {
  std::set<std::filesystem::path> seen;
  const auto files = files_by_title();
  for (const Algorithm* algorithm : all_algorithms())
    if (const auto file = files.find(title(*algorithm)); file != files.end() && seen.insert(file->second).second)
      EXPECT_EQ(file->second.parent_path().filename(), name(algorithm->collective)) << file->second;
}

TEST(Table, ListsTheAlgorithmsOfOneCollectiveTogether) {
  EXPECT_TRUE(std::ranges::is_sorted(all_algorithms(), {}, [](const Algorithm* algorithm) { return algorithm->collective; }));
}

TEST(Table, MarksOneDefaultForEachCollective) {
  for (const Collective collective : all_collectives())
    EXPECT_EQ(std::count_if(default_algorithms().begin(), default_algorithms().end(),
                            [&](const Algorithm* algorithm) { return algorithm->collective == collective; }),
              1)
        << name(collective);
  for (const Algorithm* algorithm : default_algorithms()) {
    EXPECT_EQ(&default_algorithm(algorithm->collective), algorithm) << algorithm->id;
    EXPECT_EQ(find_algorithm(algorithm->collective, algorithm->id), algorithm) << "the default is a row of the table";
    EXPECT_EQ(algorithm->needs, "") << algorithm->id;
  }
}

TEST(Table, RecordsAreComplete) {
  for (const Algorithm* algorithm : all_algorithms()) {
    EXPECT_FALSE(algorithm->id.empty());
    EXPECT_FALSE(algorithm->summary.empty()) << algorithm->id;
    EXPECT_EQ(algorithm->summary.find('\n'), std::string_view::npos) << algorithm->id;
    EXPECT_FALSE(algorithm->picture.empty()) << algorithm->id;
    EXPECT_NE(algorithm->generate, nullptr) << algorithm->id;
    EXPECT_TRUE(algorithm->needs.empty() || algorithm->applies) << algorithm->id;
    EXPECT_EQ(algorithm->combining != nullptr, is_reduction(algorithm->collective))
        << algorithm->id << ": reductions need the function 'combining', and no other algorithm has it";
    EXPECT_EQ(algorithm->combining_rule.empty(), algorithm->combining == nullptr)
        << algorithm->id << ": 'combining_rule' says as text what 'combining' returns";
    EXPECT_EQ(find_algorithm(algorithm->collective, algorithm->id), algorithm);
    for (const Parameter& parameter : algorithm->parameters) {
      EXPECT_FALSE(parameter.summary.empty()) << algorithm->id << ' ' << parameter.name;
      const auto* word = std::get_if<std::string>(&parameter.standard);
      EXPECT_TRUE(word ? std::count(parameter.choices.begin(), parameter.choices.end(), *word) == 1 : !parameter.range.empty())
          << algorithm->id << " " << parameter.name;
      EXPECT_EQ(parameter.standard_for != nullptr, !parameter.standard_rule.empty()) << algorithm->id << " " << parameter.name;
    }
  }
}

TEST(Table, SourcesAreInTheBibliographyAndAtTheHeadOfTheFile) {
  const std::string bibliography = contents(root / "docs/references.bib");
  const auto files = files_by_title();
  for (const Algorithm* algorithm : all_algorithms()) {
    const std::string key(algorithm->source.substr(0, algorithm->source.find(',')));
    EXPECT_NE(bibliography.find('{' + key + ','), std::string::npos) << algorithm->id << ": " << key;
    EXPECT_NE(contents(files.at(title(*algorithm))).find('[' + key + ']'), std::string::npos) << title(*algorithm);
  }
}

}  // namespace
}  // namespace quadrille
