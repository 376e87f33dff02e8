// SPDX-License-Identifier: BSD-3-Clause
#include "draw/geometry.hpp"

#include <algorithm>

namespace quadrille {
namespace {

constexpr double letter_width = 0.54;      // of a font of size 1
constexpr double longest_whole_word = 60;  // in letters; longer words that cannot be broken are cut

bool begins_letter(char byte) { return (byte & 0xC0) != 0x80; }  // false for the continuation bytes of UTF-8

// Returns the position of the last comma such that the word up to it has at most this width. A comma at the end of the word does
// not count.
std::size_t last_comma(const std::string& word, double width, double size) {
  std::size_t found = std::string::npos;
  for (std::size_t at = word.find(','); at < word.size() - 1; at = word.find(',', at + 1))
    if (text_width(word.substr(0, at + 1), size) <= width) found = at;
  return found;
}

// Cuts a word that is too long, but keeps a comma at its end.
std::string shortened(const std::string& word, double size) {
  const double most = longest_whole_word * letter_width * size;
  return text_width(word, size) <= most ? word : fitted(word, most, size) + (word.ends_with(',') ? "," : "");
}

}  // namespace

double text_width(std::string_view words, double size) {
  return letter_width * size * static_cast<double>(std::count_if(words.begin(), words.end(), begins_letter));
}

std::string fitted(std::string words, double width, double size) {
  if (text_width(words, size) <= width) return words;
  if (width < 2 * size) return "";
  auto room = static_cast<std::size_t>((width - size) / (letter_width * size));  // in letters
  const auto end = std::find_if(words.begin(), words.end(), [&](char byte) { return begins_letter(byte) && room-- == 0; });
  return std::string(words.begin(), end) + "…";
}

std::vector<std::string> lines_of(const std::string& words, double width, double size) {
  std::vector<std::string> lines{""};
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t space = std::min(words.find(' ', begin), words.size());
    std::string word = words.substr(begin, space - begin);
    if (!lines.back().empty()) {
      if (text_width(lines.back() + " " + word, size) <= width)
        word = lines.back() + " " + word;
      else
        lines.emplace_back();
    }
    while (text_width(word, size) > width) {
      const std::size_t comma = last_comma(word, width, size);
      if (comma == std::string::npos) break;
      lines.back() = word.substr(0, comma + 1);
      lines.emplace_back();
      word.erase(0, comma + 1);
    }
    lines.back() = text_width(word, size) <= width ? word : shortened(word, size);
    begin = space + 1;
  }
  return lines;
}

}  // namespace quadrille
