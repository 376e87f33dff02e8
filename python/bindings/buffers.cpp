// SPDX-License-Identifier: BSD-3-Clause
#include "buffers.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <string>

#include "quadrille/error.hpp"

namespace quadrille::python {
namespace {

namespace py = pybind11;

[[noreturn]] void refuse_object(PyObject* object, const char* argument) {
  const py::error_already_set reason;
  const py::object type = py::getattr(object, "dtype", py::none());
  const auto kind = py::getattr(type, "kind", py::str()).cast<std::string>();
  if (kind == "M" || kind == "m")
    throw Error(ErrorCode::misuse, fmt::format("'{}' has times, which have no buffer; pass array.view('i8')", argument));
  if (PyObject_CheckBuffer(object))
    throw Error(ErrorCode::misuse, fmt::format("'{}' has no buffer: {}", argument, py::str(reason.value()).cast<std::string>()));
  throw py::type_error(
      fmt::format("'{}' is an array or anything else with the buffer protocol, not {}", argument, Py_TYPE(object)->tp_name));
}

}  // namespace

LentBuffer::LentBuffer(PyObject* object, const char* argument, Use use, Shape shape) {
  if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) refuse_object(object, argument);
  type_ = element_type_of(view_);
  const char* fault = nullptr;
  if (shape == Shape::contiguous && !PyBuffer_IsContiguous(&view_, 'C'))
    fault = use == Use::read ? "is not contiguous; pass a copy, such as array.copy()"
                             : "is not contiguous; pass an array that is, and copy the result from it";
  if (use == Use::write && view_.readonly != 0) fault = "is read-only, and the call writes to it";
  if (has_objects(type_)) fault = "has addresses of Python objects, which mean nothing on other ranks";
  if (fault) {
    PyBuffer_Release(&view_);
    throw Error(ErrorCode::misuse, fmt::format("'{}' {}", argument, fault));
  }
}

LentBuffer& LentBuffer::operator=(LentBuffer&& other) noexcept {
  release();
  view_ = other.view_;
  type_ = other.type_;
  other.view_.obj = nullptr;
  return *this;
}

void LentBuffer::release() {
  if (view_.obj) PyBuffer_Release(&view_);  // sets obj to null
}

Layout LentBuffer::layout(Bytes distance) const {
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

}  // namespace quadrille::python
