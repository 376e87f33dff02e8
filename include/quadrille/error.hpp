// SPDX-License-Identifier: BSD-3-Clause
// The one exception of the library. It is thrown for what a caller or the environment got wrong; "this algorithm
// cannot do that" is a value with a reason (algorithm.hpp) and a faulty schedule a list of findings (verify.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace quadrille {

enum class ErrorCode {
  misuse,       // an argument is out of range, or arguments contradict each other
  malformed,    // a document cannot be read as what it claims to be
  too_large,    // a size overflows, or needs more than this machine has
  environment,  // a file, a plug-in or the machine
  transport,    // MPI reported an error
  peer_lost,    // another rank of the group failed; this rank stopped waiting for it
};

// what() is one sentence that says what is wrong and, where there is one, what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// A sum of bytes that grows. Throws Error{too_large} where it reaches 2^63.
inline void add_bytes(std::int64_t& sum, std::int64_t bytes) {
  if (__builtin_add_overflow(sum, bytes, &sum))
    throw Error(ErrorCode::too_large, "the messages of all rounds together reach 2^63 bytes; make the sizes smaller");
}

}  // namespace quadrille
