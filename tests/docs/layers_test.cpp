// SPDX-License-Identifier: BSD-3-Clause
// Tests that every #include in include/quadrille, src, papers and tools respects the tables of docs/architecture.md: which layer
// may include which other layer, and within some layers, which folder may include which other folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/source_folder.hpp"

namespace {

namespace fs = std::filesystem;

using quadrille::testing::source_folder;

struct LayerTable {
  std::map<std::string, int> levels;             // level of each layer
  std::map<std::string, std::string> by_header;  // layer of each public header, whose name is without ".hpp"
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(trimmed(text.substr(begin, end - begin)));
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// Reads the table. A row has a level, a layer, what it knows, what it must not know, and its public headers.
LayerTable read_table() {
  LayerTable table;
  std::ifstream document(source_folder / "docs/architecture.md");
  bool in_section = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("## ")) in_section = line == "## Layers";
    const auto cells = parts_of(line, '|');  // the first and the last are empty
    int level = 0;
    if (!in_section || cells.size() != 7 ||
        std::from_chars(cells[1].data(), cells[1].data() + cells[1].size(), level).ec != std::errc{})
      continue;
    EXPECT_TRUE(table.levels.try_emplace(cells[2], level).second) << cells[2] << " has two rows";
    for (const std::string& header : parts_of(cells[5], ','))
      EXPECT_TRUE(header.empty() || table.by_header.try_emplace(header, cells[2]).second) << header << " is in two rows";
  }
  return table;
}

// Returns the layer of a file, given its path from the root; nothing if it has none.
std::optional<std::string> layer_of(const fs::path& file, const LayerTable& table) {
  const auto first = file.begin();
  if (*first == "tools") return "command";
  if (*first == "papers") return "papers";
  if (*first == "src") return std::next(first)->string();
  const auto layer = table.by_header.find(file.stem());
  return layer == table.by_header.end() ? std::nullopt : std::optional(layer->second);
}

// Returns the file of the tree that a line includes, as a path from the root; nothing if it includes none.
std::optional<fs::path> included_by(const std::string& line, const fs::path& file) {
  const std::size_t begin = line.find_first_of("\"<");
  if (!trimmed(line).starts_with("#") || line.find("include") > begin || begin == std::string::npos) return std::nullopt;
  const std::string name = line.substr(begin + 1, line.find_first_of("\">", begin + 1) - begin - 1);
  for (const fs::path& folder : {fs::path("include"), fs::path("src"), fs::path("tools"), fs::path(), file.parent_path()})
    if (exists(source_folder / folder / name)) return (folder / name).lexically_normal();
  EXPECT_EQ(line[begin], '<') << file << " includes " << name << ", which is no file of the tree";
  return std::nullopt;
}

// Reports each file that `file` includes against the table.
void check_includes(const fs::path& file, const LayerTable& table) {
  const auto mine = layer_of(file, table);
  ASSERT_TRUE(mine && table.levels.contains(*mine)) << file << " has no layer in the table";
  std::ifstream source(source_folder / file);
  for (std::string line; std::getline(source, line);) {
    const auto other = included_by(line, file);
    if (!other) continue;
    const auto theirs = layer_of(*other, table);
    ASSERT_TRUE(theirs && table.levels.contains(*theirs)) << file << " includes " << *other << ", which has no layer in the table";
    EXPECT_TRUE(*mine == *theirs || table.levels.at(*theirs) < table.levels.at(*mine))
        << file << " of the layer " << *mine << " includes " << *other << " of the layer " << *theirs;
  }
}

bool is_source(const fs::path& file) {
  const fs::path extension = file.extension();
  return extension == ".hpp" || extension == ".cpp" || extension == ".h" || extension == ".def";
}

// Tests of the papers' exhibits lie beside them, in a folder of their own.
bool is_of_tests(const fs::path& file) { return *std::next(file.begin()) == "tests"; }

TEST(Layers, IncludesKeepToTheTable) {
  const LayerTable table = read_table();
  ASSERT_GE(table.levels.size(), 10u);
  int files = 0;
  for (const char* top : {"include/quadrille", "src", "papers", "tools"})
    for (const auto& entry : fs::recursive_directory_iterator(source_folder / top))
      if (is_source(entry.path()) && entry.path().filename() != "quadrille.hpp" &&
          !is_of_tests(relative(entry.path(), source_folder))) {
        check_includes(relative(entry.path(), source_folder), table);
        ++files;
      }
  EXPECT_GE(files, 400);
}

TEST(Layers, AreTheFoldersAndPublicHeadersThatExist) {
  const LayerTable table = read_table();
  for (const auto& [layer, level] : table.levels)
    EXPECT_TRUE(layer == "command" || is_directory(source_folder / "src" / layer) || is_directory(source_folder / layer))
        << "there is no folder of the layer " << layer;
  static constexpr const char* endings[] = {".hpp", ".h", ".def"};
  for (const auto& [header, layer] : table.by_header)
    EXPECT_TRUE(std::any_of(
        std::begin(endings), std::end(endings),
        [&, name = header](const char* ending) { return exists(source_folder / "include/quadrille" / (name + ending)); }))
        << "there is no public header " << header;
}

// Arrows: for each folder the other folders of its layer that its files may include.
using Arrows = std::map<std::string, std::set<std::string>>;

// Reads the table of folders. A row has a folder, or several that may include the same, and the folders that it may include.
Arrows read_arrows() {
  Arrows arrows;
  std::ifstream document(source_folder / "docs/architecture.md");
  bool in_section = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("#")) in_section = line == "### Folders within a layer";
    const auto cells = parts_of(line, '|');  // the first and the last are empty
    if (!in_section || cells.size() != 4 || cells[1] == "folder" || cells[1].starts_with("---")) continue;
    for (const std::string& folder : parts_of(cells[1], ','))
      for (const std::string& other : parts_of(cells[2], ','))
        if (other != "–")
          arrows[folder].insert(other);
        else
          arrows[folder];
  }
  return arrows;
}

// The arrows in the sources of a layer.
Arrows arrows_in_sources(const std::string& layer) {
  Arrows arrows;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder / "src" / layer)) {
    if (!is_source(entry.path())) continue;
    const fs::path file = relative(entry.path(), source_folder);
    const std::string folder = relative(file.parent_path(), "src");
    std::set<std::string>& others = arrows[folder];
    std::ifstream source(entry.path());
    for (std::string line; std::getline(source, line);)
      if (const auto other = included_by(line, file); other && other->string().starts_with("src/" + layer + "/"))
        if (const std::string theirs = relative(other->parent_path(), "src"); theirs != folder) others.insert(theirs);
  }
  return arrows;
}

// Removes folders whose files include none of the folders that are left, until no more can be removed. What is left is in a circle,
// or includes one.
Arrows in_circles(Arrows arrows) {
  const auto is_free = [&](const auto& each) {
    return std::none_of(each.second.begin(), each.second.end(), [&](const std::string& other) { return arrows.contains(other); });
  };
  for (auto found = arrows.begin(); (found = std::find_if(arrows.begin(), arrows.end(), is_free)) != arrows.end();)
    arrows.erase(found);
  return arrows;
}

TEST(Layers, FoldersWithinALayerKeepToTheTable) {
  const Arrows allowed = read_arrows();
  Arrows found;
  for (const char* layer : {"execute", "plan", "tune", "collectives"}) found.merge(arrows_in_sources(layer));
  EXPECT_GE(found.size(), 30u);
  EXPECT_EQ(allowed, found);
  EXPECT_EQ(in_circles(found), Arrows());
}

TEST(Layers, FindsCircles) {
  const Arrows circle{{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}, {"d", {}}};
  EXPECT_EQ(in_circles(circle), (Arrows{{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}));
  EXPECT_EQ(in_circles({{"a", {"b"}}, {"b", {}}}), Arrows());
}

}  // namespace
