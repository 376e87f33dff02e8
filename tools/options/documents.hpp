// SPDX-License-Identifier: BSD-3-Clause
// Files that the command reads: their text, the schedules and traces in them, and the kind of a file that the command wrote.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options/option_table.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/trace.hpp"

namespace quadrille::command {

// Returns the whole text of a file, without byte order marks. "-" is stdin, which can be read once. `label` is the file's name in
// errors. Throws Error if the file is empty, is not text or cannot be read.
std::string read_text(const std::string& file, const std::string& label);
using ReadText = std::function<std::string(const std::string& file, const std::string& label)>;

// Returns the name of a file for messages: "'mine.json'", or "stdin" for "-".
std::string label_of(const std::string& file);

// Checks a subject that is not the name of a collective and must therefore be a file. Throws Error{misuse} if no such file exists
// and the word is probably a misspelt collective. Also throws if options describe the problem (`about_problem`) or name an
// algorithm (`about_algorithm`), because a file states both itself.
void check_names_file(const std::string& subject, bool about_problem, bool about_algorithm = false);

// Reads the schedules of a file, as JSON or text; "-" is stdin. Throws Error with a sentence that names the file.
std::vector<Schedule> read_schedules(const std::string& file, const ReadText& read = read_text);

// Reads the traces of a text. Throws Error{malformed} with a sentence that begins with `label`.
std::vector<Trace> read_traces(const std::string& text, const std::string& label);

// The kinds of files that the command writes.
enum class DocumentKind : std::uint8_t {
  schedule,    // a schedule as JSON or text; also any text of unknown kind
  trace,       // quadrille trace
  race,        // quadrille race --json
  tuning,      // quadrille tune --json
  report,      // quadrille report --json
  prediction,  // quadrille simulate --json, quadrille price --json
};

// Returns the kind of the text's document, or of the first one of an array. `label` names the file in errors. Throws
// Error{malformed} for a trace or a report of another version; the sentence says what to do.
DocumentKind kind_of_document(const std::string& text, const std::string& label);

// The option --only, which picks traces or schedules of a file that holds several. `view` and `trace` share it.
struct OnlyOption {
  std::vector<std::string> words;  // each a number, from 1 on, or a part of a title

  OptionRow row();

  // Returns the elements of `all` that the words name, in the order of the words; without words, all elements. `title` returns
  // the title of an element; `label` names the file in errors. Throws Error{misuse} with the titles if a word names no element or
  // several.
  template <class Thing, class Title>
  std::vector<Thing> picked(std::vector<Thing> all, Title&& title, const std::string& label) const {
    if (words.empty()) return all;
    std::vector<std::string> titles;
    for (const Thing& thing : all) titles.push_back(title(thing));
    std::vector<Thing> list;
    for (const std::size_t i : places_in(titles, label)) list.push_back(all[i]);
    return list;
  }

 private:
  std::vector<std::size_t> places_in(const std::vector<std::string>& titles, const std::string& label) const;
};

// Returns "1: alltoall, bruck; 2: alltoall, direct", for errors.
std::string numbered(const std::vector<std::string>& titles);

}  // namespace quadrille::command
