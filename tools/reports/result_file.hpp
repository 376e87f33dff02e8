// SPDX-License-Identifier: BSD-3-Clause
// Reads results that the command itself has written as JSON, for comparing and drawing: races, simulations and prices. Each error
// is one sentence that says what is wrong with the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/race.hpp"
#include "support/text.hpp"

namespace quadrille::command {

// Throws Error{malformed} if `holds` is false. `what` is what is wrong: "it has no sizes".
void demand(bool holds, const char* what);

// Throws Error{malformed}: "'a.json' is not a result of 'quadrille race --json' of this version: key 'sizes' not found".
[[noreturn]] void refuse_result(const std::string& file, std::string_view commands, const std::string& reason);

// Returns what is wrong with a JSON document, without the library's own numbers.
std::string reason_of(const Json::exception& error);

// Returns the result of `read`, whose errors become those of refuse_result. `commands`: what writes such files: "'quadrille race
// --json'".
template <class Read>
auto read_result(const std::string& file, std::string_view commands, Read&& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    refuse_result(file, commands, reason_of(error));
  } catch (const Error& error) {
    refuse_result(file, commands, error.what());
  }
}

// What `quadrille race --json` wrote.
struct RaceFileEntry {
  std::string algorithm;             // the algorithm with all parameters
  std::vector<std::string> same_as;  // further algorithms with the same steps
  std::string short_name, policy, executor;
  std::vector<std::string> same_as_short_names;
  int buffers = 2;
  bool keep_step = false;
  bool is_vendor = false;
  bool checked = false;               // was the entry's data right?
  std::vector<double> repetitions_s;  // the time of each repetition
  Spread seconds;
  std::optional<Spread> ratio, to_best;

  std::string settings() const;  // "dataflow/1, in step"; empty for the vendor's
};

struct RaceFileSize {
  Bytes bytes = 0;   // size of a block; for irregular collectives the largest count
  std::string text;  // "8 B", "0 B..64 KiB"
  Json counts;       // null if all ranks have the same size
  Rank root = 0;
  bool reproducible = false;
  std::string conclusion;
  std::optional<std::size_t> best;  // index of the best entry
  std::vector<RaceFileEntry> entries;
};

struct RaceFile {
  std::string file;
  std::string origin;         // what the times are: "last rank's end minus .."
  bool is_predicted = false;  // did a model predict the times?
  std::string collective, transport, memory, operation, type;
  std::string machine, version;
  Count ranks = 0, nodes = 1;
  bool cold = false;
  std::vector<RaceFileSize> sizes;
};

// Converts the JSON object of a race. Throws Error{malformed} with a sentence that names `file` if it is not the result of a race.
RaceFile race_file_of(const Json& json, const std::string& file);

RaceFile read_race_file(const std::string& file);

// Stores the counts of an irregular problem in `size`, and the bytes and the text that follow from them.
void take_counts(RaceFileSize& size, const Json& counts);

// Returns the JSON of a file, or of stdin for "-". Throws Error{malformed} if the file is not JSON.
Json read_json(const std::string& file);

// Returns true if the JSON is one simulation or price, as `quadrille simulate --json` and `quadrille price --json` write them, or
// an array of them.
bool is_predicted(const Json& json);

// Returns predicted times like those of races, one for each number of ranks. They have no intervals. A price is that of the best
// policy. Throws Error{malformed} with a sentence that names `file`.
std::vector<RaceFile> predicted_files_of(const Json& json, const std::string& file);

}  // namespace quadrille::command
