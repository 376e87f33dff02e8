// SPDX-License-Identifier: BSD-3-Clause
#include "reports/schedule_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "options/documents.hpp"
#include "options/problem_options.hpp"
#include "quadrille/error.hpp"
#include "reports/bound_report.hpp"
#include "schedule/symmetry.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

template <class Counted>
struct NamedFigure {
  const char* key;
  const char* heading;
  Count Counted::*value;
  bool is_bytes;
};

constexpr NamedFigure<AllFigures> named_figures[] = {
    {"c1", "C1", &Figures::c1, false},
    {"c2", "C2", &Figures::c2, true},
    {"ports", "ports", &Figures::ports, false},
    {"startups", "start-ups", &Figures::startups, false},
    {"traffic_out", "traffic out", &Figures::traffic_out, true},
    {"traffic_in", "traffic in", &Figures::traffic_in, true},
    {"scratch", "scratch", &Figures::scratch, true},
    {"output_and_scratch", "with output", &AllFigures::output_and_scratch, true},
    {"control_bytes", "control", &Figures::control_bytes, true},
};

constexpr NamedFigure<LinkFigures> named_link_figures[] = {
    {"sharing", "sharing", &LinkFigures::sharing, false},
    {"c2_shared", "C2 shared", &LinkFigures::c2_shared, true},
};

// `column` is the heading in the table of several schedules; null: the figure has no column there.
struct NamedNodeFigure : NamedFigure<NodeFigures> {
  const char* column;
  bool has_bound;
};

constexpr NamedNodeFigure named_node_figures[] = {
    {{"node_rounds", "rounds between nodes", &NodeFigures::rounds, false}, "node rounds", true},
    {{"node_ports", "ports of a node", &NodeFigures::ports, false}, nullptr, false},
    {{"node_startups", "start-ups of a node", &NodeFigures::startups, false}, "node start-ups", false},
    {{"node_traffic_out", "out of a node", &NodeFigures::traffic_out, true}, "node out", true},
    {{"node_traffic_in", "into a node", &NodeFigures::traffic_in, true}, "node in", true},
};

template <class Counted>
TableCell cell_of(const NamedFigure<Counted>& figure, Count value) {
  if (figure.is_bytes) return Sizes{{value}};
  return fmt::format("{}", value);
}

std::string findings_text(const ScheduleVerdict& verdict) {
  if (!verdict.refusal.empty()) return "not replayed";
  if (!verdict.findings.empty()) return count_of(verdict.findings, verdict.causes);
  const Coverage& coverage = verdict.coverage;
  if (!coverage.is_sample()) return "no findings";
  return fmt::format("sampled, no findings in {} of {}", coverage.compared, counted(coverage.ranks, "rank"));
}

std::string region_text(const Region& region) {
  std::string text = fmt::format("{}[{}:{}]", name(region.buffer), region.offset, region.length);
  for (const Level& level : region.levels)
    if (level.count != 1) text += fmt::format(" x {} every {}", level.count, level.stride);
  return text;
}

// The region as text, and its parts.
void add_region(Json& object, const Region& region) {
  object["region"] = region_text(region);
  object["buffer"] = name(region.buffer);
  object["offset"] = region.offset;
  object["length"] = region.length;
  Json levels = Json::array();
  for (const Level& level : region.levels)
    if (level.count != 1) levels.push_back(MEMBERS_OF(level, count, stride));
  if (!levels.empty()) object["levels"] = std::move(levels);
}

Json json_of(const Finding& finding) {
  Json object{{"rule", name(finding.rule)},
              {"rank", finding.rank},
              {"stage", finding.stage},
              {"round", finding.round},
              {"region", nullptr}};
  if (finding.region) add_region(object, *finding.region);
  object["message"] = finding.message;
  return object;
}

std::string findings_of(const ScheduleVerdict& verdict, const std::string& prefix, std::size_t limit) {
  std::string text;
  const std::vector<FaultCause>& causes = verdict.causes.causes;
  const std::size_t told = std::min(causes.size(), limit);
  std::set<std::size_t> said;  // findings whose cause says the same
  for (std::size_t i = 0; i < told; ++i) {
    const FaultCause& cause = causes[i];
    if (is_its_finding(cause)) said.insert(cause.findings.front());
    text += fmt::format("{}cause of {}: {}\n", prefix,
                        cause.findings.size() == 1 ? "1 finding" : fmt::format("{} findings", cause.findings.size()),
                        printable(cause.message));
  }
  if (causes.size() > told) text += fmt::format("{}and {} more causes; --limit 0 lists all\n", prefix, causes.size() - told);
  if (!verdict.causes.note.empty()) text += prefix + verdict.causes.note + '\n';
  std::size_t listed = 0, left = 0;
  for (const std::size_t i : order_of(verdict.findings, verdict.causes)) {
    if (said.contains(i)) continue;
    if (listed < limit)
      ++listed, text += prefix + printable(to_string(verdict.findings[i])) + '\n';
    else
      ++left;
  }
  if (left > 0) text += fmt::format("{}and {} more; --limit 0 lists all\n", prefix, left);
  if (!verdict.refusal.empty()) text += prefix + verdict.refusal + '\n';
  return text;
}

Json json_of(const FaultCause& cause) {
  Json object{{"kind", name(cause.kind)}, {"findings", cause.findings.size()}, {"message", cause.message}};
  if (!cause.operation) return object;
  object.update(MEMBERS_OF(*cause.operation, round, from, to));
  if (cause.last_round) object["last_round"] = *cause.last_round;
  if (!cause.alike.empty())
    object["alike"] = array_of(cause.alike, [](const NamedOperation& each) { return MEMBERS_OF(each, round, from, to); });
  return object;
}

// A schedule that is not replayed is counted if it has at most this many operations; counting them takes some minutes. If the
// schedule states a symmetry, only the operations of the representatives are counted.
constexpr Count most_counted = Count{1} << 30;

bool can_be_counted(const Schedule& schedule, bool every_rank = false) {
  try {
    const Count programs =
        schedule.symmetry && !every_rank ? static_cast<Count>(schedule.symmetry->representatives().size()) : schedule.problem.ranks;
    return operation_count(schedule.program(0)) <= most_counted / programs;
  } catch (const Error&) {
    return false;
  }
}

// Returns one unit for C2, its bound and C2 shared. Readers compare these columns although other columns stand between them.
ByteUnit unit_of_volumes(const std::vector<ScheduleVerdict>& verdicts) {
  std::vector<Bytes> volumes;
  for (const ScheduleVerdict& verdict : verdicts) {
    if (verdict.figures) volumes.push_back(verdict.figures->c2);
    if (const auto bound = verdict.bound("c2")) volumes.push_back(*bound);
    if (verdict.links) volumes.push_back(verdict.links->c2_shared);
  }
  return common_unit(volumes);
}

}  // namespace

ScheduleVerdict judge(const Schedule& schedule, std::string label, const VerifyOptions& options) {
  ScheduleVerdict verdict;
  verdict.problem = schedule.problem;
  verdict.algorithm = schedule.algorithm;
  verdict.label = std::move(label);
  verdict.parameters = schedule.parameters;
  try {
    verdict.findings = verify(schedule, options, &verdict.coverage);
    verdict.causes = causes_of(schedule, verdict.findings);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    verdict.refusal = error.what();
    if (!can_be_counted(schedule)) return verdict;
  }
  try {
    verdict.figures = {figures(schedule), output_and_scratch(schedule)};
  } catch (const Error&) {
    if (verdict.right()) throw;
    return verdict;
  }
  verdict.bounds = lower_bounds(schedule.problem, verdict.figures->ports, verdict.figures->c1);
  if (options.topology) {
    verdict.links = link_figures(schedule, *options.topology);
    for (Bound& bound : lower_bounds(schedule.problem, *options.topology)) verdict.bounds.push_back(std::move(bound));
    constexpr Count most_ranks = 128;  // for which cuts and prices are tried in a moment
    if (schedule.problem.ranks <= most_ranks)
      for (Bound& bound :
           network_bounds(schedule.problem, links_of(*options.topology), {.steps = 0, .grid = options.topology->grid()}))
        verdict.bounds.push_back(std::move(bound));
  }
  if (!schedule.problem.nodes.empty() && can_be_counted(schedule, /*every_rank=*/true)) {
    verdict.nodes = node_figures(schedule);
    for (Bound& bound : lower_bounds_between_nodes(schedule.problem, verdict.nodes->ports))
      verdict.bounds.push_back(std::move(bound));
  }
  return verdict;
}

void throw_with_finding(const Error& error, const std::vector<Finding>& findings) {
  const auto outside =
      std::find_if(findings.begin(), findings.end(), [](const Finding& finding) { return finding.rule == Rule::out_of_buffer; });
  if (error.code() != ErrorCode::too_large || outside == findings.end()) throw;
  throw Error(error.code(), fmt::format("{}; 'quadrille verify' finds: {}", error.what(), printable(to_string(*outside))));
}

void complain_of(const Schedule& schedule, const std::string& subject, std::string_view shown,
                 const std::vector<Finding>& findings) {
  complain(
      fmt::format("the schedule of {} is wrong, and {} {}", subject, shown, summary_of(findings, causes_of(schedule, findings))));
}

std::string text_of(const ScheduleVerdict& verdict, std::size_t limit) {
  std::string text = fmt::format("{}, {}: {}\n", verdict.label, problem_text(verdict.problem), findings_text(verdict));
  text += findings_of(verdict, "  ", limit);
  if (verdict.right() || (verdict.refusal.empty() && verdict.coverage.replayed == 0))
    text += fmt::format("  {}\n", to_string(verdict.coverage));
  if (!verdict.figures) return text;
  Table table(
      {{"figure"}, {"value", Align::right}, {"at least", Align::right, /*same_unit=*/true}, {"ratio", Align::right}, {"by"}});
  const auto add = [&](const auto& figure, const auto& counted) {
    const auto best = verdict.bound(figure.key);
    const auto source = std::find_if(verdict.bounds.begin(), verdict.bounds.end(),
                                     [&](const Bound& bound) { return bound.figure == figure.key && bound.value == best; });
    table.add({figure.heading, cell_of(figure, counted.*figure.value), best ? cell_of(figure, *best) : "",
               best ? over_bound_text(static_cast<double>(counted.*figure.value), *best) : "", best ? source->source : ""});
  };
  for (const auto& figure : named_figures) add(figure, *verdict.figures);
  if (verdict.links)
    for (const auto& figure : named_link_figures) add(figure, *verdict.links);
  if (verdict.nodes)
    for (const auto& figure : named_node_figures) add(figure, *verdict.nodes);
  return text + '\n' + table.text();
}

namespace {

// Which columns the table of several verdicts has.
struct ShownColumns {
  bool all, rooted, on_network, on_nodes;

  ShownColumns(const std::vector<ScheduleVerdict>& verdicts, bool with_all) : all(with_all) {
    const auto any = [&](auto&& is) { return std::any_of(verdicts.begin(), verdicts.end(), is); };
    rooted = any([](const ScheduleVerdict& verdict) { return is_rooted(verdict.problem.collective); });
    on_network = any([](const ScheduleVerdict& verdict) { return verdict.links.has_value(); });
    on_nodes = any([](const ScheduleVerdict& verdict) { return verdict.nodes.has_value(); });
  }

  bool has(const NamedFigure<AllFigures>& figure) const {
    return all || (figure.value != &Figures::scratch && figure.value != &AllFigures::output_and_scratch &&
                   figure.value != &Figures::control_bytes);
  }
  bool has(const NamedNodeFigure& figure) const { return on_nodes && figure.column != nullptr; }
};

bool has_bound(const NamedFigure<AllFigures>& figure) { return figure.value == &Figures::c1 || figure.value == &Figures::c2; }

std::vector<Column> columns_of(const ShownColumns& shown) {
  std::vector<Column> columns = headings("algorithm|>ranks");
  const auto add = [&](std::string_view heading, bool same_unit = false) {
    columns.push_back({std::string(heading), Align::right, same_unit});
  };
  if (shown.rooted) add("root");
  add("block");
  for (const auto& figure : named_figures) {
    if (!shown.has(figure)) continue;
    add(figure.heading, figure.value == &Figures::traffic_in || figure.value == &AllFigures::output_and_scratch);
    if (has_bound(figure)) add(">=", /*same_unit=*/true);
    if (figure.value == &Figures::c2) add("ratio");
  }
  if (shown.on_network) {
    for (const auto& figure : named_link_figures) add(figure.heading);
    add("ratio");
  }
  for (const auto& figure : named_node_figures) {
    if (!shown.has(figure)) continue;
    add(figure.column);
    if (figure.has_bound) add(">=", /*same_unit=*/true);
  }
  columns.push_back({"verdict"});
  return columns;
}

std::vector<TableCell> row_of(const ScheduleVerdict& verdict, const ShownColumns& shown, ByteUnit volume_unit) {
  std::vector<TableCell> row{verdict.label, fmt::format("{}", verdict.problem.ranks)};
  const auto cell = [&](const auto& figure, Count value) -> TableCell {
    const std::string_view key = figure.key;
    return key == "c2" || key == "c2_shared" ? TableCell(bytes_text(value, volume_unit)) : cell_of(figure, value);
  };
  const auto add = [&](const auto& figure, const auto& figures, bool with_bound) {
    row.push_back(figures ? cell(figure, (*figures).*figure.value) : "–");
    if (!with_bound) return;
    const auto bound = verdict.bound(figure.key);
    row.push_back(bound ? cell(figure, *bound) : "–");
  };
  if (shown.rooted) row.push_back(is_rooted(verdict.problem.collective) ? fmt::format("{}", verdict.problem.root) : "–");
  row.push_back(block_cell(verdict.problem));
  const auto add_ratio = [&](const char* figure, std::optional<Bytes> counted) {
    row.push_back(counted ? over_bound_text(static_cast<double>(*counted), verdict.bound(figure)) : "–");
  };
  for (const auto& figure : named_figures) {
    if (shown.has(figure)) add(figure, verdict.figures, has_bound(figure));
    if (figure.value == &Figures::c2) add_ratio("c2", verdict.figures ? std::optional(verdict.figures->c2) : std::nullopt);
  }
  if (shown.on_network) {
    for (const auto& figure : named_link_figures) add(figure, verdict.links, false);
    add_ratio("c2_shared", verdict.links ? std::optional(verdict.links->c2_shared) : std::nullopt);
  }
  for (const auto& figure : named_node_figures)
    if (shown.has(figure)) add(figure, verdict.nodes, figure.has_bound);
  row.push_back(findings_text(verdict));
  return row;
}

}  // namespace

std::string text_of(const std::vector<ScheduleVerdict>& verdicts, std::size_t limit, bool all) {
  const ShownColumns shown(verdicts, all);
  Table table(columns_of(shown));
  const ByteUnit volume_unit = unit_of_volumes(verdicts);
  std::string findings;
  std::size_t right = 0, sampled = 0;
  for (const ScheduleVerdict& verdict : verdicts) {
    table.add(row_of(verdict, shown, volume_unit));
    right += verdict.right() ? 1 : 0;
    sampled += verdict.word() == "sampled" ? 1 : 0;
    findings += findings_of(verdict, fmt::format("{}, {}: ", verdict.label, problem_text(verdict.problem)), limit);
  }
  return fmt::format("{}\n{}{}{} of {} cases without findings{}\n", table.text(), findings, findings.empty() ? "" : "\n", right,
                     verdicts.size(), sampled == 0 ? "" : fmt::format(", {} of them sampled", sampled));
}

Json json_of(const ScheduleVerdict& verdict, std::size_t limit) {
  Json findings = Json::array(), causes = Json::array();
  for (std::size_t i = 0; i < std::min(limit, verdict.findings.size()); ++i) findings.push_back(json_of(verdict.findings[i]));
  for (const FaultCause& cause : verdict.causes.causes) {
    for (const std::size_t i : cause.findings)
      if (i < limit) findings[i]["cause"] = causes.size();
    causes.push_back(json_of(cause));
  }
  Json object{{"collective", name(verdict.problem.collective)},
              {"algorithm", verdict.algorithm},
              {"parameters", to_json(verdict.parameters)},
              {"ranks", verdict.problem.ranks},
              {"block_bytes", verdict.problem.block_bytes},
              {"ok", verdict.right()},
              {"verdict", verdict.word()},
              {"findings", std::move(findings)},
              {"finding_count", verdict.findings.size()},
              {"causes", std::move(causes)}};
  if (!verdict.causes.note.empty()) object["causes_note"] = verdict.causes.note;
  if (verdict.refusal.empty()) {
    const Coverage& coverage = verdict.coverage;
    object["coverage"] = {{"symmetry", coverage.symmetry.empty() ? Json(nullptr) : Json(coverage.symmetry)},
                          {"replayed", coverage.replayed},
                          {"compared", coverage.compared},
                          {"sampled", coverage.is_sample()}};
    if (coverage.is_sample()) object["coverage"]["seed"] = coverage.seed;
  } else {
    object["refusal"] = verdict.refusal;
  }
  if (is_rooted(verdict.problem.collective)) object["root"] = verdict.problem.root;
  if (is_irregular(verdict.problem.collective)) object["counts"] = all_counts(verdict.problem);
  if (is_reduction(verdict.problem.collective)) {
    object.update(MEMBERS_OF(verdict.problem, element_bytes, commutative, reproducible));
  }
  Json best = Json::object(), ratios = Json::object();
  const auto add = [&](const auto& all, const auto& counted) {
    for (const auto& figure : all) {
      object[figure.key] = counted ? Json((*counted).*figure.value) : Json(nullptr);
      const auto bound = verdict.bound(figure.key);
      if (bound) best[figure.key] = *bound;
      if (counted && bound.value_or(0) > 0)
        ratios[figure.key] = static_cast<double>((*counted).*figure.value) / static_cast<double>(*bound);
    }
  };
  add(named_figures, verdict.figures);
  if (verdict.links) add(named_link_figures, verdict.links);
  if (verdict.nodes) add(named_node_figures, verdict.nodes);
  object["lower_bounds"] = std::move(best);
  object["ratios"] = std::move(ratios);
  object["bounds"] = array_of(verdict.bounds, [](const Bound& bound) { return MEMBERS_OF(bound, figure, value, source); });
  return object;
}

}  // namespace quadrille::command
