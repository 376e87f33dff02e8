// SPDX-License-Identifier: BSD-3-Clause
#include "operators.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/operator.hpp"

namespace quadrille::python {
namespace {

namespace py = pybind11;

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> ufuncs{{{"add", "sum"},
                                                                                {"multiply", "prod"},
                                                                                {"minimum", "min"},
                                                                                {"maximum", "max"},
                                                                                {"bitwise_and", "band"},
                                                                                {"bitwise_or", "bor"},
                                                                                {"bitwise_xor", "bxor"},
                                                                                {"logical_and", "land"},
                                                                                {"logical_or", "lor"},
                                                                                {"logical_xor", "lxor"}}};

// The text lives as long as `given`.
std::string_view name_of(PyObject* given) {
  Py_ssize_t length = 0;
  if (PyUnicode_Check(given)) {
    const char* const text = PyUnicode_AsUTF8AndSize(given, &length);
    if (!text) throw py::error_already_set();
    return {text, static_cast<std::size_t>(length)};
  }
  if (std::string_view(Py_TYPE(given)->tp_name) != "numpy.ufunc")
    throw Error(ErrorCode::misuse,
                fmt::format("an operator is a name, such as 'sum', or a ufunc of numpy, such as numpy.add, not {}",
                            Py_TYPE(given)->tp_name));
  const auto ufunc = py::handle(given).attr("__name__").cast<std::string>();
  for (const auto& [theirs, ours] : ufuncs)
    if (theirs == ufunc) return ours;
  throw Error(ErrorCode::misuse, fmt::format("there is no operator for numpy.{}", ufunc));
}

const Operator& found(std::string_view operation, const ElementType& type) {
  const std::vector<std::string> names = operator_names();
  if (std::find(names.begin(), names.end(), operation) != names.end() && type.kind == ElementType::Kind::other &&
      name(type) == type.format)  // no pair
    throw Error(ErrorCode::misuse, fmt::format("{} has no elements of type {}; reductions take integers of 8 to 64 bits, float32, "
                                               "float64, complex64, complex128, bool, and pairs for minloc and maxloc",
                                               operation, shown(type)));
  if (type.kind != ElementType::Kind::truth) {
    const Operator& row = *built_in_operator(operation, name(type));
    if (type.kind == ElementType::Kind::other && row.element_bytes != type.bytes)
      throw Error(ErrorCode::misuse, fmt::format("elements of {} have {} bytes, not {}; make the dtype with align=True", operation,
                                                 row.element_bytes, type.bytes));
    return row;
  }
  if (operation == "sum" || operation == "prod")
    throw Error(
        ErrorCode::misuse,
        fmt::format("{} has no elements of type bool; its operators are land, lor, lxor, band, bor, bxor, min and max", operation));
  return *built_in_operator(operation, "u8");
}

// The operators that were asked for. Finding them in the library's table takes longer than a short call.
class Known {
 public:
  const Operator& operator()(std::string_view operation, const ElementType& type) {
    for (const Entry& each : entries_)
      if (each.bytes == type.bytes && each.kind == type.kind && each.row->name == operation) return *each.row;
    const Operator& row = found(operation, type);  // built-in operators are never destroyed
    if (type.kind != ElementType::Kind::other) entries_.push_back({type.kind, type.bytes, &row});
    return row;
  }

 private:
  struct Entry {
    ElementType::Kind kind;
    Bytes bytes;
    const Operator* row;
  };
  std::vector<Entry> entries_;
};

}  // namespace

CallOperator operator_on(PyObject* given, const ElementType& type) {
  static Known known;  // the interpreter's lock guards it
  const Operator& row = known(name_of(given), type);
  return {.built_in = &row, .element_bytes = row.element_bytes, .commutative = row.commutative};
}

}  // namespace quadrille::python
