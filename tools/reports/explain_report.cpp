// SPDX-License-Identifier: BSD-3-Clause
#include "reports/explain_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "execute/executors.hpp"
#include "foundation/text/wording.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/model.hpp"
#include "reports/schedule_verdict.hpp"
#include "reports/tune_report.hpp"
#include "schedule/ordering.hpp"
#include "schedule/sayings.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// Returns the smallest number of ranks that a node has.
Count fewest_ranks_of_node(const Problem& problem) {
  if (problem.nodes.empty()) return problem.ranks;
  const std::vector<Count> sizes = NodeRanks(problem).sizes();
  return *std::min_element(sizes.begin(), sizes.end());
}

// The model of the prices. If nothing was priced: max-rate, which knows the nodes of the ranks.
const Model& model_of(const Decision& decision) { return decision.model.model ? *decision.model.model : *find_model("max-rate"); }

// Returns true if --machine names the machine. A machine that is named has no known processor; the machine of this process has
// one.
bool is_named(const MachineKnowledge& knowledge) { return knowledge.wisdom.machine.processor.empty(); }

// Returns true if the prices use a preset machine, some of whose figures are assumed.
bool is_assumed(const Decision& decision, const MachineKnowledge& knowledge) {
  return !decision.preset.empty() && knowledge.preset && decision.model.model &&
         !assumptions_of(*decision.model.model, *knowledge.preset).empty();
}

std::string how_known(const Considered& chosen, const Explanation& explanation, const MachineKnowledge& knowledge) {
  const Decision& decision = explanation.decision;
  if (chosen.measured) return "measured here";
  if (decision.preset.empty()) return "predicted";
  return fmt::format("predicted by the figures of the machine {}, {}which were not measured here", decision.preset,
                     is_assumed(decision, knowledge) ? "some of them assumed, " : "");
}

// Returns the answer in a sentence: "On one node take bruck:radix=4 by shared memory: 12.3 µs, predicted."
std::string answer(const Explanation& explanation, const MachineKnowledge& knowledge) {
  const Decision& decision = explanation.decision;
  const Problem& problem = explanation.problem;
  const std::string place = place_text(model_of(decision), problem);
  std::string text =
      fmt::format("On {}{} take {}", place, place.find(',') == place.npos ? "" : ",", way_text(problem, decision.chosen));
  if (const auto seconds = explanation.seconds(); seconds && !explanation.ways.empty())
    text += fmt::format(": about {}, {}", seconds_text(*seconds),
                        how_known(explanation.ways.front().considered, explanation, knowledge));
  return text + '.';
}

// Returns a price taken apart: "12 start-ups in 3 rounds (3.1 µs), 448 B (0.2 µs), 896 B copied (0.1 µs) and contention (1 µs)"
std::string account(const PriceParts& parts) {
  std::vector<std::string> words;
  if (parts.startups_s > 0) {
    std::string startups = counted(parts.startups, "start-up");
    if (parts.rounds > 0) startups += " in " + counted(parts.rounds, "round");
    words.push_back(fmt::format("{} ({})", startups, seconds_text(parts.startups_s)));
  }
  if (parts.bytes_s > 0) words.push_back(fmt::format("{} ({})", bytes_text(parts.bytes), seconds_text(parts.bytes_s)));
  if (parts.copies_s > 0)
    words.push_back(fmt::format("{} copied or combined ({})", bytes_text(parts.copied), seconds_text(parts.copies_s)));
  if (parts.contention_s > 0) words.push_back(fmt::format("contention ({})", seconds_text(parts.contention_s)));
  return words.empty() ? "nothing" : listed(std::move(words));
}

std::optional<double> considered_seconds(const Considered& each) {
  return each.measured ? std::optional(each.measured->median_s) : each.predicted_s;
}

// Compares the way that is taken with ways of other algorithms: with ways that are predicted to be faster but have more rounds,
// with ways that are tied with it, and with the next slower way. Both times must be measured, or both predicted. Baselines are
// left out.
std::string comparison(const Explanation& explanation) {
  if (explanation.ways.empty()) return "";
  const ExplainedWay& best = explanation.ways[0];
  const auto best_s = considered_seconds(best.considered);
  std::string text;
  if (best.parts) text += fmt::format("Its price: {}. ", account(*best.parts));
  if (!best_s || *best_s <= 0) return text;
  std::vector<std::string> faster, tied;
  std::set<std::string> named;
  const ExplainedWay* next = nullptr;
  for (const ExplainedWay& row : explanation.ways) {
    const auto seconds = considered_seconds(row.considered);
    if (row.considered.way.algorithm == best.considered.way.algorithm || row.is_baseline || !seconds ||
        row.considered.measured.has_value() != best.considered.measured.has_value())
      continue;
    const bool is_alike = !best.considered.measured && is_tied(explanation.decision, *seconds);
    if (!is_alike && *seconds >= *best_s) {
      next = &row;
      break;
    }
    if (!named.insert(row.name).second) continue;  // the algorithm was already named, by another executor
    (is_alike ? tied : faster)
        .push_back(fmt::format("{} ({}, {:.2f} times as long)", row.name, seconds_text(*seconds), *seconds / *best_s));
  }
  if (!faster.empty())
    text += fmt::format("Predicted to be faster, but passed over for fewer rounds: {}. ", listed(std::move(faster)));
  if (!tied.empty() && explanation.decision.is_exact)
    text += fmt::format("As fast by the model: {}. ", listed(std::move(tied)));
  else if (!tied.empty())
    text += fmt::format("Tied with it, because predictions are not exact to {:.0f} %: {}. ",
                        100 * tie_tolerance(explanation.decision), listed(std::move(tied)));
  if (!next) return text;
  text += fmt::format("Next: {}, {:.2f} times as long", way_text(explanation.problem, next->considered.way),
                      *considered_seconds(next->considered) / *best_s);
  return text + (next->parts ? fmt::format(": {}.", account(*next->parts)) : ".");
}

std::string source_text(const Explanation& explanation, const MachineKnowledge& knowledge) {
  std::string text;
  if (!knowledge.file.empty())
    text = fmt::format("Known of this machine: {} ({} races, {} fits of executors), of {}, {} cores, network {}, MPI {}.",
                       knowledge.file, knowledge.wisdom.records.size(), knowledge.wisdom.executors.size(),
                       knowledge.wisdom.machine.processor, knowledge.wisdom.machine.cores, knowledge.wisdom.machine.network,
                       knowledge.wisdom.machine.mpi);
  else if (!is_named(knowledge))
    text = fmt::format("Nothing was measured on this machine yet{}; 'mpirun -n 8 quadrille tune' does that.",
                       explanation.decision.situation.nodes > 1 ? " with ranks on several nodes" : "");
  if (knowledge.preset && (is_named(knowledge) || !explanation.decision.preset.empty()))
    text += fmt::format("{}Prices are by figures of the machine {} ({}; {}), which were not measured here.",
                        text.empty() ? "" : " ", knowledge.preset->name, knowledge.preset->description, knowledge.preset->source);
  if (const ModelChoice& model = explanation.decision.model; model.model)
    text += fmt::format("{}Their model is {}: {}.", text.empty() ? "" : " ", model.model->id, model.reason);
  return text;
}

// Returns what MPI libraries take by their rules: "Open MPI 4.1 takes pairwise here, the messages of our shift (12 µs, predicted)."
std::string vendors_text(const Explanation& explanation) {
  std::vector<std::string> sentences;
  for (const ExplainedVendor& vendor : explanation.vendors) {
    if (vendor.algorithm.empty()) {
      sentences.push_back(fmt::format("{}.", vendor.reason));
      continue;
    }
    std::string text = fmt::format("{} takes {} here", vendor.title, vendor.algorithm);
    if (vendor.equivalent.empty())
      text += "; " + vendor.reason;
    else
      text += fmt::format(", with the messages of our {}", vendor.equivalent);
    if (vendor.predicted_s) text += fmt::format(" ({}, predicted)", seconds_text(*vendor.predicted_s));
    sentences.push_back(text + (vendor.is_checked ? "." : "; these rules were not checked."));
  }
  if (sentences.empty()) return "";
  return fmt::format("By their built-in rules: {}", fmt::join(sentences, " "));
}

// Returns what the algorithm of the way says of its first rounds. The rounds are those in which one of the first ranks sends.
std::string rounds_text(const Explanation& explanation) {
  constexpr Rank most_ranks = 32;
  constexpr std::size_t most_lines = 8;
  const auto* choice = std::get_if<Choice>(&explanation.decision.chosen.algorithm);
  if (!choice) return "";
  const Schedule schedule = make_schedule(explanation.problem, *choice);
  std::set<Count> rounds;
  for (Rank rank = 0; schedule.says && rank < (schedule.symmetry ? 1 : std::min(most_ranks, explanation.problem.ranks)); ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      if (!round.sends.empty() || !round.control_sends.empty()) rounds.insert(round.number);
  const std::vector<std::string> lines = sayings(schedule, std::vector(rounds.begin(), rounds.end()));
  if (lines.empty()) return "";
  std::string text = fmt::format("What {} does:\n", short_name(explanation.problem, *choice));
  for (std::size_t i = 0; i < std::min(most_lines, lines.size()); ++i) text += paragraph("  " + lines[i] + '.', 4);
  return text + (lines.size() > most_lines ? fmt::format("  and so on, {} more\n", lines.size() - most_lines) : "");
}

// "mine.py by shared memory: 3.2 µs, predicted, 1.20 times as long as the way that is taken: ..."
std::string family_text(const ExplainedFamily& family) {
  if (!family.predicted_s) return fmt::format("Your {} was not priced: {}.", family.name, family.reason);
  std::string text = fmt::format("Your {}", family.name);
  if (family.policy != Policy::blocking) text += fmt::format(", {},", name(family.policy));
  text += fmt::format(" {}: about {}, predicted", row_of(family.executor).phrase, seconds_text(*family.predicted_s));
  if (family.ratio) text += fmt::format(", {:.2f} times as long as predicted for the way that is taken", *family.ratio);
  if (family.parts) text += fmt::format(": {}", account(*family.parts));
  return text + '.';
}

std::string bound_text(const Explanation& explanation) {
  const LowerBound& bound = explanation.bound;
  std::string text = "Every algorithm takes at least " + counted(bound.rounds, "round");
  if (moves_data(explanation.problem.collective))
    text += fmt::format(", and the messages that follow each other have at least {}", bytes_text(bound.bytes));
  const auto seconds = explanation.seconds();
  if (!bound.seconds || *bound.seconds <= 0 || !seconds) return text + '.';
  return text + fmt::format("; so many start-ups and bytes take {} by the same figures, and this takes {:.2f} times as long.",
                            seconds_text(*bound.seconds), *seconds / *bound.seconds);
}

// Returns the last sentence: "The way that is taken has 1.00 times the least C2, and takes, by the model, at most 1.12 times as
// long as any schedule must."
std::string gap_text(const Explanation& explanation) {
  const LowerBound& bound = explanation.bound;
  const auto seconds = explanation.seconds();
  std::string text = "The way that is taken ";
  if (bound.c2_ratio) text += fmt::format("has {:.2f} times the least C2", *bound.c2_ratio);
  if (!bound.seconds || *bound.seconds <= 0 || !seconds) return bound.c2_ratio ? text + '.' : "";
  return text + fmt::format("{}takes, by the model, at most {:.2f} times as long as any schedule must.",
                            bound.c2_ratio ? ", and " : "", *seconds / *bound.seconds);
}

// Returns the phrase of the executor by which all ways of the flips run, such as "by shared memory"; empty if the executors
// differ. The MPI library's own collectives have no phrase.
std::string common_phrase(const Flips& flips) {
  std::set<std::string_view> phrases;
  const auto note = [&](std::string_view way) {
    for (const ExecutorRow& row : all_executors())
      if (way.ends_with(row.phrase)) phrases.insert(row.phrase);
  };
  for (const Flip& flip : flips.list) {
    note(flip.way);
    for (const std::string& way : flip.tied) note(way);
  }
  return phrases.size() == 1 ? std::string(*phrases.begin()) : "";
}

std::string without_phrase(std::string way, const std::string& phrase) {
  if (phrase.empty() || !way.ends_with(' ' + phrase)) return way;
  way.resize(way.size() - phrase.size() - 1);
  if (way.ends_with(',')) way.pop_back();
  return way;
}

std::string flips_text(const std::string& heading, const Flips& flips, const std::function<std::string(Count)>& value_text) {
  if (flips.list.empty() && flips.note.empty()) return "";
  if (flips.list.empty()) return fmt::format("{}: {}.", heading, flips.note);
  const std::string phrase = common_phrase(flips);
  std::vector<std::string> parts;
  for (const Flip& flip : flips.list) {
    std::vector<std::string> ways{without_phrase(flip.way, phrase)};
    for (const std::string& way : flip.tied) ways.push_back(without_phrase(way, phrase));
    const std::string text = ways.size() == 1 ? ways[0] : fmt::format("{} (tied)", fmt::join(ways, " or "));
    parts.push_back(flip.from == flips.list[0].from ? text : fmt::format("from {} {}", value_text(flip.from), text));
  }
  const std::string text = fmt::format("{}{}: {} (looked at up to {})", heading, phrase.empty() ? "" : ", all " + phrase,
                                       fmt::join(parts, "; "), value_text(flips.upto));
  return text + (flips.note.empty() ? "." : fmt::format("; {}.", flips.note));
}

std::string measured_text(const std::optional<Timing>& timing) {
  if (!timing) return "–";
  return fmt::format("{} ({} to {})", seconds_text(timing->median_s), seconds_text(timing->lower_s), seconds_text(timing->upper_s));
}

bool differs_in_executor_only(const Considered& one, const Considered& other) {
  return !one.measured && !other.measured && one.predicted_s == other.predicted_s && one.way.policy == other.way.policy &&
         one.way.algorithm == other.way.algorithm;
}

// Returns the rows that are shown without --all. Leaves out baselines other than the chosen way, and adds their algorithms to
// `baselines`. Of ways with an equal price that differ only in the executor, keeps the first.
std::vector<const ExplainedWay*> brief_rows(const std::vector<ExplainedWay>& ways, std::set<std::string>& baselines) {
  std::vector<const ExplainedWay*> rows;
  for (const ExplainedWay& row : ways) {
    const bool is_shown = std::any_of(rows.begin(), rows.end(), [&](const ExplainedWay* each) {
      return differs_in_executor_only(each->considered, row.considered);
    });
    if (row.is_baseline && &row != &ways[0])
      baselines.insert(row.name.substr(0, row.name.find(':')));
    else if (!is_shown)
      rows.push_back(&row);
  }
  return rows;
}

// Returns the table of candidates, all of them or the best.
std::string table_of(const Explanation& explanation, bool all) {
  Table table("algorithm|executor|policy|>measured|>predicted|>start-ups|>bytes|>copies|>contention|why not");
  std::vector<const ExplainedWay*> rows;
  std::set<std::string> baselines;
  if (all)
    for (const ExplainedWay& row : explanation.ways) rows.push_back(&row);
  else
    rows = brief_rows(explanation.ways, baselines);
  const std::size_t shown = all ? rows.size() : std::min(most_explained_rows, rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ExplainedWay& row = *rows[i];
    const auto part = [&](double PriceParts::*seconds) -> std::string {
      return row.parts && (*row.parts).*seconds > 0 ? seconds_text((*row.parts).*seconds) : "–";
    };
    table.add({row.is_baseline ? row.name + " (baseline)" : row.name, std::string(name(row.considered.way.executor)),
               std::string(quadrille::name(row.considered.way.policy)), measured_text(row.considered.measured),
               row.considered.predicted_s ? seconds_text(*row.considered.predicted_s) : "–", part(&PriceParts::startups_s),
               part(&PriceParts::bytes_s), part(&PriceParts::copies_s), part(&PriceParts::contention_s),
               i == 0 ? "taken" : row.considered.rejected});
  }
  std::string text = table.text();
  const auto others = static_cast<std::size_t>(  // also ways that differ in the executor only
      std::count_if(explanation.ways.begin(), explanation.ways.end(),
                    [&](const ExplainedWay& row) { return !row.is_baseline || &row == &explanation.ways[0]; }));
  if (!all && others > shown) text += fmt::format("{} more; --all shows them\n", others - shown);
  if (!baselines.empty()) text += paragraph(fmt::format("Baselines, which --all shows, too: {}.", fmt::join(baselines, ", ")));
  return text;
}

Json json_of(const Flips& flips) {
  const auto flip_json = [](const Flip& flip) { return MEMBERS_OF(flip, from, way, tied); };
  return {{"changes", array_of(flips.list, flip_json)}, {"looked_up_to", flips.upto}, {"note", flips.note}};
}

Json json_of(const ExplainedVendor& vendor) {
  return {{"library", vendor.title},         {"checked", vendor.is_checked}, {"algorithm", vendor.algorithm},
          {"equivalent", vendor.equivalent}, {"reason", vendor.reason},      {"predicted_s", vendor.predicted_s}};
}

Json json_of(const std::optional<PriceParts>& parts) {
  if (!parts) return {};
  return {{"startups", parts->startups},     {"rounds", parts->rounds},
          {"startups_s", parts->startups_s}, {"message_bytes", parts->bytes},
          {"bytes_s", parts->bytes_s},       {"copied_bytes", parts->copied},
          {"copies_s", parts->copies_s},     {"contention_s", parts->contention_s}};
}

Json json_of(const ExplainedFamily& family) {
  return {{"family", family.name},
          {"executor", family.predicted_s ? Json(name(family.executor)) : Json()},
          {"policy", family.predicted_s ? Json(quadrille::name(family.policy)) : Json()},
          {"predicted_s", family.predicted_s},
          {"ratio", family.ratio},
          {"parts", json_of(family.parts)},
          {"reason", family.reason}};
}

Json json_of(const ExplainedWay& row) {
  const Considered& each = row.considered;
  Json object = way_json(each.way);
  object["predicted_s"] = each.predicted_s;
  object["measured"] = each.measured ? timing_json(*each.measured) : Json();
  object["parts"] = json_of(row.parts);
  object["baseline"] = row.is_baseline;
  object["rejected"] = each.rejected;
  return object;
}

}  // namespace

std::string text_of(const Explanation& explanation, const MachineKnowledge& knowledge, bool all) {
  const Problem& problem = explanation.problem;
  const Situation& situation = explanation.decision.situation;
  std::string text = paragraph(answer(explanation, knowledge));
  text += fmt::format("\n{} among {}", name(problem.collective), problem_text(problem));
  if (is_irregular(problem.collective))
    text += fmt::format("; mean share {}, irregularity {:.3g}, skew {}, sparsity {}", bytes_text(situation.block_bytes),
                        irregularity(problem), situation.skew, situation.sparsity);
  text += "\n\n" + paragraph(fmt::format("Why: {}. {}", explanation.decision.reason, comparison(explanation)));
  for (const ExplainedFamily& family : explanation.families) text += paragraph(family_text(family));
  text += paragraph(bound_text(explanation));
  text += paragraph(source_text(explanation, knowledge));
  if (const std::string vendors = vendors_text(explanation); !vendors.empty()) text += paragraph(vendors);
  const auto bytes = [](Count value) { return bytes_text(value); };
  const auto number = [](Count value) { return fmt::format("{}", value); };
  for (const std::string& flips :
       {moves_data(problem.collective) ? flips_text("By size of block, to within 3 %", explanation.by_block, bytes) : std::string(),
        flips_text("By number of ranks", explanation.by_ranks, number),
        flips_text("By irregularity, the longest share over the mean of those that are not empty", explanation.by_irregularity,
                   number)})
    if (!flips.empty()) text += paragraph(flips);
  if (const std::string rounds = rounds_text(explanation); !rounds.empty()) text += '\n' + rounds;
  text += '\n' + table_of(explanation, all);
  if (all)
    for (const auto& [algorithm, reason] : explanation.do_not_apply)
      text += paragraph(fmt::format("{} does not apply: {}.", algorithm, reason));
  if (is_assumed(explanation.decision, knowledge))
    text += '\n' + assumptions_text(*explanation.decision.model.model, *knowledge.preset);
  if (const std::string gap = gap_text(explanation); !gap.empty()) text += '\n' + paragraph(gap);
  return text;
}

Json json_of(const Explanation& explanation, const MachineKnowledge& knowledge) {
  const Decision& decision = explanation.decision;
  const Situation& situation = decision.situation;
  const auto as_json = [](const auto& each) { return json_of(each); };
  Json assumed = Json::object();
  if (is_assumed(decision, knowledge)) assumed = assumptions_of(*decision.model.model, *knowledge.preset);
  const auto seconds = explanation.seconds();
  const LowerBound& bound = explanation.bound;
  const bool has_nodes = counts_nodes(model_of(decision));
  return {{"collective", name(situation.collective)},
          {"ranks", situation.ranks},
          {"nodes", nodes_in(model_of(decision), explanation.problem)},
          {"ranks_of_node", has_nodes ? situation.ranks_of_node : 1},
          {"fewest_ranks_of_node", has_nodes ? fewest_ranks_of_node(explanation.problem) : 1},
          {"block_bytes", situation.block_bytes},
          {"skew", situation.skew},
          {"sparsity", situation.sparsity},
          {"irregularity", is_irregular(situation.collective) ? irregularity(explanation.problem) : 1.0},
          {"wisdom", knowledge.file},
          {"machine", knowledge.preset ? Json(knowledge.preset->name) : Json()},
          {"chosen", way_json(decision.chosen)},
          {"time_s", seconds},
          {"source", name(decision.source)},
          {"preset", decision.preset},
          {"model", decision.model.model ? Json(decision.model.model->id) : Json()},
          {"model_reason", decision.model.reason},
          {"assumed", std::move(assumed)},
          {"reason", decision.reason},
          {"candidates", array_of(explanation.ways, as_json)},
          {"do_not_apply", array_of(explanation.do_not_apply,
                                    [](const auto& each) {
                                      return Json{{"algorithm", each.first}, {"reason", each.second}};
                                    })},
          {"families", array_of(explanation.families, as_json)},
          {"mpi_libraries", array_of(explanation.vendors, as_json)},
          {"lower_bound",
           {{"rounds", bound.rounds},
            {"rounds_by", bound.of_rounds},
            {"message_bytes", bound.bytes},
            {"message_bytes_by", bound.of_bytes},
            {"time_s", bound.seconds},
            {"time_ratio", bound.seconds && *bound.seconds > 0 && seconds ? Json(*seconds / *bound.seconds) : Json()},
            {"c2_ratio", bound.c2_ratio}}},
          {"by_block", json_of(explanation.by_block)},
          {"by_ranks", json_of(explanation.by_ranks)},
          {"by_irregularity", json_of(explanation.by_irregularity)}};
}

}  // namespace quadrille::command
