// SPDX-License-Identifier: BSD-3-Clause
// forks WHAT: forks under libquadrille-heap in ways that need care. Prints "good", or says what is wrong.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t mebibyte = 1 << 20, large = 65536;

void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(1);
}

char* filled(std::size_t bytes, char value) {
  char* const memory = static_cast<char*>(std::malloc(bytes));
  std::memset(memory, value, bytes);
  return memory;
}

bool is_filled(const char* memory, std::size_t bytes, char value) {
  return std::all_of(memory, memory + bytes, [=](char each) { return each == value; });
}

template <class Function>
int status_of_child(Function&& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    function();
    std::_Exit(0);
  }
  int status = -1;
  expect(::waitpid(child, &status, 0) == child, "waitpid");
  return status;
}

// A program that closes all descriptors also closes that of the heap.
void forks_without_file() {
  char* const memory = filled(40 * mebibyte, 1);
  char* const small = filled(large, 2);  // in the first extent
  for (int descriptor = 3; descriptor < 2000; ++descriptor) ::close(descriptor);
  const int status = status_of_child([=] {
    expect(is_filled(memory, 40 * mebibyte, 1) && is_filled(small, large, 2), "the child's copy");
    std::memset(memory, 3, 40 * mebibyte);
    std::free(memory);
  });
  expect(status == 0 && is_filled(memory, 40 * mebibyte, 1), "the parent's memory after the child has ended");
}

// Run where the system has memory for one copy and a half: the child is killed, not the parent.
void forks_beyond_limit() {
  filled(200 * mebibyte, 1);
  const int status = status_of_child([] {});
  expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the child goes on without memory");
}

// The threads of a child use the list of blocks while the child forks.
void forks_in_child() {
  char* const memory = filled(large, 1);
  std::vector<char*> others;
  for (int k = 0; k < 300; ++k) others.push_back(filled(large, 2));
  const int status = status_of_child([&] {
    std::atomic<bool> is_over = false;
    std::thread other([&] {
      while (!is_over) expect(::malloc_usable_size(memory) == large, "the size");
    });
    for (char* const one : others) expect(status_of_child([=] { std::free(one); }) == 0, "a child's child");
    is_over = true;
    other.join();
  });
  expect(status == 0, "the child");
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "closed") forks_without_file();
  if (what == "beyond") forks_beyond_limit();
  if (what == "again") forks_in_child();
  std::puts("good");
}
