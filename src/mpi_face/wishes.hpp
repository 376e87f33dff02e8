// SPDX-License-Identifier: BSD-3-Clause
// The user's wishes about choices and tuning. All ranks of a group use the wishes of its rank 0, so they act alike even if their
// environment variables differ.
#pragma once

#include "mpi_face/rules.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

struct Wishes {
  ChoiceRules rules;      // QUADRILLE_CHOOSE
  double tune_share = 0;  // QUADRILLE_TUNE: fraction of the run's time that races may take; 0: no races
};

// Collective over `group`. Rank 0 reports invalid parts on stderr, once per process.
Wishes shared_wishes(Communicator& group);

// The time that this process has spent on races. Rank 0 of a group uses it to decide whether the group may race.
class TuneBudget {
 public:
  static TuneBudget& of_process();
  bool allows(double seconds, double share) const;
  void spend(double seconds) { spent_s_ += seconds; }

 private:
  double spent_s_ = 0;
};

}  // namespace quadrille::mpi_face
