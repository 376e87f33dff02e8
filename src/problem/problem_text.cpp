// SPDX-License-Identifier: BSD-3-Clause
#include "problem/problem_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Collective each : all_collectives()) names.emplace_back(name(each));
  return names;
}

// Returns the function's name as in mpi_name: in small letters. Leaves out everything up to the last '.' or ':' (q.bcast), "MPI_"
// or "PMPI_", and the endings "_init" and "_c".
std::string plain(std::string_view function) {
  std::string word(function.substr(function.find_last_of(".:") + 1));  // npos + 1 is 0
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view mark : {"pmpi_", "mpi_"})
    if (word.starts_with(mark)) word.erase(0, mark.size());
  for (const std::string_view mark : {"_c", "_init"})
    if (word.ends_with(mark)) word.erase(word.size() - mark.size());
  return word;
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }

// The units of the GNU tools: K is 1024, KB is 1000.
constexpr std::pair<std::string_view, Bytes> units[] = {{"", 1},
                                                        {"B", 1},
                                                        {"K", Bytes{1} << 10},
                                                        {"KiB", Bytes{1} << 10},
                                                        {"M", Bytes{1} << 20},
                                                        {"MiB", Bytes{1} << 20},
                                                        {"G", Bytes{1} << 30},
                                                        {"GiB", Bytes{1} << 30},
                                                        {"T", Bytes{1} << 40},
                                                        {"TiB", Bytes{1} << 40},
                                                        {"kB", 1'000},
                                                        {"KB", 1'000},
                                                        {"MB", 1'000'000},
                                                        {"GB", 1'000'000'000},
                                                        {"TB", 1'000'000'000'000}};

// Returns the bytes of 0.`digits` units, or nothing if that is not a whole number.
std::optional<Bytes> part_of(std::string_view digits, Bytes unit) {
  Bytes bytes = 0;
  for (; !digits.empty(); digits.remove_suffix(1)) {  // from the last digit on; every intermediate value must be whole, too
    bytes += unit * (digits.back() - '0');
    if (bytes % 10 != 0) return std::nullopt;
    bytes /= 10;
  }
  return bytes;
}

// Returns "did you mean 64K?", or the list of all units.
std::string unit_hint(std::string_view number, std::string_view unit) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const auto& [known, bytes] : units)
    if (std::equal(known.begin(), known.end(), unit.begin(), unit.end(), same))
      return fmt::format("did you mean {}{}?", number, known);
  return "units are B, KiB or K, MiB or M, GiB or G, TiB or T, kB or KB, MB, GB and TB";
}

}  // namespace

std::vector<Bytes> sizes_of(const Problem& problem) {
  if (!moves_data(problem.collective)) return {};
  if (!is_irregular(problem.collective)) return {problem.block_bytes};
  if (problem.counts) {
    const auto [least, most] = std::minmax_element(problem.counts->begin(), problem.counts->end());
    return {*least, *most};
  }
  Bytes least = std::numeric_limits<Bytes>::max();
  for (Rank from = 0; from < problem.ranks && least > 0; ++from) {
    const std::vector<Bytes> row = Traffic(problem).row(from);
    least = std::min(least, *std::min_element(row.begin(), row.end()));
  }
  return {least, Traffic(problem).longest()};
}

std::string block_text(const Problem& problem) {
  std::vector<std::string> texts;
  for (const Bytes size : sizes_of(problem)) texts.push_back(bytes_text(size));
  return texts.empty() ? "–" : fmt::format("{}", fmt::join(texts, ".."));
}

std::string problem_text(const Problem& problem) {
  std::string text = counted(problem.ranks, "rank");
  if (moves_data(problem.collective))
    text += fmt::format(", {} a {}", block_text(problem), is_irregular(problem.collective) ? "share" : "block");
  if (is_rooted(problem.collective)) text += fmt::format(", root {}", problem.root);
  return text;
}

std::string collective_text(const Problem& problem) {
  return fmt::format("{} among {}", name(problem.collective), problem_text(problem));
}

std::vector<Bytes> all_counts(const Problem& problem) {
  if (problem.counts) return *problem.counts;
  std::vector<Bytes> counts;
  for (Rank from = 0; from < problem.ranks; ++from) {
    const std::vector<Bytes> row = Traffic(problem).row(from);
    counts.insert(counts.end(), row.begin(), row.end());
  }
  return counts;
}

std::optional<Collective> collective_of_mpi(std::string_view function) {
  const std::string word = plain(function);
  for (const Collective each : all_collectives())
    if (word == mpi_name(each) || word == 'i' + mpi_name(each)) return each;
  return std::nullopt;
}

std::optional<std::string> nearest_collective(std::string_view word) {
  if (const auto collective = collective_of_mpi(word)) return std::string(name(*collective));
  return nearest(plain(word), all_names());
}

std::string unknown_collective(std::string_view word, std::string_view what) {
  const auto guess = nearest_collective(word);
  return fmt::format(
      "there is no {} '{}'; {}", what, word,
      guess ? fmt::format("did you mean '{}'?", *guess) : fmt::format("there are: {}", fmt::join(all_names(), ", ")));
}

Bytes parse_size(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  if (text.starts_with('-')) refuse(fmt::format("the size '{}' is negative; sizes are 0 or more", text));
  const std::size_t whole = std::min(text.find_first_not_of(digits), text.size());
  const bool has_point = whole + 1 < text.size() && text[whole] == '.' && digits.find(text[whole + 1]) != std::string_view::npos;
  const std::size_t end = has_point ? std::min(text.find_first_not_of(digits, whole + 1), text.size()) : whole;
  if (whole == 0) refuse(fmt::format("'{}' is not a size; write a number of bytes, or one with a unit, such as 64KiB", text));
  const std::string_view unit = text.substr(end);
  const auto* const entry =
      std::find_if(std::begin(units), std::end(units), [&](const auto& known) { return known.first == unit; });
  if (entry == std::end(units))
    refuse(fmt::format("the size '{}' has an unknown unit '{}'; {}", text, unit, unit_hint(text.substr(0, end), unit)));
  const std::string_view fraction = has_point ? text.substr(whole + 1, end - whole - 1) : std::string_view();
  const auto part = part_of(fraction, entry->second);
  if (!part) refuse(fmt::format("the size '{}' is not a whole number of bytes", text));
  Bytes number = 0;
  const auto status = std::from_chars(text.data(), text.data() + whole, number).ec;
  const auto whole_bytes = checked_product(number, entry->second),
             size = whole_bytes ? checked_sum(*whole_bytes, *part) : std::nullopt;
  if (status != std::errc{} || !size) refuse(fmt::format("the size '{}' reaches 2^63 bytes; make it smaller", text));
  return *size;
}

}  // namespace quadrille
