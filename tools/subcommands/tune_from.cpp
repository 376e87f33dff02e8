// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/tune_from.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

using nlohmann::json;

struct Named {
  std::string_view function;
  Collective collective;
};

// MPI's functions that a report counts with sizes.
constexpr Named functions[] = {{"Alltoall", Collective::alltoall},
                               {"Alltoallv", Collective::alltoallv},
                               {"Allgather", Collective::allgather},
                               {"Allgatherv", Collective::allgatherv},
                               {"Bcast", Collective::broadcast},
                               {"Reduce", Collective::reduce},
                               {"Allreduce", Collective::allreduce},
                               {"Reduce_scatter_block", Collective::reduce_scatter},
                               {"Reduce_scatter", Collective::reduce_scatterv},
                               {"Scan", Collective::scan},
                               {"Exscan", Collective::exscan},
                               {"Gather", Collective::gather},
                               {"Gatherv", Collective::gatherv},
                               {"Scatter", Collective::scatter},
                               {"Scatterv", Collective::scatterv},
                               {"Barrier", Collective::barrier}};

constexpr double largest_size = 1e12;  // bytes; larger ones are not sizes of blocks

double number_of(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? found->get<double>() : 0;
}

// The mean size of a block, by the row's sums; 0: unknown. Reductions are measured with numbers of 8 bytes.
Bytes mean_size(const json& row, Collective collective, Count ranks) {
  if (!moves_data(collective)) return 0;
  const bool is_by_rank = number_of(row, "sent_bytes") > 0;  // else the sum of the calls' block sizes
  double size = number_of(row, is_by_rank ? "sent_bytes" : "block_bytes") /
                std::max(number_of(row, is_by_rank ? "rank_calls" : "calls"), 1.0);
  // Of an alltoallv that is what a rank sends to all, and of a reduce_scatter with shares the whole vector.
  if (has_pair_counts(collective) || (is_irregular(collective) && !is_by_rank)) size /= static_cast<double>(ranks);
  if (!(size >= 0.5 && size <= largest_size)) return 0;
  const Bytes whole = std::llround(size), unit = is_reduction(collective) ? 8 : 1;
  return ceil_divide(whole, unit) * unit;
}

// The number of ranks that make the calls of a row; 0: unknown.
Count ranks_of(const json& report, const json& row) {
  const json& communicator = row.at("communicator");
  if (communicator.is_null()) return 0;
  const json& ranks = report.at("communicators").at(communicator.get<std::size_t>()).at("ranks");
  return ranks.is_null() ? 0 : ranks.get<Count>();
}

}  // namespace

std::vector<WantedCell> wanted_cells(const std::string& text, const std::string& file, Count ranks,
                                     std::vector<std::string>& remarks) {
  std::vector<WantedCell> cells;
  std::set<Count> others;
  try {
    const json report = json::parse(text);
    if (report.at("format") != "quadrille-report") throw Error(ErrorCode::malformed, fmt::format("{} is not a report", file));
    std::vector<json> rows = report.at("rows");
    std::stable_sort(rows.begin(), rows.end(), [](const json& a, const json& b) {
      return a.at("rank_seconds").get<double>() > b.at("rank_seconds").get<double>();
    });
    for (const json& row : rows) {
      const auto* const named = std::find_if(std::begin(functions), std::end(functions), [&](const Named& each) {
        return each.function == row.at("collective").get_ref<const std::string&>();
      });
      if (named == std::end(functions)) continue;
      if (const Count made_by = ranks_of(report, row); made_by != ranks) {
        if (made_by > 1) others.insert(made_by);
        continue;
      }
      const WantedCell cell{named->collective, mean_size(row, named->collective, ranks)};
      if (cell.size == 0 && moves_data(cell.collective)) continue;
      const bool is_new = std::none_of(cells.begin(), cells.end(), [&](const WantedCell& known) {
        return known.collective == cell.collective && known.size == cell.size;
      });
      if (is_new) cells.push_back(cell);
    }
  } catch (const json::exception& wrong) {
    throw Error(ErrorCode::malformed,
                fmt::format("{} is not a report as 'quadrille wrap --report=full:RUN' writes to RUN.json", file));
  }
  const std::string also = fmt::format("{}", fmt::join(others, ", "));
  if (cells.empty())
    throw Error(ErrorCode::misuse, others.empty()
                                       ? fmt::format("{} has no calls that can be measured", file)
                                       : fmt::format("{} has no calls of {} ranks; start tune with {} ranks", file, ranks, also));
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
