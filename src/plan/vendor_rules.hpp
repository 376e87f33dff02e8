// SPDX-License-Identifier: BSD-3-Clause
// Rules for the MPI library's own algorithms: which of them is best here, as a file that the library reads. Programs gain by it
// that do not use Quadrille.
//
//   allow_vendor_algorithms();                                                       // before MPI is initialised
//   Wisdom found{.machine = fingerprint(communicator)};
//   found.add(tune_cell(communicator, problem, *vendor_ways(communicator, problem)));
//   save_wisdom(vendor_wisdom_file(found.machine), found);
//   openmpi_rules(vendor_rules(found));                                              // the text of the file
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quadrille/result.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// Open MPI looks whether it is made to take an algorithm only if its environment says so when it is initialised. It then decides as
// before where it is not. Sets this, unless the environment has it.
void allow_vendor_algorithms();

// What is worth measuring: the library's collective as it is, and by each of its own algorithms that it can be made to take for
// this problem; or why there is no choice. Local.
Result<std::vector<Way>> vendor_ways(Communicator& communicator, const Problem& problem);

// A file of its own beside the machine's wisdom (wisdom_file), since plans do not choose among these ways. Empty where that is
// empty.
std::string vendor_wisdom_file(const Fingerprint& machine);

// By measured block size the best algorithm of the library's own, where the intervals of its time and of the default's are apart;
// else empty, which stands for the default. Sizes between two that were measured are like the nearer one, by their ratio; those
// below and above all that were measured are not known.
using AlgorithmBySize = std::map<Bytes, std::string>;

// By collective and number of ranks. Where records of several structures of nodes or kinds of counts differ, the default.
using VendorRules = std::map<std::pair<Collective, Count>, AlgorithmBySize>;

VendorRules vendor_rules(const Wisdom& wisdom);

// From a size on, an algorithm; the first is 0.
struct RuleFrom {
  Bytes from = 0;  // of a block
  std::string algorithm;

  bool operator==(const RuleFrom&) const = default;
};

std::vector<RuleFrom> steps_of(const AlgorithmBySize& by_size);

// The algorithm that is best for all measured sizes; empty if there is none. For collectives in which ranks do not know the same
// size.
std::string for_all_sizes(const AlgorithmBySize& by_size);

// A file with the text of the rules, and what has no place in it: sentences.
struct RulesFile {
  std::string text;
  std::vector<std::string> left_out;
  Count rules = 0;  // of collectives and numbers of ranks
};

// For Open MPI's coll_tuned_dynamic_rules_filename.
RulesFile openmpi_rules(const VendorRules& rules);

// For MPICH's MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. Such a file replaces all that MPICH would do by itself, so the rules are
// added to what it has built in. `library` are the bytes of libmpich.so, in which that stands. Throws Error{environment} if it is
// not found there.
RulesFile mpich_rules(const VendorRules& rules, std::string_view library);

}  // namespace quadrille
