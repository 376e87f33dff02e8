// SPDX-License-Identifier: BSD-3-Clause
#include "watch/stacks.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "foundation/system/proc.hpp"
#include "support/child_process.hpp"
#include "tools/watch/programs.hpp"

namespace quadrille::command {
namespace {

using quadrille::testing::Running;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A program with threads that count. Its first argument says what the main thread does. Prints where its counters are.
constexpr const char* counting_solver = R"(
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long counters[16];
static volatile double sum;
__attribute__((noinline)) static void residual(void) {
  for (;;) ++counters[0]; /* BUSY */
}
__attribute__((noinline)) static void deep(int levels) {
  volatile char large[1 << 20];
  large[0] = large[sizeof large - 1] = 1;
  if (levels > 0)
    deep(levels - 1); /* DEEP */
  else
    residual();
  large[1] = large[0];
}
static void* count(void* counter) {
  for (;; usleep(100)) ++*(volatile unsigned long*)counter;
}
__attribute__((noinline)) static void spin(void) {
  for (;;) __asm__ volatile(""); /* SPIN */
}
static void* end(void* counter) { return counter; }
static void on_signal(int signal) { (void)signal; ++counters[1]; }
int main(int argc, char** argv) {
  const int way = argc > 1 ? atoi(argv[1]) : 0, threads = argc > 2 ? atoi(argv[2]) : 0;
  pthread_t thread;
  signal(SIGRTMIN, on_signal);
  for (int i = 0; i < threads; ++i) pthread_create(&thread, NULL, count, (void*)&counters[2 + i]);
  printf("%p\n", (void*)counters);
  fflush(stdout);
  if (way == 1) /* sleeps */
    for (;;) sleep(1000); /* SLEEP */
  if (way == 2) /* threads that end at once */
    for (;; ++counters[0]) {
      pthread_create(&thread, NULL, end, NULL);
      pthread_join(thread, NULL);
    }
  if (way == 3) deep(6);
  if (way == 4) /* in the mathematical library */
    for (double x = 0;; x += 1) sum += lgamma(x) + sin(x); /* MATHS */
  if (way == 5) spin();
  if (way == 6) /* in the kernel's library */
    for (struct timespec now;; sum += now.tv_nsec) clock_gettime(CLOCK_MONOTONIC, &now); /* CLOCK */
  residual(); /* CALL */
  return 0;
}
)";

class StacksTest : public quadrille::testing::WatchTest {
 protected:
  void SetUp() override {
#ifndef QUADRILLE_LIBDW
    GTEST_SKIP() << "skipped: built without libdw";
#endif
    WatchTest::SetUp();
    write("solver.c", counting_solver);
    shell("gcc -g -O1 -pthread solver.c -o solver -lm");
  }

  std::vector<std::string> words(const std::string& way, const std::string& threads = "0") const {
    return {file("solver"), way, threads};
  }
  std::string place(const std::string& mark, const std::string& function) const {
    return fmt::format("solver.c:{} ({})", line_of("solver.c", mark), function);
  }

  SourcePlaces places_;
};

std::string directory_of(const Running& program) { return "/proc/" + std::to_string(program.process()); }

// Returns the letters of the states of all threads.
std::string states_of(const Running& program) {
  std::string states;
  for (const auto& entry : std::filesystem::directory_iterator(directory_of(program) + "/task"))
    if (const auto stat = process_stat(entry.path())) states += stat->state;
  return states;
}

// Waits for the state, because a process needs a moment to reach it.
bool reaches(const Running& program, char state) {
  for (int i = 0; i < 2000 && process_stat(directory_of(program))->state != state; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return process_stat(directory_of(program))->state == state;
}

TEST_F(StacksTest, ABusyLoopIsFound) {
  const Running program(words("0"));
  ASSERT_TRUE(program.changes());
  const StackSample sampled = sample(program.process(), places_);
  EXPECT_EQ(sampled.why_not, "");
  EXPECT_EQ(sampled.frames.at(0), place("/* BUSY */", "residual"));
  EXPECT_EQ(where_it_computes(program.process(), places_),
            (std::vector{place("/* BUSY */", "residual"), place("/* CALL */", "main")}));
  EXPECT_TRUE(program.changes()) << "the program must go on";
}

// The innermost frame has no call before its address: here, another function ends there.
TEST_F(StacksTest, TheFirstInstructionOfAFunctionIsInIt) {
  const Running program(words("5"));
  std::string innermost;
  for (int i = 0; i < 100 && innermost != place("/* SPIN */", "spin"); ++i)
    innermost = where_it_computes(program.process(), places_).front();
  EXPECT_EQ(innermost, place("/* SPIN */", "spin"));
}

TEST_F(StacksTest, LargeFramesAreFollowed) {
  const Running program(words("3"));
  ASSERT_TRUE(program.changes());
  const auto frames = where_it_computes(program.process(), places_);
  ASSERT_EQ(frames.size(), 8u) << "seven of deep, and main is cut off";
  EXPECT_EQ(frames[0], place("/* BUSY */", "residual"));
  EXPECT_EQ(frames[2], place("/* DEEP */", "deep"));
  EXPECT_THAT(sample(program.process(), places_).frames.back(), HasSubstr("(main)"));
}

TEST_F(StacksTest, LibrariesOfTheSystemAreNotTheUsers) {
  const Running program(words("4"));
  EXPECT_THAT(where_it_computes(program.process(), places_), Each(place("/* MATHS */", "main")));
}

// MPI_Wtime reads a clock there, without a system call.
TEST_F(StacksTest, TheKernelsLibraryIsNotTheUsers) {
  const Running program(words("6"));
  for (int i = 0; i < 20; ++i) EXPECT_THAT(where_it_computes(program.process(), places_), Each(place("/* CLOCK */", "main")));
}

TEST_F(StacksTest, ASleepingProcessSleepsOn) {
  const Running program(words("1"));
  ASSERT_TRUE(reaches(program, 'S'));
  EXPECT_EQ(sample(program.process(), places_).frames.at(0), place("/* SLEEP */", "main"));
  EXPECT_TRUE(reaches(program, 'S')) << "its call goes on";
}

TEST_F(StacksTest, AStoppedProcessStaysStopped) {
  const Running program(words("0", "2"));
  ASSERT_TRUE(program.changes());
  ASSERT_EQ(::kill(program.process(), SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(program.process(), &status, WUNTRACED), program.process());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(sample(program.process(), places_).frames.at(0), place("/* BUSY */", "residual"));
    EXPECT_TRUE(reaches(program, 'T'));
  }
  const std::uint64_t before = program.number();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(program.number(), before);
  EXPECT_EQ(states_of(program), "TTT");
  EXPECT_EQ(::waitpid(program.process(), &status, WUNTRACED | WNOHANG), 0) << "the parent is not told of it again";
  ::kill(program.process(), SIGCONT);
  EXPECT_TRUE(program.changes());
}

TEST_F(StacksTest, ATracedProcessIsLeftAlone) {
  const Running program(words("0"));
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, program.process(), nullptr, nullptr), 0);
  const StackSample sampled = sample(program.process(), places_);
  EXPECT_EQ(sampled.why_not, "a debugger is attached");
  EXPECT_TRUE(sampled.frames.empty());
  EXPECT_EQ(where_it_computes(program.process(), places_), std::vector<std::string>{"a debugger is attached"});
}

// A process of another user stands for a system that permits no ptrace.
TEST_F(StacksTest, WhereItIsNotPermittedTheReasonIsGiven) {
  const Running program(words("0"));
  const pid_t target = ::geteuid() == 0 ? program.process() : 1;
  EXPECT_TRUE(quadrille::testing::holds_in_a_child([&] {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return false;
    const StackSample sampled = sample(target, places_);
    const bool holds = sampled.why_not.starts_with("its stack may not be read: not allowed here, because ");
    if (!holds) std::fprintf(stderr, "%s\n", sampled.why_not.c_str());
    return holds;
  }));
}

TEST_F(StacksTest, ManySamplesLeaveTheProgramRunning) {
  const Running program(words("0", "7"));
  ASSERT_TRUE(program.changes());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) {
    const StackSample sampled = sample(program.process(), places_);
    EXPECT_EQ(sampled.why_not, "");
    EXPECT_GE(sampled.frames.size(), 2u);
  }
  const auto duration = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin);
  EXPECT_LT(duration.count(), 10) << "no stop may take 50 ms";
  EXPECT_EQ(states_of(program).find_first_of("tT"), std::string::npos) << states_of(program);
  EXPECT_TRUE(program.changes(0));
  for (std::size_t i = 2; i < 9; ++i) EXPECT_TRUE(program.changes(i)) << i;
}

TEST_F(StacksTest, ThreadsMayEndMeanwhile) {
  const Running program(words("2"));
  int with_frames = 0;
  for (int i = 0; i < 200; ++i) {
    const StackSample sampled = sample(program.process(), places_);
    ASSERT_EQ(sampled.why_not, "");
    with_frames += !sampled.frames.empty();
  }
  EXPECT_GT(with_frames, 0) << "where a thread begins, the C library ends the stack";
  EXPECT_TRUE(program.changes());
}

TEST_F(StacksTest, SignalsThatComeMeanwhileAreNotLost) {
  const Running program(words("0"));
  constexpr std::uint64_t signals = 50000;
  std::atomic<bool> all_are_sent = false;
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < signals; ++i)
      while (::sigqueue(program.process(), SIGRTMIN, {}) != 0) std::this_thread::yield();
    all_are_sent = true;
  });
  while (!all_are_sent) EXPECT_EQ(sample(program.process(), places_).why_not, "");
  sender.join();
  for (int i = 0; i < 10000 && program.number(1) != signals; ++i) {
    if (i < 50) sample(program.process(), places_);  // many are pending
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(program.number(1), signals);
}

TEST_F(StacksTest, StopsThatComeMeanwhileHold) {
  const Running program(words("0", "2"));
  for (int i = 0; i < 100; ++i) {
    const int signal = i % 2 == 0 ? SIGSTOP : SIGCONT;
    std::thread sender([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(i * 30));
      ::kill(program.process(), signal);
    });
    sample(program.process(), places_);
    sender.join();
    if (signal == SIGCONT)
      EXPECT_TRUE(program.changes());
    else
      ASSERT_TRUE(reaches(program, 'T')) << i;
  }
}

TEST_F(StacksTest, TheProcessMayDieMeanwhile) {
  for (int i = 0; i < 40; ++i) {
    Running program(words("0", "7"));
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(i * 300));
      ::kill(program.process(), SIGKILL);
    });
    SourcePlaces places;
    for (int j = 0; j < 5; ++j) sample(program.process(), places);
    killer.join();
    EXPECT_EQ(sample(program.process(), places).why_not, "it has ended");
    const int status = program.end();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the exit status is left for the parent";
  }
  EXPECT_EQ(where_it_computes(0x7ffffff0, places_), std::vector<std::string>{"it has ended"});
}

TEST_F(StacksTest, TheUsersFrameIsBelowTheBindings) {
  write("mpi.c", "#include <unistd.h>\nvoid MPI_Recv(void) { for (;;) pause(); }\n");
  write("mpifort.c", "void MPI_Recv(void);\nvolatile int x;\nvoid mpi_recv_(void) { MPI_Recv(); x = 1; }\n");
  write("flow.c",
        "#include <stdio.h>\nvoid mpi_recv_(void);\nvolatile int x;\n__attribute__((noinline)) void exchange(void) {\n"
        "  mpi_recv_();\n  x = 1;\n}\nint main(void) {\n  puts(\"\");\n  fflush(stdout);\n  exchange();\n  return x;\n}\n");
  shell(
      "gcc -g -shared -fPIC mpi.c -o libmpi.so.40 && gcc -g -shared -fPIC mpifort.c -o libmpifort.so.12 ./libmpi.so.40 && "
      "gcc -g -O1 flow.c -o flow ./libmpifort.so.12 ./libmpi.so.40");
  const Running program({"sh", "-c", "cd '" + place_.string() + "' && exec ./flow"});
  ASSERT_TRUE(reaches(program, 'S'));
  EXPECT_THAT(sample(program.process(), places_).frames, ::testing::ElementsAre("flow.c:5 (exchange)", "flow.c:11 (main)"));
}

TEST_F(StacksTest, FortranIsSampled) {
  if (!has("gfortran")) GTEST_SKIP() << "skipped: no gfortran";
  write("flow.f90",
        "program flow\n  implicit none\n  double precision :: total = 0\n  print *, total\n  flush(6)\n  call residual(total)\n"
        "  print *, total\ncontains\n  subroutine residual(x)\n    double precision, intent(inout) :: x\n    do while (x >= 0)\n"
        "      x = x + 1d-3\n    end do\n  end subroutine\nend program\n");
  shell("gfortran -g -O0 flow.f90 -o flow");
  const Running program({file("flow")});
  const auto frames = where_it_computes(program.process(), places_);
  ASSERT_GE(frames.size(), 2u);
  EXPECT_THAT(frames[0], MatchesRegex("flow.f90:1[123] \\(residual\\)"));
  EXPECT_EQ(frames[1], "flow.f90:6 (flow)");
}

}  // namespace
}  // namespace quadrille::command
