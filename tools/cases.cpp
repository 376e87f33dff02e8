// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arguments.hpp"
#include "quadrille/error.hpp"
#include "talk.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_cases = 1'000'000;
constexpr std::size_t most_remarks = 4;  // of one specification

// "bruck:radix=2..4,ports=1" as one specification for each value; ranges end where the problem's do. Grows by one
// setting at a time, so that no more than `most_cases` are ever held.
std::vector<std::string> without_ranges(const Problem& problem, std::string_view specification) {
  const std::size_t colon = specification.find(':');
  const Algorithm* algorithm = find_algorithm(problem.collective, specification.substr(0, colon));
  if (!algorithm || colon == std::string_view::npos) return {std::string(specification)};

  std::vector<std::string> written_out{std::string(algorithm->id)};
  char separator = ':';
  for (const std::string_view setting : split(specification.substr(colon + 1), ',')) {
    const std::size_t equals = setting.find('=');
    const auto parameter = std::find_if(algorithm->parameters.begin(), algorithm->parameters.end(),
                                        [&](const Parameter& entry) { return entry.name == setting.substr(0, equals); });
    std::vector<std::string> values;
    if (parameter == algorithm->parameters.end() || !parameter->choices.empty() || setting.find("..") == std::string_view::npos) {
      values.emplace_back(setting);
    } else {
      const Range range =
          parse_range(setting.substr(equals + 1), fmt::format("{} of {}", parameter->name, algorithm->id), parameter->least);
      const Count last = parameter->most ? std::min(range.last, parameter->most(problem)) : range.last;
      if (last - range.first >= static_cast<Count>(most_cases))
        refuse(fmt::format("'{}' stands for more than {} cases; ask for fewer", setting, most_cases));
      for (Count i = 0; i <= last - range.first; ++i) values.push_back(fmt::format("{}={}", parameter->name, range.first + i));
      if (values.empty())
        values.push_back(fmt::format("{}={}", parameter->name, range.first));  // out of range: refused, with its range, later
    }
    if (values.size() * written_out.size() > most_cases)
      refuse(fmt::format("'{}' stands for more than {} cases; ask for fewer", specification, most_cases));
    std::vector<std::string> longer;
    for (const std::string& start : written_out)
      for (const std::string& value : values) longer.push_back(start + separator + value);
    written_out = std::move(longer);
    separator = ',';
  }
  return written_out;
}

// The cases of one specification; collects what was left out.
class Selection {
 public:
  Selection(std::vector<Case>& cases, std::vector<LeftOut>* left_out) : cases_(cases), left_out_list_(left_out) {}

  void add(std::size_t index, const Problem& problem, const std::string& specification) {
    if (cases_.size() == most_cases) refuse(fmt::format("there are more than {} cases; ask for fewer", most_cases));
    try {
      Choice choice = parse_choice(problem, specification);
      if (const auto reason = reason_against(problem, choice)) {
        if (left_out_list_) return left_out_list_->push_back({index, specification, *reason});
        return leave_out(
            problem, specification,
            fmt::format("{}/{} does not apply: {}", quadrille::name(problem.collective), choice.algorithm->id, *reason));
      }
      cases_.push_back({index, problem, std::move(choice)});
      ++taken_;
    } catch (const Error& error) {
      leave_out(problem, specification, error.what());
    }
  }

  bool refused() const { return taken_ == 0 && left_out_ > 0; }
  const std::string& first_reason() const { return first_reason_; }

  void report() const {
    for (const std::string& line : remarks_) remark(line);
    if (left_out_ > remarks_.size()) remark(fmt::format("left out: {} more like this", left_out_ - remarks_.size()));
  }

 private:
  void leave_out(const Problem& problem, const std::string& specification, const std::string& reason) {
    std::string line = fmt::format("left out: {} among {} ranks: {}", specification, problem.ranks, reason);
    if (line == last_) return;  // another size of block, the same reason
    if (left_out_++ == 0) first_reason_ = reason;
    if (remarks_.size() < most_remarks) remarks_.push_back(line);
    last_ = std::move(line);
  }

  std::vector<Case>& cases_;
  std::vector<LeftOut>* left_out_list_;
  std::vector<std::string> remarks_;
  std::string first_reason_, last_;
  std::size_t left_out_ = 0, taken_ = 0;
};

}  // namespace

std::vector<Case> make_cases(const std::vector<Problem>& problems, const std::vector<std::string>& specifications,
                             std::vector<LeftOut>* left_out) {
  const Collective collective = problems.front().collective;
  if (algorithms_for(collective).empty())
    refuse(fmt::format("there is no algorithm for {} yet; there are for: {}", quadrille::name(collective),
                       fmt::join(collectives_with_algorithms(), ", ")));
  std::vector<Case> cases;
  std::vector<Selection> selections;
  for (const std::string& specification : specifications) {
    if (specification == "vendor")
      refuse("vendor has no schedule: it is the MPI library's own collective; 'quadrille race' under mpirun can run it");
    if (specification == "all") {
      for (const Algorithm* algorithm : algorithms_for(collective)) {
        Selection& selection = selections.emplace_back(cases, left_out);
        for (std::size_t i = 0; i < problems.size(); ++i) selection.add(i, problems[i], std::string(algorithm->id));
      }
      continue;
    }
    Selection& selection = selections.emplace_back(cases, left_out);
    for (std::size_t i = 0; i < problems.size(); ++i)
      for (const std::string& single : without_ranges(problems[i], specification)) selection.add(i, problems[i], single);
    if (selection.refused()) refuse(selection.first_reason());
  }
  if (cases.empty() && left_out && !left_out->empty())
    refuse(fmt::format("{} does not apply: {}", left_out->front().specification, left_out->front().reason));
  if (cases.empty())
    refuse(selections.empty() ? "name an algorithm: --algorithm all, or one of 'quadrille list'"
                              : selections.front().first_reason());
  for (const Selection& selection : selections) selection.report();
  return cases;
}

std::vector<Case> make_named_cases(Collective collective, const std::vector<Problem>& problems,
                                   const std::vector<std::string>& specifications) {
  std::vector<std::string_view> known;
  for (const Algorithm* algorithm : algorithms_for(collective)) known.push_back(algorithm->id);
  if (specifications.empty() && !known.empty())
    refuse(fmt::format("say which algorithm with --algorithm; for {} there are: {}", quadrille::name(collective),
                       fmt::join(known, ", ")));
  return make_cases(problems, specifications);
}

std::string full_name(const Choice& choice) {
  std::string text(choice.algorithm->id);
  char separator = ':';
  for (const auto& [key, value] : choice.parameters) {
    text += separator + key + '=' + to_string(value);
    separator = ',';
  }
  return text;
}

std::string short_name(const Problem& problem, const Choice& choice) {
  Choice unusual{choice.algorithm, {}};
  for (const Parameter& parameter : choice.algorithm->parameters) {  // a default may depend on those before it
    const std::string key(parameter.name);
    const ParameterValue& value = choice.parameters.at(key);
    if (parse_choice(problem, full_name(unusual)).parameters.at(key) != value) unusual.parameters[key] = value;
  }
  return full_name(unusual);
}

std::string short_name(const Problem& problem, const std::string& specification) {
  if (!find_algorithm(problem.collective, std::string_view(specification).substr(0, specification.find(':')))) return specification;
  return short_name(problem, parse_choice(problem, specification));
}

}  // namespace quadrille::command
