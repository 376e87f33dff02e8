// SPDX-License-Identifier: BSD-3-Clause
// The border between C and C++: every function of c.h that can fail runs its body by `guarded`.
#pragma once

#include "quadrille/c.h"
#include "quadrille/error.hpp"

namespace quadrille::c_interface {

// The function of a program that ran as a rank has returned a value other than 0.
class BodyFailed : public Error {
 public:
  BodyFailed(int value, ErrorCode code, const std::string& sentence) : Error(code, sentence), value_(value) {}
  int value() const noexcept { return value_; }

 private:
  int value_;
};

// Returns the exception for a value that a program's function returned. Its sentence is that of the thread's last error if `value`
// is the code of that error.
BodyFailed failure_of(int value);

// Only inside a handler: keeps the sentence of the exception for quadrille_error_text, and returns its code.
int code_of_exception() noexcept;

template <class Body>
int guarded(const Body& body) noexcept {
  try {
    body();
    return QUADRILLE_SUCCESS;
  } catch (...) {
    return code_of_exception();
  }
}

}  // namespace quadrille::c_interface
