// SPDX-License-Identifier: BSD-3-Clause
// Makes one random change to the document of a schedule: a bit, a run of characters, a piece of syntax or, most often, a number,
// because the document can then often still be read.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

namespace quadrille::testing {

using std::literals::operator""sv;

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t end) { return random() % end; }

// Draws a word of a list whose words are separated by '|'.
inline std::string_view word_of(std::string_view list, Random& random) {
  for (auto skipped = below(random, static_cast<std::size_t>(std::count(list.begin(), list.end(), '|')) + 1); skipped > 0;
       --skipped)
    list.remove_prefix(list.find('|') + 1);
  return list.substr(0, list.find('|'));
}

constexpr std::string_view numbers =
    "0|1|-1|8|0.5|1e3|1e999|null|\"7\"|[]|1000000000000|4611686018427387904|-4611686018427387905|9223372036854775807|"
    "-9223372036854775808|9223372036854775808|18446744073709551616";

constexpr auto pieces =
    "[|]|{|}|\"|,|:|\\|*|/|#|\n|\xff|\0|[[[[|rank |round |stage |input[0:1]|->| *2/4| *4611686018427387904/0|reduce source-first "
    "scratch[0:8] -> output[0:8]\n|control to 1 9223372036854775807\n|control from 0 9223372036854775807\n|quadrille-schedule-text/1\n"sv;

inline void mutate(std::string& text, Random& random) {
  const std::size_t place = below(random, text.size() + 1);
  const std::size_t length = std::min(below(random, 40), text.size() - place);
  const std::size_t digits = std::min(text.find_first_of("0123456789", place), text.size());
  switch (below(random, 10)) {
    case 0:
      if (place < text.size()) text[place] = static_cast<char>(text[place] ^ (1 << below(random, 8)));
      break;
    case 1: text.erase(place, length); break;
    case 2: text.insert(place, word_of(pieces, random)); break;
    case 3: text.insert(below(random, text.size() + 1), std::string(text, place, length * below(random, 4))); break;
    case 4:
    case 6:
    case 7:
      text.replace(digits, std::min(text.find_first_not_of("0123456789", digits), text.size()) - digits, word_of(numbers, random));
      break;
    default:
      if (digits < text.size()) text[digits] = static_cast<char>('0' + below(random, 10));
  }
}

}  // namespace quadrille::testing
