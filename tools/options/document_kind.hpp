// SPDX-License-Identifier: BSD-3-Clause
// What a file holds that the command wrote.
#pragma once

#include <cstdint>
#include <string>

namespace quadrille::command {

enum class DocumentKind : std::uint8_t {
  schedule,    // as JSON or text, or nothing that is known
  trace,       // quadrille trace
  race,        // quadrille race --json
  tuning,      // quadrille tune --json
  report,      // quadrille report --json
  prediction,  // quadrille simulate --json, quadrille price --json
};

// Returns the kind of the text's document, or of the first one of an array. `label` names the file in errors. Throws
// Error{malformed} for a trace or a report of another version, with what to do.
DocumentKind kind_of_document(const std::string& text, const std::string& label);

}  // namespace quadrille::command
