// SPDX-License-Identifier: BSD-3-Clause
#include "answer.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "draw/viewer_page.hpp"
#include "problem/collective_facts.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/document.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/model_choice.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {
namespace {

using Json = nlohmann::ordered_json;

void add_figures(Json& answer, const Schedule& schedule) {
  const Figures counted = figures(schedule);
  answer["c1"] = counted.c1;
  answer["c2"] = counted.c2;
  for (const Bound& bound : lower_bounds(schedule.problem, counted.ports, counted.c1))
    if (Json& least = answer[bound.figure + "_bound"]; least.is_null() || least < bound.value) least = bound.value;
}

// The block that was to be at the finding's place, as its origin, the offset in its input, and its bytes. Returns null for
// reductions, whose results have many origins, and for irregular collectives.
Json block_at(const Problem& problem, const Finding& finding) {
  if (finding.rule != Rule::delivery || !finding.rank || !finding.region || problem.block_bytes == 0) return nullptr;
  const Bytes block = problem.block_bytes, share = finding.region->offset / block;
  switch (problem.collective) {
    case Collective::alltoall: return {share, *finding.rank * block, block};
    case Collective::allgather:
    case Collective::gather: return {share, 0, block};
    case Collective::broadcast: return {problem.root, finding.region->offset, finding.region->length};
    case Collective::scatter: return {problem.root, *finding.rank * block, block};
    default: return nullptr;
  }
}

void add_cause(Json& answer, const Schedule& schedule, const std::vector<Finding>& findings) {
  const FaultCauses found = causes_of(schedule, findings);
  answer["findings"] = findings.size();
  const Finding* finding = &findings.front();
  answer["cause"] = to_string(*finding);
  if (!found.causes.empty()) {
    const FaultCause& first = found.causes.front();
    finding = &findings[first.findings.front()];
    answer["cause"] = first.kind == CauseKind::rule ? to_string(*finding) : first.message;
    if (first.operation) {
      answer["round"] = first.operation->round;
      answer["rank"] = first.operation->from;
    }
  }
  if (!answer.contains("round") && finding->round) answer["round"] = *finding->round;
  if (!answer.contains("rank") && finding->rank) answer["rank"] = *finding->rank;
  if (Json block = block_at(schedule.problem, *finding); !block.is_null()) answer["block"] = std::move(block);
}

std::vector<Finding> findings_of(const Schedule& schedule) { return verify(schedule, {.most_findings = most_counted_findings}); }

void prove(Json& answer, const Schedule& schedule) {
  answer["ranks"] = schedule.problem.ranks;
  answer["problem"] = problem_text(schedule.problem);
  const std::vector<Finding> findings = findings_of(schedule);
  if (findings.empty())
    add_figures(answer, schedule);
  else
    add_cause(answer, schedule, findings);
}

void show(Json& answer, const Schedule& schedule) {
  ViewerPage page;
  page.add(described_trace(schedule, "yours", nullptr, findings_of(schedule)));
  const Json data{
      {"format", "quadrille-page/1"}, {"documents", Json::array({Json::parse(page.documents.front())})}, {"layouts", page.layouts}};
  answer["page"] = data.dump();
}

MachineCosts machine_of(const std::string& text) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "quadrille-machine.toml";
  std::ofstream(file) << text;
  return read_machine(file.string());
}

void race(Json& answer, const Schedule& schedule, const MachineCosts& machine) {
  if (!findings_of(schedule).empty()) throw Error(ErrorCode::misuse, "a wrong schedule has no time");
  const Problem& problem = schedule.problem;
  const auto choice = choose_model(machine, pricing_facts(problem));
  if (!choice) throw Error(ErrorCode::misuse, choice.error());
  std::vector<Json> times;
  const auto add = [&](std::string_view name, const Schedule& entry) {
    const WorkloadOptions counted{.nodes = choice->model->needs_nodes, .work = choice->model->needs_work};
    const Figures figure = figures(entry);
    times.push_back({{"name", name},
                     {"seconds", static_cast<double>(simulate_rounds(entry, *choice->model, machine, counted).end) * 1e-12},
                     {"c1", figure.c1},
                     {"c2", figure.c2}});
  };
  add("yours", schedule);
  for (const Algorithm* algorithm : algorithms_for(problem.collective)) {
    const Choice standard = completed(problem, {algorithm, {}});
    if (applies(problem, standard)) add(algorithm->id, make_schedule(problem, standard));
  }
  std::stable_sort(times.begin(), times.end(), [](const Json& a, const Json& b) { return a["seconds"] < b["seconds"]; });
  answer["model"] = choice->model->id;
  answer["times"] = times;
}

}  // namespace

std::string answer(std::string_view question) {
  Json answer = Json::object();
  try {
    const Json asked = Json::parse(question);
    const Schedule schedule = parse_documents(asked.at("schedule").get<std::string>()).at(0);
    const std::string ask = asked.at("ask");
    if (ask == "prove") prove(answer, schedule);
    if (ask == "show") show(answer, schedule);
    if (ask == "race") race(answer, schedule, machine_of(asked.at("machine")));
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
  }
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quadrille
