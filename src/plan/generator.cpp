// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "foundation/system/pipes.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "problem/problem_text.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/document.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

std::string comma_list(const std::vector<Count>& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

struct Placeholder {
  std::string_view name;
  std::string (*value)(const Problem&);
  bool (*has_value)(const Problem&) = nullptr;  // null: every problem has one
  std::string_view why_not = {};                // the reason if there is none
};

constexpr std::array placeholders{
    Placeholder{"collective", [](const Problem& problem) { return std::string(name(problem.collective)); }},
    Placeholder{"ranks", [](const Problem& problem) { return fmt::format("{}", problem.ranks); }},
    Placeholder{"block", [](const Problem& problem) { return fmt::format("{}", problem.block_bytes); },
                [](const Problem& problem) { return has_blocks(problem.collective); }, "the collective has no blocks of one size"},
    Placeholder{"root", [](const Problem& problem) { return fmt::format("{}", problem.root); },
                [](const Problem& problem) { return is_rooted(problem.collective); }, "the collective has no root"},
    Placeholder{"element", [](const Problem& problem) { return fmt::format("{}", problem.element_bytes); },
                [](const Problem& problem) { return is_reduction(problem.collective); }, "the collective reduces nothing"},
    Placeholder{"commutative", [](const Problem& problem) { return fmt::format("{}", problem.commutative); }},
    Placeholder{"reproducible", [](const Problem& problem) { return fmt::format("{}", problem.reproducible); }},
    Placeholder{"counts", [](const Problem& problem) { return comma_list(all_counts(problem)); },
                [](const Problem& problem) { return is_irregular(problem.collective); }, "the collective has no counts"},
    Placeholder{"nodes", [](const Problem& problem) { return comma_list(problem.nodes); },
                [](const Problem& problem) { return !problem.nodes.empty(); }, "the problem names no nodes"},
    Placeholder{"grid", [](const Problem& problem) { return fmt::format("{}", fmt::join(problem.grid, "x")); },
                [](const Problem& problem) { return !problem.grid.empty(); }, "the problem names no grid"},
};

const Placeholder& placeholder_named(std::string_view name) {
  std::vector<std::string> known;
  for (const Placeholder& each : placeholders) {
    if (each.name == name) return each;
    known.emplace_back(each.name);
  }
  const auto similar = nearest(name, known);
  throw Error(ErrorCode::misuse,
              fmt::format("there is no placeholder {{{}}}{}; there are: {{{}}}", printable(name),
                          similar ? fmt::format("; did you mean {{{}}}?", *similar) : "", fmt::join(known, "}, {")));
}

// Calls visit(text) for each part of a word between placeholders, and visit(placeholder) for each placeholder, in order.
template <class Text, class Place>
void for_each_part(std::string_view word, const Text& visit_text, const Place& visit_placeholder) {
  std::size_t done = 0;
  for (std::size_t open = word.find('{'); open != word.npos; open = word.find('{', open + 1)) {
    const std::size_t close = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", open + 1);
    if (close == word.npos || word[close] != '}' || close == open + 1) continue;
    visit_text(word.substr(done, open - done));
    visit_placeholder(placeholder_named(word.substr(open + 1, close - open - 1)));
    done = close + 1;
  }
  visit_text(word.substr(done));
}

std::string filled_in(std::string_view word, const Problem& problem) {
  std::string filled;
  for_each_part(
      word, [&](std::string_view text) { filled += text; },
      [&](const Placeholder& placeholder) {
        if (placeholder.has_value && !placeholder.has_value(problem))
          throw Error(ErrorCode::misuse, fmt::format("{{{}}} has no value here: {}", placeholder.name, placeholder.why_not));
        filled += placeholder.value(problem);
      });
  return filled;
}

bool has_placeholder(std::string_view word) {
  bool has = false;
  for_each_part(
      word, [](std::string_view) {}, [&](const Placeholder&) { has = true; });
  return has;
}

std::string name_of(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (const std::string& word : words)
    if (!has_placeholder(word)) kept.push_back(printable(word.substr(word.rfind('/') + 1)));
  return fmt::format("{}", fmt::join(kept, " "));
}

// The command in the form in which a user would type it.
std::string label_of(const std::vector<std::string>& words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) {
    constexpr std::size_t longest = 60;  // lists of counts are long
    const bool is_plain = !word.empty() && word.find_first_of(" \t\n'\"\\") == word.npos;
    std::string cut = word.size() <= longest ? word : word.substr(0, longest) + "...";
    shown.push_back(is_plain ? printable(cut) : '"' + printable(cut) + '"');
  }
  return fmt::format("'{}'", fmt::join(shown, " "));
}

Schedule printed(const std::vector<std::string>& words, const GeneratorLimits& limits, const std::string& label) {
  const std::string text = output_of(words, {limits.mebibytes, limits.seconds, limits.raised_by}, label);
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw Error(ErrorCode::malformed, fmt::format("{} prints nothing; it must print a schedule", label));
  std::vector<Schedule> schedules;
  try {
    schedules = parse_documents(text);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{} does not print a schedule: {}", label, error.what()));
  }
  if (schedules.size() != 1)
    throw Error(ErrorCode::malformed, fmt::format("{} prints {} schedules; it must print one", label, schedules.size()));
  return std::move(schedules.front());
}

// The schedules, or errors, of the commands that have run.
class Runs {
 public:
  explicit Runs(GeneratorLimits limits) : limits_(std::move(limits)) {}

  Schedule schedule(const std::vector<std::string>& words, const std::string& label) {
    const std::lock_guard lock(mutex_);
    auto entry = runs_.find(words);
    if (entry == runs_.end()) entry = runs_.emplace(words, run(words, label)).first;
    if (entry->second.error) throw *entry->second.error;
    return entry->second.schedule;
  }

 private:
  struct Run {
    Schedule schedule;
    std::optional<Error> error;
  };

  Run run(const std::vector<std::string>& words, const std::string& label) const {
    try {
      return {printed(words, limits_, label), std::nullopt};
    } catch (const Error& error) {
      return {{}, error};
    }
  }

  const GeneratorLimits limits_;
  std::mutex mutex_;
  std::map<std::vector<std::string>, Run> runs_;
};

}  // namespace

std::vector<std::string> words_for(std::string_view command, const Problem& problem) {
  std::vector<std::string> words = shell_words(command);
  for (std::string& word : words) word = filled_in(word, problem);
  return words;
}

Family family_of_command(const std::string& command, const GeneratorLimits& limits) {
  const std::vector<std::string> words = shell_words(command);
  if (words.empty()) throw Error(ErrorCode::misuse, "the command that prints schedules has no word");
  return {name_of(words),
          [command, runs = std::make_shared<Runs>(limits)](const Problem& problem) {
            const std::vector<std::string> filled = words_for(command, problem);
            const std::string label = label_of(filled);
            if (problem.ranks > most_ranks_of_first)
              throw Error(ErrorCode::too_large, fmt::format("{} would print the programs of {} ranks; the limit is {}", label,
                                                            problem.ranks, most_ranks_of_first));
            Schedule schedule = runs->schedule(filled, label);
            if (!moves_the_same(schedule.problem, problem))
              throw Error(ErrorCode::misuse, fmt::format("{} prints a schedule for {} instead of {}", label,
                                                         collective_text(schedule.problem), collective_text(problem)));
            return schedule;
          },
          Family::MadeBy::first_rank};
}

}  // namespace quadrille
