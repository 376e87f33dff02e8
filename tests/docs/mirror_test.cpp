// SPDX-License-Identifier: BSD-3-Clause
// Tests that the folders of tests/ mirror those of src/, and that tests/tools/ mirrors tools/, so that the test of a source file
// can be found without a search.
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

// Returns the folders whose parts are tested in tests/ below a folder of the same name: those of src/, and tools/.
std::vector<fs::path> layers() {
  std::vector<fs::path> all{root / "tools"};
  for (const auto& layer : fs::directory_iterator(root / "src")) all.push_back(layer.path());
  return all;
}

// Returns, for the name of each source file without its extension, the folders of one layer that have such a file. They are
// relative to the folder that holds the layer.
std::map<std::string, std::set<fs::path>> source_folders(const fs::path& layer) {
  std::map<std::string, std::set<fs::path>> folders;
  for (const auto& entry : fs::recursive_directory_iterator(layer))
    if (entry.is_regular_file()) folders[entry.path().stem()].insert(relative(entry.path().parent_path(), layer.parent_path()));
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
  for (const fs::path& layer : layers()) {
    const auto sources = source_folders(layer);
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests" / layer.filename())) {
      const std::string file = entry.path().filename();
      if (!file.ends_with(suffix)) continue;
      const auto source = sources.find(file.substr(0, file.size() - suffix.size()));
      if (source == sources.end()) continue;
      const fs::path folder = relative(entry.path().parent_path(), root / "tests");
      EXPECT_TRUE(source->second.contains(folder) || folder == common_folder(source->second))
          << entry.path() << " tests a file of " << source->second.begin()->string();
      ++compared;
    }
  }
  EXPECT_GE(compared, 60u);
}

// Nobody would look for tests in a folder without a counterpart in src/.
TEST(Architecture, FoldersOfTestsAreFoldersOfSources) {
  for (const fs::path& layer : layers())
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests" / layer.filename()))
      if (const std::string file = entry.path().filename(); file.ends_with(suffix)) {
        const fs::path folder = relative(entry.path().parent_path(), root / "tests");
        EXPECT_TRUE(is_directory(layer.parent_path() / folder)) << entry.path();
      }
}

}  // namespace
