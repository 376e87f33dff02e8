// SPDX-License-Identifier: BSD-3-Clause
#include "support/converted_picture.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "foundation/system/files.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

constexpr const char* converter = "rsvg-convert";

[[noreturn]] void fail(const std::string& reason) {
  throw Error(ErrorCode::environment, fmt::format("cannot convert the picture: {}", reason));
}

void demand(bool done) {
  if (!done) fail(std::strerror(errno));
}

// A file without a name, for what goes into the converter and what comes out. Unlike a pipe it holds any amount.
class NamelessFile {
 public:
  NamelessFile() : file_(::memfd_create("picture", MFD_CLOEXEC)) { demand(file_.number() >= 0); }

  int number() const { return file_.number(); }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(number(), text.data(), text.size());
      demand(written > 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    demand(::lseek(number(), 0, SEEK_SET) == 0);
  }

  std::string content() const {
    demand(::lseek(number(), 0, SEEK_SET) == 0);
    std::string text;
    std::array<char, 65536> part{};
    for (ssize_t got = 0; (got = ::read(number(), part.data(), part.size())) != 0;) {
      demand(got > 0);
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  Descriptor file_;
};

// Runs a program with three files as stdin, stdout and stderr, and returns its exit code.
int run(const std::string& program, const std::vector<std::string>& arguments, const std::array<const NamelessFile*, 3>& files) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, files[static_cast<std::size_t>(i)]->number(), i);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  const int status = ::posix_spawn(&process, program.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (status != 0) fail(std::strerror(status));
  int end = 0;
  while (::waitpid(process, &end, 0) < 0) demand(errno == EINTR);
  return WIFEXITED(end) ? WEXITSTATUS(end) : -1;
}

}  // namespace

std::optional<std::string> svg_converter() {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "", ':')) {
    const std::string program = fmt::format("{}/{}", folder.empty() ? "." : folder, converter);
    if (::access(program.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(program)) return program;
  }
  return std::nullopt;
}

std::optional<std::string> converted_format(std::string_view file) {
  std::string extension = std::filesystem::path(file).extension();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const std::string format : {"png", "pdf"})
    if (extension == "." + format) return format;
  return std::nullopt;
}

std::string converted_picture(std::string_view svg, const std::string& format) {
  const std::optional<std::string> program = svg_converter();
  if (!program) fail(fmt::format("there is no {} in the folders of PATH", converter));
  const NamelessFile in, out, errors;
  in.write(svg);
  std::vector<std::string> arguments{"--unlimited", "--format=" + format};
  if (format == "png") arguments.emplace_back("--zoom=2");  // sharp in print and on dense screens
  const int code = run(*program, arguments, {&in, &out, &errors});
  if (code != 0)
    fail(fmt::format("{} ended with {}: {}", converter, code < 0 ? "a signal" : fmt::format("exit code {}", code),
                     excerpt(trimmed(errors.content()), 200)));
  return out.content();
}

std::string picture_for(const std::optional<std::string>& file, std::string svg) {
  const auto format = file ? converted_format(*file) : std::nullopt;
  return format ? converted_picture(svg, *format) : svg;
}

}  // namespace quadrille::command
