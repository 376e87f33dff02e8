// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/forms/document.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/regions.hpp"

namespace quadrille {

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

}  // namespace quadrille
