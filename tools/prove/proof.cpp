// SPDX-License-Identifier: BSD-3-Clause
#include "prove/proof.hpp"

#include <algorithm>

#include "foundation/system/pipes.hpp"
#include "foundation/text/parsing.hpp"

namespace quadrille::command {

std::string ProofSection::declared(std::string_view names, const char* form, const char* separator, std::string_view sort_name) {
  std::vector<std::string> declarations;
  for (const std::string_view name : split(names, ' ')) declarations.push_back(fmt::format(fmt::runtime(form), name, sort_name));
  return fmt::format("{}", fmt::join(declarations, separator));
}

std::string proof_document(const ProvedFamily& family) {
  std::string text = fmt::format("; {}: quadrille prove {}\n; Each (check-sat) must answer unsat.\n", family.id, family.id);
  for (const std::string_view line : split(family.statement, '\n')) text += fmt::format("; {}\n", line);
  text += "(set-option :timeout 60000)\n(set-logic ALL)\n";
  for (const ProofSection& section : family.sections()) text += section.document();
  return text;
}

namespace {

std::vector<std::string> step_names(std::string_view document) {
  constexpr std::string_view begin = "(echo \"", end = "\")";
  std::vector<std::string> names;
  for (const std::string_view line : split(document, '\n'))
    if (line.starts_with(begin)) names.emplace_back(line.substr(begin.size(), line.size() - begin.size() - end.size()));
  return names;
}

}  // namespace

std::vector<ProvedStep> answers_of(const std::string& solver, const std::string& file, std::string_view document) {
  std::vector<ProvedStep> steps;
  const std::string printed = output_of({solver, file}, {.mebibytes = 16, .seconds = 600, .raised_by = "nothing"}, solver);
  bool is_asked = false;
  for (const std::string_view line : split(printed, '\n')) {
    if (line.empty()) continue;
    if (!is_asked) {
      steps.push_back({std::string(line)});
    } else if (line == "unsat" || line == "sat" || line == "unknown") {
      steps.back().answer = line == "unsat" ? Answer::unsat : line == "sat" ? Answer::sat : Answer::unknown;
    } else {
      throw Error(ErrorCode::environment, fmt::format("{} answers the step '{}' with '{}'", solver, steps.back().name, line));
    }
    is_asked = !is_asked;
  }
  const std::vector<std::string> names = step_names(document);
  if (is_asked) steps.pop_back();
  for (std::size_t i = 0; i < std::max(names.size(), steps.size()); ++i)
    if (i >= steps.size() || i >= names.size() || steps[i].name != names[i])
      throw Error(ErrorCode::environment,
                  i < names.size() ? fmt::format("{} does not answer the step '{}'", solver, names[i])
                                   : fmt::format("{} answers a step that the document does not have: '{}'", solver, steps[i].name));
  return steps;
}

}  // namespace quadrille::command
