// SPDX-License-Identifier: BSD-3-Clause
#include "operators.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

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

std::string name_of(PyObject* given) {
  if (PyUnicode_Check(given)) return py::handle(given).cast<std::string>();
  if (std::string_view(Py_TYPE(given)->tp_name) != "numpy.ufunc")
    throw Error(ErrorCode::misuse,
                fmt::format("an operator is a name, such as 'sum', or a ufunc of numpy, such as numpy.add, not {}",
                            Py_TYPE(given)->tp_name));
  const auto ufunc = py::handle(given).attr("__name__").cast<std::string>();
  for (const auto& [theirs, ours] : ufuncs)
    if (theirs == ufunc) return std::string(ours);
  throw Error(ErrorCode::misuse, fmt::format("there is no operator for numpy.{}", ufunc));
}

const Operator& found(PyObject* given, const ElementType& type) {
  const std::string operation = name_of(given);
  if (type.kind != ElementType::Kind::truth) return *built_in_operator(operation, name(type));
  if (operation == "sum" || operation == "prod")
    throw Error(ErrorCode::misuse,
                fmt::format("{} has no elements of type bool; its operators are lor, land, lxor, min and max", operation));
  return *built_in_operator(operation, "u8");
}

}  // namespace

CallOperator operator_on(PyObject* given, const ElementType& type) {
  const Operator& row = found(given, type);  // built-in operators are never destroyed
  return {.built_in = &row, .element_bytes = row.element_bytes, .commutative = row.commutative};
}

}  // namespace quadrille::python
