// SPDX-License-Identifier: BSD-3-Clause
// The table, the files of the algorithms and the bibliography agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

const std::filesystem::path root = QUADRILLE_SOURCE_DIR;

std::string file_of(const Algorithm& algorithm) {
  std::string stem(algorithm.id);
  std::replace(stem.begin(), stem.end(), '-', '_');
  return std::string(name(algorithm.collective)) + '/' + stem + ".cpp";
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Table, HasARowForEachFileAndAFileForEachRow) {
  std::set<std::string> rows, files;
  for (const Algorithm* algorithm : all_algorithms()) EXPECT_TRUE(rows.insert(file_of(*algorithm)).second) << algorithm->id;
  for (const auto& folder : std::filesystem::directory_iterator(root / "src/collectives")) {
    if (!collective_named(folder.path().filename().string())) continue;  // a folder that several collectives share
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".cpp") files.insert(relative(file.path(), root / "src/collectives").string());
  }
  EXPECT_EQ(rows, files);
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
  for (const Algorithm* algorithm : all_algorithms()) {
    const std::string key(algorithm->source.substr(0, algorithm->source.find(',')));
    EXPECT_NE(bibliography.find('{' + key + ','), std::string::npos) << algorithm->id << ": " << key;
    EXPECT_NE(contents(root / "src/collectives" / file_of(*algorithm)).find('[' + key + ']'), std::string::npos) << algorithm->id;
  }
}

}  // namespace
}  // namespace quadrille
