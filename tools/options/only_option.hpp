// SPDX-License-Identifier: BSD-3-Clause
// The option --only, which picks traces or schedules of a file that holds several. `view` and `trace` share it.
#pragma once

#include <string>
#include <vector>

#include "options/parser.hpp"

namespace quadrille::command {

struct OnlyOption {
  std::vector<std::string> words;  // each a number, from 1 on, or a part of a title

  void add_to(CLI::App& parser);  // to the group begun last

  // Returns the things that the words name, in the order of the words; without words, all things. `title` returns the title of a
  // thing, and `label` names the file in errors. Throws Error{misuse}, with the titles, if a word names none or several.
  template <class Thing, class Title>
  std::vector<Thing> picked(std::vector<Thing> all, Title&& title, const std::string& label) const {
    if (words.empty()) return all;
    std::vector<std::string> titles;
    for (const Thing& thing : all) titles.push_back(title(thing));
    std::vector<Thing> list;
    for (const std::size_t i : places_in(titles, label)) list.push_back(all[i]);
    return list;
  }

 private:
  std::vector<std::size_t> places_in(const std::vector<std::string>& titles, const std::string& label) const;
};

// Returns "1: alltoall, bruck; 2: alltoall, direct", for errors.
std::string numbered(const std::vector<std::string>& titles);

}  // namespace quadrille::command
