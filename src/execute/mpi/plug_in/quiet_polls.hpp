// SPDX-License-Identifier: BSD-3-Clause
// While an object of this class exists, polls of the MPI library do not yield the core, so that the caller decides when to yield.
// Open MPI, where it yields, does so in each poll that has not found a message in shared memory: also after it has found one from
// another node, of which the caller hears only when this rank gets its core back. Each library's folder defines these functions
// (<library>/quiet_polls.cpp), and only its plug-in contains them.
#pragma once

namespace quadrille {

class QuietPolls {
 public:
  // Do polls of this library yield, and can that be switched off? If not, objects of this class do nothing.
  static bool are_possible();

  QuietPolls();
  ~QuietPolls();
  QuietPolls(const QuietPolls&) = delete;
  QuietPolls& operator=(const QuietPolls&) = delete;
};

}  // namespace quadrille
