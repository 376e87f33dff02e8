// SPDX-License-Identifier: BSD-3-Clause
// Memory that Python lends: anything with the buffer protocol, such as a numpy array, memoryview, bytearray or array.array. Nothing
// is copied. All functions need the interpreter's lock.
#pragma once

#include <Python.h>

#include "elements.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/types.hpp"

namespace quadrille::python {

// Keeps the object alive, and its memory in place, during its own lifetime.
class LentBuffer {
 public:
  enum class Use : bool { read, write };
  enum class Shape : bool { contiguous, any };

  LentBuffer() = default;  // no memory and no elements

  // Throws Error{misuse}, naming the argument, if the memory does not have the shape (contiguous: in the order of C), or if it is
  // to be written but is read-only. Throws TypeError if the object has no buffer.
  LentBuffer(PyObject* object, const char* argument, Use use, Shape shape = Shape::contiguous);
  LentBuffer(LentBuffer&& other) noexcept : view_(other.view_), type_(other.type_) { other.view_.obj = nullptr; }
  LentBuffer& operator=(LentBuffer&& other) noexcept;
  ~LentBuffer() { release(); }

  explicit operator bool() const { return view_.obj != nullptr; }
  void* data() const { return view_.buf; }
  Bytes bytes() const { return view_.len; }
  const ElementType& type() const { return type_; }

  // Where the bytes lie, in the order of the elements, `distance` bytes from the address to which the layout applies.
  Layout layout(Bytes distance) const;

  void release();

 private:
  Py_buffer view_{};
  ElementType type_{};
};

}  // namespace quadrille::python
