// SPDX-License-Identifier: BSD-3-Clause
// Code that the readers and writers of the two forms of a schedule share, and the lines of the text form.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/document.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

inline constexpr std::string_view json_format = "quadrille-schedule/1";
inline constexpr std::string_view text_format = "quadrille-schedule-text/1";

std::vector<Schedule> parse_json(std::string_view text);
std::vector<Schedule> parse_text(std::string_view text);

// The programs of a file, without their stages. The stage table is stored once, because p copies of it could be much
// larger than the text. A program gets its stages when a caller asks for it.
struct StoredPrograms {
  std::vector<Stage> stages;
  std::map<Rank, std::vector<Stage>> own_stages;  // of ranks whose table differs
  std::vector<Program> programs;

  explicit StoredPrograms(Count ranks = 0);
};

// Makes `schedule` take its programs from `stored`, which was read from a text of `text_bytes` bytes. Throws
// Error{too_large} if all programs together would have far more stages than a text of that length can describe.
void store(Schedule& schedule, StoredPrograms stored, std::size_t text_bytes);

// Returns the round to which operations of round `number` are added: the program's last round, or a new one.
Round& round_numbered(Program& program, Count number);

// Returns the regions as contiguous runs, without empty ones and with adjacent ones merged. Throws Error{misuse,
// too_large} like `bytes` and `hull`.
Regions flattened(const Regions& regions);

// What errors call a value that is missing or wrong.
inline constexpr std::string_view a_size = "a number of bytes";
std::string a_collective();  // with the list of all collectives

// Returns a JSON string with its quotes. Throws Error{malformed} if `text` is not UTF-8.
std::string json_string(std::string_view text);

// Is this a word, which needs no quotes? It consists of letters, digits, `_`, `-` and `.`, and begins with a letter.
bool is_word(std::string_view text);

// Parses one line of the text form from left to right. Every failure is an Error{malformed} with the line number,
// what was expected and what was found.
class TextLine {
 public:
  TextLine() = default;
  TextLine(std::string_view text, Count number);
  static TextLine after_the_last(Count number);  // stands for the end of the text

  Count number() const { return number_; }
  bool at_end();                            // is only blank space or a comment left?
  bool begins_with(std::string_view mark);  // if the mark ends in a letter or digit, the word must end there, too
  bool accept(std::string_view mark);       // skips the mark if it is next; returns whether it was
  void require(std::string_view mark);      // skips the mark; throws if it is not next
  void require_end();

  std::string_view word(std::string_view what);
  std::string string(std::string_view what);  // a word, or a JSON string in quotes
  bool has_string();                          // is a word or a quote next?
  std::int64_t integer(std::string_view what, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());

  [[noreturn]] void expected(std::string_view wanted);  // "line 3: expected <wanted>, found '<rest of the line>'"
  [[noreturn]] void refuse(std::string_view sentence) const;

 private:
  void skip_blanks();
  std::string quoted_string();

  std::string_view rest_;
  Count number_ = 0;
  bool is_after_the_last_ = false;
};

}  // namespace quadrille
