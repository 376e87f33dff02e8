// SPDX-License-Identifier: BSD-3-Clause
// Reading what the command itself wrote as JSON: whatever is wrong with it becomes one sentence.
#pragma once

#include <string>
#include <string_view>

#include "quadrille/error.hpp"
#include "support/json.hpp"

namespace quadrille::command {

// Throws Error{malformed} if `holds` is false. `what` is what is wrong: "it has no sizes".
void demand(bool holds, const char* what);

// Throws Error{malformed}: "'a.json' is not a result of 'quadrille race --json' of this version: key 'sizes' not found".
[[noreturn]] void refuse_result(const std::string& file, std::string_view commands, const std::string& reason);

// Returns what is wrong with a JSON document, without the library's own numbers.
std::string reason_of(const Json::exception& error);

// Returns what `read` returns. If it throws, throws that sentence instead. `commands` writes such files: "'quadrille race --json'".
template <class Read>
auto read_result(const std::string& file, std::string_view commands, Read&& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    refuse_result(file, commands, reason_of(error));
  } catch (const Error& error) {
    refuse_result(file, commands, error.what());
  }
}

}  // namespace quadrille::command
