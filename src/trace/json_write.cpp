// SPDX-License-Identifier: BSD-3-Clause
// Writes traces (docs/trace-format.md).
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "foundation/assert.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/trace.hpp"
#include "schedule/forms/document.hpp"
#include "schedule/forms/json.hpp"
#include "trace/trace_format.hpp"

namespace quadrille {
namespace {

template <class Rows, class Value>
Column column_of(const Rows& rows, Value&& value) {
  Column column;
  column.reserve(rows.size());
  for (const auto& row : rows) column.push_back(static_cast<std::int64_t>(std::invoke(value, row)));
  return column;
}

class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const Trace& trace) : out_(out), trace_(trace) {}

  void write() {
    out_.print("{{\"format\": \"{}\",\n\"title\": {}", trace_format, json_string(trace_.title));
    write_json_head(out_, {trace_.problem, trace_.algorithm, trace_.parameters});
    out_.print(",\n\"buffers\": {{\n  \"input\": {},\n  \"output\": {},\n  \"scratch\": {}}}", column_text(trace_.input_bytes),
               column_text(trace_.output_bytes), column_text(trace_.scratch_bytes));
    write_stages();
    write_rounds();
    write_messages();
    if (!trace_.locals.empty()) write_locals();
    if (trace_.network) write_network(*trace_.network);
    out_.print(",\n\"times\": [");
    for (const TracedTime& time : trace_.times) {
      out_.print("{}\n", &time == &trace_.times.front() ? "" : ",");
      write_time(time);
    }
    out_.print("]");
    if (!trace_.findings.empty()) write_findings();
    out_.print("}}");
    out_.flush();
  }

 private:
  void write_stages() {
    out_.print(",\n\"stages\": [");
    for (const Stage& stage : trace_.stages)
      out_.print("{}\n  {{\"name\": {}, \"first_round\": {}, \"round_count\": {}}}", &stage == &trace_.stages.front() ? "" : ",",
                 json_string(stage.name), stage.first_round, stage.round_count);
    out_.print("]");
  }

  // A table is an object of columns. Each key begins a line.
  void begin_table(std::string_view name) {
    out_.print(",\n\"{}\": {{", name);
    separator_ = "\n  ";
  }
  void write_key(std::string_view name) {
    out_.print("{}\"{}\": ", separator_, name);
    separator_ = ",\n  ";
  }
  void write_column(std::string_view name, const Column& column) {
    write_key(name);
    out_.print("{}", column_text(column));
  }
  template <class Rows, class Value>
  void write_column(std::string_view name, const Rows& rows, Value&& value) {
    write_column(name, column_of(rows, value));
  }
  // Omits the column if all its values are `usual`.
  void write_unusual(std::string_view name, const Column& column, std::int64_t usual) {
    if (!std::all_of(column.begin(), column.end(), [&](std::int64_t value) { return value == usual; })) write_column(name, column);
  }

  void write_rounds() {
    const std::vector<TracedRound> rounds = rounds_of(trace_);
    begin_table("rounds");
    write_column("number", rounds, &TracedRound::number);
    write_column("messages", rounds, &TracedRound::messages);
    write_column("longest", rounds, &TracedRound::longest);
    write_column("bytes", rounds, &TracedRound::bytes);
    if (trace_.network) {
      write_column("sharing", rounds, &TracedRound::sharing);
      write_column("link_bytes", rounds, &TracedRound::link_bytes);
      write_column("busiest_link", rounds, &TracedRound::busiest_link);
    }
    if (!trace_.says.empty()) {
      write_key("says");
      out_.print("[");
      for (const TracedRound& round : rounds) {
        const auto said = trace_.says.find(round.number);
        out_.print("{}{}", &round == &rounds.front() ? "" : ",", json_string(said == trace_.says.end() ? "" : said->second));
      }
      out_.print("]");
    }
    Count c1 = 0;
    Bytes c2 = 0;
    for (const TracedRound& round : rounds) c1 += round.messages > 0 ? 1 : 0, c2 += round.longest;
    out_.print("}},\n\"figures\": {{\"c1\": {}, \"c2\": {}", c1, c2);
    for (const TracedBound& bound : trace_.bounds)
      out_.print("{}\n  {{\"figure\": {}, \"value\": {}, \"source\": {}}}",
                 &bound == &trace_.bounds.front() ? ", \"bounds\": [" : ",", json_string(bound.figure), bound.value,
                 json_string(bound.source));
    out_.print("{}}}", trace_.bounds.empty() ? "" : "]");
  }

  void write_messages() {
    const auto& messages = trace_.messages;
    begin_table("messages");
    write_column("round", messages, &TracedMessage::round);
    write_column("from", messages, &TracedMessage::from);
    write_column("to", messages, &TracedMessage::to);
    write_column("bytes", messages, &TracedMessage::bytes);
    write_unusual("control", column_of(messages, &TracedMessage::is_control), 0);
    write_unusual("ends", column_of(messages, &TracedMessage::ends), 0);
    const Column dimensions =
        column_of(messages, [](const TracedMessage& message) { return message.port ? message.port->dimension : -1; });
    write_unusual("port_dimension", dimensions, -1);
    write_unusual("port_direction",
                  column_of(messages, [](const TracedMessage& message) { return message.port ? message.port->direction : 0; }), 0);
    write_unusual("receive_place", column_of(messages, &TracedMessage::receive_place), 0);
    write_regions("read", messages, &TracedMessage::read);
    write_regions("write", messages, &TracedMessage::write);
    out_.print("}}");
  }

  void write_locals() {
    const auto& locals = trace_.locals;
    begin_table("local");
    write_column("round", locals, &TracedLocal::round);
    write_column("rank", locals, &TracedLocal::rank);
    write_column("operation", locals, [](const TracedLocal& local) { return number_of_operation(local.local); });
    write_column("bytes", locals, [](const TracedLocal& local) { return bytes(local.local.source); });
    write_regions("source", locals, [](const TracedLocal& local) -> const Regions& { return local.local.source; });
    write_regions("target", locals, [](const TracedLocal& local) -> const Regions& { return local.local.target; });
    out_.print("}}");
  }

  template <class Rows, class RegionsOf>
  void write_regions(std::string_view name, const Rows& rows, RegionsOf&& regions_of) {
    std::vector<const Region*> regions;
    for (const auto& row : rows)
      for (const Region& region : std::invoke(regions_of, row)) regions.push_back(&region);
    write_key(name);
    out_.print("{{\"regions\": {}",
               column_text(column_of(rows, [&](const auto& row) { return size(std::invoke(regions_of, row)); })));
    const auto write = [&](std::string_view key, auto&& value, std::optional<std::int64_t> usual = {}) {
      const Column column = column_of(regions, value);
      if (usual && std::all_of(column.begin(), column.end(), [&](std::int64_t each) { return each == *usual; })) return;
      out_.print(",\n    \"{}\": {}", key, column_text(column));
    };
    write("buffer", &Region::buffer);
    write("offset", &Region::offset);
    write("length", &Region::length);
    for (std::size_t level = 0; level < level_names.size(); ++level) {
      write(
          level_names[level].count, [&](const Region* region) { return region->levels[level].count; }, 1);
      write(
          level_names[level].stride, [&](const Region* region) { return region->levels[level].stride; }, 0);
    }
    out_.print("}}");
  }

  void write_network(const TracedNetwork& network) {
    QUADRILLE_ASSERT(network.link_texts.size() == network.links.size() && network.hops.size() == trace_.messages.size());
    begin_table("network");
    write_key("topology");
    out_.print("{}", json_string(network.topology));
    if (!network.grid.empty()) write_column("grid", network.grid);
    write_key("vertices");
    out_.print("{}", network.vertices);
    write_key("links");
    const auto column = [&](auto&& value) { return column_text(column_of(network.links, value)); };
    out_.print("{{\"number\": {},\n    \"from\": {},\n    \"to\": {},\n    \"dimension\": {},\n    \"text\": [",
               column(&Link::number), column(&Link::from), column(&Link::to), column(&Link::dimension));
    for (const std::string& text : network.link_texts)
      out_.print("{}{}", &text == &network.link_texts.front() ? "" : ", ", json_string(text));
    out_.print("]}}");
    write_key("ways");
    out_.print("{{\"hops\": {},\n    \"link\": {}}}}}", column_text(network.hops), column_text(network.ways));
  }

  void write_text(std::string_view name, const std::string& text) {
    if (!text.empty()) out_.print(", \"{}\": {}", name, json_string(text));
  }

  static std::string interval_columns(const std::vector<TimeInterval>& list, std::string_view prefix = "") {
    return fmt::format("\"{0}begin\": {1},\n      \"{0}end\": {2}", prefix, column_text(column_of(list, &TimeInterval::begin)),
                       column_text(column_of(list, &TimeInterval::end)));
  }

  void write_time(const TracedTime& time) {
    QUADRILLE_ASSERT(time.sends.size() == trace_.messages.size() && time.receives.size() == trace_.messages.size());
    QUADRILLE_ASSERT(time.locals.empty() || time.locals.size() == trace_.locals.size());
    QUADRILLE_ASSERT(time.links.empty() || (trace_.network && time.links.size() == trace_.network->ways.size()));
    QUADRILLE_ASSERT(size(time.rank_ends) == trace_.problem.ranks);
    out_.print("  {{\"kind\": \"{}\", \"title\": {}, \"unit\": \"{}\", \"end\": {}", name(time.kind), json_string(time.title),
               name(time.unit), time.end);
    write_text("policy", time.policy);
    write_text("model", time.model);
    write_text("machine", time.machine);
    write_text("executor", time.executor);
    if (time.clock_bound) out_.print(", \"clock_bound\": {}", *time.clock_bound);
    out_.print(",\n    \"messages\": {{{},\n      {}}}", interval_columns(time.sends, "send_"),
               interval_columns(time.receives, "receive_"));
    if (!time.locals.empty()) out_.print(",\n    \"local\": {{{}}}", interval_columns(time.locals));
    write_activities("waits", time.waits);
    write_activities("packing", time.packing);
    if (!time.links.empty()) out_.print(",\n    \"links\": {{{}}}", interval_columns(time.links));
    out_.print(",\n    \"rank_ends\": {}}}", column_text(time.rank_ends));
  }

  void write_activities(std::string_view name, const std::vector<TracedActivity>& list) {
    if (list.empty()) return;
    const auto column = [&](auto&& value) { return column_text(column_of(list, value)); };
    out_.print(",\n    \"{}\": {{\"rank\": {},\n      \"round\": {},\n      \"begin\": {},\n      \"end\": {}}}", name,
               column(&TracedActivity::rank), column(&TracedActivity::round),
               column([](const TracedActivity& each) { return each.time.begin; }),
               column([](const TracedActivity& each) { return each.time.end; }));
  }

  void write_findings() {
    out_.print(",\n\"findings\": [");
    for (const TracedFinding& finding : trace_.findings) {
      out_.print("{}\n  {{\"rule\": {}, \"text\": {}", &finding == &trace_.findings.front() ? "" : ",", json_string(finding.rule),
                 json_string(finding.text));
      const auto write_number = [&](std::string_view name, const auto& number) {
        if (number) out_.print(", \"{}\": {}", name, *number);
      };
      write_number("cause", finding.cause);
      write_number("rank", finding.rank);
      write_text("stage", finding.stage);
      write_number("round", finding.round);
      write_number("message", finding.message);
      if (finding.block) out_.print(", \"block\": [{}, {}]", finding.block->first, finding.block->second);
      if (finding.region)
        out_.print(", \"region\": [\"{}\", {}, {}]", name(finding.region->buffer), finding.region->offset, finding.region->length);
      out_.print("}}");
    }
    out_.print("]");
  }

  Printer out_;
  const Trace& trace_;
  std::string_view separator_;  // what is written before the next key of a table
};

}  // namespace

void write_trace(std::ostream& out, const Trace& trace) { TraceWriter(out, trace).write(); }

}  // namespace quadrille
