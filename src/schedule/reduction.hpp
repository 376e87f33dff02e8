// SPDX-License-Identifier: BSD-3-Clause
// Reductions made of programs that spread: what is copied from one place to many goes the same ways back to be combined.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// The reverse of a program in which each byte of the output is written once, from the input of one rank: an allgather or a
// broadcast without scratch memory. What was sent is received and combined, what was received is sent. The result's input is a
// vector laid out as the given program's output, its output what was that program's input. Operands meet with the lower rank's on
// the left. A last round of local work is added to the last stage.
//
// No copy is made of the input. Who has not yet combined anything sends from there; the first that arrives for some bytes stays
// where it is received, and the input is combined into it; what makes up a rank's own result alone is received in its place
// in the output, and what is known of it so far is combined into that.
Program reduced(const Program& spreading);

}  // namespace quadrille
