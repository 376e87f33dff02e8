// SPDX-License-Identifier: BSD-3-Clause
// Reads the counts of an irregular collective from a file: a matrix of bytes for each pair of ranks, or one count per rank. The
// file has one of two forms, which other programs write, too.
//
// CSV: one line per row; numbers of bytes, or sizes with units, separated by commas. Empty lines and lines that begin with # are
// skipped. Matrix Market: `coordinate` or `array`; `integer`, `real` (whole numbers only) or `pattern` (each entry is one block);
// `general` or `symmetric`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/traffic.hpp"

namespace quadrille::command {

struct CountsFile {
  Count rows = 0, columns = 0;
  std::vector<TrafficEntry> entries;  // pairs that are not listed have 0 bytes
};

// Parses the text of a counts file. Errors name it by `label` and state the line. Each entry of a `pattern` matrix stands for
// `block_bytes`. Throws Error{malformed, too_large}.
CountsFile parse_counts(std::string_view text, const std::string& label, Bytes block_bytes);

// Returns the counts per rank of a file that has one row or one column. Throws Error{misuse} for any other shape.
std::vector<Bytes> shares_of(const CountsFile& file, const std::string& label);

}  // namespace quadrille::command
