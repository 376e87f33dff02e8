// SPDX-License-Identifier: BSD-3-Clause
// Tests that only the table of MPI libraries, their plug-ins' folders and a few files with a reason name an MPI library, its
// launcher or its files in code, so that a further library needs no edit elsewhere. Comments may name them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "foundation/mpi_libraries.hpp"
#include "support/source_folder.hpp"

namespace {

namespace fs = std::filesystem;

using quadrille::testing::source_folder;

struct Place {
  std::string path;  // a file, or a folder with all that it holds
  std::string reason;
  bool is_used = false;
};

// The ids of the libraries that have plug-ins.
std::set<std::string> plug_in_ids() {
  std::set<std::string> ids;
  for (const quadrille::MpiLibrary& library : quadrille::mpi_libraries)
    if (library.has_plug_in) ids.emplace(library.id);
  return ids;
}

std::vector<Place> places() {
  std::vector<Place> all{{"include/quadrille/mpi_libraries.def", "the table"},
                         {"src/foundation/mpi_libraries.hpp", "the file name that several libraries have"},
                         {"src/mpi_face/symbols", "the symbols of the drop-in, where the libraries' <mpi.h> and Fortran differ"},
                         {"src/mpi_face/recorded_symbols", "the same for the symbols that only recordings need"},
                         {"src/tune/rules", "the formats of rules for the libraries' own algorithms"},
                         {"include/quadrille/mpi_collectives.h", "a comment in C"},
                         {"tools/watch/places.cpp", "the libraries whose frames are not the program's"},
                         {"tools/subcommands/explain.cpp", "an example in the help"},
                         {"tools/subcommands/preload.cpp", "examples in the help and in a refusal"},
                         {"tools/subcommands/wisdom.cpp", "an example in the help"}};
  for (const std::string& id : plug_in_ids()) all.push_back({"src/execute/mpi/plug_in/" + id, "the plug-in's own files"});
  return all;
}

bool is_source_or_build_file(const fs::path& file) {
  static const std::set<std::string> extensions{".hpp", ".cpp", ".h", ".c", ".def", ".cmake"};
  return extensions.contains(file.extension()) || file.filename() == "CMakeLists.txt";
}

// Does the text, in small letters, name a library, its launcher or its files?
bool names_library(const std::string& text) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = plug_in_ids();
    all.insert({"open mpi", "open_mpi", "ompi_", "pmi_", "pmix_", "localnranks", "libmpi.so", "hydra"});
    return all;
  }();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return text.find(name) != std::string::npos; });
}

// Returns the lines of a file that name a library in code, without comments at their ends and in small letters.
std::vector<std::string> naming_lines(const fs::path& file) {
  const bool is_cmake = file.extension() == ".cmake" || file.extension() == ".txt";
  std::vector<std::string> lines;
  std::ifstream source(file);
  for (std::string line; std::getline(source, line);) {
    line.resize(std::min(line.find(is_cmake ? "#" : "//"), line.size()));
    for (char& letter : line) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    if (names_library(line)) lines.push_back(line);
  }
  return lines;
}

TEST(MpiLibraryNames, AreInTheTableAndTheirFoldersOnly) {
  std::vector<Place> known = places();
  std::vector<fs::path> files{source_folder / "CMakeLists.txt"};
  for (const char* top : {"include", "src", "tools", "papers", "cmake"})
    for (const auto& entry : fs::recursive_directory_iterator(source_folder / top))
      if (is_source_or_build_file(entry.path())) files.push_back(entry.path());
  EXPECT_GE(files.size(), 400u);
  for (const fs::path& file : files) {
    const std::vector<std::string> lines = naming_lines(file);
    if (lines.empty()) continue;
    const std::string path = relative(file, source_folder);
    const auto place = std::find_if(known.begin(), known.end(),
                                    [&](const Place& each) { return path == each.path || path.starts_with(each.path + '/'); });
    if (place == known.end())
      ADD_FAILURE() << path << " names an MPI library; the table is quadrille/mpi_libraries.def: " << lines.front();
    else
      place->is_used = true;
  }
  for (const Place& place : known) EXPECT_TRUE(place.is_used) << place.path << " names no library any more: " << place.reason;
}

TEST(MpiLibraryNames, AreThoseOfPlugInFolders) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(source_folder / "src/execute/mpi/plug_in"))
    if (entry.is_directory()) {
      found.insert(entry.path().filename());
      for (const char* file : {"plug_in.cmake", "own_features.cpp"})
        EXPECT_TRUE(exists(entry.path() / file)) << entry.path() << " has no " << file;
    }
  EXPECT_EQ(found, plug_in_ids());
}

}  // namespace
