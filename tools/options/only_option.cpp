// SPDX-License-Identifier: BSD-3-Clause
#include "options/only_option.hpp"

#include <fmt/format.h>

#include <optional>

#include "foundation/text/parsing.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_listed_titles = 12;

std::vector<std::size_t> with_word(const std::vector<std::string>& titles, const std::string& word) {
  if (const auto number = number_in<std::size_t>(word))
    return *number >= 1 && *number <= titles.size() ? std::vector{*number - 1} : std::vector<std::size_t>();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < titles.size(); ++i)
    if (titles[i].find(word) != std::string::npos) found.push_back(i);
  return found;
}

}  // namespace

void OnlyOption::add_to(CLI::App& parser) {
  add_option(parser, "--only", words, "of a file that holds several: this one, by its number (from 1) or a part of its title",
             "N|TITLE");
}

std::vector<std::size_t> OnlyOption::places_in(const std::vector<std::string>& titles, const std::string& label) const {
  std::vector<std::size_t> list;
  for (const std::string& word : words) {
    const std::vector<std::size_t> found = with_word(titles, word);
    if (found.empty()) refuse(fmt::format("{} has nothing that --only {} names; it holds {}", label, word, numbered(titles)));
    if (found.size() > 1)
      refuse(fmt::format("{} titles in {} contain '{}'; pick one by its number: {}", found.size(), label, word, numbered(titles)));
    list.push_back(found.front());
  }
  return list;
}

std::string numbered(const std::vector<std::string>& titles) {
  std::string text;
  for (std::size_t i = 0; i < titles.size() && i < most_listed_titles; ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", i + 1, titles[i]);
  return titles.size() > most_listed_titles ? fmt::format("{}; and {} more", text, titles.size() - most_listed_titles) : text;
}

}  // namespace quadrille::command
