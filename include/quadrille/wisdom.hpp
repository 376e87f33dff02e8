// SPDX-License-Identifier: BSD-3-Clause
// Wisdom is a collection of measurements on a machine, kept for later runs. There is one file per machine, in the user's cache
// folder or where QUADRILLE_WISDOM says (docs/wisdom.md). Plans read it. `quadrille tune` adds to it, and so do plans of effort
// measure and exhaustive.
//
//   const Fingerprint machine = fingerprint(communicator);
//   const Wisdom wisdom = read_wisdom(wisdom_file(machine), machine);
//   const WisdomRecord* record = wisdom.find(situation_of(problem));
//   record->entries.front().way;  // "bruck:radix=4,..." by shared memory
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quadrille/candidate.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

// Identifies a machine: a wisdom file belongs to one fingerprint. The number of ranks per node is stored with each record instead.
struct Fingerprint {
  std::string processor;  // model name, such as "AMD EPYC 7763 64-Core Processor"
  Count cores = 0;        // cores of one node that the ranks may use
  std::string network;  // adapters of one node and their rates, such as "2 x mlx5 200 Gbit/s"; "none" if all ranks are on one node
  std::string mpi;      // library and version, such as "Open MPI 4.1.4"; "none" for threads and processes of `quadrille run`

  bool operator==(const Fingerprint&) const = default;
};

// Everything besides the machine that the choice of an algorithm depends on. All ranks of a call compute the same situation.
struct Situation {
  Collective collective = Collective::alltoall;
  Count ranks = 1;
  Count nodes = 1;          // number of nodes that the ranks are on
  Count ranks_of_node = 1;  // number of ranks on the node that has most
  Bytes block_bytes = 0;    // for irregular collectives, the mean of all blocks, rounded up
  // Irregular collectives only: how uneven the counts are. Rounded to powers of two, so that similar counts share one situation.
  Count skew = 1;            // largest amount that a rank sends or receives / mean over all ranks, rounded to a power of two
  Count sparsity = 1;        // number of all blocks / number of blocks that are not empty, rounded to a power of two
  Count irregularity = 1;    // longest block / mean of the blocks that are not empty, rounded to a power of two
  bool counts_known = true;  // false: ranks know only their own counts and these figures, so fewer algorithms apply
  Combining combining = Combining::any_order;  // for reductions

  bool operator==(const Situation&) const = default;
};

// Median time of a few repetitions, in seconds, and the interval that contains the true median with the confidence
// RaceResult::confidence.
struct Timing {
  double median_s = 0, lower_s = 0, upper_s = 0;

  bool operator==(const Timing&) const = default;
};

struct WisdomEntry {
  Way way;  // parameters may be out of range for a problem of another size; `completed` checks them
  Timing timing;

  bool operator==(const WisdomEntry&) const = default;
};

// The measurements of one situation in one launch of a program.
struct WisdomRace {
  std::string date;     // day of the measurement, such as 2026-11-22 (see `today`)
  std::string time;     // UTC time on that day, such as 13:05:22.123 (see `time_of_day`); empty if only the date is known
  int repetitions = 0;  // repetitions of the race
  double others = 0;    // cores that other programs took from the ranks during the race (MachineLoad::disturbs)
  std::vector<WisdomEntry> entries;  // fastest first; all ran in one race, so their times are comparable

  bool operator==(const WisdomRace&) const = default;
};

// All measurements of one situation, pooled over several launches. Times can differ between launches by large factors, for
// instance because other ranks share a core. The choice is therefore based on several launches. Pooling has these rules:
// - If some races were undisturbed by other programs, the disturbed ones are ignored.
// - A whole launch may be slow, so races are brought to one scale. For each way that ran in all races, take its time in this race
//   divided by the geometric mean of its times in all races. The times of the race are divided by the median of these quotients.
//   With fewer than three such ways, times are left as they are.
// - The pooled time of a way is the mean of its scaled medians. It is not their minimum or median, because a program lives in one
//   launch and must expect slow launches, too. The pooled interval reaches from the least lower end to the largest upper end.
// - A way that ran in at most half as many races as other ways of its executor is dropped, because it had fewer chances to be slow.
// Only the last eight races are kept, and of these only those at most 90 days older than the last one.
// A record also answers for situations with other sizes and numbers of ranks that agree with its own in everything else
// (collective, nodes, skew and so on). Wisdom derives the ranges from all its records, so that at most one record answers for each
// situation:
// - Sizes: from the geometric mean of this size and the next smaller measured one to that of this size and the next larger one
//   (with the same number of ranks), but at most a factor of 16 in each direction. If there is no next size in a direction: a
//   factor of 4. Size 0 answers only for itself.
// - Ranks: the record's own number. If all nodes have equally many ranks, also the numbers from the geometric mean of this number
//   and the next smaller measured one to that of this number and the next larger one. In each direction this requires that the
//   next number has records around this size, and that all these records have the same fastest way as this record.
// A way may therefore be found for a number of ranks that its algorithm does not support: callers must ask `applies`.
struct WisdomRecord {
  Situation situation;
  std::string date;                  // date of the last race
  int repetitions = 0;               // in all races together
  std::vector<WisdomEntry> entries;  // pooled, the fastest first
  // One per launch, the oldest first; if empty, date, repetitions and entries are those of a single race.
  std::vector<WisdomRace> races;
  Bytes least_bytes = 0, most_bytes = 0;  // range of sizes that the record answers for; filled in by Wisdom
  Count least_ranks = 1, most_ranks = 1;  // range of ranks that the record answers for; filled in by Wisdom

  bool operator==(const WisdomRecord&) const = default;
};

// The costs of an executor for ranks that are placed on nodes in this way: coefficients of the model max-rate (model.hpp).
struct ExecutorFit {
  Executor executor = Executor::mpi;
  Count ranks = 1, nodes = 1, ranks_of_node = 1;
  Coefficients coefficients;
  double error = 0;    // median of |predicted / measured - 1| over the measurements behind the fit
  std::string preset;  // the preset machine that the figures come from; empty: they were measured here
  std::string date;

  bool operator==(const ExecutorFit&) const = default;
};

// Measured times of the MPI library's own collective at a few sizes. Times in between are interpolated linearly.
struct VendorFit {
  Collective collective = Collective::alltoall;
  Count ranks = 1, nodes = 1, ranks_of_node = 1;
  std::vector<std::pair<Bytes, double>> seconds;  // bytes of a block and the time, in ascending order of bytes
  std::string date;

  bool operator==(const VendorFit&) const = default;
};

// `add` and `merge` keep the lists sorted; nothing else may change them.
struct Wisdom {
  Fingerprint machine;
  std::vector<WisdomRecord> records;
  std::vector<ExecutorFit> executors;
  std::vector<VendorFit> vendor;

  // Returns the record that answers for the situation, or null.
  const WisdomRecord* find(const Situation& situation) const;
  // Returns the fit of the executor that was measured on the most similar placement: the numbers of nodes are compared first, by
  // their ratio, then ranks per node, then ranks. Fits for one node are not used for several nodes, nor the other way round. Null
  // if there is no fit.
  const ExecutorFit* find_fit(Executor executor, const Situation& situation) const;
  // Returns the fit for the same collective, ranks and nodes, or null.
  const VendorFit* find_vendor(const Situation& situation) const;

  // Add a record or a fit, which replaces what was known for the same situation. Races, and the entries of a race, may come in
  // any order; the record's own entries are computed anew from its races. Throw Error{misuse} for values that a file cannot hold:
  // an unknown algorithm, an invalid date, an interval that does not contain its median.
  void add(WisdomRecord record);
  void add(ExecutorFit fit);
  void add(VendorFit fit);
  // Adds everything in `newer`. If both have a record of a situation, the result has the races of both; two races with the same
  // date and time are one race, and the version of `newer` is kept. Of two fits the one with the later date is kept, and on the
  // same date the one of `newer`. If this wisdom is empty and has no machine, it takes the machine of `newer`. Throws Error{misuse}
  // if the machines differ.
  void merge(const Wisdom& newer);

  bool operator==(const Wisdom&) const = default;
};

std::string today();        // the date in UTC, such as 2026-11-22
std::string time_of_day();  // the time in UTC, such as 13:05:22.123

// Parses the text of a wisdom file, which is JSON. Throws Error{malformed}, with the place and the reason, if any part is damaged,
// or if the file was written for another version of the format or another table of algorithms. The error's sentence names `file`.
Wisdom parse_wisdom(std::string_view text, const std::string& file);
std::string wisdom_text(const Wisdom& wisdom);  // measured numbers have four digits

// The wisdom file for this machine. QUADRILLE_WISDOM names a file or a folder; without it, the file is in the user's cache folder:
// quadrille/wisdom in XDG_CACHE_HOME or ~/.cache. Empty if there is no home folder or if QUADRILLE_WISDOM is "off".
std::string wisdom_file(const Fingerprint& machine);
std::vector<std::string> wisdom_files();  // the existing files, of all machines

// Returns empty wisdom if the file does not exist or cannot be read. Throws Error{malformed} if parse_wisdom refuses the text,
// and for a file of another machine.
Wisdom read_wisdom(const std::string& file, const Fingerprint& machine);

// Reads a file of any machine. Throws Error{environment} if it cannot be read, Error{malformed} if it is not a regular file or
// parse_wisdom refuses its text.
Wisdom read_any_wisdom(const std::string& file);

// Merges `newer` into the file, and makes its folder if needed. Two processes that save at the same time lose nothing, and a reader
// sees either the old file or the new one. Does nothing if `file` is empty. Throws Error{environment} if the file cannot be locked
// or written, Error{malformed} if the present file is damaged or of another machine; the file is then unchanged.
void save_wisdom(const std::string& file, const Wisdom& newer);

// Returns the fingerprint of the node with the group's rank 0, on all ranks. Collective. The result is not cached, and each call
// costs three gathers. A group on one node and a group on several nodes have different fingerprints, so read and save a group's
// wisdom under the group's own fingerprint.
Fingerprint fingerprint(Communicator& communicator);

// The situation of a problem that all ranks know in full. Do not use it for an alltoallv with the counts of one rank only
// (alltoallv_of_rank), because ranks would then get different situations; such ranks first exchange facts and set counts_known =
// false.
Situation situation_of(const Problem& problem);

// Returns the irregularity of an irregular problem, exactly: the bytes of its longest block over the mean of the blocks that are
// not empty. 1 if all are empty.
double irregularity(const Problem& problem);

}  // namespace quadrille
