// SPDX-License-Identifier: BSD-3-Clause
#include "talk.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "launcher.hpp"

namespace quadrille::command {
namespace {

// Quoted arguments and file names may hold anything; a line of talk stays one line.
std::string printable(std::string_view text) {
  std::string line;
  for (const char character : text) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f)
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(character));
    else
      line += character;
  }
  return line;
}

// The one thing that this process remembers about itself.
bool& is_silent() {
  static bool silent = false;
  return silent;
}

}  // namespace

void let_first_rank_talk() {
  const auto here = launched();
  is_silent() = here && here->rank != 0;
}

void talk_again() { is_silent() = false; }

bool talks() { return !is_silent(); }

void complain(std::string_view sentence) {
  if (talks()) fmt::print(stderr, "quadrille: {}\n", printable(sentence));
}

void remark(std::string_view line) {
  static std::set<std::string, std::less<>> said;
  if (talks() && said.emplace(line).second) fmt::print(stderr, "{}\n", printable(line));
}

Progress::Progress() : visible_(talks() && ::isatty(STDERR_FILENO)) {}

void Progress::show(std::string_view line) {
  if (!visible_) return;
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace quadrille::command
