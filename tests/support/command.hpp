// SPDX-License-Identifier: BSD-3-Clause
// A test fixture that runs the command as a user does.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/own_folder.hpp"

namespace quadrille::testing {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

inline std::string contents(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Outcome {
  int exit_code = -1;
  std::string out, talk;
};

class CommandTest : public OwnFolder {
 protected:
  fs::path file(const std::string& name) const { return place_ / name; }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  // Runs the command. stdout goes to the file `target`, or is closed if `target` is empty.
  Outcome run(const Words& arguments, const std::string& input = {}, std::string target = "stdout") const {
    Words words{QUADRILLE_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(std::move(words), input, std::move(target));
  }

  // Does the same for any program, such as `env` or `timeout` in front of the command.
  Outcome run_program(Words words, const std::string& input = {}, std::string target = "stdout") const {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    const bool captured = target == "stdout";
    if (captured) target = file("stdout").string();
    const std::string in = write("stdin", input).string(), talk = file("stderr").string();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
    if (target.empty())
      posix_spawn_file_actions_addclose(&actions, 1);
    else
      posix_spawn_file_actions_addopen(&actions, 1, target.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, talk.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0);
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), captured ? contents(target) : "", contents(talk)};
  }

  // Expects exit code 2, no output, and one line on stderr that contains `hint`.
  void refuses(const Words& arguments, const std::string& hint, const std::string& input = {}) const {
    const Outcome outcome = run(arguments, input);
    std::string line;
    for (const std::string& word : arguments) line += word + ' ';
    SCOPED_TRACE(line);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
    EXPECT_EQ(outcome.talk.rfind("quadrille: ", 0), 0u) << outcome.talk;
    EXPECT_NE(outcome.talk.find(hint), std::string::npos) << outcome.talk;
  }

  // Expects exit code 0, and returns the output.
  std::string prints(const Words& arguments, const std::string& input = {}) const {
    const Outcome outcome = run(arguments, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    return outcome.out;
  }
};

}  // namespace quadrille::testing
