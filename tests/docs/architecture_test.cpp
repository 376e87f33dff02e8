// SPDX-License-Identifier: BSD-3-Clause
// Tests that the folder map of docs/architecture.md matches the tree, that every collective has its page, and other rules of the
// tree.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "quadrille/algorithm.hpp"
#include "support/source_folder.hpp"

namespace {

using quadrille::testing::source_folder;

std::set<std::string> folders_of_the_map() {
  std::set<std::string> folders;
  std::ifstream document(source_folder / "docs/architecture.md");
  bool in_map = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```"))
      in_map = line == "```text";
    else if (in_map)
      folders.insert(line.substr(0, line.find("/ ")));
  }
  return folders;
}

TEST(Architecture, FoldersOfTheMapExist) {
  EXPECT_GE(folders_of_the_map().size(), 10u);
  for (const std::string& folder : folders_of_the_map()) EXPECT_TRUE(is_directory(source_folder / folder)) << folder;
}

TEST(Architecture, FoldersOfTheSourcesAreOnTheMap) {
  const auto map = folders_of_the_map();
  for (const char* top : {"include", "src", "tools", "papers"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder / top))
      EXPECT_TRUE(!entry.is_directory() || map.contains(relative(entry.path(), source_folder).string())) << entry.path();
}

TEST(Documentation, HasAPageForEachCollective) {
  for (const quadrille::Algorithm* algorithm : quadrille::all_algorithms())
    EXPECT_TRUE(exists(source_folder / "docs/collectives" / (std::string(name(algorithm->collective)) + ".md"))) << algorithm->id;
}

// A file of src/x must be tested in tests/x.
TEST(Architecture, TestsMirrorTheLayers) {
  for (const auto& entry : std::filesystem::directory_iterator(source_folder / "src"))
    EXPECT_TRUE(is_directory(source_folder / "tests" / entry.path().filename())) << entry.path();
}

// Returns the type whose definition begins in an unindented line.
std::optional<std::string> type_defined_by(const std::string& line) {
  for (const std::string keyword : {"struct alignas(64) ", "struct ", "class ", "enum class "})
    if (line.starts_with(keyword) && line.find('{') < line.find(';') && line.find('<') > line.find('{'))  // no specialisation
      return line.substr(keyword.size(), line.find_first_of(" :{<", keyword.size()) - keyword.size());
  return std::nullopt;
}

// A program that includes quadrille.hpp gets all public headers of C++ except those that need an MPI library's header.
TEST(Architecture, TheHeaderOfAllIncludesEveryPublicHeader) {
  std::set<std::string> included, there;
  std::ifstream all(source_folder / "include/quadrille/quadrille.hpp");
  const std::string begin = "#include \"quadrille/";
  for (std::string line; std::getline(all, line);)
    if (line.starts_with(begin)) included.insert(line.substr(begin.size(), line.size() - begin.size() - 1));
  for (const auto& entry : std::filesystem::directory_iterator(source_folder / "include/quadrille"))
    if (const std::string header = entry.path().filename(); header.ends_with(".hpp") && !header.starts_with("mpi"))
      there.insert(header);
  EXPECT_EQ(there.erase("quadrille.hpp"), 1u);
  EXPECT_EQ(included, there);
}

// The linker treats two types with the same name in one namespace as one type, even if their contents differ.
TEST(Architecture, NamesOfTypesAreUnique) {
  std::map<std::string, std::filesystem::path> known;
  for (const char* top : {"include", "src", "papers"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder / top)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream header(entry.path());
      for (std::string line; std::getline(header, line);)
        if (const auto name = type_defined_by(line)) {
          const auto [other, fresh] = known.try_emplace(*name, entry.path());
          EXPECT_TRUE(fresh) << *name << " in " << entry.path() << " and in " << other->second;
        }
    }
  EXPECT_GE(known.size(), 30u);
}

}  // namespace
