// SPDX-License-Identifier: BSD-3-Clause
// Text in arrays of fixed length. A text that is too long is cut between two UTF-8 characters; the rest of the
// array is filled with zeros.
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
    while (end > 0 && (words[end] & 0xC0) == 0x80) --end;  // inside a UTF-8 character
  if (end > 0) std::memcpy(place, words.data(), end);      // an empty text may have a null pointer
  std::memset(place + end, 0, length - end);
}

template <std::size_t length>
std::string_view words_of(const char (&place)[length]) noexcept {
  return {place, ::strnlen(place, length)};
}

}  // namespace quadrille::mpi_face
