// SPDX-License-Identifier: BSD-3-Clause
// Refuses an environment with a wrong variable of ours, whether or not the subcommand reads it: a misspelt name would have no
// effect, and nobody would notice.
#pragma once

namespace quadrille::command {

// Throws Error with a sentence about the first variable whose name or value is wrong.
void check_environment();

}  // namespace quadrille::command
