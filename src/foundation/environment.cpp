// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>

#include "foundation/assert.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr std::string_view prefix = "QUADRILLE_";

template <class Number>
bool is_number(std::string_view text, Number least, Number most) {
  const auto number = number_in<Number>(text);
  return number && *number >= least && *number <= most;
}

bool is_pace(std::string_view text) { return is_number(text, 0.01, 1e6); }

bool is_whole(std::string_view text) { return is_number(text, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()); }

// Positive numbers with commas between them. Their sum is checked where the number of ranks is known.
bool is_list_of_sizes(std::string_view text) {
  const std::vector<std::string_view> sizes = split(text, ',');
  return std::all_of(sizes.begin(), sizes.end(), [](std::string_view size) {
    return is_number(size, std::int64_t{1}, std::numeric_limits<std::int64_t>::max());
  });
}

using Words = std::vector<std::string_view>;

Words words_for_mpi() {
  Words words;
  for (const MpiLibrary& library : mpi_libraries)
    if (library.has_plug_in) words.push_back(library.id);
  words.push_back("none");
  for (const MpiLibrary& library : mpi_libraries)
    if (!library.has_plug_in) words.push_back(library.id);
  return words;
}

const std::vector<EnvironmentVariable>& table() {
  static const std::vector<EnvironmentVariable> rows{
      {.name = "QUADRILLE_CHECK",
       .reader = "library",
       .words = {"0", "1"},
       .about = "1: before each call, ranks compare the arguments that must be equal; if some differ, all throw an error",
       .is_tolerated = true},
      {.name = "QUADRILLE_HEAP",
       .reader = "library, command",
       .words = {"on", "off", "always"},
       .about = "off: libquadrille-heap leaves large allocations to the C library; always: it takes them even where that costs "
                "huge pages",
       .is_tolerated = true},
      {.name = "QUADRILLE_MACHINE",
       .reader = "library",
       .form = "a machine of 'quadrille list machines', or a machine file",
       .about =
           "the machine by whose figures plans predict times where nothing was measured (else epyc on one node, ethernet100 on "
           "several)"},
      {.name = "QUADRILLE_MPI",
       .reader = "library, command",
       .words = words_for_mpi(),
       .about = "the MPI library, if the launcher does not tell it; abi only for 'quadrille wrap'"},
      {.name = "QUADRILLE_NODE_SIZES",
       .reader = "library",
       .form = "sizes of nodes that add up to the number of ranks, such as 2,2",
       .about = "treats the ranks of one machine as several nodes, for experiments over MPI",
       .accepts = is_list_of_sizes},
      {.name = "QUADRILLE_PLAN_MEMORY",
       .reader = "library",
       .form = "a size such as 64MiB",
       .about = "bounds the memory that plans keep in each process (else 64MiB)"},
      {.name = "QUADRILLE_PROGRESS",
       .reader = "library",
       .words = {"thread"},
       .about = "a thread of each process advances started executions"},
      {.name = "QUADRILLE_WISDOM",
       .reader = "library",
       .form = "a file, a folder or off",
       .about = "where measured times are kept (else quadrille/wisdom in XDG_CACHE_HOME or ~/.cache)"},
      {.name = "QUADRILLE",
       .reader = "drop-in",
       .words = {"on", "off", "profile"},
       .about = "off: the MPI library runs every call; profile: the same, and calls are counted",
       .is_tolerated = true},
      {.name = "QUADRILLE_CHOOSE",
       .reader = "drop-in",
       .form = "COLLECTIVE[:SMALLEST-LARGEST]=ALGORITHM, several separated by semicolons",
       .about = "the algorithms to run, as with 'quadrille wrap --choose'"},
      {.name = "QUADRILLE_GPU_MEMORY",
       .reader = "drop-in",
       .words = {"on", "off"},
       .about =
           "off: the program passes no memory of a GPU to MPI, so our algorithms may run even if it has loaded a GPU's runtime",
       .is_tolerated = true},
      {.name = "QUADRILLE_LEARN",
       .reader = "drop-in",
       .words = {"on", "off"},
       .about = "off: nothing is kept of this run, nor taken from earlier ones, as with 'quadrille wrap --no-learn'",
       .is_tolerated = true},
      {.name = "QUADRILLE_RECORD",
       .reader = "drop-in",
       .form = "calls:FOLDER or fold:FOLDER",
       .about = "records the program into the folder, as 'quadrille wrap --record' and --fold do"},
      {.name = "QUADRILLE_REPORT",
       .reader = "drop-in",
       .form = "off, summary, full, summary:FILE or full:FILE",
       .about = "reports at the end what ran, for how long and why, as 'quadrille wrap --report' does"},
      {.name = "QUADRILLE_WATCH",
       .reader = "drop-in",
       .form = "off or a number of seconds",
       .about =
           "keeps the last calls of each rank for 'quadrille watch'; for 'quadrille wrap': how long a call may take (else 30), "
           "off: as --no-watch"},
      {.name = "QUADRILLE_TUNE",
       .reader = "drop-in",
       .form = "run, or run:2% for that share of the time, at most 50 %",
       .about = "races candidates during the run, as 'quadrille wrap --tune' does"},
      {.name = "QUADRILLE_ADMIT",
       .reader = "drop-in",
       .words = {"0", "1", "anywhere"},
       .about = "for tests: Quadrille runs calls from the second one on, even if it is slower (1), and makes plans in any call "
                "(anywhere)",
       .is_tolerated = true},
      {.name = "QUADRILLE_PROGRESS_SECONDS",
       .reader = "command",
       .form = "a number of seconds from 0.01 to 1000000",
       .about = "the interval between lines of progress where stderr is not a terminal (else 10)",
       .accepts = is_pace},
      {.name = "QUADRILLE_RANK",
       .reader = "library, command",
       .form = "a whole number",
       .about = "set by 'quadrille run': the rank"},
      {.name = "QUADRILLE_RANKS",
       .reader = "library, command",
       .form = "a whole number",
       .about = "set by 'quadrille run': the number of ranks"},
      {.name = "QUADRILLE_HEAD",
       .reader = "library",
       .form = "a whole number",
       .about = "set by 'quadrille run': the descriptor of a file by which the ranks meet"},
      {.name = "QUADRILLE_WRAPPED",
       .reader = "drop-in",
       .form = "a whole number",
       .about = "set by 'quadrille wrap': the process that runs the program",
       .accepts = is_whole},
      {.name = "QUADRILLE_LONG", .reader = "tests", .words = {"0", "1"}, .about = "1: tests that enumerate cases take all of them"},
      {.name = "QUADRILLE_SEED",
       .reader = "tests",
       .form = "a whole number",
       .about = "the seed of random cases",
       .accepts = is_whole},
      {.name = "QUADRILLE_MUTANTS",
       .reader = "tests",
       .form = "a whole number",
       .about = "how many schedules are changed at random",
       .accepts = is_whole},
      {.name = "QUADRILLE_FUZZ",
       .reader = "tests",
       .form = "a whole number",
       .about = "how many documents are changed at random",
       .accepts = is_whole},
      {.name = "QUADRILLE_WITHOUT_MPI", .reader = "demo, check", .form = "1", .about = "neither installs nor uses an MPI library"},
      {.name = "QUADRILLE_ROOT",
       .reader = "CMake, environment modules",
       .form = "a folder",
       .about = "where the installation is; Quadrille itself does not read it"},
      {.name = "QUADRILLE_HOME", .reader = "environment modules", .form = "a folder", .about = "the same"},
      {.name = "QUADRILLE_DIR", .reader = "environment modules", .form = "a folder", .about = "the same"},
  };
  return rows;
}

const EnvironmentVariable* find_row(std::string_view name) {
  const auto row = std::find_if(table().begin(), table().end(), [&](const EnvironmentVariable& each) { return each.name == name; });
  return row == table().end() ? nullptr : &*row;
}

// Returns true if the value is one that the table knows to be wrong. An empty value counts as not set.
bool is_refused(const EnvironmentVariable& row, std::string_view value) {
  if (value.empty()) return false;
  if (!row.words.empty()) return std::find(row.words.begin(), row.words.end(), value) == row.words.end();
  return row.accepts && !row.accepts(value);
}

std::string refusal(const EnvironmentVariable& row, std::string_view value) {
  return fmt::format("{} is '{}'; it may be {}", row.name, value, values_text(row));
}

// Returns the sentences about names that are in no row.
std::vector<std::string> unknown_names() {
  std::vector<std::string> endings, sentences;  // endings are compared, because the common beginning would make all names similar
  for (const EnvironmentVariable& row : table())
    if (row.name.starts_with(prefix)) endings.emplace_back(row.name.substr(prefix.size()));
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with(prefix) || find_row(name)) continue;
    const auto guess = nearest(name.substr(prefix.size()), endings);
    sentences.push_back(fmt::format("Quadrille has no environment variable {}; {}", name,
                                    guess ? fmt::format("did you mean {}{}?", prefix, *guess)
                                          : std::string("'quadrille list environment' lists those that there are")));
  }
  std::sort(sentences.begin(), sentences.end());
  return sentences;
}

}  // namespace

std::span<const EnvironmentVariable> all_environment_variables() { return table(); }

std::string values_text(const EnvironmentVariable& variable) {
  return variable.words.empty() ? std::string(variable.form) : alternatives(variable.words);
}

std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

void empty_environment_value(const char* name) noexcept {
  if (char* const value = std::getenv(name)) std::fill_n(value, std::strlen(value), '\0');  // the environment keeps its memory
}

std::string checked_environment_value(const char* name) {
  const EnvironmentVariable* const row = find_row(name);
  QUADRILLE_ASSERT(row && !row->is_tolerated);
  std::string value = environment_value(name);
  if (is_refused(*row, value)) throw Error(ErrorCode::environment, refusal(*row, value));
  return value;
}

std::string tolerated_environment_value(const char* name) {
  const EnvironmentVariable* const row = find_row(name);
  QUADRILLE_ASSERT(row && row->is_tolerated);
  std::string value = environment_value(name);
  return is_refused(*row, value) ? std::string() : value;
}

std::string refusal_of_value(std::string_view name, std::string_view value) {
  const EnvironmentVariable* const row = find_row(name);
  QUADRILLE_ASSERT(row);
  return refusal(*row, value);
}

std::vector<std::string> environment_faults() {
  std::vector<std::string> sentences = unknown_names();
  for (const EnvironmentVariable& row : table())
    if (const std::string value = environment_value(std::string(row.name).c_str()); is_refused(row, value))
      sentences.push_back(refusal(row, value));
  return sentences;
}

void warn_once(const std::string& sentence) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(sentence).second) fmt::print(stderr, "quadrille: {}\n", sentence);
}

void warn_of_environment() {
  static const bool is_done = [] {
    if (!is_first_launched()) return true;
    for (const std::string& sentence : unknown_names()) warn_once(sentence);
    for (const EnvironmentVariable& row : table())
      if (const std::string value = environment_value(std::string(row.name).c_str()); row.is_tolerated && is_refused(row, value))
        warn_once(refusal(row, value) + "; it is ignored");
    return true;
  }();
  static_cast<void>(is_done);
}

}  // namespace quadrille
