// SPDX-License-Identifier: BSD-3-Clause
// Tests that a process counts as alive as long as any of its threads runs.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "execute/shared/memory/process.hpp"
#include "execute/shared/memory/shared_file.hpp"
#include "support/pipes.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Waits without a limit: if the condition never holds, the test's own time limit ends it.
void wait_until(const std::function<bool()>& is_so) {
  while (!is_so()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool main_thread_has_ended(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(in, text);
  return text.find(") Z ") != std::string::npos;
}

struct Told {
  ProcessCard card;
  Place far;  // in an extent of the heap that no other process has mapped yet
};

int up[2], down[2];

// The thread that remains when the main thread has ended. On command it ends the process, or calls exec.
void* go_on(void*) {
  char order = 0;
  if (::read(down[0], &order, 1) != 1) ::_exit(3);
  if (order == 'x') ::execl("/bin/sleep", "sleep", "1000", nullptr);
  ::_exit(0);
}

class PeerLiveness : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(up), 0);
    ASSERT_EQ(::pipe(down), 0);
    child_ = ::fork();
    if (child_ == 0) {
      Process& process = *new Process;
      const Place far = process.heap().allocate(Bytes{5} << 20);
      *process.heap().at(far) = std::byte{7};
      send(up[1], Told{process.card(), far});
      receive<char>(down[0]);  // wait until the processes have met
      pthread_t thread{};
      if (::pthread_create(&thread, nullptr, go_on, nullptr) != 0) ::_exit(4);
      ::syscall(SYS_exit, 0);  // as pthread_exit, but without unwinding the stack of the test
    }
    told_ = receive<Told>(up[0]);
  }
  void TearDown() override {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    for (const int end : {up[0], up[1], down[0], down[1]}) ::close(end);
  }

  std::string directory() const { return "/proc/" + std::to_string(child_); }

  pid_t child_ = 0;
  Told told_{};
};

TEST_F(PeerLiveness, ProcessIsAliveWithoutItsMainThread) {
  Process process;
  const auto peer = process.meet(told_.card);
  send(down[1], 'm');
  wait_until([&] { return main_thread_has_ended(child_); });
  EXPECT_TRUE(process_state(directory())->runs);
  EXPECT_TRUE(peer->is_there());
  EXPECT_EQ(*peer->at(FileKind::heap, told_.far), std::byte{7});  // the extent is mapped only now

  send(down[1], 'e');
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(process_state(directory())->runs);
  EXPECT_FALSE(peer->is_there());
}

TEST_F(PeerLiveness, ProcessIsGoneAfterExec) {
  Process process;
  const auto peer = process.meet(told_.card);
  send(down[1], 'm');
  wait_until([&] { return main_thread_has_ended(child_); });
  send(down[1], 'x');
  wait_until([&] { return !peer->is_there(); });
  EXPECT_EQ(::waitpid(child_, nullptr, WNOHANG), 0) << "it has ended";
}

}  // namespace
}  // namespace quadrille
