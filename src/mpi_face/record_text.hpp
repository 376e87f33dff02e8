// SPDX-License-Identifier: BSD-3-Clause
// Words in arrays of fixed length: cut where they are too long, at a letter's end, and followed by zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace quadrille::mpi_face {

template <std::size_t length>
void set_words(char (&place)[length], std::string_view words) noexcept {
  std::size_t end = std::min(words.size(), length - 1);
  if (end < words.size())
    while (end > 0 && (words[end] & 0xC0) == 0x80) --end;  // inside a letter of UTF-8
  if (end > 0) std::memcpy(place, words.data(), end);      // empty words may have no address
  std::memset(place + end, 0, length - end);
}

template <std::size_t length>
std::string_view words_of(const char (&place)[length]) noexcept {
  return {place, ::strnlen(place, length)};
}

}  // namespace quadrille::mpi_face
