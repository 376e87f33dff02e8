// SPDX-License-Identifier: BSD-3-Clause
#include "c_interface/handles.hpp"

#include <fmt/format.h>

#include <mutex>
#include <new>
#include <unordered_map>

#include "quadrille/indexed.hpp"

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

constexpr std::uintptr_t kinds = 8;  // a number is kinds * n + 2 * kind + 1, so its remainder tells its kind

std::uintptr_t remainder_of(Kind kind) { return 2 * static_cast<std::uintptr_t>(kind) + 1; }

std::string_view name(Kind kind) {
  static constexpr ByEnum<Kind, std::string_view, 4> names{{"group", "operator", "plan", "request"}};
  return names[kind];
}

// Never destroyed, because a program may free handles when it ends.
struct Table {
  static Table& get() {
    static auto* const table = new Table;
    return *table;
  }

  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::shared_ptr<const void>> objects;
  std::uintptr_t last = 0;  // the multiple of `kinds` in the newest number
};

[[noreturn]] void refuse(Kind kind, std::uintptr_t number, std::uintptr_t last) {
  if (number == 0) throw Error(ErrorCode::misuse, fmt::format("the handle of the {0} is NULL; make the {0} first", name(kind)));
  if (number % kinds == remainder_of(kind) && number / kinds <= last / kinds && number > kinds)
    throw Error(ErrorCode::misuse, fmt::format("the {} has been freed", name(kind)));
  throw Error(ErrorCode::misuse, fmt::format("{:#x} is not the handle of any {}", number, name(kind)));
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

std::uintptr_t add_object(Kind kind, std::shared_ptr<const void> object) {
  Table& table = Table::get();
  const std::lock_guard lock(table.mutex);
  const std::uintptr_t number = table.last + kinds + remainder_of(kind);
  table.objects.emplace(number, std::move(object));
  table.last += kinds;
  return number;
}

std::shared_ptr<const void> object_at(Kind kind, std::uintptr_t number) {
  Table& table = Table::get();
  const std::lock_guard lock(table.mutex);
  const auto found = number % kinds == remainder_of(kind) ? table.objects.find(number) : table.objects.end();
  if (found == table.objects.end()) refuse(kind, number, table.last);
  return found->second;
}

void forget_object(std::uintptr_t number) noexcept {
  std::shared_ptr<const void> object;  // is destroyed without the lock
  Table& table = Table::get();
  const std::lock_guard lock(table.mutex);
  if (const auto found = table.objects.find(number); found != table.objects.end()) {
    object = std::move(found->second);
    table.objects.erase(found);
  }
}

}  // namespace quadrille::c_interface

const char* quadrille_error_text(void) { return quadrille::c_interface::last_error().sentence.c_str(); }
