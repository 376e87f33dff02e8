// SPDX-License-Identifier: BSD-3-Clause
// A fixture that compiles small programs, and runs them beside the test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/own_folder.hpp"

namespace quadrille::testing {

// A child process, which is killed when this object is destroyed.
class Running {
 public:
  // Starts a program, and returns when it has printed a line.
  explicit Running(std::vector<std::string> words) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    process_ = ::fork();
    if (process_ == 0) {
      std::vector<char*> pointers;
      for (std::string& word : words) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execvp(pointers[0], pointers.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    for (char letter; ::read(ends[0], &letter, 1) == 1 && letter != '\n';) line_ += letter;
    output_ = ends[0];
  }
  ~Running() {
    if (process_ > 0) end();
    ::close(output_);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Kills the program, and returns its exit status.
  int end() {
    ::kill(process_, SIGKILL);
    int status = 0;
    EXPECT_EQ(::waitpid(std::exchange(process_, -1), &status, 0) > 0, true);
    return status;
  }

  pid_t process() const { return process_; }
  const std::string& line() const { return line_; }
  std::uint64_t address() const { return std::strtoull(line_.c_str(), nullptr, 16); }  // the number that it printed

  // Reads a number of the program's memory, at the address that it printed.
  std::uint64_t number(std::size_t index = 0) const {
    std::uint64_t value = 0;
    struct iovec to {
      &value, sizeof value
    }, from{reinterpret_cast<void*>(address() + index * sizeof value), sizeof value};
    EXPECT_EQ(::process_vm_readv(process_, &to, 1, &from, 1, 0), ssize_t{sizeof value});
    return value;
  }

  // Returns whether a number of the program changes within seconds.
  bool changes(std::size_t index = 0) const {
    const std::uint64_t before = number(index);
    for (int i = 0; i < 5000 && number(index) == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return number(index) != before;
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
  std::string line_;
};

class WatchTest : public OwnFolder {
 protected:
  static bool has(const std::string& program) { return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0; }

  std::string file(const std::string& name) const { return (place_ / name).string(); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

  // Runs a command in the folder of the test.
  void shell(const std::string& command) const {
    EXPECT_EQ(std::system(("cd '" + place_.string() + "' && " + command + " >&2").c_str()), 0) << command;
  }

  // Returns the number of the line with a mark, such as "/* HERE */".
  int line_of(const std::string& name, const std::string& mark) const {
    std::ifstream in(file(name));
    int number = 1;
    for (std::string line; std::getline(in, line); ++number)
      if (line.find(mark) != line.npos) return number;
    ADD_FAILURE() << name << " has no " << mark;
    return 0;
  }
};

}  // namespace quadrille::testing
