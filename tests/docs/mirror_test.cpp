// SPDX-License-Identifier: BSD-3-Clause
// Tests that the folders of tests/ mirror those of src/, so that the test of a source file can be found without a search.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = QUADRILLE_SOURCE_DIR;
constexpr std::string_view suffix = "_test.cpp";

// Returns, for the name of each source file without its extension, the folders of one layer that have such a file, relative to
// src/.
std::map<std::string, std::set<fs::path>> source_folders(const fs::path& layer) {
  std::map<std::string, std::set<fs::path>> folders;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src" / layer))
    if (entry.is_regular_file()) folders[entry.path().stem()].insert(relative(entry.path().parent_path(), root / "src"));
  return folders;
}

fs::path common_folder(const std::set<fs::path>& folders) {
  fs::path common = *folders.begin();
  for (const fs::path& folder : folders)
    while (!(folder / "").string().starts_with((common / "").string())) common = common.parent_path();
  return common;
}

// X_test.cpp must be in the folder that corresponds to that of X in src/. If several folders of a layer have an X, the test of all
// must be in their common parent folder.
TEST(Architecture, TestsLieInTheFoldersOfTheirSourceFiles) {
  std::size_t compared = 0;
  for (const auto& layer : fs::directory_iterator(root / "src")) {
    const auto sources = source_folders(layer.path().filename());
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests" / layer.path().filename())) {
      const std::string file = entry.path().filename();
      if (!file.ends_with(suffix)) continue;
      const auto source = sources.find(file.substr(0, file.size() - suffix.size()));
      if (source == sources.end()) continue;
      const fs::path folder = relative(entry.path().parent_path(), root / "tests");
      EXPECT_TRUE(source->second.contains(folder) || folder == common_folder(source->second))
          << entry.path() << " tests a file of src/" << source->second.begin()->string();
      ++compared;
    }
  }
  EXPECT_GE(compared, 40u);
}

// Nobody would look for tests in a folder without a counterpart in src/.
TEST(Architecture, FoldersOfTestsAreFoldersOfSources) {
  for (const auto& layer : fs::directory_iterator(root / "src"))
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests" / layer.path().filename()))
      if (const std::string file = entry.path().filename(); file.ends_with(suffix)) {
        const fs::path folder = relative(entry.path().parent_path(), root / "tests");
        EXPECT_TRUE(is_directory(root / "src" / folder)) << entry.path();
      }
}

}  // namespace
