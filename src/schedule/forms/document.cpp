// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/forms/document.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <memory>

#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/regions.hpp"

namespace quadrille {
namespace {

bool is_letter(char character) { return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z'); }
bool is_digit(char character) { return character >= '0' && character <= '9'; }
bool is_inside_word(char character) {
  return is_letter(character) || is_digit(character) || character == '_' || character == '-' || character == '.';
}

// Returns the length of the word at the beginning of the text, or 0 if there is none.
std::size_t word_length(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return 0;
  std::size_t length = 1;
  while (length < text.size() && is_inside_word(text[length])) ++length;
  return length;
}

}  // namespace

StoredPrograms::StoredPrograms(Count ranks) : programs(index(ranks)) {
  for (Rank rank = 0; rank < ranks; ++rank) programs[index(rank)].rank = rank;
}

void store(Schedule& schedule, StoredPrograms stored, std::size_t text_bytes) {
  // If ranks do something in every stage, the text has some twenty bytes for each rank and stage. The constant allows
  // schedules of empty blocks, which have stages but no operations.
  std::size_t table_bytes = 0;
  for (const Stage& stage : stored.stages) table_bytes += sizeof(Stage) + stage.name.size();
  const std::size_t most = (std::size_t{1} << 28) + 64 * text_bytes;
  if (table_bytes > most / stored.programs.size())
    throw Error(ErrorCode::too_large, fmt::format("the document names {} stages for {}, but has almost no operations in them",
                                                  stored.stages.size(), counted(stored.programs.size(), "rank")));
  schedule.program = [shared = std::make_shared<const StoredPrograms>(std::move(stored))](Rank rank) {
    Program program = shared->programs[index(rank)];
    const auto own = shared->own_stages.find(rank);
    program.stages = own == shared->own_stages.end() ? shared->stages : own->second;
    return program;
  };
}

Round& round_numbered(Program& program, Count number) {
  if (program.rounds.empty() || program.rounds.back().number != number) program.rounds.push_back({number, {}, {}, {}, {}, {}});
  return program.rounds.back();
}

Regions flattened(const Regions& regions) {
  for (const Region& region : regions)
    if (bytes(region) > 0) hull(region);  // throws if a run would overflow
  return merged_runs(regions);
}

std::string a_collective() {
  std::vector<std::string_view> known;
  for (const Collective collective : all_collectives()) known.push_back(name(collective));
  return fmt::format("a collective ({})", fmt::join(known, ", "));
}

std::string json_string(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::malformed, fmt::format("a document cannot contain '{}', because it is not UTF-8", excerpt(text)));
  }
}

std::vector<Schedule> parse_documents(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) throw Error(ErrorCode::malformed, "the document is empty");
  if (text.substr(first).starts_with("num_ranks"))
    throw Error(ErrorCode::malformed,
                "this is GOAL, which does not say which bytes messages carry, so it cannot be read as a schedule of a collective");
  return text[first] == '{' || text[first] == '[' ? parse_json(text) : parse_text(text);
}

bool is_word(std::string_view text) { return !text.empty() && word_length(text) == text.size(); }

TextLine::TextLine(std::string_view text, Count number) : rest_(text), number_(number) {
  if (rest_.ends_with('\r')) rest_.remove_suffix(1);
}

TextLine TextLine::after_the_last(Count number) {
  TextLine line({}, number);
  line.is_after_the_last_ = true;
  return line;
}

void TextLine::skip_blanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  if (rest_.starts_with('#')) rest_ = {};
}

bool TextLine::at_end() {
  skip_blanks();
  return rest_.empty();
}

bool TextLine::begins_with(std::string_view mark) {
  skip_blanks();
  if (!rest_.starts_with(mark)) return false;
  return !is_inside_word(mark.back()) || rest_.size() == mark.size() || !is_inside_word(rest_[mark.size()]);
}

bool TextLine::accept(std::string_view mark) {
  const bool next = begins_with(mark);
  if (next) rest_.remove_prefix(mark.size());
  return next;
}

void TextLine::require(std::string_view mark) {
  if (!accept(mark)) expected(fmt::format("'{}'", mark));
}

void TextLine::require_end() {
  if (!at_end()) expected("the end of the line");
}

std::string_view TextLine::word(std::string_view what) {
  skip_blanks();
  const std::size_t length = word_length(rest_);
  if (length == 0) expected(what);
  const std::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

bool TextLine::has_string() {
  skip_blanks();
  return word_length(rest_) > 0 || rest_.starts_with('"');
}

std::string TextLine::string(std::string_view what) {
  if (!has_string()) expected(what);
  return rest_.starts_with('"') ? quoted_string() : std::string(word(what));
}

std::string TextLine::quoted_string() {
  std::size_t end = 1;
  while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
  if (end >= rest_.size()) expected("a closing quote");
  try {
    const std::string text = nlohmann::json::parse(rest_.substr(0, end + 1)).get<std::string>();
    rest_.remove_prefix(end + 1);
    return text;
  } catch (const nlohmann::json::exception&) {
    expected("a string in JSON notation");
  }
}

std::int64_t TextLine::integer(std::string_view what, std::int64_t least, std::int64_t most) {
  skip_blanks();
  const bool plus = rest_.size() > 1 && rest_[0] == '+' && is_digit(rest_[1]);
  const char* first = rest_.data() + (plus ? 1 : 0);
  const char* last = rest_.data() + rest_.size();
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(first, last, number);
  const bool cut = end == last || !is_inside_word(*end);  // "8.5" and "8B" are not integers
  if (status != std::errc{} || !cut || number < least || number > most) {
    if (most < std::numeric_limits<std::int64_t>::max()) expected(fmt::format("{} in {}..{}", what, least, most));
    if (least > std::numeric_limits<std::int64_t>::min()) expected(fmt::format("{} in {}..2^63-1", what, least));
    expected(fmt::format("{}, a 64-bit integer", what));
  }
  rest_.remove_prefix(index(end - rest_.data()));
  return number;
}

void TextLine::refuse(std::string_view sentence) const {
  throw Error(ErrorCode::malformed, fmt::format("line {}: {}", number_, sentence));
}

void TextLine::expected(std::string_view wanted) {
  if (at_end()) refuse(fmt::format("expected {}, found the end of the {}", wanted, is_after_the_last_ ? "text" : "line"));
  refuse(fmt::format("expected {}, found '{}'", wanted, excerpt(rest_)));
}

}  // namespace quadrille
