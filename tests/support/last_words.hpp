// SPDX-License-Identifier: BSD-3-Clause
// For tests that draw their cases: where a signal ends the process in one, it says in which. Sanitizers end it by one if
// ASAN_OPTIONS and UBSAN_OPTIONS have abort_on_error=1.
#pragma once

#include <unistd.h>

#include <csignal>
#include <string>

namespace quadrille::testing {

// At most one at a time.
class LastWords {
 public:
  LastWords() {
    words_ = &text;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(signal, on_signal);
  }
  ~LastWords() {
    words_ = nullptr;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(signal, SIG_DFL);
  }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

  std::string text;

 private:
  static void on_signal(int signal) {
    if (words_) static_cast<void>(!::write(STDERR_FILENO, words_->data(), words_->size()));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }

  static inline const std::string* words_ = nullptr;
};

}  // namespace quadrille::testing
