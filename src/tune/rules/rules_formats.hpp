// SPDX-License-Identifier: BSD-3-Clause
// The table of the files of rules that MPI libraries read, one row for each library that has such a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tune/rules/vendor_rules.hpp"

namespace quadrille {

struct RulesFormat {
  std::string_view library;  // its id in the table of MPI libraries
  std::string_view setting;  // the environment with which the library reads the file, whose path follows
  bool is_json = false;

  // Returns the file. Throws Error{environment} if the format needs the library's own file and that cannot be read.
  RulesFile (*write)(const VendorRules& rules);
};

// Returns the format of a library; null if it has none.
const RulesFormat* find_rules_format(std::string_view library);

// Returns the libraries of all rows.
std::vector<std::string> libraries_with_rules();

}  // namespace quadrille
