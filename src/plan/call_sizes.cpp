// SPDX-License-Identifier: BSD-3-Clause
#include "plan/call_sizes.hpp"

#include <fmt/format.h>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// How many blocks of the problem a buffer has at a rank.
enum class Holds : std::uint8_t {
  any,  // it is not looked at
  one,
  all,  // one for each rank
  one_at_root,
  all_at_root,
  all_or_one,  // all at the root, else one
};

struct Form {
  Holds input, output, in_place;
};

constexpr ByEnum<Collective, Form, 16> forms{{{
    {Holds::all, Holds::all, Holds::all},                 // alltoall
    {},                                                   // alltoallv
    {Holds::one, Holds::all, Holds::all},                 // allgather
    {},                                                   // allgatherv
    {Holds::any, Holds::any, Holds::one},                 // broadcast
    {Holds::one, Holds::one_at_root, Holds::one},         // reduce
    {Holds::one, Holds::one, Holds::one},                 // allreduce
    {Holds::all, Holds::one, Holds::all},                 // reduce_scatter
    {},                                                   // reduce_scatterv
    {Holds::one, Holds::one, Holds::one},                 // scan
    {Holds::one, Holds::one, Holds::one},                 // exscan
    {Holds::all_at_root, Holds::one, Holds::all_or_one},  // scatter
    {},                                                   // scatterv
    {Holds::one, Holds::all_at_root, Holds::all_or_one},  // gather
    {},                                                   // gatherv
    {Holds::any, Holds::any, Holds::any},                 // barrier
}}};

// 0: the buffer is not looked at.
Count blocks_of(Holds holds, bool is_root, Count ranks) {
  switch (holds) {
    case Holds::any: return 0;
    case Holds::one: return 1;
    case Holds::all: return ranks;
    case Holds::one_at_root: return is_root ? 1 : 0;
    case Holds::all_at_root: return is_root ? ranks : 0;
    case Holds::all_or_one: return is_root ? ranks : 1;
  }
  return 0;
}

std::string_view plural(Count count) { return count == 1 ? "" : "s"; }

[[noreturn]] void throw_no_multiple(const CallArguments& arguments, std::string_view buffer, Count elements, Count ranks) {
  throw Error(ErrorCode::misuse,
              fmt::format("{}'s {} has {} element{}, which is no multiple of the {} ranks; it has one block for each rank",
                          name(arguments.collective), buffer, elements, plural(elements), ranks));
}

[[noreturn]] void throw_different(const CallArguments& arguments, Count input_blocks, Count output_blocks, Count ranks) {
  const std::string sizes = fmt::format("{}'s input has {} element{} and its output {}", name(arguments.collective),
                                        arguments.input_elements, plural(arguments.input_elements), arguments.output_elements);
  if (input_blocks == output_blocks) throw Error(ErrorCode::misuse, sizes + "; they must have as many");
  const auto [small, large, one, several] =
      input_blocks < output_blocks ? std::tuple{arguments.input_elements, arguments.output_elements, "input", "output"}
                                   : std::tuple{arguments.output_elements, arguments.input_elements, "output", "input"};
  throw Error(ErrorCode::misuse,
              fmt::format("{}; the {} has as many for each of the {} ranks as the {} has in all", sizes, several, ranks, one));
}

// Elements of a block.
Count block_of(const CallArguments& arguments, std::string_view buffer, Count elements, Count blocks, Count ranks) {
  if (blocks <= 1) return blocks == 0 ? 0 : elements;
  if (elements % blocks != 0) throw_no_multiple(arguments, buffer, elements, ranks);
  return elements / blocks;
}

Count block_elements(const CallArguments& arguments, Rank me, Count ranks) {
  const Form& form = forms[arguments.collective];
  const bool is_root = me == arguments.root;
  if (arguments.in_place)
    return block_of(arguments, "buffer", arguments.output_elements, blocks_of(form.in_place, is_root, ranks), ranks);
  const Count input_blocks = blocks_of(form.input, is_root, ranks);
  Count output_blocks = blocks_of(form.output, is_root, ranks);
  // Rank 0 of an exscan gets nothing.
  if (arguments.collective == Collective::exscan && me == 0 && arguments.output_elements == 0) output_blocks = 0;
  if (input_blocks == 0) return block_of(arguments, "output", arguments.output_elements, output_blocks, ranks);
  if (output_blocks == 0) return block_of(arguments, "input", arguments.input_elements, input_blocks, ranks);
  // The side with fewer blocks says how long one is, so that nothing is divided but for an alltoall.
  if (input_blocks == output_blocks) {
    if (arguments.input_elements != arguments.output_elements) throw_different(arguments, input_blocks, output_blocks, ranks);
    return block_of(arguments, "input", arguments.input_elements, input_blocks, ranks);
  }
  const bool input_is_one = input_blocks < output_blocks;
  const Count block = input_is_one ? arguments.input_elements : arguments.output_elements;
  Count needed = 0;
  if (__builtin_mul_overflow(block, ranks, &needed) ||
      needed != (input_is_one ? arguments.output_elements : arguments.input_elements))
    throw_different(arguments, input_blocks, output_blocks, ranks);
  return block;
}

}  // namespace

void check_root(Rank root, Count ranks) {
  if (root < 0 || root >= ranks)
    throw Error(ErrorCode::misuse, fmt::format("the root is {} and there are {} ranks; it is 0 to {}", root, ranks, ranks - 1));
}

void check_element_bytes(const CallOperator& operation, Bytes element_bytes) {
  if (operation.element_bytes == element_bytes) return;
  throw Error(ErrorCode::misuse, fmt::format("the call's elements have {} bytes and those of {} {}", element_bytes,
                                             operation.built_in ? std::string_view(operation.built_in->name) : operation.name,
                                             operation.element_bytes));
}

Bytes checked_block_bytes(const CallArguments& arguments, Rank me, Count ranks) {
  check_root(arguments.root, ranks);
  if (arguments.operation) check_element_bytes(*arguments.operation, arguments.element_bytes);
  const auto bytes = checked_product(block_elements(arguments, me, ranks), arguments.element_bytes);
  if (!bytes) throw Error(ErrorCode::too_large, "a block reaches 2^63 bytes");
  return *bytes;
}

}  // namespace quadrille
