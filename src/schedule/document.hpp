// SPDX-License-Identifier: BSD-3-Clause
// What the readers and writers of the two document forms share.
#pragma once

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/document.hpp"

namespace quadrille {

inline constexpr std::string_view json_format = "quadrille-schedule/1";
inline constexpr std::string_view text_format = "quadrille-schedule-text/1";

std::vector<Schedule> parse_json(std::string_view text);
std::vector<Schedule> parse_text(std::string_view text);

// The programs of a document, without their stages: p copies of the stage table would outgrow the text, so it is kept
// once and given to a program when that is asked for.
struct StoredPrograms {
  std::vector<Stage> stages;
  std::map<Rank, std::vector<Stage>> own_stages;  // of ranks whose table differs
  std::vector<Program> programs;

  explicit StoredPrograms(Count ranks = 0);
};

// Lets the schedule make its programs from `stored`, which came from a text of `text_bytes` bytes.
// Throws Error{too_large} if all programs together would hold far more stages than such a text speaks of.
void store(Schedule& schedule, StoredPrograms stored, std::size_t text_bytes);

// The round that operations of `number` go to: the program's last one, or a new one.
Round& round_numbered(Program& program, Count number);

// The regions as contiguous runs, empty ones left out and adjacent ones merged.
// Throws Error{misuse, too_large} like `bytes` and `hull`.
Regions flattened(const Regions& regions);

// A piece of a document as an error message may hold it: printable, and not longer than `most` characters.
std::string excerpt(std::string_view text, std::size_t most = 40);

// A JSON string, quotes included. Throws Error{malformed} if `text` is not UTF-8.
std::string json_string(std::string_view text);

// Formats to a stream in large pieces.
class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(fmt::appender(buffer_), format, std::forward<Arguments>(arguments)...);
    if (buffer_.size() > (std::size_t{1} << 16)) flush();
  }

  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

 private:
  std::ostream& out_;
  fmt::memory_buffer buffer_;
};

}  // namespace quadrille
