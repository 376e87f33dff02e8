// SPDX-License-Identifier: BSD-3-Clause
// Reads traces (docs/trace-format.md). An error with its place is thrown for content that a trace cannot hold: tables that differ
// from what the document states, ranks, messages or links that do not exist, byte counts that differ from those of the regions,
// and times that end before they begin or after the last rank has ended. Unknown keys are skipped. c1, c2 and `rounds` are skipped,
// too, because they follow from the messages; only the sentences of the rounds (`says`) are read.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/trace.hpp"
#include "schedule/forms/json.hpp"
#include "trace/trace_format.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// A table whose columns all have the same number of rows: that of its first column, or a given number.
class Table {
 public:
  explicit Table(const JsonValue& table, std::optional<std::size_t> rows = {}) : table_(table), rows_(rows) {}

  std::size_t rows() const { return rows_.value_or(0); }

  // Throws if a value is not in least .. most.
  Column column(std::string_view name, std::int64_t least, std::int64_t most_value) {
    return read(table_.key(name), name, least, most_value);
  }
  // Returns `usual` in each row if there is no such column.
  Column column_or(std::string_view name, std::int64_t usual, std::int64_t least, std::int64_t most_value) {
    if (const auto column = table_.find(name)) return read(*column, name, least, most_value);
    return Column(rows(), usual);
  }
  JsonValue key(std::string_view name) const& { return table_.key(name); }
  std::optional<JsonValue> find(std::string_view name) const& { return table_.find(name); }

 private:
  Column read(const JsonValue& column, std::string_view name, std::int64_t least, std::int64_t most_value) {
    Column values = rows_ ? read_column(column, *rows_) : read_column(column);
    rows_ = values.size();
    for (const std::int64_t value : values)
      if (value < least || value > most_value)
        column.refuse(fmt::format("expected values of {} from {} to {}, found {}", name, least, most_value, value));
    return values;
  }

  const JsonValue& table_;
  std::optional<std::size_t> rows_;
};

std::string text_of(const JsonValue& object, std::string_view name) {
  const auto text = object.find(name);
  return text ? text->text() : "";
}

template <class Enum>
Enum named(const JsonValue& word, Enum last) {
  std::string known;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    if (name(value) == word.text()) return value;
    known += fmt::format("{}'{}'", i == 0 ? "" : ", ", name(value));
  }
  word.expected(fmt::format("one of {}", known));
}

// Checks that the regions of a row have this many bytes.
void check_bytes(const JsonValue& table, std::string_view name, std::size_t row, const Regions& regions, Bytes expected) {
  std::optional<Bytes> found;
  try {
    found = bytes(regions);
  } catch (const Error&) {  // 2^63 or more
  }
  if (found == expected) return;
  table.key(name).refuse(fmt::format("expected regions of {} bytes in row {}, found {}", expected, row,
                                     found ? std::to_string(*found) : "2^63 or more"));
}

// Reads the regions of each row of a table.
std::vector<Regions> read_regions(const JsonValue& value, std::size_t rows) {
  const Column counts = read_column(value.key("regions"), rows);
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    if (count < 0 || count > most_rows - total) value.refuse("expected a number of regions of each row");
    total += count;
  }
  Table table(value, index(total));
  const Column buffers = table.column("buffer", 0, 2), offsets = table.column("offset", -most, most),
               lengths = table.column("length", 0, most);
  std::vector<Region> regions(index(total));
  for (std::size_t i = 0; i < regions.size(); ++i) regions[i] = {static_cast<Buffer>(buffers[i]), offsets[i], lengths[i], {}};
  for (std::size_t level = 0; level < level_names.size(); ++level) {
    const Column level_counts = table.column_or(level_names[level].count, 1, 0, most),
                 strides = table.column_or(level_names[level].stride, 0, -most, most);
    for (std::size_t i = 0; i < regions.size(); ++i) regions[i].levels[level] = {level_counts[i], strides[i]};
  }
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (run_count(regions[i]) > most_rows)
      value.refuse(fmt::format("expected at most {} runs in a region; region {} has more", most_rows, i));
  std::vector<Regions> lists;
  auto next = regions.begin();
  for (const std::int64_t count : counts) {
    lists.emplace_back(next, next + count);
    next += count;
  }
  return lists;
}

class TraceReader {
 public:
  explicit TraceReader(const JsonValue& document) : document_(document) {}

  Trace read() {
    const JsonValue format = document_.key("format");
    if (format.text() != trace_format) format.expected(fmt::format("'{}'", trace_format));
    JsonHead head = read_json_head(document_);
    trace_.title = document_.key("title").text();
    trace_.problem = std::move(head.problem);
    trace_.algorithm = std::move(head.algorithm);
    trace_.parameters = std::move(head.parameters);
    read_buffers(document_.key("buffers"));
    document_.key("stages").for_each([&](const JsonValue& stage) {
      trace_.stages.push_back({stage.key("name").text(), stage.key("first_round").integer("a round", 0),
                               stage.key("round_count").integer("a number of rounds", 0)});
    });
    if (const auto rounds = document_.find("rounds")) read_says(*rounds);
    read_messages(document_.key("messages"));
    if (const auto locals = document_.find("local")) read_locals(*locals);
    if (const auto network = document_.find("network")) read_network(*network);
    if (const auto figures = document_.find("figures")) read_bounds(*figures);
    document_.key("times").for_each([&](const JsonValue& time) { read_time(time); });
    if (const auto findings = document_.find("findings"))
      findings->for_each([&](const JsonValue& finding) { read_finding(finding); });
    return std::move(trace_);
  }

 private:
  std::int64_t last_rank() const { return trace_.problem.ranks - 1; }

  void read_buffers(const JsonValue& buffers) {
    Table table(buffers, index(trace_.problem.ranks));
    trace_.input_bytes = table.column("input", 0, most);
    trace_.output_bytes = table.column("output", 0, most);
    trace_.scratch_bytes = table.column("scratch", 0, most);
  }

  void read_says(const JsonValue& rounds) {
    const auto says = rounds.find("says");
    if (!says) return;
    const Column numbers = Table(rounds).column("number", 0, most - 1);
    auto number = numbers.begin();
    says->for_each([&](const JsonValue& sentence) {
      if (number == numbers.end()) says->refuse("expected a sentence for each round, found more");
      trace_.says[*number++] = sentence.text();
    });
  }

  // The rank of an end that is missing may be any number, because wrong schedules name ranks that do not exist.
  void read_messages(const JsonValue& value) {
    Table table(value);
    const Column rounds = table.column("round", 0, most - 1), senders = table.column("from", -most, most),
                 receivers = table.column("to", -most, most), sizes = table.column("bytes", 0, most),
                 controls = table.column_or("control", 0, 0, 1), ends = table.column_or("ends", 0, 0, 2),
                 dimensions = table.column_or("port_dimension", -1, -1, std::numeric_limits<int>::max()),
                 directions = table.column_or("port_direction", 0, -1, 1), places = table.column_or("receive_place", 0, 0, most);
    std::vector<Regions> read = read_regions(table, "read"), write = read_regions(table, "write");
    for (std::size_t i = 0; i < table.rows(); ++i) {
      TracedMessage& message = trace_.messages.emplace_back();
      message = {rounds[i], senders[i], receivers[i], sizes[i], controls[i] == 1, static_cast<MessageEnds>(ends[i])};
      if (message.ends != MessageEnds::receiver_only) check_rank(value.key("from"), i, message.from);
      if (message.ends != MessageEnds::sender_only) check_rank(value.key("to"), i, message.to);
      if (dimensions[i] >= 0) message.port = {static_cast<int>(dimensions[i]), static_cast<int>(directions[i])};
      message.receive_place = places[i];
      message.read = std::move(read[i]);
      message.write = std::move(write[i]);
      if (message.is_control) continue;
      if (message.ends == MessageEnds::receiver_only)
        check_bytes(value, "write", i, message.write, message.bytes);
      else
        check_bytes(value, "read", i, message.read, message.bytes);
    }
  }

  void check_rank(const JsonValue& column, std::size_t message, Rank rank) const {
    if (rank < 0 || rank > last_rank())
      column.refuse(fmt::format("expected ranks from 0 to {}; message {} has {}", last_rank(), message, rank));
  }

  void read_locals(const JsonValue& value) {
    Table table(value);
    const Column rounds = table.column("round", 0, most - 1), ranks = table.column("rank", 0, last_rank()),
                 operations = table.column("operation", 0, 2), sizes = table.column("bytes", 0, most);
    std::vector<Regions> sources = read_regions(table, "source"), targets = read_regions(table, "target");
    for (std::size_t i = 0; i < table.rows(); ++i) {
      check_bytes(value, "source", i, sources[i], sizes[i]);
      const Local local{operations[i] == 0 ? LocalKind::copy : LocalKind::reduce,
                        operations[i] == 2 ? OperandOrder::target_first : OperandOrder::source_first, std::move(sources[i]),
                        std::move(targets[i])};
      trace_.locals.push_back({rounds[i], ranks[i], local});
    }
  }

  static std::vector<Regions> read_regions(const Table& table, std::string_view name) {
    const JsonValue regions = table.key(name);
    return quadrille::read_regions(regions, table.rows());
  }

  void read_network(const JsonValue& value) {
    TracedNetwork& network = trace_.network.emplace();
    network.topology = value.key("topology").text();
    if (const auto grid = value.find("grid")) {
      network.grid = read_column(*grid);
      for (const Count side : network.grid)
        if (side < 1) grid->refuse(fmt::format("expected sides of 1 or more, found {}", side));
    }
    network.vertices = value.key("vertices").integer("a number of vertices", trace_.problem.ranks);
    const JsonValue links = value.key("links");
    Table table(links);
    const Column numbers = table.column("number", 0, most), from = table.column("from", 0, network.vertices - 1),
                 to = table.column("to", 0, network.vertices - 1),
                 dimensions = table.column("dimension", 0, std::numeric_limits<int>::max());
    std::set<Count> known;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      network.links.push_back({numbers[i], from[i], to[i], static_cast<int>(dimensions[i])});
      known.insert(numbers[i]);
    }
    const JsonValue texts = links.key("text");
    texts.for_each([&](const JsonValue& text) { network.link_texts.push_back(text.text()); });
    if (texts.size() != table.rows()) texts.expected(fmt::format("an array of {} texts, one for each link", table.rows()));
    const JsonValue ways = value.key("ways"), hops = ways.key("hops"), way = ways.key("link");
    network.hops = read_column(hops, trace_.messages.size());
    std::int64_t total = 0;
    for (const Count count : network.hops) {
      if (count < 0 || count > most_rows - total) hops.refuse("expected a number of links of each message");
      total += count;
    }
    network.ways = read_column(way, index(total));
    for (const Count link : network.ways)
      if (!known.contains(link)) way.refuse(fmt::format("expected numbers of links, found {}, which is none", link));
  }

  void read_bounds(const JsonValue& figures) {
    const auto bounds = figures.find("bounds");
    if (!bounds) return;
    bounds->for_each([&](const JsonValue& bound) {
      trace_.bounds.push_back({bound.key("figure").text(), bound.key("value").integer("a number", 0), bound.key("source").text()});
    });
  }

  // Intervals that end at `last_end` at the latest. -1: not known, or never happened.
  static std::vector<TimeInterval> read_intervals(Table& table, std::int64_t last_end, const std::string& prefix = "") {
    const std::string end_name = prefix + "end";
    const Column begins = table.column(prefix + "begin", -1, last_end), ends = table.column(end_name, -1, last_end);
    std::vector<TimeInterval> list;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      if (ends[i] >= 0 && ends[i] < begins[i])
        table.key(end_name).refuse(
            fmt::format("expected no end before its begin; row {} begins at {} and ends at {}", i, begins[i], ends[i]));
      list.push_back({begins[i], ends[i]});
    }
    return list;
  }

  static std::vector<TimeInterval> read_intervals(const JsonValue& value, std::size_t rows, std::int64_t last_end) {
    Table table(value, rows);
    return read_intervals(table, last_end);
  }

  std::vector<TracedActivity> read_activities(const JsonValue& value, std::int64_t last_end) const {
    Table table(value);
    const Column ranks = table.column("rank", 0, last_rank()), rounds = table.column("round", 0, most - 1);
    const std::vector<TimeInterval> times = read_intervals(table, last_end);
    std::vector<TracedActivity> list;
    for (std::size_t i = 0; i < table.rows(); ++i) list.push_back({ranks[i], rounds[i], times[i]});
    return list;
  }

  void read_time(const JsonValue& value) {
    TracedTime& time = trace_.times.emplace_back();
    time.kind = named(value.key("kind"), TimeKind::executed);
    time.title = value.key("title").text();
    time.unit = named(value.key("unit"), TimeUnit::nanosecond);
    const JsonValue ends = value.key("rank_ends"), end = value.key("end");
    time.rank_ends = read_column(ends, index(trace_.problem.ranks));
    time.end = end.integer("a time", 0);
    if (const std::int64_t last = *std::max_element(time.rank_ends.begin(), time.rank_ends.end()); last != time.end)
      end.refuse(fmt::format("expected the end of the last rank, {}, found {}", last, time.end));
    time.policy = text_of(value, "policy");
    time.model = text_of(value, "model");
    time.machine = text_of(value, "machine");
    time.executor = text_of(value, "executor");
    if (const auto bound = value.find("clock_bound")) time.clock_bound = bound->integer("a time", 0);
    const JsonValue messages = value.key("messages");
    Table table(messages, trace_.messages.size());
    time.sends = read_intervals(table, time.end, "send_");
    time.receives = read_intervals(table, time.end, "receive_");
    if (const auto locals = value.find("local")) time.locals = read_intervals(*locals, trace_.locals.size(), time.end);
    if (const auto waits = value.find("waits")) time.waits = read_activities(*waits, time.end);
    if (const auto packing = value.find("packing")) time.packing = read_activities(*packing, time.end);
    if (const auto links = value.find("links")) {
      if (!trace_.network) links->refuse("expected no times of links, because there is no network");
      time.links = read_intervals(*links, trace_.network->ways.size(), time.end);
    }
  }

  void read_finding(const JsonValue& value) {
    TracedFinding& finding = trace_.findings.emplace_back();
    finding.rule = value.key("rule").text();
    finding.text = value.key("text").text();
    finding.stage = text_of(value, "stage");
    const auto number = [&](std::string_view name, std::int64_t last) -> std::optional<std::int64_t> {
      const auto found = value.find(name);
      return found ? std::optional(found->integer("a number", 0, last)) : std::nullopt;
    };
    finding.cause = number("cause", most);
    finding.rank = number("rank", last_rank());
    finding.round = number("round", most);
    if (const auto message = number("message", size(trace_.messages) - 1)) finding.message = index(*message);
    if (const auto block = value.find("block")) {
      if (block->size() != 2) block->expected("the sender and the receiver of a block");
      const JsonValue from = block->entry(0), to = block->entry(1);
      finding.block = {from.integer("a rank", 0, last_rank()), to.integer("a rank", 0, last_rank())};
    }
    if (const auto region = value.find("region")) finding.region = read_json_region(*region);
  }

  const JsonValue& document_;
  Trace trace_;
};

}  // namespace

std::vector<Trace> parse_traces(std::string_view text) {
  return read_json_documents(text, "trace", [](const JsonValue& document) { return TraceReader(document).read(); });
}

}  // namespace quadrille
