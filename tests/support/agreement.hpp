// SPDX-License-Identifier: BSD-3-Clause
// Compares an executor with the interpreter: every algorithm of the table, every policy, one or two buffers, bit by bit. Unit tests
// use it for threads, and a program under each launcher uses it for MPI.
#pragma once

#include <fmt/format.h>

#include "execute/script/script.hpp"
#include "plan/placed.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/interpreter.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {

// Collective. Returns the outputs of all ranks, on every rank.
inline std::vector<ByteVector> everybodys(Communicator& communicator, const Problem& problem, ByteVector mine) {
  std::vector<std::size_t> sizes;
  for (Rank rank = 0; rank < problem.ranks; ++rank) sizes.push_back(static_cast<std::size_t>(output_bytes(problem, rank)));
  const std::size_t longest = *std::max_element(sizes.begin(), sizes.end());
  ByteVector all(longest * sizes.size());
  mine.resize(longest);
  communicator.all_gather(mine.data(), all.data(), static_cast<Count>(longest));
  std::vector<ByteVector> outputs;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * longest);
    outputs.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(sizes[rank]));
  }
  return outputs;
}

// Collective. Runs every algorithm with the options `base` and compares its outputs with those of the interpreter. Of each
// algorithm it takes at most `most_settings_of_any` settings, whose numbers are at most `most_number`. Returns the first difference
// found at any rank; the same on all ranks.
inline std::string first_disagreement(Communicator& communicator, const std::vector<Bytes>& block_sizes, Count most_number,
                                      const PlanOptions& base = {}, std::size_t most_settings_of_any = 1000) {
  const Count p = communicator.size();
  const auto me = static_cast<std::size_t>(communicator.rank());
  Count turn = 0;
  for (const Algorithm* algorithm : all_algorithms()) {
    // Grids, grains, ways to know the counts, and parts of hierarchies have many combinations. Only some are run here; other tests
    // verify all.
    const std::size_t most_settings = std::min<std::size_t>(algorithm->collective == Collective::alltoallv ? 12
                                                            : algorithm->id == "hierarchical" ? extent<std::size_t>(12, 12, 1000)
                                                                                              : 1000,
                                                            most_settings_of_any);
    for (const Bytes b : block_sizes) {
      for (const Problem& anywhere : problems_of(*algorithm, p, b, /*all_roots_up_to=*/3)) {
        // as plans do, because the ranges of some settings depend on the nodes
        const Problem problem = placed(communicator, anywhere);
        const auto data = probe_data(problem, communicator.rank());
        const int pass = data->pass_count() - 1;
        const auto input_of = [&](int number) {
          ByteVector input(index(input_bytes(problem, communicator.rank())));
          data->fill_input(number, input.data());
          return input;
        };
        const ByteVector inputs[2] = {input_of(0), input_of(pass)};
        for (const Choice& choice : thinned(all_choices(*algorithm, problem, most_number), most_settings)) {
          const Schedule schedule = make_schedule(problem, choice);
          // One rank, a different one each time, interprets and compares all outputs, because all ranks would compute the same.
          const auto judge = static_cast<std::size_t>(turn++ % p);
          const std::vector<ByteVector> expected =
              me == judge ? interpret(schedule, probe_inputs(problem, 0), {.operation = operation_for(problem)})
                          : std::vector<ByteVector>{};
          ByteVector right;  // this rank's output by the first policy, which the judge compares; the others must give the same
          for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
            for (const int buffers : {1, 2}) {
              if (policy != Policy::dataflow && buffers == 2) continue;
              Plan made = plan(communicator, problem,
                               {.algorithm = specification(schedule),
                                .policy = policy,
                                .executor = base.executor,
                                .buffers = buffers,
                                .operation = operation_for(problem),
                                .longest_message = base.longest_message});
              const bool is_first = policy == Policy::blocking;
              ByteVector output(index(output_bytes(problem, communicator.rank())), std::byte{0x33});
              bool wrong = false;
              for (int run = 0; run < 3; ++run) {  // several times, with different data
                made.execute(inputs[run % 2].data(), output.data());
                if (is_first && run == 0) right = output;
                wrong = wrong || (run == 1 ? !data->compare_output(pass, output.data()).empty() : output != right);
              }
              if (is_first) {
                const std::vector<ByteVector> outputs = everybodys(communicator, problem, output);
                wrong = wrong || (me == judge && outputs != expected);
              }
              std::vector<char> all(static_cast<std::size_t>(p));
              communicator.all_gather(&wrong, all.data(), 1);
              if (std::count(all.begin(), all.end(), 0) < p)
                return fmt::format("{}, {} policy={} buffers={} executor={}: differs from the interpreter", description(problem),
                                   specification(schedule), static_cast<int>(policy), buffers, name(made.executor()));
            }
        }
      }
    }
  }
  return "";
}

}  // namespace quadrille::testing
