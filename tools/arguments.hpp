// SPDX-License-Identifier: BSD-3-Clause
// Reading the command's arguments: sizes with units, lists and ranges, names. Everything throws Error{misuse} with a
// sentence that says what was expected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/size_text.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/types.hpp"

namespace quadrille::command {

[[noreturn]] void refuse(const std::string& sentence);

// "there is no <what> '<word>'", with the nearest of `known`, or all of them.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known);

std::vector<std::string_view> split(std::string_view text, char separator);

using quadrille::parse_size;
std::vector<Bytes> parse_sizes(std::string_view list);  // "8B,1KiB", and "8..1KiB", which doubles from 8 B up to 1 KiB

// A whole number from `least` on; `what` names it in the sentence.
Count parse_whole(std::string_view text, std::string_view what, Count least);

struct Range {
  Count first = 0;
  Count last = 0;
};
Range parse_range(std::string_view text, std::string_view what, Count least);                // "5" or "2..8"
std::vector<Count> parse_wholes(std::string_view list, std::string_view what, Count least);  // "2..8,16"

double parse_seconds(std::string_view text, std::string_view option);  // "60", "60s", "0.5s"

// "1.15": from `least` to 1000.
double parse_factor(std::string_view text, std::string_view what, double least);

// What fingerprints begin with: "Open MPI" for "openmpi", "MPICH" for "mpich", "none" for "none".
std::string_view mpi_title(const std::string& id, const std::vector<std::string>& known);

std::vector<std::string> collective_names();
Collective parse_collective(const std::string& text);
std::vector<Policy> parse_policies(const std::vector<std::string>& lists);  // "blocking,dataflow"; "all"

}  // namespace quadrille::command
