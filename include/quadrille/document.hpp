// SPDX-License-Identifier: BSD-3-Clause
// Schedules as documents: the exchange format `quadrille-schedule/1` (JSON, one document for all ranks, strides
// flattened) and the text form (`.sched`, one program after the other, strides kept). Both are read back: the text form
// exactly, JSON up to the order and cutting of regions. docs/schedule-format.md describes both.
#pragma once

#include <iosfwd>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

void write_text(std::ostream& out, const Schedule& schedule);

// A JSON object without a newline at its end. Makes the programs of all ranks.
void write_json(std::ostream& out, const Schedule& schedule);

// Reads one document in either form, or a JSON array of documents. Memory stays proportional to the text.
// Throws Error{malformed} with the line (text) or the key (JSON) and what was expected there; what is well-formed but
// wrong as a schedule (say a region outside its buffer) is left to `verify`.
std::vector<Schedule> parse_documents(std::string_view text);

}  // namespace quadrille
