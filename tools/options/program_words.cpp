// SPDX-License-Identifier: BSD-3-Clause
#include "options/program_words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>

namespace quadrille::command {

void take_program(const CLI::App& subcommand, const ProgramWords& program, std::vector<std::string>& words) {
  std::size_t first = 1;
  while (first < words.size() && words[first].starts_with('-')) {
    std::string& word = words[first++];
    if (word == "--") break;
    if (const auto standard = program.standard_values.find(word); standard != program.standard_values.end()) {
      word += '=' + standard->second;
    } else if (const CLI::Option* option = subcommand.get_option_no_throw(word); option && option->get_items_expected_max() > 0) {
      ++first;
    }
  }
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size()));
  program.destination->assign(std::make_move_iterator(begin), std::make_move_iterator(words.end()));
  words.erase(begin, words.end());
}

}  // namespace quadrille::command
