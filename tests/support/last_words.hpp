// SPDX-License-Identifier: BSD-3-Clause
// For tests with random cases: if a signal ends the process, this prints the present case. Sanitizers end the process by a signal
// if ASAN_OPTIONS and UBSAN_OPTIONS contain abort_on_error=1.
#pragma once

#include <unistd.h>

#include <csignal>
#include <string>

namespace quadrille::testing {

// Only one object may exist at a time.
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
