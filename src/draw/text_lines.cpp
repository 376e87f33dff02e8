// SPDX-License-Identifier: BSD-3-Clause
#include "draw/text_lines.hpp"

#include <algorithm>

namespace quadrille {
namespace {

// Returns the position of the last comma that ends a part of at most this width, but not that of the last letter.
std::size_t last_comma(const std::string& word, double width, double size) {
  std::size_t found = std::string::npos;
  for (std::size_t at = word.find(','); at < word.size() - 1; at = word.find(',', at + 1))
    if (text_width(word.substr(0, at + 1), size) <= width) found = at;
  return found;
}

}  // namespace

double text_width(std::string_view words, double size) {
  const auto letters = std::count_if(words.begin(), words.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
  return 0.54 * size * static_cast<double>(letters);
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
    lines.back() = word;
    begin = space + 1;
  }
  return lines;
}

}  // namespace quadrille
