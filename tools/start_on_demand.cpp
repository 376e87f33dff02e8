// SPDX-License-Identifier: BSD-3-Clause
// How the command runs the subcommands of the second program (tools/on_demand): its process becomes that program, by exec.
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "quadrille/error.hpp"
#include "subcommands/on_demand.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* subcommand, const std::string& reason) {
  throw Error(ErrorCode::environment, fmt::format("'quadrille {}' {}", subcommand, reason));
}

// The library is built without the program, so a program that is older than the library may not match it.
bool is_older(const fs::path& program, const fs::path& library) {
  std::error_code none;
  const auto built = fs::last_write_time(program, none), needed = fs::last_write_time(library, none);
  return !none && built < needed;
}

// The program lies in libexec beside the command's folder, in a build and where it is installed.
[[noreturn]] void start(const char* subcommand) {
  std::error_code none;
  const fs::path command = fs::read_symlink("/proc/self/exe", none);
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!command.is_absolute() || words.empty()) fail(subcommand, "cannot find its program: /proc is not readable here");
  const fs::path prefix = command.parent_path().parent_path(), program = prefix / "libexec/quadrille/quadrille-on-demand";
  const bool in_build = fs::exists(prefix / "CMakeCache.txt", none), is_missing = !fs::exists(program, none);
  if (in_build && (is_missing || is_older(program, prefix / "lib/libquadrille.so")))
    fail(subcommand, fmt::format("is {}; build it: cmake --build '{}' --target quadrille_on_demand",
                                 is_missing ? "not built yet" : "older than the library", prefix.string()));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  fail(subcommand, fmt::format("cannot start its program {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace

int run_audit(const AuditArguments&) { start("audit"); }
int run_reproduce(const ReproduceArguments&) { start("reproduce"); }
int run_project(const ProjectArguments&) { start("project"); }

}  // namespace quadrille::command
