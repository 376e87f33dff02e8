// SPDX-License-Identifier: BSD-3-Clause
#include "buffers.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "quadrille/error.hpp"

namespace quadrille::python {
namespace {

namespace py = pybind11;

template <class Number>
Count number_at(const std::byte* place) {
  Number number;
  std::memcpy(&number, place, sizeof number);
  return std::in_range<Count>(number) ? static_cast<Count>(number) : std::numeric_limits<Count>::max();
}

using Read = Count(const std::byte*);

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

[[noreturn]] void refuse_numbers(PyObject* object, const char* argument) {
  PyErr_Clear();
  throw Error(ErrorCode::misuse, fmt::format("'{}' is a list or array of integers, not {}", argument, Py_TYPE(object)->tp_name));
}

std::vector<Count> numbers_in(const Buffer& buffer, PyObject* object, const char* argument) {
  Read* const read = reader_of(buffer.type());
  if (!read) refuse_numbers(object, argument);
  const auto* place = static_cast<const std::byte*>(buffer.data());
  std::vector<Count> numbers(static_cast<std::size_t>(buffer.bytes() / buffer.type().bytes));
  for (Count& number : numbers) {
    number = read(place);
    place += buffer.type().bytes;
  }
  return numbers;
}

}  // namespace

Buffer::Buffer(PyObject* object, const char* argument, Use use, Shape shape) {
  if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    throw py::type_error(
        fmt::format("'{}' is an array or anything else with the buffer protocol, not {}", argument, Py_TYPE(object)->tp_name));
  }
  const char* fault = nullptr;
  if (shape == Shape::contiguous && !PyBuffer_IsContiguous(&view_, 'C'))
    fault = "is not contiguous; pass a copy, such as array.copy()";
  if (use == Use::write && view_.readonly != 0) fault = "is read-only, and the call writes to it";
  if (fault) {
    PyBuffer_Release(&view_);
    throw Error(ErrorCode::misuse, fmt::format("'{}' {}", argument, fault));
  }
  type_ = element_type_of(view_);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  release();
  view_ = other.view_;
  type_ = other.type_;
  other.view_.obj = nullptr;
  return *this;
}

void Buffer::release() {
  if (view_.obj) PyBuffer_Release(&view_);  // sets obj to null
}

Layout Buffer::layout(Bytes distance) const {
  // Inner dimensions whose elements follow each other make pieces of `length` bytes.
  Bytes length = view_.itemsize;
  int dimensions = view_.ndim;
  while (dimensions > 0 && (view_.shape[dimensions - 1] == 1 || view_.strides[dimensions - 1] == length))
    length *= view_.shape[--dimensions];
  Layout layout;
  const std::function<void(int, Bytes)> add = [&](int dimension, Bytes offset) {
    if (dimension == dimensions) return layout.push_back({offset, length});
    for (Py_ssize_t i = 0; i < view_.shape[dimension]; ++i) add(dimension + 1, offset + i * view_.strides[dimension]);
  };
  if (view_.len > 0) add(0, distance);
  return layout;
}

std::vector<Count> numbers_of(PyObject* object, const char* argument) {
  if (PyObject_CheckBuffer(object)) return numbers_in(Buffer(object, argument, Buffer::Use::read), object, argument);
  if (!PySequence_Check(object)) refuse_numbers(object, argument);
  const auto items = py::reinterpret_steal<py::object>(PySequence_Fast(object, ""));
  if (!items) refuse_numbers(object, argument);
  std::vector<Count> numbers;
  for (const py::handle item : items) {
    const Py_ssize_t number = PyNumber_AsSsize_t(item.ptr(), PyExc_OverflowError);
    if (number == -1 && PyErr_Occurred()) refuse_numbers(object, argument);
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace quadrille::python
