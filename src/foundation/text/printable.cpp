// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/printable.hpp"

#include <fmt/format.h>

namespace quadrille {
namespace {

// Characters without width, those that change the direction of the text after them, and those that XML does not allow.
bool is_invisible(unsigned code) {
  return code == 0xad || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code == 0xfffe || code == 0xffff;
}

// Returns the number of bytes of the printable UTF-8 character with which the text begins; 0 if it begins with something else.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  unsigned code = first & 0x7fU >> length;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr unsigned least[] = {0xa0, 0x800, 0x10000};  // by length; 0x80 to 0x9f are control characters
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length - 2] && code <= 0x10ffff && !is_surrogate && !is_invisible(code) ? length : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    if (length > 0)
      shown += text.substr(0, length);
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(length > 0 ? length : 1);
  }
  return shown;
}

std::string excerpt(std::string_view text, std::size_t most) {
  std::string shown;
  for (const char character : text.substr(0, most)) {
    if (character >= ' ' && character <= '~')
      shown += character;
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(character));
  }
  return text.size() > most ? shown + "..." : shown;
}

void Printer::print_arguments(fmt::string_view format, fmt::format_args arguments) {
  fmt::vformat_to(fmt::appender(buffer_), format, arguments);
  if (buffer_.size() > (std::size_t{1} << 16)) flush();
}

void Printer::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace quadrille
