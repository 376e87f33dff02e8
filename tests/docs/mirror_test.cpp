// SPDX-License-Identifier: BSD-3-Clause
// Tests that the folders of tests/ mirror those of src/, and that tests/tools/ mirrors tools/, so that the test of a source file
// can be found without a search; and that long source files have such a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/source_folder.hpp"

namespace {

namespace fs = std::filesystem;

using quadrille::testing::source_folder;
constexpr std::string_view suffix = "_test.cpp";

// Returns the folders whose parts are tested in tests/ below a folder of the same name: those of src/, and tools/.
std::vector<fs::path> layers() {
  std::vector<fs::path> all{source_folder / "tools"};
  for (const auto& layer : fs::directory_iterator(source_folder / "src")) all.push_back(layer.path());
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
    for (const auto& entry : fs::recursive_directory_iterator(source_folder / "tests" / layer.filename())) {
      const std::string file = entry.path().filename();
      if (!file.ends_with(suffix)) continue;
      const auto source = sources.find(file.substr(0, file.size() - suffix.size()));
      if (source == sources.end()) continue;
      const fs::path folder = relative(entry.path().parent_path(), source_folder / "tests");
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
    for (const auto& entry : fs::recursive_directory_iterator(source_folder / "tests" / layer.filename()))
      if (const std::string file = entry.path().filename(); file.ends_with(suffix)) {
        const fs::path folder = relative(entry.path().parent_path(), source_folder / "tests");
        EXPECT_TRUE(is_directory(layer.parent_path() / folder)) << entry.path();
      }
}

// A long source file, or a folder of them, without a test of its name, and what tests it instead.
struct Exception {
  std::string_view source, tested_by, reason;
};

constexpr Exception exceptions[] = {
    {"papers/exhibits", "papers/tests/exhibits_test.cpp", "every row of the table is tested in the same way"},
    {"src/collectives/slices/array_routes.cpp", "tests/collectives/alltoallv/array_exchange_test.cpp",
     "a part of several algorithms"},
    {"src/collectives/slices/grid_exchange.cpp", "tests/collectives/alltoallv/four_stage_test.cpp", "a part of several algorithms"},
    {"src/collectives/slices/slice_passes.cpp", "tests/collectives/alltoallv/pass_memory_test.cpp", "a part of several algorithms"},
    {"src/execute/mpi/plug_in/communicator.cpp", "tests/mpi/executors_mpi.cpp", "a program per MPI runs plans by each executor"},
    {"src/execute/mpi/plug_in/far_edges.cpp", "tests/mpi/exchange_mpi.cpp", "a program per MPI exchanges between nodes"},
    {"src/execute/mpi/plug_in/group.cpp", "tests/mpi/callers/groups.cpp", "a program per MPI makes groups of many communicators"},
    {"src/collectives/spreading/spreading.cpp", "tests/collectives/rooted_test.cpp", "a part of several algorithms"},
    {"src/collectives/spreading/two_parts.cpp", "tests/collectives/reduction_test.cpp", "a part of several algorithms"},
    {"src/execute/mpi/plug_in/mpi_process.cpp", "tests/mpi/callers/progress.cpp", "a program per MPI shows its callbacks at work"},
    {"src/execute/mpi/plug_in/vendor.cpp", "tests/mpi/executors_mpi.cpp", "a program per MPI compares sums with it"},
    {"src/execute/nodes/differing_ends.cpp", "tests/execute/nodes/nodes_exchange_test.cpp", "exchanges whose ends differ use it"},
    {"src/mpi_face/run.cpp", "tests/mpi_face/steady.c", "programs run their calls through it"},
    {"src/mpi_face/policy/instruction.cpp", "tests/mpi_face/policy/simulated_ranks_test.cpp", "a part of step()"},
    {"src/mpi_face/symbols/fortran_symbols.cpp", "tests/mpi_face/collectives.F90", "a program calls each function in Fortran"},
    {"tools/on_demand", "tests/tools/subcommands/project_test.cpp", "users see it through the subcommands"},
    {"tools/options/model_options.cpp", "tests/tools/subcommands/simulate_test.cpp", "users see it through the subcommands"},
    {"tools/options/subject.cpp", "tests/tools/own_schedule_test.cpp", "users see it through the subcommands"},
    {"src/draw/viewer_page.cpp", "tests/draw/trace_view_test.cpp", "the rest is the page that viewer/ builds"},
    {"src/schedule/forms/json.cpp", "tests/schedule/forms/json_read_test.cpp", "documents are read through it"},
    {"src/schedule/forms/json_form.cpp", "tests/schedule/forms/json_write_test.cpp", "reading has json_read_test.cpp"},
    {"src/schedule/forms/text_form.cpp", "tests/schedule/forms/text_write_test.cpp", "reading has text_read_test.cpp"},
    {"src/simulate/event_run.cpp", "tests/simulate/event_graph_test.cpp", "the simulators run it"},
    {"src/topology/kinds/products.cpp", "tests/topology/topology_test.cpp", "users see it as a topology"},
    {"src/topology/network_files.cpp", "tests/topology/topology_test.cpp", "users see it as a topology"},
    {"tools/reports/explain_report.cpp", "tests/tools/subcommands/explain_test.cpp", "users see it through the subcommand"},
    {"tools/reports/price_report.cpp", "tests/tools/subcommands/price_test.cpp", "users see it through the subcommand"},
    {"tools/reports/race_plot.cpp", "tests/tools/subcommands/compare_test.cpp", "users see it through the subcommand"},
    {"tools/reports/race_report.cpp", "tests/tools/subcommands/race_test.cpp", "users see it through the subcommand"},
    {"tools/reports/result_file.cpp", "tests/tools/subcommands/plot_test.cpp", "users see it through the subcommands"},
    {"tools/reports/schedule_verdict.cpp", "tests/tools/subcommands/verify_test.cpp", "users see it through the subcommand"},
    {"tools/smpi/main.cpp", "tests/smpi/CMakeLists.txt", "it runs in SimGrid"},
    {"tools/subcommands/wrap.cpp", "tests/mpi_face/wrap_test.sh", "it starts MPI programs"},
};

constexpr std::ptrdiff_t most_lines = 200;

bool is_long(const fs::path& source) {
  std::ifstream file(source);
  return std::count(std::istreambuf_iterator<char>(file), {}, '\n') > most_lines;
}

// Returns the long source files of src/, tools/ and papers/, relative to the root.
std::vector<fs::path> long_sources() {
  std::vector<fs::path> sources;
  for (const char* folder : {"src", "tools", "papers"})
    for (const auto& entry : fs::recursive_directory_iterator(source_folder / folder))
      if (entry.path().extension() == ".cpp" && is_long(entry.path())) sources.push_back(relative(entry.path(), source_folder));
  std::erase_if(sources, [](const fs::path& source) { return source.string().starts_with("papers/tests/"); });
  return sources;
}

// The folders in which the test of a source file may lie. If several files of a layer have its name, their common folder, too.
std::vector<fs::path> folders_of_test(const fs::path& source) {
  const bool in_src = *source.begin() == "src";
  if (*source.begin() == "papers") return {source_folder / "papers" / "tests" / relative(source.parent_path(), "papers")};
  const fs::path mirrored = in_src ? relative(source.parent_path(), "src") : source.parent_path();
  const fs::path layer = in_src ? source_folder / "src" / *mirrored.begin() : source_folder / "tools";
  return {source_folder / "tests" / mirrored, source_folder / "tests" / common_folder(source_folders(layer).at(source.stem()))};
}

bool has_test_of_its_name(const fs::path& source) {
  const std::string name = source.stem().string() + std::string(suffix);
  const std::vector<fs::path> folders = folders_of_test(source);
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) { return exists(folder / name); });
}

TEST(Architecture, LongSourcesHaveTestsOfTheirNames) {
  std::set<std::string_view> used;
  std::size_t tested = 0;
  for (const fs::path& source : long_sources()) {
    if (has_test_of_its_name(source)) {
      ++tested;
      continue;
    }
    const auto excepted = std::find_if(std::begin(exceptions), std::end(exceptions), [&](const Exception& exception) {
      return source == exception.source || source.parent_path() == exception.source;
    });
    if (excepted == std::end(exceptions))
      ADD_FAILURE() << source << " has more than " << most_lines << " lines and no test of its name";
    else
      used.insert(excepted->source);
  }
  EXPECT_GE(tested, 60u);
  for (const Exception& exception : exceptions) {
    EXPECT_TRUE(used.contains(exception.source)) << exception.source << " is no exception any more";
    EXPECT_TRUE(exists(source_folder / exception.tested_by))
        << exception.source << " is said to be tested by " << exception.tested_by;
    EXPECT_FALSE(exception.reason.empty()) << exception.source;
  }
}

}  // namespace
