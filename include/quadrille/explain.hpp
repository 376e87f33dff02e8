// SPDX-License-Identifier: BSD-3-Clause
// Explains which way (algorithm, executor and policy) a plan would take for a problem, and why: the candidates with the parts of
// their prices, a lower bound for all schedules, and where the choice changes. This is what `quadrille explain` answers. No ranks
// have to run.
//
//   const Problem problem = Problem::alltoall(8, 1024);
//   const Explanation told = explain(problem, knowledge_here());
//   std::printf("%s: %s\n", way_text(problem, told.decision.chosen).c_str(), told.decision.reason.c_str());
//   for (const Flip& flip : told.by_block.list) std::printf("from %ld B %s\n", flip.from, flip.way.c_str());
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// ---- Flips
//
// Flips: the places where a choice changes as one quantity grows, such as the bytes of a block.
//
//   const Problem problem = Problem::alltoall(64, 64);
//   const std::vector<Choice> candidates{parse_choice(problem, "bruck"), parse_choice(problem, "bruck:radix=64")};
//   const Flips flips = cheapest_by_block(problem, candidates, *find_model("linear"), find_machine("sp1"));
//   for (const Flip& flip : flips.list) std::printf("from %ld B %s\n", flip.from, flip.way.c_str());

struct Flip {
  Count from = 0;   // the first value with this choice
  std::string way;  // the choice as text, without parameters that have their default values; empty: no candidate applies here
  // Filled in only by `explain`: other choices that are the best at some values from here to the next flip, but are tied with
  // `way` there (tie_tolerance in decision.hpp).
  std::vector<std::string> tied = {};
};

struct Flips {
  std::vector<Flip> list;  // ascending; the first begins at the first value examined
  Count upto = 0;          // the last value examined
  std::string note;        // why the list is empty or ends early; empty: the list is complete
};

inline constexpr Bytes most_block_bytes = Bytes{1} << 24;  // flips by size of block are searched up to this size

// Returns the same problem with blocks of this size. For an irregular collective the caller decides what that means, for example
// counts whose mean is this size.
using AtBlock = std::function<Problem(Bytes block_bytes)>;

struct CheapestOptions {
  std::optional<Topology> topology;  // required by models that count links
  // If empty, a regular collective gets blocks of the given size; an irregular collective has no flips, and a note says so.
  AtBlock at_block;
  // The sum of Workload::messages_counted over the candidates for `problem`, if the caller has counted it; 0: cheapest_by_block
  // counts it.
  Count messages = 0;
  std::function<void(Bytes block_bytes)> progress;  // called before each size
};

// Finds which candidate has the least price, under its best policy, for blocks from one element to `most_block_bytes` bytes; among
// equal prices, the one with the fewest ports. It prices all candidates at powers of two. Between two successive powers with
// different winners, it searches the exact size at which the winner changes, among the candidates that win at some power. A
// parameter that is left out, or has its default value for `problem`, gets at each size the default value for this size. At a
// size, candidates that do not apply are left out. If the candidates have more than 500 000 messages, which would take too long,
// or if a size is too large, the list is empty and the note says why. Throws Error{misuse} if `candidates` is empty, if a
// candidate belongs to another collective, if the machine has no figures for the model, or if the model cannot price the problem.
Flips cheapest_by_block(const Problem& problem, const std::vector<Choice>& candidates, const Model& model,
                        const MachineCosts& machine, const CheapestOptions& options = {});

// ---- Explanations

// What is known of a machine. For a machine of which nothing was measured, set only the preset:
// {.preset = find_machine("hdr")}.
struct MachineKnowledge {
  Wisdom wisdom;                       // measured there; knowledge_here fills in at least this machine's fingerprint
  std::string file;                    // the file from which the wisdom was read; empty: none
  std::optional<MachineCosts> preset;  // supplies prices for executors without a fit
  std::optional<Topology> topology;    // the network for models such as `torus`; used for problems with as many ranks as it has
  bool has_mpi = true;                 // is there an MPI library for messages and collectives?
  std::optional<Executor> only;        // the only executor to consider
  std::vector<std::string> left_out;   // a sentence for each file that could not be read

  // Returns the options with which a plan for the problem decides, such as the executors that a group of its ranks offers.
  DecisionOptions options_for(const Problem& problem) const;
  // Returns the executor's costs by the model max-rate, measured or preset; nothing if neither is known.
  std::optional<ExecutorFit> fit(Executor executor, const Situation& situation) const;
};

// Returns what is known of this machine for ranks on one node (`nodes` = 1) or on several: the newest wisdom file for its
// processor that has measurements of such ranks, and the preset by which plans price what was not measured. A processor may have
// several files, which differ in the number of cores, the network or the MPI library. If `mpi` is not empty, the file's
// Fingerprint::mpi must begin with it, such as "Open MPI" or "none".
MachineKnowledge knowledge_here(Count nodes = 1, std::string_view mpi = {});

// The parts of a price. Start-ups, bytes and copies are the times of a rank that runs alone; contention is the extra time because
// the ranks of a node share its adapter, memory and cores.
struct PriceParts {
  double startups_s = 0, bytes_s = 0, copies_s = 0, contention_s = 0;
  Count startups = 0, rounds = 0;  // startups_s is the time of these start-ups, and of starting the operation itself
  Bytes bytes = 0, copied = 0;
};

// An algorithm run by an executor, under the policy that is best for it.
struct ExplainedWay {
  Considered considered;
  std::string name;                 // the algorithm, without parameters that have their default values
  std::optional<PriceParts> parts;  // absent without a price, and beyond the first ExplainOptions::most_parts ways
  bool is_baseline = false;         // is it in the table only to be compared with others?
};

// A family of your own schedules (candidate.hpp), run by its best executor and policy. Plans take a family only if the caller
// names it.
struct ExplainedFamily {
  std::string name;
  Executor executor = Executor::automatic;
  Policy policy = Policy::blocking;
  std::optional<double> predicted_s;
  std::optional<double> ratio;      // predicted_s divided by the predicted time of the chosen way; absent if either is not known
  std::optional<PriceParts> parts;  // the parts of its price
  std::string reason;               // why it has no predicted time; empty if it has one
};

// The algorithm that an MPI library chooses by its built-in rules (vendor_choice.hpp).
struct ExplainedVendor {
  std::string title;                  // "Open MPI 4.1"
  bool is_checked = true;             // VendorLibrary::is_checked
  std::string algorithm;              // the library's name of its algorithm; empty: not known
  std::string equivalent;             // the algorithm of our table with the same messages, without defaults; empty: there is none
  std::string reason;                 // why `algorithm` or `equivalent` is empty
  std::optional<double> predicted_s;  // for MPI messages under the best policy; absent if the costs of messages are not known
};

// A lower bound for all schedules: the least number of rounds, and the least C2 (Figures::c2).
struct LowerBound {
  Count rounds = 0;
  Bytes bytes = 0;
  std::string of_rounds, of_bytes;  // the sources of both bounds
  std::optional<double> seconds;    // the time of these start-ups and bytes; absent if their costs are not known
  std::optional<double> c2_ratio;   // C2 of the chosen way divided by `bytes`; absent if it has no schedule, or a very long one
};

struct Explanation {
  Problem problem;
  Decision decision;
  std::vector<ExplainedWay> ways;                                 // in the order of Decision::considered
  std::vector<std::pair<std::string, std::string>> do_not_apply;  // algorithms that cannot be used, each with the reason
  std::vector<ExplainedFamily> families;                          // those of ExplainOptions, in their order
  // One entry, for the MPI library whose measurements are known. Without such measurements: an entry for each library whose
  // choice is known.
  std::vector<ExplainedVendor> vendors;
  LowerBound bound;
  Flips by_block;  // by bytes of a block; each Flip::from is exact to 3 %
  Flips by_ranks;  // by number of ranks, at powers of two times the ranks of a node: nodes are added, each with as many ranks
  // For alltoallv: by the irregularity (wisdom.hpp) of the counts, whose total stays the same. At the problem's own irregularity
  // the way is the chosen one.
  Flips by_irregularity;

  std::optional<double> seconds() const;  // time of the chosen way: measured, otherwise predicted; absent if neither is known
};

enum class FlipQuantity : std::uint8_t { block_bytes, ranks, irregularity };

struct ExplainOptions {
  std::size_t most_parts = 10;   // number of ways, the best first, for which `parts` is computed
  double seconds = 4;            // approximate duration of the search for flips
  std::vector<Family> families;  // schedules of your own, to be compared with the chosen way; they must be right (verify.hpp)
  // Return the problem with another block size or number of ranks. Irregular collectives need these functions, because only the
  // caller knows what another size means; without a function, flips are not searched, and a note says so. For regular collectives
  // the functions may be empty.
  AtBlock at_block;
  std::function<Problem(Count ranks)> at_ranks;                      // nodes and grid of the result are ignored
  std::function<void(FlipQuantity quantity, Count value)> progress;  // called before each decision of the search
};

// Explains the decision for a problem. Local. Throws Error{misuse} if the preset has figures for no model that can price the
// problem, and throws as `check` does if the problem is wrong.
Explanation explain(const Problem& problem, const MachineKnowledge& knowledge, const ExplainOptions& options = {});

// Returns the least time, by the model max-rate, of any schedule of the problem; nothing if it needs no rounds.
std::optional<double> least_seconds(const Problem& problem, const ExecutorFit& fit);

// Returns a way as text: "bruck:radix=4 by shared memory", "the MPI library's own alltoall".
std::string way_text(const Problem& problem, const Way& way);

}  // namespace quadrille
