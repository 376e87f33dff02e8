// SPDX-License-Identifier: BSD-3-Clause
// Wisdom: what was measured on a machine, kept for later runs. One file per machine, in the user's cache folder or where
// QUADRILLE_WISDOM says (docs/wisdom.md); plans read it, `quadrille tune` and plans of effort measure and exhaustive add to it.
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

// What tells one machine from another. A file is for one fingerprint; how many ranks a node has stands with each record.
struct Fingerprint {
  std::string processor;  // model name, such as "AMD EPYC 7763 64-Core Processor"
  Count cores = 0;        // of a node, that the ranks may use
  std::string network;    // of a node: adapters and their rates, such as "2 x mlx5 200 Gbit/s"; "none" where all ranks are on one
  std::string mpi;        // library and version, such as "Open MPI 4.1.4"; "none" for threads and processes of `quadrille run`

  bool operator==(const Fingerprint&) const = default;
};

// What a choice depends on, beside the machine. It is the same on all ranks of a call.
struct Situation {
  Collective collective = Collective::alltoall;
  Count ranks = 1;
  Count nodes = 1;          // that the ranks are on
  Count ranks_of_node = 1;  // of the largest node
  Bytes block_bytes = 0;    // of irregular collectives the mean of all blocks, rounded up
  // Irregular collectives: how uneven the counts are. Powers of two, so that like counts are one situation.
  Count skew = 1;            // the largest sum that a rank sends or receives over the mean of all ranks', rounded to a power of two
  Count sparsity = 1;        // all blocks over those that are not empty, rounded to a power of two
  bool counts_known = true;  // false: ranks know their own counts and these figures only, so fewer algorithms apply
  Combining combining = Combining::any_order;  // of reductions

  bool operator==(const Situation&) const = default;
};

// How a problem is solved: a candidate and the way it is run.
struct Way {
  std::string algorithm;  // as `specification` writes it: with all parameters; or "vendor"
  Policy policy = Policy::blocking;
  int buffers = 2;
  Executor executor = Executor::messages;  // not automatic

  bool operator==(const Way&) const = default;
};

// "bruck:radix=4,... blocking shared"; with buffers where they are not 2, as in "dataflow/1".
std::string to_string(const Way& way);

// The median of a few rounds' times, in seconds, and the interval that the true median is in (RaceResult::confidence).
struct Timing {
  double median_s = 0, lower_s = 0, upper_s = 0;

  bool operator==(const Timing&) const = default;
};

struct WisdomEntry {
  Way way;
  Timing timing;

  bool operator==(const WisdomEntry&) const = default;
};

// What one launch measured of a situation.
struct WisdomRace {
  std::string date;                  // of the measurement, as 2026-11-22 (`today`)
  std::string time;                  // of that day, in UTC, as 13:05:22.123 (`time_of_day`); empty where only the date is known
  int rounds = 0;                    // of the race
  double others = 0;                 // cores that other programs took from the ranks meanwhile (MachineLoad::disturbs)
  std::vector<WisdomEntry> entries;  // the fastest first; all from one race, so that they can be compared

  bool operator==(const WisdomRace&) const = default;
};

// What all launches measured of a situation. Times may change from launch to launch by factors, for instance with the ranks that
// share a core, so a choice goes by what several launches found:
// - Races that others disturbed do not count beside those that nobody did.
// - Races are brought to one scale, since a whole launch may be slow: by the median, over the ways that ran in all of them, of how
//   many times the geometric mean of its times a way took. With fewer than three such ways times stay as they are.
// - The pooled time of a way is the mean of its medians. A program lives in one launch, so this is what it has to expect, and
//   launches in which a way is slow count in full. The interval goes from the least lower to the largest upper end.
// - A way that ran in at most half as many races as others of its executor is left out: it had fewer chances to be slow.
// The last eight races are kept, and of these none that is more than 90 days older than the last.
// Beside the situation that it was measured in, a record speaks for others of the same collective, number of nodes, skew and so
// on. Wisdom finds these ranges out from all its records, so that at most one of them speaks for each situation:
// - Sizes: up to the geometric middle to the next measured size with as many ranks, but no further than 16 times. Where there is
//   no next size: 4 times. No bytes are a size of their own.
// - Ranks: its own number. Where the nodes have equally many ranks each, also the numbers up to the geometric middle to the next
//   measured number of ranks, if that has records around this size and all of them have the same fastest way.
// So a way may be found for a number of ranks that its algorithm does not apply to: whoever takes it asks `applies`.
struct WisdomRecord {
  Situation situation;
  std::string date;                  // of the last race
  int rounds = 0;                    // of all races
  std::vector<WisdomEntry> entries;  // pooled, the fastest first
  std::vector<WisdomRace> races;     // of different launches, the oldest first; none: date, rounds and entries are those of one
  Bytes least_bytes = 0, most_bytes = 0;  // that it speaks for; filled in by Wisdom
  Count least_ranks = 1, most_ranks = 1;  // that it speaks for; filled in by Wisdom

  bool operator==(const WisdomRecord&) const = default;
};

// What an executor takes for what schedules do, on ranks so placed: coefficients of the model max-rate (model.hpp).
struct ExecutorFit {
  Executor executor = Executor::messages;
  Count ranks = 1, nodes = 1, ranks_of_node = 1;
  Coefficients coefficients;
  double error = 0;    // median of |predicted / measured - 1| over what it was fitted to
  std::string preset;  // the machine that it comes from, which was not measured here; empty: measured here
  std::string date;

  bool operator==(const ExecutorFit&) const = default;
};

// What the MPI library's own collective takes, at a few sizes; in between, lines.
struct VendorFit {
  Collective collective = Collective::alltoall;
  Count ranks = 1, nodes = 1, ranks_of_node = 1;
  std::vector<std::pair<Bytes, double>> seconds;  // by block bytes, ascending
  std::string date;

  bool operator==(const VendorFit&) const = default;
};

// Its lists are kept in order by `add` and `merge`; nothing else changes them.
struct Wisdom {
  Fingerprint machine;
  std::vector<WisdomRecord> records;
  std::vector<ExecutorFit> executors;
  std::vector<VendorFit> vendor;

  // The record that speaks for the situation; null if there is none.
  const WisdomRecord* find(const Situation& situation) const;
  // The fit of the nearest structure: by the ratio of nodes, then of ranks on a node, then of ranks. One node and several are never
  // taken for each other. Null if there is none for the executor.
  const ExecutorFit* find_fit(Executor executor, const Situation& situation) const;
  // For the same collective and structure; null if there is none.
  const VendorFit* find_vendor(const Situation& situation) const;

  // Replace what was known for the same situation. Entries of a race may come in any order, and races, too; those of a record are
  // pooled anew. Throw Error{misuse} for what a file could not hold: an unknown algorithm, a date that is none, an interval without
  // its median.
  void add(WisdomRecord record);
  void add(ExecutorFit fit);
  void add(VendorFit fit);
  // Adds everything in `newer`. A record of a situation that both have keeps the races of both; races with the same date and time
  // count once, and those of `newer` are kept. Of two fits the one with the later date stays; with the same date, that of `newer`.
  // Empty wisdom of no machine becomes wisdom of that machine. Throws Error{misuse} if the machines differ.
  void merge(const Wisdom& newer);

  bool operator==(const Wisdom&) const = default;
};

// The date in UTC, as 2026-11-22.
std::string today();
// In UTC, as 13:05:22.123.
std::string time_of_day();

// The text is refused whole. Throws Error{malformed}, with line and reason, for a damaged one, and for one of another version of
// the format or of another table of algorithms. `file` is its name in the sentence.
Wisdom parse_wisdom(std::string_view text, const std::string& file);
std::string wisdom_text(const Wisdom& wisdom);  // numbers with four digits

// The file for the machine: QUADRILLE_WISDOM, which is a file or a folder, else a file in the user's cache folder,
// quadrille/wisdom in XDG_CACHE_HOME or ~/.cache. Empty where there is no home, or QUADRILLE_WISDOM is "off".
std::string wisdom_file(const Fingerprint& machine);
std::vector<std::string> wisdom_files();  // those that there are, of all machines

// Nothing there, or nothing readable: empty wisdom. Throws Error{malformed} for what parse_wisdom refuses, and for a file of
// another machine.
Wisdom read_wisdom(const std::string& file, const Fingerprint& machine);

// Merges `newer` into the file, so that two processes that do this at once lose nothing, and a reader sees the old file or the new
// one. Makes the folder. Does nothing where `file` is empty. Throws Error{environment} where the file cannot be locked or written,
// Error{malformed} where the present one is damaged, or of another machine; the file is then as it was.
void save_wisdom(const std::string& file, const Wisdom& newer);

// Collective, the same on all ranks: of the node that the group's rank 0 is on. It is not kept: it takes three gathers. Groups on
// one node and on several have different ones, so wisdom of a group is read and saved by the group's own.
Fingerprint fingerprint(Communicator& communicator);

// Of a problem that all ranks know in full. An alltoallv may hold the counts of one rank only (alltoallv_of_rank): then this is not
// for it, since ranks would get different situations. They first have to exchange facts, and say counts_known = false.
Situation situation_of(const Problem& problem);

}  // namespace quadrille
