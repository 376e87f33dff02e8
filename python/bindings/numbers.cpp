// SPDX-License-Identifier: BSD-3-Clause
#include "numbers.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "buffers.hpp"
#include "quadrille/error.hpp"

namespace quadrille::python {
namespace {

namespace py = pybind11;

[[noreturn]] void refuse(PyObject* object, const char* argument, std::string_view wanted) {
  const bool is_too_large = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError);
  PyErr_Clear();
  if (is_too_large) throw Error(ErrorCode::misuse, fmt::format("'{}' has a number of more than 63 bits", argument));
  throw Error(ErrorCode::misuse, fmt::format("'{}' is {}, not {}", argument, wanted, Py_TYPE(object)->tp_name));
}

Count number_or_refuse(PyObject* number, PyObject* object, const char* argument, std::string_view wanted) {
  const Py_ssize_t read = PyNumber_AsSsize_t(number, PyExc_OverflowError);
  if (read == -1 && PyErr_Occurred()) refuse(object, argument, wanted);
  return read;
}

template <class Number>
Count number_at(const std::byte* place, const char* argument) {
  Number number;
  std::memcpy(&number, place, sizeof number);
  if (!std::in_range<Count>(number))
    throw Error(ErrorCode::misuse, fmt::format("'{}' has a number of more than 63 bits", argument));
  return static_cast<Count>(number);
}

using Read = Count(const std::byte* place, const char* argument);

// Returns the function that reads an integer of this type; null if it is none.
Read* reader_of(const ElementType& type) {
  const bool is_signed = type.kind == ElementType::Kind::whole;
  if (!is_signed && type.kind != ElementType::Kind::natural) return nullptr;
  switch (type.bytes) {
    case 1: return is_signed ? number_at<std::int8_t> : number_at<std::uint8_t>;
    case 2: return is_signed ? number_at<std::int16_t> : number_at<std::uint16_t>;
    case 4: return is_signed ? number_at<std::int32_t> : number_at<std::uint32_t>;
    case 8: return is_signed ? number_at<std::int64_t> : number_at<std::uint64_t>;
  }
  return nullptr;
}

constexpr std::string_view wanted_list = "a list or array of integers";

std::vector<Count> numbers_in(const LentBuffer& buffer, PyObject* object, const char* argument) {
  Read* const read = reader_of(buffer.type());
  if (!read) refuse(object, argument, wanted_list);
  const auto* place = static_cast<const std::byte*>(buffer.data());
  std::vector<Count> numbers(static_cast<std::size_t>(buffer.bytes() / buffer.type().bytes));
  for (Count& number : numbers) {
    number = read(place, argument);
    place += buffer.type().bytes;
  }
  return numbers;
}

}  // namespace

Count number_of(PyObject* object, const char* argument) { return number_or_refuse(object, object, argument, "a whole number"); }

std::vector<Count> numbers_of(PyObject* object, const char* argument) {
  if (PyObject_CheckBuffer(object)) return numbers_in(LentBuffer(object, argument, LentBuffer::Use::read), object, argument);
  if (!PySequence_Check(object)) refuse(object, argument, wanted_list);
  const auto items = py::reinterpret_steal<py::object>(PySequence_Fast(object, ""));
  if (!items) refuse(object, argument, wanted_list);
  std::vector<Count> numbers;
  for (const py::handle item : items) numbers.push_back(number_or_refuse(item.ptr(), object, argument, wanted_list));
  return numbers;
}

}  // namespace quadrille::python
