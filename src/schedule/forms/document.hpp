// SPDX-License-Identifier: BSD-3-Clause
// Code that the readers and writers of the two forms of a schedule share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/document.hpp"

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

// Returns a JSON string with its quotes. Throws Error{malformed} if `text` is not UTF-8.
std::string json_string(std::string_view text);

}  // namespace quadrille
