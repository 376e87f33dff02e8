// SPDX-License-Identifier: BSD-3-Clause
// Describes typed calls to the library. collectives.hpp and irregular_collectives.hpp use it; programs do not.
#pragma once

#include <iterator>
#include <type_traits>

#include "quadrille/call.hpp"
#include "quadrille/combine.hpp"
#include "quadrille/elements.hpp"

namespace quadrille {

template <InputRange Input, OutputRange Output>
CallArguments call_on(Collective collective, Input& input, Output& output, Rank root = 0) {
  static_assert(std::is_same_v<ElementOf<Input>, ElementOf<Output>>, "input and output have elements of one type");
  return {.collective = collective,
          .input = std::data(input),
          .input_elements = count_of(input),
          .output = std::data(output),
          .output_elements = count_of(output),
          .element_bytes = sizeof(ElementOf<Input>),
          .root = root};
}

// In place.
template <OutputRange Buffer>
CallArguments call_on(Collective collective, Buffer& buffer, Rank root = 0) {
  return {.collective = collective,
          .in_place = true,
          .output = std::data(buffer),
          .output_elements = count_of(buffer),
          .element_bytes = sizeof(ElementOf<Buffer>),
          .root = root};
}

// Returns the operator that combines elements of the buffer. It must not outlive `op`.
template <class Buffer, class Op>
CallOperator operator_on(const Buffer&, const Op& op) {
  return OperatorFor<ElementOf<const Buffer>, Op>::of(op);
}

// Returns the call with its operator, which must outlive the result.
inline CallArguments combining(CallArguments arguments, const CallOperator& operation) {
  arguments.operation = &operation;
  return arguments;
}

}  // namespace quadrille
