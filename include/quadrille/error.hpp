// SPDX-License-Identifier: BSD-3-Clause
// The library's only exception type. It is thrown for errors of the caller or the environment. For other failures nothing is
// thrown: `applies` (algorithm.hpp) returns the reason why an algorithm cannot solve a problem, and `verify` (verify.hpp) returns
// the findings in a faulty schedule.
#pragma once

#include <stdexcept>
#include <string>

namespace quadrille {

enum class ErrorCode {
  misuse,       // an argument is out of range, or arguments contradict each other
  malformed,    // a document does not have the format that it should have
  too_large,    // a size overflows, or needs more than this machine has
  environment,  // a problem with a file, a plug-in or the machine
  transport,    // MPI reported an error
  peer_lost,    // another rank of the group failed; this rank stopped waiting for it
};

// what() is one sentence that says what is wrong and, if possible, what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// Adds to a sum of bytes. Throws Error{too_large} if the sum reaches 2^63.
inline void add_bytes(std::int64_t& sum, std::int64_t bytes) {
  if (__builtin_add_overflow(sum, bytes, &sum))
    throw Error(ErrorCode::too_large, "the messages of all rounds together reach 2^63 bytes; make the sizes smaller");
}

}  // namespace quadrille
