// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/child_output.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "foundation/system/pipe.hpp"
#include "foundation/system/regular_file.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

pid_t started(const std::vector<std::string>& words, const Pipe& pipe, const std::string& label) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.write_end.number(), STDOUT_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error(ErrorCode::environment, fmt::format("cannot start {}: {}", label, std::strerror(error)));
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

}  // namespace

std::string output_of(const std::vector<std::string>& words, std::size_t most_mebibytes, const std::string& label) {
  Pipe pipe = make_pipe();
  const pid_t child = started(words, pipe, label);
  pipe.write_end = Descriptor();  // so that reading ends with the program
  std::string text;
  const std::size_t most = most_mebibytes << 20;
  bool is_too_long = false;
  const int error = read_parts(pipe.read_end.number(), [&](std::string_view part) {
    if (is_too_long) return;
    text += part;
    is_too_long = text.size() > most;
    if (is_too_long) ::kill(child, SIGKILL);
  });
  const int status = status_of(child);
  if (is_too_long) throw Error(ErrorCode::too_large, fmt::format("{} prints more than {} MiB", label, most_mebibytes));
  if (error != 0)
    throw Error(ErrorCode::environment, fmt::format("the output of {} cannot be read: {}", label, std::strerror(error)));
  if (WIFSIGNALED(status))
    throw Error(ErrorCode::environment,
                fmt::format("{} was ended by signal {} ({})", label, WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    throw Error(ErrorCode::environment, fmt::format("{} failed with exit code {}", label, WEXITSTATUS(status)));
  return text;
}

}  // namespace quadrille
