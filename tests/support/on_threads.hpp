// SPDX-License-Identifier: BSD-3-Clause
// Runs any schedule on threads, with the options that a plan uses for algorithms of the table.
#pragma once

#include "execute/script/script.hpp"
#include "execute/transport.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/interpreter.hpp"

namespace quadrille::testing {

struct ThreadOptions {
  Policy policy = Policy::blocking;
  int buffers = 2;
  std::byte unwritten{0xA5};  // content of the output before the run
  std::shared_ptr<const Operator> operation;
};

// Returns the outputs of all ranks. The schedule must be right: a rank that waits for a message that nobody sends waits for ever.
inline std::vector<ByteVector> run_on_threads(const Schedule& schedule, const std::vector<ByteVector>& inputs,
                                              const ThreadOptions& options) {
  std::vector<ByteVector> outputs(inputs.size());
  run_threads(schedule.problem.ranks, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    const auto script = std::make_shared<const Script>(
        make_script(schedule.program(me), schedule.problem.ranks,
                    {.policy = options.policy,
                     .buffers = options.buffers,
                     .strided_messages = communicator.transport().moves_strided_messages(),
                     .buffered_bytes = [&](Rank peer) { return communicator.transport().buffered_message_bytes(peer); },
                     .fuses = communicator.transport().fuses_reductions(),
                     .operation = options.operation}));
    ByteVector output(static_cast<std::size_t>(output_bytes(schedule.problem, me)), options.unwritten);
    communicator.transport().prepare(script)->execute({inputs[static_cast<std::size_t>(me)].data(), output.data()});
    outputs[static_cast<std::size_t>(me)] = std::move(output);
  });
  return outputs;
}

}  // namespace quadrille::testing
