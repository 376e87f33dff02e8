// SPDX-License-Identifier: BSD-3-Clause
#include "reports/gnuplot.hpp"

#include <spawn.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "execute/shared/launch/children.hpp"
#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

// A temporary file without a name, deleted when closed. Unlike a pipe, it lets a child write everything before somebody reads.
class Scratch {
 public:
  Scratch() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) fail(errno);
  }

  int descriptor() const { return ::fileno(file_.get()); }

  void fill(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0) fail(errno);
    std::rewind(file_.get());
  }

  std::string contents() {
    std::string text;
    std::array<char, 4096> part{};
    std::rewind(file_.get());
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file_.get())) text.append(part.data(), count);
    return text;
  }

  [[noreturn]] static void fail(int error) {
    throw Error(ErrorCode::environment, fmt::format("cannot run gnuplot: {}", std::strerror(error)));
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// Removes empty groups. Gnuplot writes a group for each of its layers even if the layer is empty, and these are half of the
// picture's text.
std::string without_empty_groups(const std::string& picture) {
  std::string kept;
  for (std::size_t at = 0; at < picture.size();) {
    const std::size_t end = picture.compare(at, 3, "<g ") == 0 ? picture.find('>', at) : std::string::npos;
    const std::size_t next = end == std::string::npos ? end : picture.find_first_not_of(" \t\n", end + 1);
    if (next != std::string::npos && picture.compare(next, 4, "</g>") == 0) {
      at = std::min(picture.size(), next + 5);  // 5: the length of the closing tag and of the line's end
    } else {
      kept += picture[at++];
    }
  }
  return kept;
}

}  // namespace

std::optional<std::string> plotted(const std::string& script) {
  Scratch input, output, complaints;
  input.fill(script);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const int descriptors[] = {input.descriptor(), output.descriptor(), complaints.descriptor()};
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, descriptors[i], i);
  std::string program = "gnuplot", plain = "--default-settings";  // ignores the user's own settings
  char* const arguments[] = {program.data(), plain.data(), nullptr};
  pid_t child = 0;
  const ChildrenAreKept kept;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) Scratch::fail(error);
  int status = 0;
  if (wait_for_child(child, &status) == -1) Scratch::fail(errno);
  std::string picture = output.contents();
  if (status != 0 || !picture.ends_with("</svg>\n\n")) {
    const std::string said = complaints.contents();
    throw Error(ErrorCode::environment, fmt::format("gnuplot made no picture; it says: {}", said.empty() ? "nothing" : said));
  }
  picture.pop_back();
  return without_empty_groups(picture);
}

}  // namespace quadrille::command
