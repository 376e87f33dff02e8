// SPDX-License-Identifier: BSD-3-Clause
#include "reports/price_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "collectives/table.hpp"
#include "options/arguments.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "quadrille/error.hpp"
#include "reports/schedule_verdict.hpp"
#include "schedule/ordering.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// Returns true for an algorithm that is in the table only for comparisons with others.
bool is_baseline(const Priced& candidate) {
  return candidate.choice.algorithm && quadrille::is_baseline(*candidate.choice.algorithm);
}

bool is_cheaper(const Priced& a, const Priced& b) {
  const auto order = [](const Priced& each) { return std::make_tuple(each.best_seconds(), is_baseline(each), each.ports); };
  return order(a) < order(b);
}

std::string_view singular(std::string_view plural) { return plural.substr(0, plural.size() - 1); }  // "start-ups" gives "start-up"

// Returns the amount of a term; bytes are in the unit of their table column.
std::string amount_text(const PriceTerm& term, const ByteUnit& unit) {
  if (!term.is_bytes) return fmt::format("{} {}", term.amount, term.amount == 1 ? singular(term.name) : term.name);
  const std::string bytes = bytes_text(term.amount, unit);
  return term.name == "bytes" ? bytes : fmt::format("{} of {}", bytes, term.name);
}

ByteUnit unit_of_term(const PriceList& list, std::string_view name) {
  std::vector<Bytes> amounts;
  for (const Priced& candidate : list.candidates)
    for (const PriceTerm& term : candidate.terms())
      if (term.name == name) amounts.push_back(term.amount);
  return common_unit(amounts);
}

// Returns the terms that add up to the price: "63 start-ups (2.77 ms) and 63 KiB (2.26 ms)".
std::string account_of(const Priced& candidate, const PriceList& list) {
  std::vector<std::string> parts;
  for (const PriceTerm& term : candidate.terms())
    if (term.seconds > 0)
      parts.push_back(fmt::format("{} ({})", amount_text(term, unit_of_term(list, term.name)), seconds_text(term.seconds)));
  return parts.empty() ? "nothing at all" : listed(std::move(parts));
}

// Does the model price the policies of some candidate differently? On one port policies often cost the same, apart from the
// rounding of each round's time.
bool policies_differ(const PriceList& list) {
  return std::any_of(list.candidates.begin(), list.candidates.end(), [](const Priced& each) {
    const auto differs = [&](double other_s) { return std::abs(other_s - each.price.blocking_s) > 1e-4 * each.price.blocking_s; };
    return differs(each.price.nonblocking_s) || differs(each.price.dataflow_s);
  });
}

std::string with_policy(const Priced& candidate, const PriceList& list) {
  return policies_differ(list) ? fmt::format("{}, {}", candidate.name, name(candidate.price.best_policy())) : candidate.name;
}

bool hides(const Priced& candidate) { return candidate.price.best_policy() != Policy::blocking; }

// Says for which terms `best` takes more time than `next`, and for which less. Hidden terms are not mentioned.
std::string difference(const Priced& best, const Priced& next) {
  std::map<std::string_view, double> more;
  for (const PriceTerm& term : best.terms()) more[term.name] += term.seconds;
  for (const PriceTerm& term : next.terms()) more[term.name] -= term.seconds;
  std::vector<std::string> spent, saved;
  for (const Priced* candidate : {&best, &next})
    for (const PriceTerm& term : candidate->terms())
      if (const double seconds = std::exchange(more[term.name], 0); seconds != 0)
        (seconds > 0 ? spent : saved).push_back(fmt::format("{} of {}", seconds_text(std::abs(seconds)), term.name));
  if (spent.empty()) return fmt::format("{} takes no more of {}.", best.name, hides(best) || hides(next) ? "these" : "anything");
  return fmt::format("{} takes {} more to save {}.", best.name, fmt::join(spent, " and "), fmt::join(saved, " and "));
}

std::string reason(const PriceList& list, const Pricer& pricer) {
  const Priced& best = list.candidates.front();
  std::vector<std::string> alike;
  const Priced* next = nullptr;
  for (auto entry = list.candidates.begin() + 1; entry != list.candidates.end() && !next; ++entry)
    if (entry->best_seconds() > best.best_seconds())
      next = &*entry;
    else if (!is_baseline(*entry))
      alike.push_back(entry->name);
  const bool is_assumed = !assumptions_of(pricer.model(), pricer.machine()).empty();
  std::string text = fmt::format("Fastest{}: {}", is_assumed ? ", with assumed figures" : "", with_policy(best, list));
  if (!alike.empty()) text += fmt::format(" (and no slower: {})", fmt::join(alike, ", "));
  if (best.best_seconds() == 0) return text + ", which takes no time at all.";
  text += fmt::format(": {}.", account_of(best, list));
  if (next) {
    text += fmt::format(" Next: {}, {:.2f} times as long: {}. {}", with_policy(*next, list),
                        next->best_seconds() / best.best_seconds(), account_of(*next, list), difference(best, *next));
  }
  const auto overlap = pricer.coefficients().find("overlap");
  const bool overlaps = overlap == pricer.coefficients().end() ? !pricer.model().prices_windows : overlap->second != 0;
  if (overlaps && (hides(best) || (next && hides(*next)))) text += " What is hidden behind these is not counted.";
  return text;
}

std::string winners_text(const PriceList& list) {
  const std::vector<Flip>& winners = list.winners.list;
  if (winners.empty()) return list.winners.note.empty() ? "" : fmt::format("By size of block: {}.", list.winners.note);
  if (list.candidates.front().best_seconds() == 0) return "";
  const std::string most = bytes_text(most_block_bytes);
  if (winners.size() == 1) return fmt::format("{} is the fastest for all blocks up to {}.", winners[0].way, most);
  std::string text = fmt::format("Fastest by size of block, up to {}: {}", most, winners[0].way);
  for (std::size_t i = 1; i < winners.size(); ++i) text += fmt::format("; from {} {}", bytes_text(winners[i].from), winners[i].way);
  return text + '.';
}

// Says which candidates were counted on a sample of the nodes: "Counted on 3 of 12500 nodes: one-factor, mesh; on 5: combined."
std::string sampling(const PriceList& list) {
  std::map<Count, std::vector<std::string>> sampled;
  for (const Priced& candidate : list.candidates)
    if (candidate.nodes_sampled > 0) sampled[candidate.nodes_sampled].push_back(candidate.name);
  if (sampled.empty()) return "";
  const std::set<Count> nodes(list.problem.nodes.begin(), list.problem.nodes.end());
  std::vector<std::string> parts;
  for (const auto& [count, names] : sampled)
    parts.push_back(
        fmt::format("on {}{}: {}", count, parts.empty() ? fmt::format(" of {} nodes", nodes.size()) : "", fmt::join(names, ", ")));
  return fmt::format("Counted {}; the others on all.", fmt::join(parts, "; "));
}

// Returns false for a term that tells nothing, because it costs nothing and has the same amount for all candidates.
bool is_shown(const PriceList& list, std::size_t term) {
  const Count amount = list.candidates.front().price.terms[term].amount;
  return std::any_of(list.candidates.begin(), list.candidates.end(), [&](const Priced& candidate) {
    const PriceTerm& own = candidate.price.terms[term];
    return own.seconds > 0 || own.amount != amount;
  });
}

std::string text_of(const PriceList& list, const std::string& place, const Pricer& pricer) {
  std::vector<Column> columns = headings("algorithm");
  std::vector<std::size_t> terms;
  for (std::size_t i = 0; i < list.candidates.front().price.terms.size(); ++i)
    if (!pricer.model().needs_work || is_shown(list, i)) terms.push_back(i);
  for (const std::size_t i : terms) columns.push_back({std::string(list.candidates.front().price.terms[i].name), Align::right});
  columns.insert(columns.end(), {{"buffers", Align::right}, {"control", Align::right}});
  const std::vector<Policy> policies =
      policies_differ(list) ? std::vector{Policy::blocking, Policy::nonblocking, Policy::dataflow} : std::vector{Policy::blocking};
  for (const Policy policy : policies) columns.push_back({policies.size() == 1 ? "time" : std::string(name(policy)), Align::right});
  columns.push_back({"ratio", Align::right});
  Table table(columns);
  const double least = list.candidates.front().best_seconds();
  for (const Priced& candidate : list.candidates) {
    std::vector<TableCell> row{is_baseline(candidate) ? candidate.name + " (baseline)" : candidate.name};
    for (const std::size_t i : terms) {
      const PriceTerm& term = candidate.price.terms[i];
      row.push_back(term.is_bytes ? TableCell(Sizes{{term.amount}}) : fmt::format("{}", term.amount));
    }
    row.insert(row.end(), {Sizes{{candidate.scratch}}, Sizes{{candidate.control_bytes}}});
    for (const Policy policy : policies) row.push_back(seconds_text(candidate.price.seconds(policy)));
    row.push_back(least > 0 ? fmt::format("{:.2f}", candidate.best_seconds() / least) : "–");
    table.add(std::move(row));
  }
  std::string text =
      fmt::format("{}, {}{}\n\n{}\n", name(list.problem.collective), problem_text(list.problem), place, table.text());
  const auto add = [&](const std::string& sentences) {
    if (!sentences.empty()) text += paragraph(sentences);
  };
  for (const LeftOut& entry : list.left_out) add(sentence_of(entry) + '.');
  for (const Priced& candidate : list.candidates)
    if (!candidate.note.empty()) add(fmt::format("{}: {}.", candidate.name, candidate.note));
  add(sampling(list));
  add(reason(list, pricer));
  add(winners_text(list));
  return text;
}

}  // namespace

Pricer::Pricer(ModelChoice model, MachineCosts machine, std::optional<Topology> topology)
    : model_(std::move(model)), machine_(std::move(machine)), topology_(std::move(topology)) {
  coefficients_of(machine_, *model_.model);
}

PriceList Pricer::prices(const Problem& problem, const std::vector<Case>& cases, std::vector<LeftOut> left_out,
                         ProgressLine& progress) const {
  PriceList list{.problem = problem, .left_out = std::move(left_out)};
  std::size_t too_large = 0;
  for (const Case& entry : cases) {
    const std::string name = entry.short_name();
    progress.show(fmt::format("priced {} of {}: now {}", list.candidates.size() + too_large, cases.size(), name));
    try {
      const Workload work = workload_for(model(), progress.followed(entry.schedule()), topology_ ? &*topology_ : nullptr);
      list.messages += work.messages_counted;
      const auto* choice = std::get_if<Choice>(&entry.candidate);
      list.candidates.push_back({name, choice ? shortened(problem, *choice) : Choice{}, entry.specification(),
                                 price_of(work, model(), machine_), work.scratch, work.control_bytes, work.ports,
                                 work.nodes_sampled, entry.vendor ? entry.vendor->note : ""});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::too_large) throw;
      list.left_out.push_back({entry.index, name, error.what()});
      ++too_large;
    }
  }
  if (list.candidates.empty()) refuse(fmt::format("{}: {}", list.left_out.front().specification, list.left_out.front().reason));
  std::stable_sort(list.candidates.begin(), list.candidates.end(), is_cheaper);
  return list;
}

void Pricer::find_winners(PriceList& list, const AtBlock& at_block, ProgressLine& progress) const {
  std::vector<Choice> candidates;
  for (const Priced& candidate : list.candidates) {
    if (!candidate.note.empty()) return;  // an MPI library takes other algorithms for other sizes
    candidates.push_back(candidate.choice);
  }
  list.winners =
      cheapest_by_block(list.problem, candidates, model(), machine_,
                        {.topology = topology_, .at_block = at_block, .messages = list.messages, .progress = [&](Bytes bytes) {
                           progress.show("now blocks of " + bytes_text(bytes));
                         }});
}

std::string text_of(const std::vector<PriceList>& lists, const Pricer& pricer) {
  std::vector<const Problem*> problems;
  for (const PriceList& list : lists) problems.push_back(&list.problem);
  const Places places(pricer.model(), problems);
  std::string text = model_text(pricer.model(), pricer.machine(), places);
  if (const std::string& why = pricer.why_model(); !why.empty())
    text += paragraph(fmt::format("Model {}: {}.", pricer.model().id, why));
  for (const PriceList& list : lists) text += '\n' + text_of(list, places.beside(list.problem), pricer);
  if (const std::string assumed = assumptions_text(pricer.model(), pricer.machine()); !assumed.empty()) text += '\n' + assumed;
  return text;
}

Json json_of(const PriceList& list, const Pricer& pricer) {
  const auto candidate_json = [](const Priced& candidate) {
    Json object{{"algorithm", candidate.specification}, {"short_name", candidate.name}};
    object["terms"] =
        array_of(candidate.price.terms, [](const PriceTerm& term) { return MEMBERS_OF(term, name, amount, seconds); });
    object.update(MEMBERS_OF(candidate, scratch, control_bytes, nodes_sampled));
    object.update(MEMBERS_OF(candidate.price, blocking_s, nonblocking_s, dataflow_s));
    if (!candidate.note.empty()) object["note"] = candidate.note;
    return object;
  };
  const Priced& best = list.candidates.front();
  Json object{{"collective", name(list.problem.collective)},
              {"ranks", list.problem.ranks},
              {"nodes", nodes_in(pricer.model(), list.problem)},
              {"block_bytes", list.problem.block_bytes},
              {"machine", pricer.machine().name},
              {"model", pricer.model().id},
              {"model_reason", pricer.why_model()},
              {"coefficients", pricer.coefficients()},
              {"assumed", assumptions_of(pricer.model(), pricer.machine())},
              {"candidates", array_of(list.candidates, candidate_json)},
              {"left_out", array_of(list.left_out, left_out_json)},
              {"fastest",
               {{"algorithm", best.specification}, {"policy", name(best.price.best_policy())}, {"seconds", best.best_seconds()}}},
              {"fastest_by_block", array_of(list.winners.list,
                                            [](const Flip& winner) {
                                              return Json{{"from_block_bytes", winner.from}, {"algorithm", winner.way}};
                                            })},
              {"reason", reason(list, pricer)}};
  if (is_irregular(list.problem.collective)) object["counts"] = all_counts(list.problem);
  return object;
}

}  // namespace quadrille::command
