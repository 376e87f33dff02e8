// SPDX-License-Identifier: BSD-3-Clause
// Assertions state contracts between parts of the library. Wrong input of users (arguments, documents, environment variables,
// wisdom) must not reach an assertion: refuse it earlier, with a sentence.
//
// QUADRILLE_ASSERT is evaluated in every build, because a broken contract would otherwise become a wrong byte in a user's
// results. It belongs where plans are made: in generators, the verifier, scripts and their preparation. QUADRILLE_HOT_ASSERT is
// evaluated only in builds without NDEBUG. It is for code that runs for each message or each call.
//
// A condition that does not hold prints one line and aborts the process:
//   quadrille: broken contract: src/schedule/composition.cpp:236: joined: first.program.rank == second.program.rank
#pragma once

#include <cstddef>
#include <string_view>

namespace quadrille {

// Where a contract is stated. `path` is the file's path as the compiler knows it. Only the part that begins with src/ or tests/
// is kept, so that programs do not contain the folder in which they were built.
template <std::size_t length>
struct ContractFile {
  consteval explicit ContractFile(const char (&path)[length]) {
    std::size_t first = 0;
    for (const std::string_view folder : {"/src/", "/tests/"})
      if (const std::size_t at = std::string_view(path).rfind(folder); at != std::string_view::npos && at >= first) first = at + 1;
    if (first == 0) first = std::string_view(path).rfind('/') + 1;  // the last component; npos + 1 is 0
    for (std::size_t i = first; i < length; ++i) name[i - first] = path[i];
  }
  char name[length]{};
};

// Prints the line and aborts.
[[noreturn, gnu::cold, gnu::noinline]] void broken_contract(const char* file, int line, const char* function,
                                                            const char* condition) noexcept;

}  // namespace quadrille

// A condition with commas needs no extra parentheses.
#define QUADRILLE_ASSERT(...)                                                              \
  ((__VA_ARGS__) ? static_cast<void>(0) : [](const char* function) __attribute__((cold)) { \
    static constexpr quadrille::ContractFile file(__FILE__);                               \
    quadrille::broken_contract(file.name, __LINE__, function, #__VA_ARGS__);               \
  }(static_cast<const char*>(__func__)))

#ifdef NDEBUG
#define QUADRILLE_HOT_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))  // compiled, but not evaluated
#else
#define QUADRILLE_HOT_ASSERT(...) QUADRILLE_ASSERT(__VA_ARGS__)
#endif
