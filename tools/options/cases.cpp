// SPDX-License-Identifier: BSD-3-Clause
#include "options/cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/error.hpp"
#include "quadrille/vendor_choice.hpp"
#include "schedule/settings.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

// "vendor:a, vendor:b or vendor:c"
std::string all_vendor_names() {
  std::vector<std::string> names;
  for (const VendorLibrary& library : all_vendor_libraries()) names.push_back(fmt::format("vendor:{}", library.id));
  return alternatives(names);
}

constexpr std::size_t most_cases = 1'000'000;

// Expands a specification with ranges, such as "bruck:radix=2..4,ports=1", into one specification per value. Cuts ranges to the
// values that the problem allows. Expands one setting at a time, so that it never holds more than `most_cases` specifications.
std::vector<std::string> without_ranges(const Problem& problem, std::string_view specification) {
  const SpecificationParts parts = parts_of_specification(specification);
  const Algorithm* algorithm = find_algorithm(problem.collective, parts.id);
  if (!algorithm || parts.settings.empty()) return {std::string(specification)};

  std::vector<std::string> written_out{std::string(algorithm->id)};
  char separator = ':';
  for (const auto& [setting, key, value] : parts.settings) {
    const auto parameter = std::find_if(algorithm->parameters.begin(), algorithm->parameters.end(),
                                        [&name = key](const Parameter& entry) { return entry.name == name; });
    std::vector<std::string> values;
    if (parameter == algorithm->parameters.end() || !parameter->choices.empty() || !value || value->find("..") == value->npos) {
      values.emplace_back(setting);
    } else {
      const FirstAndLast range = parse_range(*value, fmt::format("{} of {}", parameter->name, algorithm->id), parameter->least);
      const Count last = parameter->most ? std::min(range.last, parameter->most(problem)) : range.last;
      if (last - range.first >= static_cast<Count>(most_cases))
        refuse(fmt::format("'{}' stands for more than {} cases; ask for fewer", setting, most_cases));
      for (Count i = 0; i <= last - range.first; ++i) values.push_back(fmt::format("{}={}", parameter->name, range.first + i));
      if (values.empty())
        // a value out of range is refused later, with a sentence that states the range
        values.push_back(fmt::format("{}={}", parameter->name, range.first));
    }
    if (values.size() * written_out.size() > most_cases)
      refuse(fmt::format("'{}' stands for more than {} cases; ask for fewer", specification, most_cases));
    std::vector<std::string> longer;
    for (const std::string& start : written_out)
      for (const std::string& each : values) longer.push_back(start + separator + each);
    written_out = std::move(longer);
    separator = ',';
  }
  return written_out;
}

// Returns numbers as text with ranges, such as "3, 5..7".
std::string ranges_text(const std::set<Count>& numbers) {
  std::vector<std::string> ranges;
  for (auto entry = numbers.begin(); entry != numbers.end();) {
    const Count first = *entry;
    Count last = first;
    while (++entry != numbers.end() && *entry == last + 1) ++last;
    ranges.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last));
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

// The cases of one specification. Also collects the cases that were left out, with the reasons.
class Selection {
 public:
  Selection(std::vector<Case>& cases, std::vector<LeftOut>* left_out) : cases_(cases), left_out_list_(left_out) {}

  void add(std::size_t index, const Problem& problem, const std::string& specification) {
    if (cases_.size() == most_cases) refuse(fmt::format("there are more than {} cases; ask for fewer", most_cases));
    try {
      if (names_vendor(specification)) return add_vendor(index, problem, specification);
      Choice choice = parse_choice(problem, specification);
      if (const auto result = applies(problem, choice); !result) {
        if (left_out_list_) return left_out_list_->push_back({index, specification, result.error()});
        return leave_out(problem, specification, result.error(),
                         fmt::format("{}/{} does not apply: ", quadrille::name(problem.collective), choice.algorithm->id));
      }
      cases_.push_back({.index = index, .problem = problem, .candidate = std::move(choice)});
      ++taken_;
    } catch (const Error& error) {
      leave_out(problem, specification, error.what());
    }
  }

  bool refused() const { return taken_ == 0 && !first_reason_.empty(); }
  const std::string& first_reason() const { return first_reason_; }

  // Prints one line, however many cases were left out: the first such case with its reason, the other numbers of ranks for which
  // its specification was left out, and the number of other settings that were left out.
  void report() const {
    if (first_reason_.empty()) return;
    std::string line = first_line_;
    if (!also_among_.empty()) line += fmt::format("; also among {} ranks", ranges_text(also_among_));
    if (!others_.empty()) line += others_text();
    remark(line);
  }

 private:
  void add_vendor(std::size_t index, const Problem& problem, const std::string& specification) {
    auto vendor = parse_vendor_case(problem, specification);
    if (vendor) {
      const Choice choice = vendor->choice;
      cases_.push_back({.index = index, .problem = problem, .candidate = choice, .vendor = std::move(*vendor)});
      ++taken_;
    } else if (left_out_list_) {
      left_out_list_->push_back({index, specification, vendor.error()});
    } else {
      leave_out(problem, specification, vendor.error());
    }
  }

  // Names the first few other settings, then says how many more there are.
  std::string others_text() const {
    constexpr std::size_t most_named = 4;
    const auto begin = others_.begin(), end = std::next(begin, static_cast<std::ptrdiff_t>(std::min(others_.size(), most_named)));
    const std::string named = fmt::format("; also {}", fmt::join(begin, end, ", "));
    return end == others_.end() ? named : fmt::format("{} and {} more settings", named, others_.size() - most_named);
  }

  void leave_out(const Problem& problem, const std::string& specification, const std::string& reason,
                 const std::string& introduction = "") {
    if (first_reason_.empty()) {
      first_reason_ = introduction + reason;
      first_specification_ = specification;
      first_ranks_ = problem.ranks;
      first_line_ = fmt::format("left out: {} among {}: {}", specification, counted(problem.ranks, "rank"), reason);
    } else if (specification != first_specification_) {
      others_.insert(specification);
    } else if (problem.ranks != first_ranks_) {  // otherwise only the size of block or the root differs
      also_among_.insert(problem.ranks);
    }
  }

  std::vector<Case>& cases_;
  std::vector<LeftOut>* left_out_list_;
  std::string first_reason_, first_specification_, first_line_;
  Count first_ranks_ = 0;
  std::set<Count> also_among_;    // further numbers of ranks for which the first specification is left out
  std::set<std::string> others_;  // further specifications that are left out
  std::size_t taken_ = 0;
};

}  // namespace

std::vector<std::string> vendor_library_ids() {
  std::vector<std::string> ids;
  for (const VendorLibrary& library : all_vendor_libraries()) ids.emplace_back(library.id);
  return ids;
}

std::string vendor_case_help() { return fmt::format("what an MPI library would send ({})", all_vendor_names()); }

Result<VendorCase> parse_vendor_case(const Problem& problem, std::string_view specification) {
  const std::size_t first = specification.find(':');
  const std::size_t second = first == specification.npos ? first : specification.find(':', first + 1);
  const std::string_view id = first == specification.npos ? "" : specification.substr(first + 1, second - first - 1);
  const std::optional<VendorLibrary> library = find_vendor_library(id);
  if (!library) {
    refuse(fmt::format("{} has no schedule unless the MPI library is named: {}; 'quadrille race' under mpirun runs it",
                       specification, all_vendor_names()));
  }
  const bool is_forced = second != specification.npos;
  const auto algorithm = is_forced ? Result<std::string>(specification.substr(second + 1)) : vendor_algorithm(id, problem);
  if (!algorithm) return cannot(algorithm.error());
  const auto choice = vendor_equivalent(id, problem, *algorithm);
  const std::string takes = fmt::format("{} {} {} here", library->title, is_forced ? "would run" : "takes", *algorithm);
  if (!choice) return cannot(fmt::format("{}; {}", takes, choice.error()));
  const std::string_view basis = is_forced             ? ""
                                 : library->is_checked ? "; assumed by its rules, not measured"
                                                       : "; assumed by its rules, which were not checked, and not measured";
  return VendorCase{std::string(specification),
                    fmt::format("{}, with the messages of {}{}", takes, short_name(problem, Candidate(*choice)), basis), *choice};
}

std::string sentence_of(const LeftOut& entry) {
  return fmt::format("{} {}: {}", entry.specification, names_vendor(entry.specification) ? "has no schedule" : "does not apply",
                     entry.reason);
}

std::vector<Case> make_cases(const std::vector<Problem>& problems, const std::vector<std::string>& specifications,
                             std::vector<LeftOut>* left_out, bool tells_of_all) {
  std::vector<Case> cases;
  std::vector<Selection> selections, of_all;
  for (const std::string& specification : specifications.empty() ? std::vector<std::string>{"all"} : specifications) {
    if (specification == "all") {
      for (const Algorithm* algorithm : algorithms_for(problems.front().collective)) {
        Selection& selection = (tells_of_all ? selections : of_all).emplace_back(cases, left_out);
        for (std::size_t i = 0; i < problems.size(); ++i) selection.add(i, problems[i], std::string(algorithm->id));
      }
      continue;
    }
    Selection& selection = selections.emplace_back(cases, left_out);
    for (std::size_t i = 0; i < problems.size(); ++i)
      for (const std::string& single : without_ranges(problems[i], specification)) selection.add(i, problems[i], single);
    if (selection.refused()) refuse(selection.first_reason());
  }
  if (cases.empty() && left_out && !left_out->empty()) refuse(sentence_of(left_out->front()));
  if (cases.empty()) refuse((selections.empty() ? of_all : selections).front().first_reason());
  for (const Selection& selection : selections) selection.report();
  return cases;
}

std::vector<Case> make_named_cases(Collective collective, const std::vector<Problem>& problems,
                                   const std::vector<std::string>& specifications) {
  std::vector<std::string_view> known;
  for (const Algorithm* algorithm : algorithms_for(collective)) known.push_back(algorithm->id);
  if (specifications.empty())
    refuse(fmt::format("say which algorithm with --algorithm; for {} there are: {}", quadrille::name(collective),
                       fmt::join(known, ", ")));
  return make_cases(problems, specifications);
}

}  // namespace quadrille::command
