// SPDX-License-Identifier: BSD-3-Clause
// The one table of the environment variables whose names begin with QUADRILLE. The functions below read them, except in a
// preloaded library that does not contain this table.
//
// A wrong value of a library's variable is an error, or is ignored with a warning: see `is_tolerated`. The command refuses every
// wrong value, and every name that is not in the table (tools/support/refuse.hpp). A library only warns of such names, because a
// program may have its own variables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

struct EnvironmentVariable {
  std::string_view name;
  std::string_view reader;                      // who reads it: "library", "drop-in", "command", "tests", or other programs
  std::vector<std::string_view> words;          // all allowed values; empty: any value of the form `form`
  std::string_view form;                        // the values as text, if there are no words
  std::string_view about;                       // what the variable does
  bool (*accepts)(std::string_view) = nullptr;  // whether a value has the form; null: the reader checks that
  bool is_tolerated = false;                    // a library ignores a wrong value, and `warn_of_environment` says so
};

std::span<const EnvironmentVariable> all_environment_variables();

// Returns the values that the variable may have: "on, off or profile", "a size such as 64MiB".
std::string values_text(const EnvironmentVariable& variable);

// Returns the value of any environment variable; empty if it is not set.
std::string environment_value(const char* name);

// Makes the value empty, also for programs that this process starts. Other threads may read the environment meanwhile.
void empty_environment_value(const char* name) noexcept;

// Returns the value of a variable of the table; empty if it is not set. Throws Error{environment} if the table refuses the value.
std::string checked_environment_value(const char* name);

// The same for variables that are tolerated: returns an empty text if the table refuses the value.
std::string tolerated_environment_value(const char* name);

// Returns the sentence that refuses a value: "QUADRILLE_CHECK is 'yes'; it may be 0 or 1".
std::string refusal_of_value(std::string_view name, std::string_view value);

// Returns a sentence for each variable in the environment that begins with QUADRILLE_ and is in no row, and for each value that
// the table refuses.
std::vector<std::string> environment_faults();

// Prints "quadrille: " and the sentence on stderr, once for each sentence in a process.
void warn_once(const std::string& sentence);

// Warns once in a process of unknown names and of wrong values that are tolerated. Only the first of the launched processes prints.
// Libraries call it when they make their first group of ranks.
void warn_of_environment();

}  // namespace quadrille
