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

// The program, which is ended when this object is destroyed before its `status` was asked for.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    status();
  }

  // Waits for the end of the program.
  int status() {
    int found = 0;
    while (::waitpid(process_, &found, 0) < 0 && errno == EINTR) {}
    process_ = 0;
    return found;
  }

 private:
  pid_t process_;  // 0: it has ended
};

}  // namespace

std::string output_of(const std::vector<std::string>& words, std::size_t most_mebibytes, const std::string& label) {
  Pipe pipe = make_pipe();
  Child child(started(words, pipe, label));
  pipe.write_end = Descriptor();  // so that reading ends with the program
  std::string text;
  const int error = read_parts(pipe.read_end.number(), [&](std::string_view part) {
    text += part;
    if (text.size() > most_mebibytes << 20)
      throw Error(ErrorCode::too_large, fmt::format("{} prints more than {} MiB", label, most_mebibytes));
  });
  if (error != 0)
    throw Error(ErrorCode::environment, fmt::format("the output of {} cannot be read: {}", label, std::strerror(error)));
  const int status = child.status();
  if (WIFSIGNALED(status))
    throw Error(ErrorCode::environment,
                fmt::format("{} was ended by signal {} ({})", label, WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    throw Error(ErrorCode::environment, fmt::format("{} failed with exit code {}", label, WEXITSTATUS(status)));
  return text;
}

}  // namespace quadrille
