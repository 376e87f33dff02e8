// SPDX-License-Identifier: BSD-3-Clause
// Runs any schedule on data, in the interpreter and on threads, and compares the outputs with what its collective demands.
#pragma once

#include <functional>

#include "quadrille/error.hpp"
#include "support/on_threads.hpp"
#include "support/shares.hpp"

namespace quadrille::testing {

// Data with its operator, which is null if nothing is combined.
struct Trial {
  std::shared_ptr<const Operator> operation;
  std::function<std::unique_ptr<ProbeData>(Rank)> data;
};

inline Trial trial_of_shares(const Problem& problem) {
  const Shares shares = shares_for(problem);
  if (!shares.operation) return {};
  return {shares.operation, [=](Rank rank) { return shares.data(problem, rank); }};
}

// Returns a trial with a random built-in operator that suits the problem; none if there is none.
inline Trial trial_of_built_in(const Problem& problem, std::uint64_t draw) {
  if (!is_reduction(problem.collective)) return {nullptr, [=](Rank rank) { return quadrille::probe_data(problem, rank, nullptr); }};
  std::vector<std::shared_ptr<const Operator>> fitting;
  for (const std::string& name : operator_names())
    for (const std::string& type : type_names()) try {
        const auto operation = built_in_operator(name, type);
        if (operation->element_bytes == problem.element_bytes && (operation->commutative || !problem.commutative))
          fitting.push_back(operation);
      } catch (const Error&) {  // the type does not have this operator
      }
  if (fitting.empty()) return {};
  const auto operation = fitting[draw % fitting.size()];
  return {operation, [=](Rank rank) { return quadrille::probe_data(problem, rank, operation); }};
}

// Returns what is wrong with the outputs of run(inputs, unwritten). Calls `run` twice and fills the memory with another byte before
// each call, so that a byte that was never written cannot be right by chance.
template <class Run>
std::string first_wrong(const Problem& problem, const Trial& trial, Run&& run) {
  const auto at = [&](Rank rank) { return trial.data(rank); };
  for (int pass = 0; pass < at(0)->pass_count(); ++pass) {
    std::vector<ByteVector> inputs;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      inputs.emplace_back(static_cast<std::size_t>(input_bytes(problem, rank)));
      at(rank)->fill_input(pass, inputs.back().data());
    }
    for (const std::byte unwritten : {std::byte{0xA5}, std::byte{0x5A}}) try {
        const std::vector<ByteVector> outputs = run(inputs, unwritten);
        for (Rank rank = 0; rank < problem.ranks; ++rank)
          if (const std::string wrong = at(rank)->compare_output(pass, outputs[static_cast<std::size_t>(rank)].data());
              !wrong.empty())
            return wrong;
      } catch (const Error& error) {
        return error.what();
      }
  }
  return "";
}

inline std::string wrong_in_interpreter(const Schedule& schedule, const Trial& trial) {
  return first_wrong(schedule.problem, trial, [&](const std::vector<ByteVector>& inputs, std::byte unwritten) {
    return interpret(schedule, inputs, {.unwritten = unwritten, .operation = trial.operation});
  });
}

inline std::string wrong_on_threads(const Schedule& schedule, const Trial& trial, Policy policy, int buffers) {
  return first_wrong(schedule.problem, trial, [&](const std::vector<ByteVector>& inputs, std::byte unwritten) {
    return run_on_threads(schedule, inputs,
                          {.policy = policy, .buffers = buffers, .unwritten = unwritten, .operation = trial.operation});
  });
}

}  // namespace quadrille::testing
