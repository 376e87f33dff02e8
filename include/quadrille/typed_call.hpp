// SPDX-License-Identifier: BSD-3-Clause
// Describes typed calls to the library. collectives.hpp and neighborhood.hpp use it; programs do not.
#pragma once

#include <iterator>
#include <type_traits>

#include "quadrille/call.hpp"
#include "quadrille/combine.hpp"
#include "quadrille/elements.hpp"

namespace quadrille {

// What a caller can pass wrongly is refused here by a sentence, and nothing else is then instantiated that would add further
// errors.
template <class Input, class Output>
CallArguments call_on(Collective collective, const Input& input, Output& output, Rank root = 0) {
  constexpr bool is_in_place = std::is_same_v<Input, InPlace>;
  static_assert(is_in_place || InputRange<const Input>,
                "an input is a contiguous range of trivially copyable elements, such as a std::vector or std::span, or in_place; "
                "pass one value as std::span(&value, 1)");
  static_assert(OutputRange<Output>,
                "an output is a contiguous range of trivially copyable elements that are not const, such as a std::vector or "
                "std::span; pass one value as std::span(&value, 1)");
  CallArguments arguments{.collective = collective, .in_place = is_in_place, .root = root};
  if constexpr (OutputRange<Output>) {
    arguments.output = std::data(output);
    arguments.output_elements = count_of(output);
    arguments.element_bytes = sizeof(ElementOf<Output>);
  }
  if constexpr (InputRange<const Input> && OutputRange<Output>) {
    static_assert(std::is_same_v<ElementOf<const Input>, ElementOf<Output>>, "input and output have elements of one type");
    arguments.input = std::data(input);
    arguments.input_elements = count_of(input);
  }
  return arguments;
}

// Returns the operator that combines elements of the buffer. It must not outlive `op`.
template <class Buffer, class Op>
CallOperator operator_on(const Buffer&, const Op& op) {
  if constexpr (InputRange<const Buffer>)
    return OperatorFor<ElementOf<const Buffer>, Op>::of(op);
  else
    return {};  // refused by call_on
}

// Returns the call with its operator, which must outlive the result.
inline CallArguments combining(CallArguments arguments, const CallOperator& operation) {
  arguments.operation = &operation;
  return arguments;
}

}  // namespace quadrille
