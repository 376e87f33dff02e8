// SPDX-License-Identifier: BSD-3-Clause
// What the user wants chosen and tuned. The ranks of a group all have what its rank 0 was told, so that they act alike even where
// their environments differ.
#pragma once

#include "mpi_face/rules.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

struct Wishes {
  ChoiceRules rules;      // QUADRILLE_CHOOSE
  double tune_share = 0;  // QUADRILLE_TUNE: of the run's time, for racing candidates; 0: none race
};

// Collective over `group`. Rank 0 says on stderr what it refuses, once in a process.
Wishes shared_wishes(Communicator& group);

// Of the time of this process, how much went to racing. For rank 0 of a group to decide by.
class TuneBudget {
 public:
  static TuneBudget& of_process();
  bool allows(double seconds, double share) const;
  void spend(double seconds) { spent_s_ += seconds; }

 private:
  double spent_s_ = 0;
};

}  // namespace quadrille::mpi_face
