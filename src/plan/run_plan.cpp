// SPDX-License-Identifier: BSD-3-Clause
// Runs plans: checks the buffers of an execution, and executes or starts it.
#include <fmt/format.h>

#include <functional>

#include "execute/executions/execution.hpp"
#include "plan/plan.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/request.hpp"

namespace quadrille {

[[gnu::hot]] void check_given(const void* buffer, const UsedPart& used, const char* what) {
  // No process has memory below this address. If a layout begins at or above it, its
  // offsets are absolute addresses, as with MPI_BOTTOM.
  constexpr Bytes lowest_address = 65536;
  if (buffer || used.first == used.second || used.first >= lowest_address) return;
  throw Error(ErrorCode::misuse, fmt::format("{} is a null pointer, and this rank's {} has {} bytes; give execute a buffer", what,
                                             what, used.second - used.first));
}

[[gnu::hot]] bool overlap(const void* input, const UsedPart& used_input, const void* output, const UsedPart& used_output) {
  const auto* from = static_cast<const std::byte*>(input);
  const auto* to = static_cast<const std::byte*>(output);
  const auto [input_first, input_last] = used_input;
  const auto [output_first, output_last] = used_output;
  check_given(input, used_input, "input");
  check_given(output, used_output, "output");
  return input_last > input_first && output_last > output_first && std::less<>{}(from + input_first, to + output_last) &&
         std::less<>{}(to + output_first, from + input_last);
}

[[gnu::hot]] bool Plan::overlap(const void* input, const void* output, Bytes block_bytes) const {
  if (in_place_) throw Error(ErrorCode::misuse, "this plan was made in place; run it by execute_in_place");
  const Bytes unit = capacity_ > 0 ? block_bytes : 1;
  const auto used = [&](const UsedPart& part) { return UsedPart(part.first * unit, part.second * unit); };
  return quadrille::overlap(input, used(input_extent_), output, used(output_extent_));
}

[[gnu::hot]] void Plan::check_apart(const void* input, const void* output, std::string_view function) const {
  if (overlap(input, output, 0)) throw_overlap(function, false);
}

void execute(Plan& plan, const void* input, void* output, Bytes block_bytes) {
  if (overlap(plan, input, output, block_bytes)) throw_overlap("execute", false);
  execution_of(plan).execute({.input = static_cast<const std::byte*>(input),
                              .output = static_cast<std::byte*>(output),
                              .block_bytes = capacity_of(plan) > 0 ? block_bytes : 0});
}

void throw_overlap(std::string_view function, bool is_typed_call) {
  const std::string one_buffer = is_typed_call
                                     ? std::string("one, with in_place as the input")
                                     : fmt::format("make the plan with the option in_place and give {}_in_place one", function);
  throw Error(ErrorCode::misuse,
              fmt::format("input and output overlap; give {} two separate buffers, or {}", function, one_buffer));
}

namespace {

Arguments arguments_of(const void* input, void* output) {
  return {static_cast<const std::byte*>(input), static_cast<std::byte*>(output)};
}

}  // namespace

[[gnu::hot]] void Plan::execute(const void* input, void* output) {
  check_apart(input, output, "execute");
  execution_->execute(arguments_of(input, output));
}

Phases Plan::execute_timed(const void* input, void* output) {
  check_apart(input, output, "execute");
  Phases phases;
  execution_->execute(arguments_of(input, output), &phases);
  return phases;
}

Request Plan::start(const void* input, void* output) {
  check_apart(input, output, "start");
  return quadrille::start(execution_, arguments_of(input, output));
}

void Plan::check_in_place(const void* buffer) const {
  if (!in_place_) throw Error(ErrorCode::misuse, "this plan was not made in place; make it with the option in_place");
  const auto length = [](const UsedPart& used) { return used.second - used.first; };
  check_given(buffer, length(input_extent_) > length(output_extent_) ? input_extent_ : output_extent_, "buffer");
}

void Plan::execute_in_place(void* buffer) {
  check_in_place(buffer);
  execution_->execute(arguments_of(buffer, buffer));
}

Request Plan::start_in_place(void* buffer) {
  check_in_place(buffer);
  return quadrille::start(execution_, arguments_of(buffer, buffer));
}

}  // namespace quadrille
