// SPDX-License-Identifier: BSD-3-Clause
// Checks that a schedule does what its collective demands. The interpreter moves labelled bytes, and this file compares the outputs
// with the expected ones, pass by pass.
#pragma once

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/interpreter.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille::testing {

// Returns an operator with the properties that the problem states; null if the collective does not reduce.
inline std::shared_ptr<const Operator> operation_for(const Problem& problem) {
  if (!is_reduction(problem.collective)) return nullptr;
  if (problem.element_bytes == 1) return built_in_operator("sum", "u8");  // no built-in operator on one byte is non-commutative
  if (!problem.commutative) return built_in_operator("matmul2", problem.element_bytes == 4 ? "u8" : "f64");
  return built_in_operator("sum", problem.element_bytes == 4 ? "f32" : "f64");
}

inline std::unique_ptr<ProbeData> probe_data(const Problem& problem, Rank rank) {
  return quadrille::probe_data(problem, rank, operation_for(problem));
}

// Returns the inputs of one pass, one for each rank.
inline std::vector<ByteVector> probe_inputs(const Problem& problem, int pass) {
  std::vector<ByteVector> inputs;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    inputs.emplace_back(static_cast<std::size_t>(input_bytes(problem, rank)));
    probe_data(problem, rank)->fill_input(pass, inputs.back().data());
  }
  return inputs;
}

// Interprets the schedule and returns what is wrong, in words; empty if everything is right. Memory that was not written is filled
// in two ways, so that a byte cannot be right by chance.
inline std::string judge(const Schedule& schedule) {
  const Problem& problem = schedule.problem;
  std::vector<std::unique_ptr<ProbeData>> data;
  for (Rank rank = 0; rank < problem.ranks; ++rank) data.push_back(probe_data(problem, rank));
  for (int pass = 0; pass < data.front()->pass_count(); ++pass) {
    const std::vector<ByteVector> inputs = probe_inputs(problem, pass);
    for (const std::byte unwritten : {std::byte{0xA5}, std::byte{0x5A}}) {
      std::vector<ByteVector> outputs;
      try {
        outputs = interpret(schedule, inputs, {.unwritten = unwritten, .operation = operation_for(problem)});
      } catch (const Error& error) {
        return error.what();
      }
      for (Rank rank = 0; rank < problem.ranks; ++rank)
        if (const std::string wrong = data[index(rank)]->compare_output(pass, outputs[index(rank)].data()); !wrong.empty())
          return wrong;
    }
  }
  return "";
}

}  // namespace quadrille::testing
