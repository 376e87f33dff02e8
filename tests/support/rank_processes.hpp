// SPDX-License-Identifier: BSD-3-Clause
// Runs the ranks of a group as processes, without a launcher that would end the others when one is lost.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "execute/shared/group_space.hpp"
#include "execute/shared/meet.hpp"
#include "groups/chooser.hpp"

namespace quadrille::testing {

inline constexpr int has_hung = -1000;

// Runs `body` in each process. Returns an exit code for each: 0 if `body` throws peer_lost, 1 if it returns, 2 if it throws
// another error, minus a signal's number if that signal ended the process, and `has_hung` if the process was killed after 20 s.
inline std::vector<int> codes_of_processes(Count ranks, const std::function<void(SharedCommunicator&)>& body,
                                           const CopyCosts& costs = {}) {
  const Descriptor file = make_head_file(ranks);
  std::vector<pid_t> processes;
  for (Rank rank = 0; rank < ranks; ++rank) {
    processes.push_back(::fork());
    if (processes.back() != 0) continue;
    int code = 1;
    try {
      const auto communicator = meet_at(open_head_file(file, ranks), rank, ranks, costs);
      let_choose(*communicator);
      body(*communicator);
    } catch (const Error& error) {
      code = error.code() == ErrorCode::peer_lost ? 0 : 2;
    }
    std::_Exit(code);
  }
  std::vector<int> codes;
  for (const pid_t process : processes) {
    int status = 0, waited = 0;
    while (::waitpid(process, &status, WNOHANG) == 0 && ++waited < 2000) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (waited == 2000) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      codes.push_back(has_hung);
    } else {
      codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
  }
  return codes;
}

}  // namespace quadrille::testing
