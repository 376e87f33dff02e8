// SPDX-License-Identifier: BSD-3-Clause
// What the user wants of the drop-in's choices, as text: QUADRILLE_CHOOSE='alltoall:0-1KiB=bruck:radix=4;broadcast=vendor' says
// what is to run, QUADRILLE_TUNE how long candidates may race. Nothing here knows MPI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille::mpi_face {

struct ChoiceRule {
  Collective collective = Collective::alltoall;
  Bytes smallest = 0, largest = 0;  // block_bytes of a Shape
  std::string algorithm;            // as parse_candidate reads it
};

struct ChoiceRules {
  std::vector<ChoiceRule> rules;
  std::vector<std::string> refused;  // a sentence for each part of the text that makes no sense

  // The first that fits; null where none does.
  const ChoiceRule* find(Collective collective, Bytes block_bytes) const;
};

// COLLECTIVE[:SMALLEST-LARGEST]=ALGORITHM[;...]
ChoiceRules parse_rules(std::string_view text);

// "run", or "run:2%" with a share from above 0 to 50; empty: none race. Throws Error{misuse}.
double parse_tune_share(std::string_view text);

}  // namespace quadrille::mpi_face
