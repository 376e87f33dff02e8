// SPDX-License-Identifier: BSD-3-Clause
// The values of --executor: the words of the table of executors, and "threads" if a subcommand can run on threads of its own
// process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"

namespace quadrille::command {

inline constexpr const char* threads_word = "threads";

std::vector<std::string> executor_words();  // words of the table: "mpi", "shared", ..
std::vector<std::string> words_of_ranks();  // "threads" and the table's words
std::string executor_help();                // the help: "mpi (messages of the MPI library), shared (..) or .."

Executor parse_executor(const std::string& word);  // parses a word of the table; throws Error{misuse}

struct AskedExecutor {
  bool on_threads = false;
  Executor executor = Executor::automatic;
};

// Parses a word of words_of_ranks(); without a word, the result is `automatic`. Throws Error{misuse}.
AskedExecutor parse_executor_of_ranks(const std::optional<std::string>& word);

}  // namespace quadrille::command
