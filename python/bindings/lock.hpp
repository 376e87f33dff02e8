// SPDX-License-Identifier: BSD-3-Clause
// The interpreter's lock (GIL), taken and given away for the lifetime of an object. When the interpreter ends, Python ends each
// thread that asks for the lock, by unwinding its stack. Objects of C++ on that stack would need the lock, and a C++ program ends
// such a thread by abort(). So these threads stand still instead, until the process ends.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <optional>

namespace quadrille::python {

// Returns what the function returns; does not return if Python ends the thread in it.
template <class Function>
auto or_standing_still(const Function& function) {
  try {
    return function();
  } catch (const abi::__forced_unwind&) {
    for (;;) ::pause();
  }
}

// Gives the lock away. Faster than pybind11's class, which also works where the lock is not held.
class LockReleased {
 public:
  LockReleased() : state_(PyEval_SaveThread()) {}
  ~LockReleased() {
    or_standing_still([this] { PyEval_RestoreThread(state_); });
  }
  LockReleased(const LockReleased&) = delete;
  LockReleased& operator=(const LockReleased&) = delete;

 private:
  PyThreadState* state_;
};

// Takes the lock, which this thread may have already.
class LockTaken {
 public:
  LockTaken() {
    or_standing_still([this] { lock_.emplace(); });
  }

 private:
  std::optional<pybind11::gil_scoped_acquire> lock_;
};

}  // namespace quadrille::python
