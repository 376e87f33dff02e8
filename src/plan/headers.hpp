// SPDX-License-Identifier: BSD-3-Clause
// Plans of ranks that know only the counts that they send and receive themselves (`counts=headers`). When the plan is made, the
// ranks tell each other what its messages will hold. Then each rank knows its program, which runs like any other program.
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

// Collective. Runs the stages of an incremental program without data: the ranks exchange the headers of the messages only. Returns
// this rank's program. All ranks must have equally many stages. Throws on all ranks or on none: Error{malformed} if a header
// contradicts what a rank expects.
Program program_by_headers(Communicator& ranks, IncrementalProgram& incremental);

}  // namespace quadrille
