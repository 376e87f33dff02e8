// SPDX-License-Identifier: BSD-3-Clause
// Parses the user's wishes about the drop-in's choices: QUADRILLE_CHOOSE='alltoall:0-1KiB=bruck:radix=4;broadcast=vendor' names
// what to run, QUADRILLE_TUNE limits the time for racing candidates. Nothing here depends on MPI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mpi_face/policy/findings.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

struct ChoiceRule {
  std::string calls;                // a collective, or a function without one: neighbor_alltoall
  Bytes smallest = 0, largest = 0;  // range of a Shape's block_bytes
  std::string algorithm;            // a text for parse_candidate
};

struct ChoiceRules {
  std::vector<ChoiceRule> rules;
  std::vector<std::string> refused;  // one sentence for each part of the text that is invalid

  // Returns the first rule that matches, or null.
  const ChoiceRule* find(std::string_view calls, Bytes block_bytes) const;
};

// COLLECTIVE[:SMALLEST-LARGEST]=ALGORITHM[;...]
ChoiceRules parse_rules(std::string_view text);

// Returns the fraction of time for races. The text is "run", or "run:2%" with a percentage above 0 and up to 50; an empty text
// means 0, no races. Throws Error{misuse}.
double parse_tune_share(std::string_view text);

// The user's wishes about choices and tuning, and what earlier runs found. All ranks use those of one rank, because their
// environments and files may differ.
struct Wishes {
  ChoiceRules rules;
  double tune_share = 0;
  Findings findings;
};

// The texts of both wishes, on one line each, and the findings; empty if there are none.
std::string text_of_wishes(std::string_view choose, std::string_view tune, const Findings& findings = {});
Wishes parse_wishes(std::string_view text);

}  // namespace quadrille::mpi_face
