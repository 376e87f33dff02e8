// SPDX-License-Identifier: BSD-3-Clause
// Reads the JSON form (docs/schedule-format.md). An error with its place is thrown only for content that cannot be
// stored in programs. The verifier decides whether the programs are correct. Unknown keys are skipped.
//
// Memory: `buffers` must have an entry for each rank. This is checked before anything is allocated for each rank, so a
// large number of ranks alone cannot take memory.
#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/forms/document.hpp"
#include "schedule/forms/json_head.hpp"
#include "schedule/forms/json_value.hpp"

namespace quadrille {
namespace {

constexpr std::string_view json_read_a_size = "a number of bytes";

// Appends the region unless it is empty.
void read_region(const JsonValue& value, Regions& regions) {
  const Region region = read_json_region(value);
  if (region.length > 0) regions.push_back(region);
}

Regions read_regions(const JsonValue& list) {
  Regions regions;
  list.for_each([&](const JsonValue& region) { read_region(region, regions); });
  return regions;
}

// Reads the source or target of a local operation: one region, or a list of regions.
Regions read_side(const JsonValue& side) {
  if (side.size("a region or a list of regions") == 0 || side.entry(0).is_array()) return read_regions(side);
  Regions regions;
  read_region(side, regions);
  return regions;
}

OperandOrder read_order(const JsonValue& order) {
  const std::string& word = order.text("'source-first' or 'target-first'");
  if (word == "source-first") return OperandOrder::source_first;
  if (word == "target-first") return OperandOrder::target_first;
  order.expected("'source-first' or 'target-first'");
}

std::optional<Port> read_port(const JsonValue& message) {
  const auto port = message.find("port");
  if (!port) return std::nullopt;
  if (port->size("a port, [dimension, +1 or -1]") != 2) port->expected("a port, [dimension, +1 or -1]");
  const auto dimension = port->entry(0).integer("a dimension", 0, std::numeric_limits<int>::max());
  const JsonValue sign = port->entry(1);
  const auto direction = sign.integer("a direction");
  if (direction != 1 && direction != -1) sign.expected("+1 or -1");
  return Port{static_cast<int>(dimension), static_cast<int>(direction)};
}

// Reads a round into the programs of ranks 0 .. p-1.
class RoundReader {
 public:
  RoundReader(std::vector<Program>& programs, Count number) : programs_(programs), number_(number) {}

  void read(const JsonValue& round) {
    if (const auto locals = round.find("local")) locals->for_each([this](const JsonValue& local) { read_local(local); });
    if (const auto messages = round.find("messages"))
      messages->for_each([this](const JsonValue& message) { read_message(message); });
    if (const auto control = round.find("control")) control->for_each([this](const JsonValue& entry) { read_control(entry); });
  }

 private:
  Rank read_rank(const JsonValue& rank) const { return rank.integer("a rank", 0, size(programs_) - 1); }
  Round& round_of(Rank rank) { return round_numbered(programs_[index(rank)], number_); }

  void read_local(const JsonValue& local) {
    const Rank rank = read_rank(local.key("rank"));
    const auto copy = local.find("copy");
    const auto reduce = local.find("reduce");
    if (copy.has_value() == reduce.has_value()) local.refuse("expected either 'copy' or 'reduce'");
    const JsonValue& sides = copy ? *copy : *reduce;
    if (sides.size() != 2) sides.expected("a source and a target");
    Local read{copy ? LocalKind::copy : LocalKind::reduce, {}, read_side(sides.entry(0)), read_side(sides.entry(1))};
    if (reduce) read.order = read_order(local.key("order"));
    if (!read.source.empty() || !read.target.empty()) round_of(rank).locals.push_back(std::move(read));
  }

  void read_message(const JsonValue& message) {
    const Rank from = read_rank(message.key("from"));
    const Rank to = read_rank(message.key("to"));
    const auto port = read_port(message);
    Regions read = read_regions(message.key("read"));
    Regions write = read_regions(message.key("write"));
    if (read.empty() && write.empty()) return;
    round_of(from).sends.push_back({to, std::move(read), port});
    round_of(to).receives.push_back({from, std::move(write), port});
  }

  void read_control(const JsonValue& control) {
    const Rank from = read_rank(control.key("from"));
    const Rank to = read_rank(control.key("to"));
    const Bytes size = control.key("bytes").integer(json_read_a_size, 0);
    round_of(from).control_sends.push_back({to, size});
    round_of(to).control_receives.push_back({from, size});
  }

  std::vector<Program>& programs_;
  Count number_;
};

// Reads the sizes of a buffer. Returns an empty list if they are the sizes that the problem defines.
std::vector<Bytes> read_stated_sizes(const JsonValue& list, const Problem& problem, Bytes (*defined)(const Problem&, Rank)) {
  std::vector<Bytes> sizes = read_json_sizes(list, problem.ranks);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    if (sizes[index(rank)] != defined(problem, rank)) return sizes;
  return {};
}

Schedule read_schedule(const JsonValue& document, std::size_t text_bytes) {
  const JsonValue format = document.key("format");
  if (format.text() != json_format) format.expected(fmt::format("'{}'", json_format));

  Schedule schedule;
  JsonHead head = read_json_head(document);
  schedule.problem = std::move(head.problem);
  schedule.algorithm = std::move(head.algorithm);
  schedule.parameters = std::move(head.parameters);
  const Count ranks = schedule.problem.ranks;

  const JsonValue buffers = document.key("buffers");
  schedule.stated_input_bytes = read_stated_sizes(buffers.key("input"), schedule.problem, input_bytes);
  schedule.stated_output_bytes = read_stated_sizes(buffers.key("output"), schedule.problem, output_bytes);
  const auto scratch = buffers.find("scratch");
  const std::vector<Bytes> scratch_bytes = scratch ? read_json_sizes(*scratch, ranks) : std::vector<Bytes>(index(ranks));

  StoredPrograms stored(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) stored.programs[index(rank)].scratch_bytes = scratch_bytes[index(rank)];
  Count next_round = 0;
  document.key("stages").for_each([&](const JsonValue& stage) {
    const Count first = next_round;
    stage.key("rounds").for_each([&](const JsonValue& round) { RoundReader(stored.programs, next_round++).read(round); });
    stored.stages.push_back({stage.key("name").text(), first, next_round - first});
  });
  store(schedule, std::move(stored), text_bytes);
  return schedule;
}

}  // namespace

std::vector<Schedule> parse_json(std::string_view text) {
  return read_json_documents(text, "schedule", [&](const JsonValue& document) { return read_schedule(document, text.size()); });
}

}  // namespace quadrille
