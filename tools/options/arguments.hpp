// SPDX-License-Identifier: BSD-3-Clause
// Parses the command's arguments: sizes with units, lists, ranges and names. All functions throw Error{misuse} with a sentence that
// says what was expected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/text/parsing.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/types.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {

using quadrille::parse_size;
std::vector<Bytes> parse_sizes(std::string_view list);  // "8B,1KiB", and "8..1KiB", which doubles from 8 B up to 1 KiB

// Parses a whole number of at least `least`. `what` names the number in the error sentence.
Count parse_whole(std::string_view text, std::string_view what, Count least);

struct FirstAndLast {
  Count first = 0;
  Count last = 0;
};
FirstAndLast parse_range(std::string_view text, std::string_view what, Count least);         // "5" or "2..8"
std::vector<Count> parse_wholes(std::string_view list, std::string_view what, Count least);  // "2..8,16"

double parse_seconds(std::string_view text, std::string_view option);  // "60", "60s", "0.5s"

Count parse_repeats(const std::string& text, std::string_view things, Count least);  // a number of repetitions

// Parses a factor such as "1.15", between `least` and 1000.
double parse_factor(std::string_view text, std::string_view what, double least);

// Readers of typed options (OptionType). `what` names the value in errors. `things`: the plural noun for what is counted; there
// may be at most a million.
inline auto whole(std::string what, Count least) {
  return [what = std::move(what), least](const std::string& text) { return parse_whole(text, what, least); };
}
inline auto repeats(std::string things, Count least) {
  return [things = std::move(things), least](const std::string& text) { return parse_repeats(text, things, least); };
}
inline auto seconds(std::string what) {
  return [what = std::move(what)](const std::string& text) { return parse_seconds(text, what); };
}
inline auto factor(std::string what, double least) {
  return [what = std::move(what), least](const std::string& text) { return parse_factor(text, what, least); };
}

std::vector<std::string> collective_names();
Collective parse_collective(const std::string& text);
std::vector<Collective> parse_collectives(const std::vector<std::string>& words);
std::vector<Policy> parse_policies(const std::vector<std::string>& lists);  // "blocking,dataflow"; "all"

}  // namespace quadrille::command
