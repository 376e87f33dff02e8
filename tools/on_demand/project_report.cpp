// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/project_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "draw/panel.hpp"
#include "foundation/text/wording.hpp"
#include "mpi_face/report/report_words.hpp"
#include "quadrille/indexed.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

using mpi_face::count_words;

constexpr std::size_t most_rows = 12;

constexpr ProjectedPart all_parts[] = {ProjectedPart::computing, ProjectedPart::waiting, ProjectedPart::collectives,
                                       ProjectedPart::point_to_point, ProjectedPart::other};

std::string time_text(double seconds) { return seconds > 0 ? seconds_text(seconds) : "0"; }

// Rounding, and waits that overlap, make equal times differ a little. Such differences count as 0.
std::string gain_text(const ProjectedRow& row) {
  constexpr double nothing = 1e-4;
  const double seconds = row.gain_s.value;
  if (std::abs(seconds) <= nothing * std::max(row.vendor.seconds, row.ours.seconds)) return "0";
  return seconds < 0 ? "-" + time_text(-seconds) : time_text(seconds);
}

// "12.0 ms [10.0, 14.0]": the band in the unit of the value. If rounding hides the band, only the value.
std::string band_text(const Band& band) {
  const std::string value = time_text(band.value);
  if (!(band.value > 0)) return value;
  const double unit = band.value < 1e-6 ? 1e-9 : band.value < 1e-3 ? 1e-6 : band.value < 1 ? 1e-3 : 1;
  const auto number = [&](double seconds) {
    const double in_unit = seconds / unit;
    return fmt::format("{:.{}f}", in_unit, in_unit < 9.995 ? 2 : in_unit < 99.95 ? 1 : 0);
  };
  const std::string low = number(band.low), high = number(band.high);
  return low == high ? value : fmt::format("{} [{}, {}]", value, low, high);
}

std::string parts_text(const Projection& projection) {
  Table table({{""}, {projection.vendor_title, Align::right}, {"ours", Align::right}});
  table.add({"total", band_text(projection.vendor.total), band_text(projection.ours.total)});
  for (const ProjectedPart part : all_parts)
    table.add({std::string(name(part)), band_text(projection.vendor.part(part)), band_text(projection.ours.part(part))});
  return table.text();
}

std::string on_text(const ProjectedRow& row) {
  std::string text = row.communicators == 1 ? "" : fmt::format("{} x ", row.communicators);
  text += counted(row.ranks, "rank");
  if (row.nodes > 1) text += fmt::format(" on {} nodes", row.nodes);
  return row.communicator.empty() ? text : fmt::format("{}, {}", row.communicator, text);
}

TableCell block_cell(const ProjectedRow& row) {
  if (row.most_bytes == 0) return "–";
  if (row.least_bytes == row.most_bytes) return Sizes{{row.most_bytes}};
  return Sizes{{row.least_bytes, row.most_bytes}};
}

std::string way_text(const ProjectedWay& way) {
  if (way.algorithm.empty()) return "as recorded";
  return way.algorithms == 1 ? way.algorithm : fmt::format("{} +{}", way.algorithm, way.algorithms - 1);
}

std::string price_text(const ProjectedRow& row) {
  if (row.corrected_calls == 0) return "";
  return row.corrected_calls == row.calls ? "corrected" : fmt::format("{} corrected", count_words(row.corrected_calls));
}

std::string rows_text(const Projection& projection, bool full) {
  if (projection.rows.empty()) return "";
  std::vector<Column> columns{{"calls", Align::right},
                              {"function"},
                              {"block", Align::right},
                              {"on"},
                              {projection.vendor_title},
                              {"time", Align::right},
                              {"ours"},
                              {"time", Align::right},
                              {"gain", Align::right}};
  const bool has_prices = projection.corrected_calls > 0;
  if (has_prices) columns.push_back({"prices"});
  Table table(columns);
  const std::size_t shown = full ? projection.rows.size() : std::min(projection.rows.size(), most_rows);
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < shown; ++i) {
    const ProjectedRow& row = projection.rows[i];
    std::string mark;
    if (!row.remark.empty()) {
      auto note = std::find(notes.begin(), notes.end(), row.remark);
      if (note == notes.end()) note = notes.insert(notes.end(), row.remark);
      mark = fmt::format(" *{}", note - notes.begin() + 1);
    }
    std::vector<TableCell> cells{count_words(row.calls),
                                 row.function,
                                 block_cell(row),
                                 on_text(row),
                                 way_text(row.vendor) + mark,
                                 time_text(row.vendor.seconds),
                                 way_text(row.ours),
                                 time_text(row.ours.seconds),
                                 gain_text(row)};
    if (has_prices) cells.emplace_back(price_text(row));
    table.add(std::move(cells));
  }
  std::string text = "\nCollectives: time inside without waiting for late ranks, mean of the ranks\n" + table.text();
  if (shown < projection.rows.size()) text += fmt::format("... and {} (--full)\n", counted(projection.rows.size() - shown, "row"));
  for (std::size_t i = 0; i < notes.size(); ++i)
    text += paragraph(fmt::format("*{} no gain for either side: {}", i + 1, notes[i]), 3);
  return text;
}

Json json_of(const Band& band) { return MEMBERS_OF(band, value, low, high); }

Json json_of(const ProjectedRun& run) {
  Json json;
  json["total_s"] = json_of(run.total);
  constexpr std::string_view keys[] = {"computing_s", "waiting_s", "collectives_s", "point_to_point_s", "other_s"};
  for (std::size_t part = 0; part < projected_parts; ++part) json[std::string(keys[part])] = json_of(run.parts[part]);
  return json;
}

Json json_of(const ProjectedWay& way) {
  Json json;
  if (!way.algorithm.empty()) json["algorithm"] = way.algorithm, json["algorithms"] = way.algorithms;
  json["seconds"] = way.seconds;
  return json;
}

Json json_of(const ProjectedRow& row) {
  Json json;
  json["function"] = row.function;
  if (!row.communicator.empty()) json["communicator"] = row.communicator;
  json.update(MEMBERS_OF(row, communicators, ranks, nodes, least_bytes, most_bytes, calls, corrected_calls));
  json["vendor"] = json_of(row.vendor), json["ours"] = json_of(row.ours);
  json["gain_s"] = json_of(row.gain_s);
  if (!row.remark.empty()) json["remark"] = row.remark;
  return json;
}

std::string verdict_name(ProjectionVerdict verdict) {
  switch (verdict) {
    case ProjectionVerdict::run_it: return "run_it";
    case ProjectionVerdict::keep_it: return "keep_it";
    case ProjectionVerdict::late_ranks: return "late_ranks";
    case ProjectionVerdict::network: return "network";
    case ProjectionVerdict::computing: return "computing";
    case ProjectionVerdict::not_known: return "not_known";
  }
  return {};
}

// "2x4 to 4x16 (strong)"; of a grid with one dimension "8 to 64 (strong)".
std::string scale_text(const RankScale& scale) {
  return fmt::format("{} to {} ({})", fmt::join(scale.from, "x"), fmt::join(scale.to, "x"), name(scale.blocks));
}

}  // namespace

std::string place_text(const ProjectedSituation& situation) {
  std::string text =
      fmt::format("{} on {} of {}", counted(situation.ranks, "rank"), counted(situation.nodes, "node"), situation.machine);
  if (situation.scale) text += ", scaled from " + scale_text(*situation.scale);
  return text;
}

std::string sentence_of(const Projection& projection, const ProjectedSituation& situation) {
  const std::string sentence = verdict_text(projection);
  return situation.scale ? fmt::format("scaled to {} ranks: {}", situation.ranks, sentence) : sentence;
}

std::string title_text(const ProjectedSituation& situation) {
  std::string text = fmt::format("{}: {}", situation.program, place_text(situation));
  if (!situation.changes.empty()) text += fmt::format(", with {}", listed(situation.changes));
  return text;
}

ProjectedSituation situation_of(const Recording& recording, const ProjectionOptions& options,
                                const std::optional<RankScale>& scale) {
  const std::set<Count> nodes(options.nodes.begin(), options.nodes.end());
  ProjectedSituation situation{.program = recording.program,
                               .machine = options.machine.name,
                               .ranks = recording.world_size,
                               .nodes = std::max<Count>(static_cast<Count>(nodes.size()), 1),
                               .scale = scale};
  if (options.computing != 1) situation.changes.push_back(fmt::format("computing times {:g}", options.computing));
  if (options.away != 1) situation.changes.push_back(fmt::format("time away times {:g}", options.away));
  if (options.without_late_ranks) situation.changes.emplace_back("no late ranks");
  if (options.without_correction) situation.changes.emplace_back("no price corrected by residuals");
  if (options.total_cores > 0) situation.changes.push_back(counted(options.total_cores, "core") + " for all ranks");
  for (const auto& [collective, algorithm] : options.chosen)
    situation.changes.push_back(fmt::format("{} by {}", name(collective), algorithm));
  return situation;
}

std::string text_of(const Projection& projection, const ProjectedSituation& situation, bool full) {
  std::string text = fmt::format("{}\n{}", paragraph(sentence_of(projection, situation), 0), title_text(situation));
  text += fmt::format("\n{} replayed. The recorded run took {}.\n\n", counted(projection.calls, "collective call"),
                      time_text(projection.recorded_s));
  text += parts_text(projection) + rows_text(projection, full);
  if (!projection.is_vendor_checked)
    text += paragraph(fmt::format("The rules of {} were read in its source and not checked.", projection.vendor_title), 0);
  for (const std::string& remark : projection.remarks) text += paragraph("Note: " + remark);
  return text;
}

Json json_of(const Projection& projection, const ProjectedSituation& situation) {
  Json json;
  json.update(MEMBERS_OF(situation, program, machine, ranks, nodes));
  if (situation.scale)
    json["scaled"] = {{"from", situation.scale->from}, {"to", situation.scale->to}, {"blocks", name(situation.scale->blocks)}};
  json["changes"] = situation.changes;
  json.update(MEMBERS_OF(projection, calls, corrected_calls, recorded_s, vendor_title, is_vendor_checked));
  json["vendor"] = json_of(projection.vendor), json["ours"] = json_of(projection.ours);
  json["gain"] = json_of(projection.gain);
  json["verdict"] = verdict_name(projection.verdict);
  json["sentence"] = sentence_of(projection, situation);
  json["rows"] = Json::array();
  for (const ProjectedRow& row : projection.rows) json["rows"].push_back(json_of(row));
  json["remarks"] = projection.remarks;
  return json;
}

std::string svg_of(const Projection& projection, const ProjectedSituation& situation) {
  Sheet sheet{.name = "parts", .columns = {"side"}, .rows = {{projection.vendor_title}, {std::string("ours")}}};
  Panel panel{.title = "Parts of the run, mean of the ranks", .y_label = "s", .kind = PanelKind::bars};
  for (const ProjectedPart part : all_parts) {
    panel.curves.push_back({.column = sheet.columns.size(), .title = std::string(name(part))});
    sheet.columns.emplace_back(name(part));
    sheet.rows[0].emplace_back(projection.vendor.part(part).value);
    sheet.rows[1].emplace_back(projection.ours.part(part).value);
  }
  return draw_plot(fmt::format("{}: {}", situation.program, place_text(situation)), sentence_of(projection, situation), {sheet},
                   {panel});
}

}  // namespace quadrille::command
