// SPDX-License-Identifier: BSD-3-Clause
// Finds algorithms by name, parses specifications such as "bruck:radix=8,ports=2", and makes schedules.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "collectives/table.hpp"
#include "foundation/assert.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "problem/problem_text.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/error.hpp"
#include "schedule/settings.hpp"

namespace quadrille {
namespace {

// Returns the algorithm of a choice. Throws Error{misuse} if the choice has none.
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

// If `problem` is null, ranges of values are not checked.
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

// The record may come from the calling program and lack the function: tests check only our own records.
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

// Reads the parameters that the text names. `problem` is null if the problem is not known.
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

// Two values of parameters cut blocks, too: more than one segment, and the form `shares` of a vector.
bool is_homogeneous(const Choice& choice) {
  const auto& values = choice.parameters;
  const auto segments = values.find("segments"), form = values.find("form");
  return !choice.algorithm->cuts_blocks && (segments == values.end() || segments->second == ParameterValue(Count{1})) &&
         (form == values.end() || form->second != ParameterValue(std::string("shares")));
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
  // the order of ranks. Schedule documents contain the mark.
  if (is_reduction(problem.collective))
    schedule.problem.commutative = combining_of(algorithm, problem, choice.parameters) == Combining::any_order;
  schedule.algorithm = algorithm.id;
  schedule.parameters = choice.parameters;
  if (algorithm.symmetry) schedule.symmetry = algorithm.symmetry(problem, choice.parameters);
  if (algorithm.ports) schedule.port_limit = algorithm.ports(problem, choice.parameters);
  if (algorithm.node_ports) schedule.node_port_limit = algorithm.node_ports(problem, choice.parameters);
  if (algorithm.says)
    schedule.says = [problem, parameters = choice.parameters, says = algorithm.says](Count round) {
      return says(problem, parameters, round);
    };
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

namespace {

constexpr std::string_view vendor = "vendor", vendor_with_algorithm = "vendor:";

Vendor parse_vendor(std::string_view text) {
  if (text == vendor) return {};
  text.remove_prefix(vendor_with_algorithm.size());
  if (text.empty()) throw Error(ErrorCode::misuse, "'vendor:' must be followed by the name of one of the MPI library's algorithms");
  return {std::string(text)};
}

}  // namespace

Family::Family(std::string name, Make make, MadeBy made_by)
    : name_(std::move(name)), make_(std::make_shared<const Make>(std::move(make))), made_by_(made_by) {}

Result<Schedule> Family::schedule(const Problem& problem) const {
  Result<Schedule> made = (*make_)(problem);
  if (!made) return made;
  if (!moves_the_same(made->problem, problem))
    throw Error(ErrorCode::misuse, fmt::format("{} makes a schedule for {} instead of {}", name_, collective_text(made->problem),
                                               collective_text(problem)));
  made->problem = problem;
  made->algorithm = name_;
  // `verify` takes the limit of ports from this parameter. The parameters are removed below, so the limit is kept in
  // `port_limit`.
  if (const auto ports = made->parameters.find("ports"); ports != made->parameters.end())
    if (const auto* limit = std::get_if<Count>(&ports->second)) made->port_limit = *limit;
  made->parameters.clear();
  return made;
}

Family family_of_programs(std::string name, std::function<Program(const Problem&, Rank)> program) {
  return {std::move(name), [program = std::move(program)](const Problem& problem) {
            Schedule schedule{.problem = problem};
            schedule.program = [program, problem](Rank rank) { return program(problem, rank); };
            return schedule;
          }};
}

Family family_of_schedules(std::string name, std::vector<Schedule> schedules) {
  return {std::move(name), [schedules = std::move(schedules)](const Problem& problem) -> Result<Schedule> {
            for (const Schedule& schedule : schedules)
              if (moves_the_same(schedule.problem, problem)) return schedule;
            if (schedules.size() == 1)
              return cannot(fmt::format("the given schedule is for {}, not for {}", collective_text(schedules[0].problem),
                                        collective_text(problem)));
            return cannot(fmt::format("none of the given schedules is for {}", collective_text(problem)));
          }};
}

bool names_vendor(std::string_view text) { return text == vendor || text.starts_with(vendor_with_algorithm); }

Candidate parse_candidate(const Problem& problem, std::string_view text) {
  if (names_vendor(text)) return parse_vendor(text);
  return parse_choice(problem, text.empty() ? default_algorithm(problem.collective).id : text);
}

Candidate parse_candidate(Collective collective, std::string_view text) {
  if (names_vendor(text)) return parse_vendor(text);
  return parse_choice(collective, text.empty() ? default_algorithm(collective).id : text);
}

Candidate completed(const Problem& problem, Candidate candidate) {
  if (auto* choice = std::get_if<Choice>(&candidate)) *choice = completed(problem, std::move(*choice));
  return candidate;
}

std::string specification(const Candidate& candidate) {
  if (const auto* choice = std::get_if<Choice>(&candidate)) return specification(*choice);
  if (const auto* family = std::get_if<Family>(&candidate)) return family->name();
  const std::string& algorithm = std::get<Vendor>(candidate).algorithm;
  return algorithm.empty() ? std::string(vendor) : std::string(vendor_with_algorithm) + algorithm;
}

std::string short_name(const Problem& problem, const Candidate& candidate) {
  const auto* choice = std::get_if<Choice>(&candidate);
  return choice ? specification(shortened(problem, *choice)) : specification(candidate);
}

Schedule make_schedule(const Problem& problem, const Candidate& candidate) {
  if (const auto* choice = std::get_if<Choice>(&candidate)) return make_schedule(problem, *choice);
  const auto* family = std::get_if<Family>(&candidate);
  if (!family) throw Error(ErrorCode::misuse, "vendor has no schedule: it is the transport's own collective");
  Result<Schedule> made = family->schedule(problem);
  if (!made) throw Error(ErrorCode::misuse, family->name() + " does not apply: " + made.error());
  return *std::move(made);
}

}  // namespace quadrille
