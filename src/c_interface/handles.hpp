// SPDX-License-Identifier: BSD-3-Clause
// The border between C and C++: every function of c.h that can fail runs its body by `guarded`, and has handles instead of objects.
// A handle is a number in the form of a pointer, and is looked up in a table. Numbers are never used twice, and none is an aligned
// address. So a handle that was freed, has another kind or was never made is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "quadrille/c.h"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::c_interface {

// Thrown if the program's function that runs as a rank has returned a value other than 0.
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

enum class Kind : std::uint8_t { group, operation, plan, request };

template <class ObjectType, Kind its_kind>
struct ObjectOfKind {
  using Object = ObjectType;
  static constexpr Kind kind = its_kind;
};

// Maps each type of handles to the type and the kind of its objects.
template <class Handle>
struct Behind;
template <>
struct Behind<quadrille_group> : ObjectOfKind<Communicator, Kind::group> {};
template <>
struct Behind<quadrille_operator> : ObjectOfKind<const Operator, Kind::operation> {};
template <>
struct Behind<quadrille_plan> : ObjectOfKind<Plan, Kind::plan> {};
template <>
struct Behind<quadrille_request> : ObjectOfKind<Request, Kind::request> {};

// The table. Any thread may call these functions.
std::uintptr_t add_object(Kind kind, std::shared_ptr<const void> object);

// Throws Error{misuse} if the number is not that of an object of this kind.
std::shared_ptr<const void> object_at(Kind kind, std::uintptr_t number);

// Takes the object out of the table, which then refuses the number. Does nothing if the number has no object.
void forget_object(std::uintptr_t number) noexcept;

template <class Handle>
Handle handle_of(std::shared_ptr<typename Behind<Handle>::Object> object) {
  return reinterpret_cast<Handle>(add_object(Behind<Handle>::kind, std::move(object)));
}

template <class Handle>
std::shared_ptr<typename Behind<Handle>::Object> object_of(Handle handle) {
  using Object = typename Behind<Handle>::Object;
  return std::const_pointer_cast<Object>(
      std::static_pointer_cast<const Object>(object_at(Behind<Handle>::kind, reinterpret_cast<std::uintptr_t>(handle))));
}

template <class Handle>
void forget(Handle handle) noexcept {
  forget_object(reinterpret_cast<std::uintptr_t>(handle));
}

// Returns the variable at an address that the caller gave for a result.
template <class Result>
Result& result_at(Result* address, std::string_view argument) {
  if (!address)
    throw Error(ErrorCode::misuse, "the argument '" + std::string(argument) + "' is NULL; give the address of a variable");
  return *address;
}

// Makes an object by `made`, and sets the handle at `address` to it, or to null if `made` throws.
template <class Handle, class Made>
void make_handle(Handle* address, std::string_view argument, const Made& made) {
  Handle& handle = result_at(address, argument);
  handle = nullptr;
  handle = handle_of<Handle>(made());
}

// Frees the object, and sets the handle to null. Does nothing for a null handle.
template <class Handle>
void free_handle(Handle* address, std::string_view argument) {
  Handle& handle = result_at(address, argument);
  if (!handle) return;
  object_of(handle);  // refuses a handle that is not valid
  forget(std::exchange(handle, nullptr));
}

}  // namespace quadrille::c_interface
