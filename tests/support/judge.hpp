// SPDX-License-Identifier: BSD-3-Clause
// Does a schedule do what its collective asks for? The interpreter moves labelled bytes and this compares, pass by pass.
#pragma once

#include "plan/labels.hpp"
#include "quadrille/error.hpp"
#include "quadrille/interpreter.hpp"

namespace quadrille::testing {

// Labelled inputs of one pass, by rank.
inline std::vector<ByteVector> labelled_inputs(const Problem& problem, int pass) {
  std::vector<ByteVector> inputs;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    inputs.emplace_back(static_cast<std::size_t>(input_bytes(problem, rank)));
    Labels(problem, rank).fill_input(pass, inputs.back().data());
  }
  return inputs;
}

// What is wrong after interpreting, in words; empty if everything is right. Unwritten memory is tried with two contents,
// so that nothing is right by chance.
inline std::string judge(const Schedule& schedule) {
  for (int pass = 0; pass < Labels(schedule.problem, 0).pass_count(); ++pass)
    for (const std::byte unwritten : {std::byte{0xA5}, std::byte{0x5A}}) {
      std::vector<ByteVector> outputs;
      try {
        outputs = interpret(schedule, labelled_inputs(schedule.problem, pass), {.unwritten = unwritten, .combine = {}});
      } catch (const Error& error) {
        return error.what();
      }
      for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
        if (const std::string wrong =
                Labels(schedule.problem, rank).compare_output(pass, outputs[static_cast<std::size_t>(rank)].data());
            !wrong.empty())
          return wrong;
    }
  return "";
}

}  // namespace quadrille::testing
