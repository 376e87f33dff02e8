// SPDX-License-Identifier: BSD-3-Clause
#include "watch/python_frames.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "tools/watch/programs.hpp"
#include "watch/stacks.hpp"

namespace quadrille::command {
namespace {

using quadrille::testing::Running;
using ::testing::IsEmpty;

// Python's own module faulthandler writes the frames to a file while the program sleeps. They are the expected ones.
constexpr const char* says_frames = R"(
import faulthandler, os, sys, threading, time
faulthandler.dump_traceback_later(0.3, file=open(os.path.join(os.path.dirname(sys.argv[0]), "expected"), "w"))
def ready():
    print(threading.get_native_id(), flush=True)
)";

class PythonFramesTest : public quadrille::testing::WatchTest {
 protected:
  void SetUp() override {
#ifndef QUADRILLE_PYTHON_HEADERS
    GTEST_SKIP() << "skipped: built without Python's headers";
#endif
    WatchTest::SetUp();
    for (const char* name : {"/usr/bin/python3.11", "python3.11", "python3"})
      if (std::system(fmt::format("{} -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null", name).c_str()) == 0)
        interpreters_.emplace_back(name);
    if (interpreters_.empty()) GTEST_SKIP() << "skipped: no Python 3.11";
  }

  // Runs a program under each interpreter, and compares its frames with those that Python says.
  void check(const std::string& program) const {
    write("program.py", says_frames + program);
    for (const std::string& interpreter : interpreters_) {
      SCOPED_TRACE(interpreter);
      std::filesystem::remove(file("expected"));
      const Running running({interpreter, file("program.py")});
      const auto wanted = wanted_frames();
      ASSERT_GE(wanted.size(), 2u);
      EXPECT_EQ(frames_of(running.process()), wanted);
    }
  }

  // Reads the frames of the thread that has slept longest in `deepest`, whatever threads there are.
  std::vector<std::string> wanted_frames() const {
    std::vector<std::string> frames;
    for (int i = 0; i < 5000 && frames.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::ifstream in(file("expected"));
      const std::regex form("  File \".*/([^/]+)\", line ([0-9]+) in (.*)");
      bool is_complete = false;
      for (std::string line; std::getline(in, line);) {
        std::smatch parts;
        if (line.find("hread 0x") != line.npos) {  // the next thread
          if (is_complete) break;
          frames.clear();
        } else if (std::regex_match(line, parts, form)) {
          frames.push_back(fmt::format("{}:{} ({})", parts[1].str(), parts[2].str(), parts[3].str()));
          is_complete = is_complete || parts[3].str() == "deepest";
        }
      }
      if (!is_complete || frames.empty() || !frames.back().ends_with("(<module>)")) frames.clear();
    }
    return frames;
  }

  static std::vector<std::string> frames_of(pid_t process) {
    SourcePlaces places;
    places.read(process);
    return python_frames(process, places);
  }

  std::vector<std::string> interpreters_;
};

TEST_F(PythonFramesTest, FunctionsHaveTheirLines) {
  check(R"(
def deepest():
    ready()
    time.sleep(1000)

class Solver:
    def exchange(self, n):
        if n:
            return self.exchange(n - 1)
        deepest()

Solver().exchange(3)
)");
}

TEST_F(PythonFramesTest, CallsOfSeveralLinesGeneratorsAndComprehensionsHaveTheirLines) {
  check(R"(
def deepest(*values):
    ready()

    time.sleep(
        max(
            1000,
            *values,
        )
    )

def pieces():
    """A text.




    """
    yield 1
    yield deepest(
        1,
        2)

def total():
    return sum(
        piece
        for piece in
        pieces())

def numbers():
    return [
        total() if i == 2 else i
        for i in range(5)
    ]

try:
    raise ValueError
except ValueError:
    (lambda:
        numbers())()
)");
}

// Tables of lines have larger changes, and changes backwards.
TEST_F(PythonFramesTest, FarLinesAreCounted) {
  check("def deepest():\n    ready()\n    x = 1\n" + std::string(3000, '\n') + "    time.sleep(1000)\n" + std::string(70, '\n') +
        "def exchange():\n    for i in range(3):\n        if i == 0: continue\n\n\n\n        deepest()\nexchange()\n");
}

TEST_F(PythonFramesTest, NamesMayHaveLettersOfAllKinds) {
  write("prögramm.py",
        "import time\ndef größe():\n    print(flush=True)\n    time.sleep(1000)\ndef 長さ():\n    größe()\ndef 𐐀𐐁():\n    "
        "長さ()\n𐐀𐐁()\n");
  for (const std::string& interpreter : interpreters_) {
    const Running running({interpreter, file("prögramm.py")});
    const std::vector<std::string> wanted{"prögramm.py:4 (größe)", "prögramm.py:6 (長さ)", "prögramm.py:8 (𐐀𐐁)",
                                          "prögramm.py:9 (<module>)"};
    std::vector<std::string> frames;
    for (int i = 0; i < 5000 && frames != wanted; ++i) {  // it prints before it sleeps
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      frames = frames_of(running.process());
    }
    EXPECT_EQ(frames, wanted);
  }
}

TEST_F(PythonFramesTest, TheMainThreadIsFoundAmongOthers) {
  check(R"(
def deepest():
    ready()
    time.sleep(1000)
for i in range(3):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
deepest()
)");
}

TEST_F(PythonFramesTest, ABusyProgramHasFramesAndGoesOn) {
  write("busy.py",
        "def residual(x):\n    while x >= 0:\n        x += 1\ndef solve():\n    residual(0)\nprint(flush=True)\nsolve()\n");
  for (const std::string& interpreter : interpreters_) {
    const Running running({interpreter, file("busy.py")});
    SourcePlaces places;
    std::vector<std::string> frames;
    for (int i = 0; i < 100 && frames.size() != 3; ++i) frames = where_it_computes(running.process(), places);
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_THAT(frames[0], ::testing::MatchesRegex("busy.py:[123] \\(residual\\)"));
    EXPECT_EQ(frames[1], "busy.py:5 (solve)");
    EXPECT_EQ(frames[2], "busy.py:7 (<module>)");
    EXPECT_THAT(sample(running.process(), places).frames.at(0), ::testing::EndsWith(" (residual)"));
  }
}

// Its symbols have the names of Python's, and lead to nothing, to themselves, or to random places.
TEST_F(PythonFramesTest, GarbageHasNoFrames) {
  write("garbage.c", R"(
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
unsigned long Py_Version = 0x030b02f0;
unsigned long PyCode_Type[64];
unsigned long _PyRuntime[20000];
static unsigned long pool[1 << 16];
int main(int argc, char** argv) {
  const int way = atoi(argv[1]);
  srand(way);
  for (int i = 0; i < 1 << 16; ++i) {
    const unsigned long wild = ((unsigned long)rand() << 33) ^ ((unsigned long)rand() << 10) ^ rand();
    const unsigned long inside = (unsigned long)&pool[rand() % (1 << 15)];
    unsigned long value = way == 0 ? 0 : way == 1 ? (unsigned long)pool : way == 2 ? wild : rand() % 8 ? inside : wild;
    if (way > 3 && rand() % 6 == 0) value = (unsigned long)PyCode_Type;
    if (way > 3 && rand() % 4 == 0) value = getpid();
    pool[i] = value;
    if (i < 20000) _PyRuntime[i] = value;
  }
  if (way == 20) Py_Version = 0x030c00f0;
  puts("");
  fflush(stdout);
  for (;;) pause();
}
)");
  shell("gcc -rdynamic garbage.c -o python3.11 2>/dev/null");
  for (int way = 0; way <= 20; ++way) {
    const Running running({file("python3.11"), std::to_string(way)});
    EXPECT_THAT(frames_of(running.process()), IsEmpty()) << way;
  }
  EXPECT_THAT(frames_of(0x7ffffff0), IsEmpty());
  EXPECT_THAT(frames_of(::getpid()), IsEmpty());
}

}  // namespace
}  // namespace quadrille::command
