// SPDX-License-Identifier: BSD-3-Clause
// Finds algorithms by name, parses specifications such as "bruck:radix=8,ports=2", and makes schedules.
#include "quadrille/algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "collectives/table.hpp"
#include "foundation/assert.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "schedule/settings.hpp"

namespace quadrille {
namespace {

// Returns the algorithm of a choice. Throws Error{misuse} if it has none.
const Algorithm& algorithm_of(const Choice& choice) {
  if (!choice.algorithm)
    throw Error(ErrorCode::misuse, "a choice names no algorithm; find_algorithm returns null for a name that it does not know");
  return *choice.algorithm;
}

[[noreturn]] void unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known) {
  throw Error(ErrorCode::misuse, fmt::format("there is no {} '{}'; {}", what, word, guess_or_list(word, known)));
}

Count most(const Parameter& parameter, const Problem& problem) {
  return parameter.most ? parameter.most(problem) : std::numeric_limits<Count>::max();
}

bool is_in_range(const Parameter& parameter, const Problem& problem, Count value) {
  return value >= parameter.least && value <= most(parameter, problem);
}

[[noreturn]] void refuse_value(const Algorithm& algorithm, const Parameter& parameter, const Problem& problem,
                               std::string_view text) {
  throw Error(ErrorCode::misuse,
              fmt::format("{}={} is out of range for {}/{}: it is a whole number in {}{}", parameter.name, text,
                          name(algorithm.collective), algorithm.id, parameter.range,
                          parameter.most ? fmt::format(", here {}..{}", parameter.least, most(parameter, problem)) : ""));
}

// Without a problem, ranges are not known.
ParameterValue parse_value(const Algorithm& algorithm, const Parameter& parameter, const Problem* problem, std::string_view text) {
  if (!parameter.choices.empty()) {
    if (parameter.is_of_the_form && parameter.is_of_the_form(text)) return std::string(text);
    const std::string whose = fmt::format("{} of {}/{}", parameter.name, name(algorithm.collective), algorithm.id);
    if (std::find(parameter.choices.begin(), parameter.choices.end(), text) == parameter.choices.end()) {
      if (parameter.form.empty()) unknown(whose + " called", text, parameter.choices);
      throw Error(ErrorCode::misuse,
                  fmt::format("{} is {} or {}, not '{}'", whose, fmt::join(parameter.choices, ", "), parameter.form, text));
    }
    return std::string(text);
  }
  for (const NamedNumber& named : parameter.named)
    if (problem && named.name == text) return std::clamp(named.value(*problem), parameter.least, most(parameter, *problem));
  const auto value = number_in<Count>(text);
  if (!problem && (!value || *value < 0))
    throw Error(ErrorCode::misuse, fmt::format("{}={} is not a number", parameter.name, text));
  if (problem && (!value || !is_in_range(parameter, *problem, *value))) refuse_value(algorithm, parameter, *problem, text);
  return *value;
}

// The algorithm may be a record that a program defines, so no test has seen that it is complete.
Combining combining_of(const Algorithm& algorithm, const Problem& problem, const Parameters& parameters) {
  if (algorithm.combining) return algorithm.combining(problem, parameters);
  throw Error(ErrorCode::misuse, fmt::format("the record of {}/{} has no function 'combining', which every reduction needs",
                                             name(algorithm.collective), algorithm.id));
}

void add_defaults(const Problem& problem, Choice& choice) {
  for (const Parameter& parameter : choice.algorithm->parameters) {
    if (choice.parameters.contains(std::string(parameter.name))) continue;
    ParameterValue value = parameter.standard;
    if (parameter.standard_for) value = parameter.standard_for(problem, choice.parameters);
    if (Count* standard = std::get_if<Count>(&value)) *standard = std::clamp(*standard, parameter.least, most(parameter, problem));
    choice.parameters[std::string(parameter.name)] = value;
  }
}

// Reads the parameters that the text names. `problem` is null if the text stands for problems of any size.
Choice parsed_choice(Collective collective, const Problem* problem, std::string_view specification) {
  const auto [id, settings] = parts_of_specification(specification);
  Choice choice{find_algorithm(collective, id), {}};
  if (!choice.algorithm) {
    std::vector<std::string> known;
    for (const Algorithm* algorithm : algorithms_for(collective)) known.emplace_back(algorithm->id);
    unknown(fmt::format("{} algorithm", name(collective)), id, known);
  }
  for (const auto& [text, key, value] : settings) {
    if (!value) throw Error(ErrorCode::misuse, fmt::format("'{}' in '{}' is not a setting; write name=value", text, specification));
    const auto& parameters = choice.algorithm->parameters;
    const auto parameter =
        std::find_if(parameters.begin(), parameters.end(), [&name = key](const Parameter& entry) { return entry.name == name; });
    if (parameter == parameters.end()) {
      std::vector<std::string> known;
      for (const Parameter& entry : parameters) known.emplace_back(entry.name);
      throw Error(ErrorCode::misuse,
                  fmt::format("{}/{} has no parameter '{}'; {}", name(collective), id, key, guess_or_list(key, known)));
    }
    if (choice.parameters.contains(std::string(key)))
      throw Error(ErrorCode::misuse, fmt::format("{} is given twice in '{}'", key, specification));
    choice.parameters[std::string(key)] = parse_value(*choice.algorithm, *parameter, problem, *value);
  }
  return choice;
}

}  // namespace

std::vector<const Algorithm*> algorithms_for(Collective collective) {
  std::vector<const Algorithm*> matching;
  for (const Algorithm* algorithm : all_algorithms())
    if (algorithm->collective == collective) matching.push_back(algorithm);
  return matching;
}

const Algorithm* find_algorithm(Collective collective, std::string_view id) {
  for (const Algorithm* algorithm : algorithms_for(collective))
    if (algorithm->id == id) return algorithm;
  return nullptr;
}

const Algorithm& default_algorithm(Collective collective) {
  const auto marked = default_algorithms();
  const auto entry =
      std::find_if(marked.begin(), marked.end(), [&](const Algorithm* algorithm) { return algorithm->collective == collective; });
  QUADRILLE_ASSERT(entry != marked.end());
  return **entry;
}

Choice parse_choice(const Problem& problem, std::string_view specification) {
  Choice choice = parsed_choice(problem.collective, &problem, specification);
  add_defaults(problem, choice);
  return choice;
}

Choice parse_choice(Collective collective, std::string_view specification) {
  return parsed_choice(collective, nullptr, specification);
}

Choice completed(const Problem& problem, Choice choice) {
  for (const Parameter& parameter : algorithm_of(choice).parameters)
    if (const auto given = choice.parameters.find(std::string(parameter.name)); given != choice.parameters.end()) {
      const Count* value = std::get_if<Count>(&given->second);
      if ((value != nullptr) != parameter.choices.empty())
        throw Error(ErrorCode::misuse,
                    fmt::format("{} of {}/{} is a {}, not {}", parameter.name, name(problem.collective), choice.algorithm->id,
                                parameter.choices.empty() ? "number" : "word", to_string(given->second)));
      if (value && !is_in_range(parameter, problem, *value))
        refuse_value(*choice.algorithm, parameter, problem, to_string(given->second));
    }
  add_defaults(problem, choice);
  return choice;
}

Choice shortened(const Problem& problem, const Choice& choice) {
  Choice unusual{choice.algorithm, {}};
  for (const Parameter& parameter : algorithm_of(choice).parameters) {  // in this order: a default may depend on earlier parameters
    const std::string key(parameter.name);
    const ParameterValue& value = choice.parameters.at(key);
    if (completed(problem, unusual).parameters.at(key) != value) unusual.parameters[key] = value;
  }
  return unusual;
}

Result<> applies(const Problem& problem, const Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  if (algorithm.applies)
    if (auto own = algorithm.applies(problem, choice.parameters); !own) return own;
  if (!is_reduction(problem.collective) || combining_of(algorithm, problem, choice.parameters) >= required_combining(problem))
    return {};
  return cannot(fmt::format("{}; its order of combining is: {}",
                            problem.reproducible
                                ? "it does not combine operands along the fixed tree that makes results reproducible"
                                : "it combines operands in another order than that of the ranks, and the operator does not commute",
                            algorithm.combining_rule));
}

void check_applies(const Problem& problem, const Choice& choice) {
  if (const auto result = applies(problem, choice); !result)
    throw Error(ErrorCode::misuse,
                fmt::format("{}/{} does not apply: {}", name(problem.collective), choice.algorithm->id, result.error()));
}

std::string specification(const Choice& choice) { return specification(algorithm_of(choice).id, choice.parameters); }

Schedule make_schedule(const Problem& problem, const Choice& choice) {
  const Algorithm& algorithm = algorithm_of(choice);
  check(problem);
  check_applies(problem, choice);
  Schedule schedule;
  schedule.problem = problem;
  // The schedule is marked as commutative only if the algorithm reorders operands. In all other schedules the verifier requires
  // the order of ranks. Documents state the mark.
  if (is_reduction(problem.collective))
    schedule.problem.commutative = combining_of(algorithm, problem, choice.parameters) == Combining::any_order;
  schedule.algorithm = algorithm.id;
  schedule.parameters = choice.parameters;
  if (algorithm.symmetry) schedule.symmetry = algorithm.symmetry(problem, choice.parameters);
  if (algorithm.ports) schedule.port_limit = algorithm.ports(problem, choice.parameters);
  if (algorithm.node_ports) schedule.node_port_limit = algorithm.node_ports(problem, choice.parameters);
  schedule.program = [problem, parameters = choice.parameters, generate = algorithm.generate,
                      analysis = algorithm.analyse ? algorithm.analyse(problem, choice.parameters) : nullptr](Rank rank) {
    Program program = generate(problem, parameters, analysis.get(), rank);
    QUADRILLE_ASSERT(program.rank == rank);
    return program;
  };
  return schedule;
}

Schedule make_schedule(const Problem& problem, std::string_view specification) {
  check(problem);
  return make_schedule(problem, parse_choice(problem, specification));
}

Count number(const Parameters& parameters, const std::string& name) { return std::get<Count>(parameters.at(name)); }
const std::string& word(const Parameters& parameters, const std::string& name) {
  return std::get<std::string>(parameters.at(name));
}

std::string short_specification(const Schedule& schedule) {
  const Algorithm* algorithm = find_algorithm(schedule.problem.collective, schedule.algorithm);
  if (!algorithm) return specification(schedule);
  const auto is_known = [&](const auto& stated) {
    return std::any_of(algorithm->parameters.begin(), algorithm->parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == stated.first; });
  };
  if (!std::all_of(schedule.parameters.begin(), schedule.parameters.end(), is_known)) return specification(schedule);
  try {
    Choice stated = shortened(schedule.problem, completed(schedule.problem, {algorithm, schedule.parameters}));
    std::erase_if(stated.parameters, [&](const auto& parameter) { return !schedule.parameters.contains(parameter.first); });
    return specification(stated);
  } catch (const Error&) {
    return specification(schedule);
  }
}

}  // namespace quadrille
