// SPDX-License-Identifier: BSD-3-Clause
// Problems as text for people, and the words and sizes that people write.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

// Returns the size of a block or, for an irregular problem, the smallest and the largest share. Empty if no data moves.
std::vector<Bytes> sizes_of(const Problem& problem);

std::string block_text(const Problem& problem);    // these sizes: "8 B", "0 B..64 KiB", or a dash
std::string problem_text(const Problem& problem);  // "5 ranks, 8 B a block, root 0"

// Returns "broadcast among 5 ranks, 8 B a block, root 0".
std::string collective_text(const Problem& problem);

// Returns the counts of an irregular problem; those of alltoallv are row by row.
std::vector<Bytes> all_counts(const Problem& problem);

// For words that users write instead of a collective's name: returns the collective of an MPI function, written in upper or lower
// case, with or without "MPI_": "MPI_Bcast", "ibcast", "Allreduce_init".
std::optional<Collective> collective_of_mpi(std::string_view function);

// Returns the name of the collective that the word probably means: that of the MPI function of this name, or else the collective
// with the most similar name.
std::optional<std::string> nearest_collective(std::string_view word);

// Returns the sentence that refuses the word: "there is no <what> 'bcast'; did you mean 'broadcast'?"
std::string unknown_collective(std::string_view word, std::string_view what = "collective");

// Parses a size as users write it: a number with an optional unit, such as "8B", "64KiB", "1MB" or "1.5K". The result must be a
// whole number of bytes. Throws Error{misuse} with a sentence that says what was expected.
Bytes parse_size(std::string_view text);

}  // namespace quadrille
