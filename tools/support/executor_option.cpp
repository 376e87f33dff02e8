// SPDX-License-Identifier: BSD-3-Clause
#include "support/executor_option.hpp"

#include <fmt/format.h>

#include "execute/executors.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

const ExecutorRow* find(const std::string& word) {
  for (const ExecutorRow& row : all_executors())
    if (row.name == word) return &row;
  return nullptr;
}

}  // namespace

std::vector<std::string> executor_words() {
  std::vector<std::string> words;
  for (const ExecutorRow& row : all_executors()) words.emplace_back(row.name);
  return words;
}

std::vector<std::string> words_of_ranks() {
  std::vector<std::string> words = executor_words();
  words.insert(words.begin(), threads_word);
  return words;
}

std::string executor_help() {
  std::string help;
  for (std::size_t left = all_executors().size(); const ExecutorRow& row : all_executors())
    help += fmt::format("{} ({}){}", row.name, row.description, --left == 0 ? "" : left == 1 ? " or " : ", ");
  return help;
}

Executor parse_executor(const std::string& word) {
  const ExecutorRow* const row = find(word);
  if (!row) refuse_unknown("executor", word, executor_words());
  return row->executor;
}

AskedExecutor parse_executor_of_ranks(const std::optional<std::string>& word) {
  if (!word) return {};
  if (*word == threads_word) return {.on_threads = true};
  if (!find(*word)) refuse_unknown("executor", *word, words_of_ranks());
  return {.executor = parse_executor(*word)};
}

}  // namespace quadrille::command
