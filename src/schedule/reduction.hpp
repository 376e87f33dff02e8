// SPDX-License-Identifier: BSD-3-Clause
// Makes a reduction from a program that spreads data: data that was copied from one place to many takes the same
// routes back and is combined on the way.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the reverse of an allgather or a broadcast without scratch memory, in which each byte of the output is
// written once, from the input of one rank. Each send becomes a receive whose data is combined, and each receive
// becomes a send. The input of the result has the layout of the given program's output, and its output the layout of
// that program's input. Operands are combined with the lower rank's on the left. A final round of local operations is
// added to the last stage.
//
// The input is not copied. A rank that has not yet combined anything sends from its input. The first message that
// arrives for some bytes stays where it was received, and the rank's input is combined into it. A message that
// belongs only to the rank's own result is received directly into the output, and the rank's value so far is combined
// into that.
Program reduced(const Program& spreading);

}  // namespace quadrille
