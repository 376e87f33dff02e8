// SPDX-License-Identifier: BSD-3-Clause
// Rules that tell the MPI library which of its own algorithms is best on this machine. The library reads the rules from a file,
// so they also speed up programs that do not use Quadrille.
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
#include "quadrille/tune.hpp"  // allow_vendor_algorithms
#include "quadrille/wisdom.hpp"

namespace quadrille {

// Returns the ways worth measuring: the library's collective as it is, and each of its algorithms that can be forced for this
// problem; or returns the reason why no algorithm can be forced. Local.
Result<std::vector<Way>> vendor_ways(Communicator& communicator, const Problem& problem);

// Returns the file for these measurements, beside the machine's wisdom file (wisdom_file). It is a separate file because plans
// must not choose among these ways. Returns "" if there is no wisdom file.
std::string vendor_wisdom_file(const Fingerprint& machine);

// The library's best algorithm for each measured block size. The text is empty, which means the default, if the interval of the
// best algorithm's time overlaps the default's. A size between two measured sizes follows the nearer one (by ratio). There are no
// rules for sizes below or above all measured ones.
using AlgorithmBySize = std::map<Bytes, std::string>;

// Which communicators rules are for.
struct RuledGroup {
  Collective collective{};
  Count ranks = 0;
  Count ranks_of_node = 0;  // all nodes have as many; 0: any distribution over nodes
  auto operator<=>(const RuledGroup&) const = default;
};

// Records of a group may have different distributions over nodes or kinds of counts; if they disagree, the default is used.
using VendorRules = std::map<RuledGroup, AlgorithmBySize>;

// `tell_nodes`: distributions over nodes have rules of their own. Then records of nodes of different sizes make no rules.
VendorRules vendor_rules(const Wisdom& wisdom, bool tell_nodes = false);

// The algorithm to use from a size on. The first rule starts at 0.
struct RuleFrom {
  Bytes from = 0;  // block size
  std::string algorithm;

  bool operator==(const RuleFrom&) const = default;
};

std::vector<RuleFrom> steps_of(const AlgorithmBySize& by_size);

// Returns the algorithm that is best for all measured sizes, or an empty text if there is none. For collectives in which the ranks
// of one call may see different sizes.
std::string for_all_sizes(const AlgorithmBySize& by_size);

// The text of a rules file, and a sentence for each rule that the format cannot express.
struct RulesFile {
  std::string text;
  std::vector<std::string> left_out;
  Count rules = 0;  // how many pairs (collective, number of ranks) have a rule
};

// The text for Open MPI's coll_tuned_dynamic_rules_filename.
RulesFile openmpi_rules(const VendorRules& rules);

// RulesFormat::force of each library.
std::string openmpi_force(Collective collective, std::string_view algorithm);
std::string mpich_force(Collective collective, std::string_view algorithm);

// The text for MPICH's MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. Such a file replaces all of MPICH's built-in choices, so the
// rules are merged into the built-in tree, which is read from `library`, the bytes of libmpich.so. Throws Error{environment} if the
// tree is not found there.
RulesFile mpich_rules(const VendorRules& rules, std::string_view library);

// A library's second file of rules, which says for which calls it splits a collective: messages within the nodes, and messages
// between one rank of each node. So such a rule is right for all numbers of nodes. In VendorRules the algorithm is split_by_nodes.
inline constexpr std::string_view split_by_nodes = "split-by-nodes";

struct RulesByNodes {
  std::string_view trying;   // settings with which the library splits all collectives that it can
  std::string_view setting;  // settings that make it read the file; the path follows the last '='
  bool (*splits)(Collective collective);
  RulesFile (*write)(const VendorRules& rules);  // other rules are ignored
};

bool openmpi_splits(Collective collective);
RulesFile openmpi_rules_by_nodes(const VendorRules& rules);

// The table of the files of rules that MPI libraries read, one row for each library that has such a file.
struct RulesFormat {
  std::string_view library;  // its id in the table of MPI libraries
  std::string_view setting;  // environment variables that make the library read the file; the path follows the last '='
  bool is_json = false;
  bool tells_nodes = false;  // may a rule depend on the number of ranks of a node?

  // Returns the settings that force an algorithm of a collective in all calls; the last one ends with the algorithm.
  std::string (*force)(Collective collective, std::string_view algorithm);

  // Returns the file. Throws Error{environment} if the format needs the library's own file and that cannot be read.
  RulesFile (*write)(const VendorRules& rules);

  const RulesByNodes* by_nodes = nullptr;  // null: there is no such file
};

// Returns the format of a library; null if it has none.
const RulesFormat* find_rules_format(std::string_view library);

// Returns the libraries of all rows.
std::vector<std::string> libraries_with_rules();

}  // namespace quadrille
