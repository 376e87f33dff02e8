// SPDX-License-Identifier: BSD-3-Clause
// The functions of c.h for operators.
#include "quadrille/operator.hpp"

#include <fmt/format.h>

#include "c_interface/guarded.hpp"
#include "c_interface/handles.hpp"

using namespace quadrille;
using namespace quadrille::c_interface;

namespace {

std::shared_ptr<const Operator> operator_of_function(quadrille_combine* combine, void* context, Bytes element_bytes,
                                                     bool commutative, const char* name) {
  if (!combine) throw Error(ErrorCode::misuse, "the argument 'combine' is NULL; give a function");
  if (element_bytes < 1)
    throw Error(ErrorCode::misuse, fmt::format("'element_bytes' is {}; an element has 1 byte or more", element_bytes));
  Operator made;
  made.name = name ? name : "a function";
  made.type = fmt::format("elements of {} bytes", element_bytes);
  made.element_bytes = element_bytes;
  made.commutative = commutative;
  made.combine = on_aligned_elements(
      [combine, context](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
        if (order == OperandOrder::source_first)
          combine(source, target, target, elements, context);
        else
          combine(target, source, target, elements, context);
      },
      element_bytes);
  return std::make_shared<const Operator>(std::move(made));
}

}  // namespace

int quadrille_built_in_operator(const char* operation, const char* type, quadrille_operator* made) {
  return guarded([&] {
    make_handle(made, "made", [&] {
      if (!operation || !type) throw Error(ErrorCode::misuse, "the name of the operator or of the type is NULL; give both");
      return built_in_operator(operation, type);
    });
  });
}

int quadrille_operator_of_function(quadrille_combine* combine, void* context, int64_t element_bytes, int commutative,
                                   const char* name, quadrille_operator* made) {
  return guarded([&] {
    make_handle(made, "made", [&] { return operator_of_function(combine, context, element_bytes, commutative != 0, name); });
  });
}

int quadrille_operator_free(quadrille_operator* operation) {
  return guarded([&] { free_handle(operation, "operation"); });
}
