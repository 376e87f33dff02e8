// SPDX-License-Identifier: BSD-3-Clause
// Counts from a file: a matrix, or the shares of the ranks, in one of two forms that other programs write.
//
// CSV: one line a row, numbers of bytes or sizes with units, separated by commas; empty lines and lines that begin with #
// are left out. Matrix Market: `coordinate` or `array`; `integer`, `real` (whole numbers) or `pattern` (each entry is one
// block); `general` or `symmetric`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/traffic.hpp"

namespace quadrille::command {

struct CountsFile {
  Count rows = 0, columns = 0;
  std::vector<TrafficEntry> entries;  // what is not listed is 0
};

// `label` names the text in sentences, which also name the line. `block_bytes` stands for an entry of a `pattern`.
// Throws Error{malformed, too_large}.
CountsFile parse_counts(std::string_view text, const std::string& label, Bytes block_bytes);

// The shares of a file that has one row, or one column.
std::vector<Bytes> shares_of(const CountsFile& file, const std::string& label);

}  // namespace quadrille::command
