// SPDX-License-Identifier: BSD-3-Clause
// What a script promises to the transport that runs it. Transports look up and copy without any test of their own, so a script that
// breaks a promise would write wrong bytes. The functions assert the promises when a plan is made; executions assert nothing.
#pragma once

#include <utility>

#include "execute/script/script.hpp"

namespace quadrille {

// Asserts that the script is consistent in itself:
// - a message goes to a rank of the group and has as many bytes as its regions; so has the target of a fused reduction
// - windows list all messages, in order; a later window has later rounds, which is why no rank waits for ever (ordering.hpp)
// - of the tasks, each message has one, and each counts as many predecessors as name it as their successor
// - copies and messages stay within scratch and staging memory
void check_contract(const Script& script);

// Asserts that copies and messages stay within the user's buffers: within these ranges of offsets, [first, last).
using Offsets = std::pair<Bytes, Bytes>;
void check_user_buffers(const Script& script, Offsets input, Offsets output);

}  // namespace quadrille
