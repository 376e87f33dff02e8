// SPDX-License-Identifier: BSD-3-Clause
// An environment variable that a test sets during the object's lifetime.
#pragma once

#include <cstdlib>

namespace quadrille::testing {

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

}  // namespace quadrille::testing
