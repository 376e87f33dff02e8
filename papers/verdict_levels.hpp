// SPDX-License-Identifier: BSD-3-Clause
// The possible results of a comparison with a paper, and the words for them. The command's help prints the words, and the command
// is built without the exhibits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quadrille::papers {

enum class Outcome : std::uint8_t {
  holds,
  not_testable,
  retyped,
  sharper_bound,
  misprint,
  beyond_assumptions,
  paper_is_wrong,
  differs
};  // from best to worst
inline constexpr std::size_t outcome_count = 8;

struct VerdictLevel {
  Outcome outcome = Outcome::holds;
  std::string_view name;
  std::string_view meaning;  // one sentence
};

// In the order of Outcome.
inline constexpr std::array<VerdictLevel, outcome_count> verdict_levels{{
    {Outcome::holds, "holds", "Our value agrees with the paper."},
    {Outcome::not_testable, "not testable",
     "The paper leaves open what decides the claim, or our model leaves no room for it; the reason is given."},
    {Outcome::retyped, "retyped", "The paper's words do not fit its own figures; ours are these figures, typed in."},
    {Outcome::sharper_bound, "sharper bound found", "The paper's bound holds, and a stricter one holds as well."},
    {Outcome::misprint, "misprint", "The printed value or formula is a slip: the paper itself has it right in another place."},
    {Outcome::beyond_assumptions, "beyond its assumptions",
     "The claim does not hold in this case, and the paper does not make it for this case."},
    {Outcome::paper_is_wrong, "the paper is wrong",
     "The claim is contradicted under the paper's own assumptions, and a corrected value agrees with ours."},
    {Outcome::differs, "differs", "Our value differs from the paper's; the reason is given if it is known."},
}};

}  // namespace quadrille::papers
