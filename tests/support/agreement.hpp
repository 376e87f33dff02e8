// SPDX-License-Identifier: BSD-3-Clause
// An executor against the interpreter: every row of the table, every policy, one or two buffers, bit by bit. Used for
// threads inside the unit tests and for MPI by a program under each launcher.
#pragma once

#include <fmt/format.h>

#include "execute/script.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/interpreter.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {

// Collective. Settings with numbers up to `most_number`. The first difference at any rank; the same on all ranks.
inline std::string first_disagreement(Communicator& communicator, const std::vector<Bytes>& block_sizes, Count most_number,
                                      Bytes longest_message = Bytes{1} << 30) {
  const Count p = communicator.size();
  const auto me = static_cast<std::size_t>(communicator.rank());
  for (const Algorithm* algorithm : all_algorithms()) {
    if (is_reduction(algorithm->collective)) continue;  // labels are not operands
    // Grids, grains and ways to know the counts go together in many ways; all of them are verified elsewhere.
    const std::size_t most_settings = algorithm->collective == Collective::alltoallv ? 12 : 1000;
    for (const Bytes b : block_sizes) {
      for (const Problem& problem : problems_of(algorithm->collective, p, b, /*all_roots_up_to=*/3)) {
        const Labels labels(problem, communicator.rank());
        for (const Choice& choice : thinned(all_choices(*algorithm, problem, most_number), most_settings)) {
          const Schedule schedule = make_schedule(problem, choice);
          const int pass = labels.pass_count() - 1;
          const ByteVector expected = interpret(schedule, labelled_inputs(problem, 0))[me];
          for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
            for (const int buffers : {1, 2}) {
              if (policy != Policy::dataflow && buffers == 2) continue;
              Plan made = plan(
                  communicator, problem,
                  {.algorithm = specification(schedule), .policy = policy, .buffers = buffers, .longest_message = longest_message});
              ByteVector input(static_cast<std::size_t>(input_bytes(problem, communicator.rank()))),
                  output(expected.size(), std::byte{0x33});
              int wrong = 0;
              for (int run = 0; run < 3; ++run) {  // again and again, with data that changes
                labels.fill_input(run == 1 ? pass : 0, input.data());
                made.execute(input.data(), output.data());
                wrong += run == 1 ? (labels.compare_output(pass, output.data()).empty() ? 0 : 1) : (output == expected ? 0 : 1);
              }
              std::vector<int> all(static_cast<std::size_t>(p));
              communicator.all_gather(&wrong, all.data(), sizeof wrong);
              for (std::size_t rank = 0; rank < all.size(); ++rank)
                if (all[rank] > 0)
                  return fmt::format("{}, {} policy={} buffers={}: rank {} differs from the interpreter", description(problem),
                                     specification(schedule), static_cast<int>(policy), buffers, rank);
            }
        }
      }
    }
  }
  return "";
}

}  // namespace quadrille::testing
