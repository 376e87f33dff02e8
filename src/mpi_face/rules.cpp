// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/rules.hpp"

#include <fmt/format.h>

#include <limits>

#include "foundation/text/parsing.hpp"
#include "mpi_face/symbols/function.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/error.hpp"
#include "quadrille/problem.hpp"

namespace quadrille::mpi_face {
namespace {

void parse_range(std::string_view text, ChoiceRule& rule) {
  const auto dash = text.find('-');
  if (dash == text.npos) throw Error(ErrorCode::misuse, fmt::format("'{}' is not a range of sizes; use one such as 0-1KiB", text));
  rule.smallest = parse_size(text.substr(0, dash));
  rule.largest = parse_size(text.substr(dash + 1));
  if (rule.smallest > rule.largest) throw Error(ErrorCode::misuse, fmt::format("the range {} ends before it begins", text));
}

bool is_exchanged(std::string_view calls) {
  for (std::size_t i = 0; i < ours_count; ++i)
    if (const auto function = static_cast<Function>(i); is_exchanged(function) && fortran_name(function) == calls) return true;
  return false;
}

// The name of a collective, or of a function that runs as an exchange and has no collective; empty for any other text.
std::string_view name_of_calls(std::string_view text) {
  if (const auto collective = collective_named(text)) return name(*collective);
  return is_exchanged(text) ? text : std::string_view();
}

ChoiceRule parse_rule(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == text.npos || trimmed(text.substr(equals + 1)).empty())
    throw Error(ErrorCode::misuse, "a rule is COLLECTIVE[:SMALLEST-LARGEST]=ALGORITHM");
  const std::string_view left = trimmed(text.substr(0, equals));
  const auto colon = left.find(':');
  const std::string_view calls = name_of_calls(trimmed(left.substr(0, colon)));
  if (calls.empty()) throw Error(ErrorCode::misuse, fmt::format("there is no collective '{}'", left.substr(0, colon)));
  ChoiceRule rule{.calls = std::string(calls),
                  .largest = std::numeric_limits<Bytes>::max(),
                  .algorithm = std::string(trimmed(text.substr(equals + 1)))};
  if (colon == left.npos) return rule;
  if (is_exchanged(calls))
    throw Error(ErrorCode::misuse, fmt::format("all calls of {} are one kind, whatever their sizes; leave the range out", calls));
  parse_range(trimmed(left.substr(colon + 1)), rule);
  return rule;
}

}  // namespace

const ChoiceRule* ChoiceRules::find(std::string_view calls, Bytes block_bytes) const {
  for (const ChoiceRule& rule : rules)
    if (rule.calls == calls && rule.smallest <= block_bytes && block_bytes <= rule.largest) return &rule;
  return nullptr;
}

ChoiceRules parse_rules(std::string_view text) {
  ChoiceRules rules;
  for (const std::string_view each : split(text, ';')) {
    const std::string_view part = trimmed(each);
    if (part.empty()) continue;
    try {
      rules.rules.push_back(parse_rule(part));
    } catch (const Error& error) {
      rules.refused.push_back(fmt::format("the rule '{}' is invalid: {}", part, error.what()));
    }
  }
  return rules;
}

double parse_tune_share(std::string_view text) {
  if (text.empty()) return 0;
  if (text == "run") return 0.01;
  if (text.starts_with("run:") && text.ends_with('%'))
    if (const auto percent = number_in<double>(text.substr(4, text.size() - 5)); percent && *percent > 0 && *percent <= 50)
      return *percent / 100;
  throw Error(ErrorCode::misuse,
              fmt::format("QUADRILLE_TUNE={} is invalid; it may be run, or run:2% for that share of the time, at most 50 %", text));
}

std::string text_of_wishes(std::string_view choose, std::string_view tune, const Findings& findings) {
  if (choose.empty() && tune.empty() && findings.empty()) return {};
  std::string text = fmt::format("{}\n{}", choose, tune);
  return findings.empty() ? text : text + '\0' + findings.bytes();
}

Wishes parse_wishes(std::string_view text) {
  const std::size_t lines = std::min(text.find('\0'), text.size());  // environment variables have no such character
  const std::string_view found = text.substr(std::min(lines + 1, text.size()));
  text = text.substr(0, lines);
  const std::size_t end = std::min(text.rfind('\n'), text.size());
  Wishes wishes{.rules = parse_rules(text.substr(0, end)), .tune_share = 0, .findings = Findings::of_bytes(found, day_now())};
  for (std::string& sentence : wishes.rules.refused) sentence.insert(0, "QUADRILLE_CHOOSE: ");
  try {
    wishes.tune_share = parse_tune_share(text.substr(std::min(end + 1, text.size())));
  } catch (const Error& error) {
    wishes.rules.refused.push_back(error.what());
  }
  return wishes;
}

}  // namespace quadrille::mpi_face
