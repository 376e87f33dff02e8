// SPDX-License-Identifier: BSD-3-Clause
// Makes a reduction from a program that spreads data. Where the program copies data from one place to many, the
// reduction sends data back along the same routes and combines it on the way.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the reverse of an allgather or a broadcast without scratch memory, in which each byte of the output is
// written once, from the input of one rank. Each send becomes a receive whose data is combined, and each receive
// becomes a send. The input of the result has the layout of the given program's output, and its output the layout of
// the given program's input. Operands are combined with the operand of the lower rank on the left. A final round of
// local operations is added to the last stage.
//
// The input is not copied. A rank that has not yet combined anything sends from its input. The first message that
// arrives for some bytes stays where it was received, and the rank's input is combined into it. If a message belongs
// only to the rank's own result, it is received directly into the output, and the rank's value so far is combined into
// the output.
Program reduced(const Program& spreading);

}  // namespace quadrille
