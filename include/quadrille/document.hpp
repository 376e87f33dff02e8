// SPDX-License-Identifier: BSD-3-Clause
// Schedules as files, in two forms: `quadrille-schedule/1` (JSON, all ranks in one object, strides expanded into
// single regions) and the text form (`.sched`, one program after the other, strides kept). Reading the text form
// gives exactly the schedule that was written. Reading JSON gives a schedule with the same operations on the same bytes, in the
// same rounds and in the same order; only its regions may be cut differently. docs/schedule-format.md describes both.
#pragma once

#include <iosfwd>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

void write_text(std::ostream& out, const Schedule& schedule);

// Writes a JSON object without a newline at its end. Makes the programs of all ranks.
void write_json(std::ostream& out, const Schedule& schedule);

// Writes the messages of all ranks as GOAL, the text that the simulators LogGOPSim and ATLAHS read: each message has its own tag
// and the list of operations for which it waits under the policy. Copies and reductions take no time. The text does not say which
// bytes a message carries, so it cannot be read back. Makes the programs of all ranks. Throws Error{too_large} if a pair of ranks
// has 2^32 messages.
void write_goal(std::ostream& out, const Schedule& schedule, Policy policy = Policy::blocking);

// Reads one schedule in either format, or a JSON array of schedules. The memory used is proportional to the length of
// the text. Throws Error{malformed} with the line (text) or the key (JSON) and what was expected there. Does not check the
// schedule: a region outside its buffer, for example, is reported by `verify`.
std::vector<Schedule> parse_documents(std::string_view text);

}  // namespace quadrille
