// SPDX-License-Identifier: BSD-3-Clause
#include "c_interface/guarded.hpp"

#include <fmt/format.h>

#include <new>

namespace quadrille::c_interface {
namespace {

constexpr int value_of(ErrorCode code) { return static_cast<int>(code) + 1; }

static_assert(value_of(ErrorCode::misuse) == QUADRILLE_MISUSE && value_of(ErrorCode::malformed) == QUADRILLE_MALFORMED &&
              value_of(ErrorCode::too_large) == QUADRILLE_TOO_LARGE && value_of(ErrorCode::environment) == QUADRILLE_ENVIRONMENT &&
              value_of(ErrorCode::transport) == QUADRILLE_TRANSPORT && value_of(ErrorCode::peer_lost) == QUADRILLE_PEER_LOST);

struct LastError {
  int value = QUADRILLE_SUCCESS;
  std::string sentence;

  int keep(int code, const char* text) noexcept {
    value = code;
    try {
      sentence = text;
    } catch (const std::bad_alloc&) {
      sentence.clear();
    }
    return code;
  }
};

LastError& last_error() {
  static thread_local LastError last;
  return last;
}

}  // namespace

BodyFailed failure_of(int value) {
  const LastError& last = last_error();
  if (value == last.value) return {value, static_cast<ErrorCode>(value - 1), last.sentence};
  return {value, ErrorCode::misuse, fmt::format("a rank's function returned {}, not 0", value)};
}

int code_of_exception() noexcept {
  LastError& last = last_error();
  try {
    throw;
  } catch (const BodyFailed& failure) {
    return last.keep(failure.value(), failure.what());
  } catch (const Error& error) {
    return last.keep(value_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return last.keep(QUADRILLE_TOO_LARGE, "there is not enough memory");
  } catch (const std::exception& error) {
    return last.keep(QUADRILLE_ENVIRONMENT, error.what());
  } catch (...) {
    return last.keep(QUADRILLE_ENVIRONMENT, "a function of the program has thrown an exception");
  }
}

}  // namespace quadrille::c_interface

const char* quadrille_error_text(void) { return quadrille::c_interface::last_error().sentence.c_str(); }
