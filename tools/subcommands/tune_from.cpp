// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/tune_from.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "foundation/arithmetic.hpp"
#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "schedule/forms/json_value.hpp"

namespace quadrille::command {
namespace {

// Returns the collective that MPI's function of this name, such as "Reduce_scatter", performs; nothing if it is none of ours.
std::optional<Collective> collective_of(std::string function) {
  if (!function.empty()) function.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(function.front())));
  for (const Collective collective : all_collectives())
    if (mpi_name(collective) == function) return collective;
  return std::nullopt;
}

constexpr double largest_size = 1e12;  // bytes; larger ones are not sizes of blocks

double number_of(const JsonValue& row, std::string_view key) {
  const auto found = row.find(key);
  return found && found->value().is_number() ? found->value().get<double>() : 0;
}

// The mean size of a block, by the row's sums; 0: unknown. Reductions are measured with numbers of 8 bytes.
Bytes mean_size(const JsonValue& row, Collective collective, Count ranks) {
  if (!moves_data(collective)) return 0;
  const bool is_by_rank = number_of(row, "sent_bytes") > 0;  // else the sum of the calls' block sizes
  double size = number_of(row, is_by_rank ? "sent_bytes" : "block_bytes") /
                std::max(number_of(row, is_by_rank ? "rank_calls" : "calls"), 1.0);
  // Of an alltoallv that is what a rank sends to all, and of a reduce_scatter with shares the whole vector.
  if (has_pair_counts(collective) || (is_irregular(collective) && !is_by_rank)) size /= static_cast<double>(ranks);
  if (!(size >= 0.5 && size <= largest_size)) return 0;
  return rounded_up(std::llround(size), is_reduction(collective) ? 8 : 1);
}

// The number of ranks that make the calls of a row; 0: unknown.
Count ranks_of(const JsonValue& report, const JsonValue& row) {
  const JsonValue communicator = row.key("communicator"), all = report.key("communicators");
  if (communicator.value().is_null()) return 0;
  const auto last = static_cast<std::int64_t>(all.size()) - 1;
  const JsonValue used = all.entry(static_cast<std::size_t>(communicator.integer("a communicator", 0, last)));
  const JsonValue ranks = used.key("ranks");
  return ranks.value().is_null() ? 0 : ranks.integer("a number of ranks");
}

// What a row of a report says about its calls.
struct Calls {
  WantedCell cell;
  Count ranks;
  double seconds;
};

// Reads the rows whose function is a collective. Throws Error{malformed} if the text is no report.
std::vector<Calls> calls_of(const std::string& text, Count ranks) {
  const nlohmann::json tree = json_tree(text);
  const JsonValue report(tree), format = report.key("format"), rows = report.key("rows");
  if (format.text() != "quadrille-report") format.expected("'quadrille-report'");
  std::vector<Calls> calls;
  rows.for_each([&](const JsonValue& row) {
    const auto collective = collective_of(row.key("collective").text());
    if (!collective) return;
    const WantedCell cell{*collective, mean_size(row, *collective, ranks)};
    calls.push_back({cell, ranks_of(report, row), number_of(row, "rank_seconds")});
  });
  return calls;
}

}  // namespace

std::vector<WantedCell> wanted_cells(const std::string& text, const std::string& file, Count ranks,
                                     std::vector<std::string>& remarks) {
  std::vector<Calls> calls;
  try {
    calls = calls_of(text, ranks);
  } catch (const Error& wrong) {
    throw Error(wrong.code(), fmt::format("{} is not a report as 'quadrille wrap --report=full:RUN' writes to RUN.json", file));
  }
  std::stable_sort(calls.begin(), calls.end(), [](const Calls& a, const Calls& b) { return a.seconds > b.seconds; });
  std::vector<WantedCell> cells;
  std::set<Count> others;
  for (const auto& [cell, made_by, seconds] : calls) {
    if (made_by != ranks) {
      if (made_by > 1) others.insert(made_by);
      continue;
    }
    if (cell.size == 0 && moves_data(cell.collective)) continue;
    const auto is_it = [cell = cell](const WantedCell& known) {
      return known.collective == cell.collective && known.size == cell.size;
    };
    if (std::none_of(cells.begin(), cells.end(), is_it)) cells.push_back(cell);
  }
  const std::string also = fmt::format("{}", fmt::join(others, ", "));
  if (cells.empty())
    throw Error(ErrorCode::misuse, others.empty() ? fmt::format("{} has no calls that can be measured", file)
                                                  : fmt::format("{} has no calls of {}; start tune with {} ranks", file,
                                                                counted(ranks, "rank"), also));
  if (!others.empty())
    remarks.push_back(fmt::format("{} also has calls of {} ranks; start tune with as many for these", file, also));
  return cells;
}

std::string text_of(const std::vector<WantedCell>& cells) {
  std::string text;
  for (const WantedCell& cell : cells) text += fmt::format("{} {}\n", static_cast<int>(cell.collective), cell.size);
  return text;
}

std::vector<WantedCell> parse_wanted(const std::string& text) {
  std::vector<WantedCell> cells;
  std::istringstream words(text);
  int collective = 0;
  Bytes size = 0;
  while (words >> collective >> size) cells.push_back({static_cast<Collective>(collective), size});
  return cells;
}

}  // namespace quadrille::command
