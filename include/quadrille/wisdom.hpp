// SPDX-License-Identifier: BSD-3-Clause
// Wisdom: what was measured on a machine, kept for later runs. One file per machine, in the user's cache folder or where
// QUADRILLE_WISDOM says; plans read it, `quadrille tune` and plans of effort measure and exhaustive add to it.
//
//   Wisdom wisdom = read_wisdom(wisdom_file(fingerprint));
//   const WisdomRecord* record = wisdom.find(situation_of(problem));
//   record->entries.front().candidate;  // "bruck:radix=4,..." by shared memory
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
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
  std::string network;    // of the first node: adapters and their rates, such as "mlx5_0 200 Gbit/s"; "none" on one node
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
  // Irregular collectives whose counts all ranks share: how uneven they are. Powers of two, so that like counts are one situation.
  Count skew = 1;            // the largest sum that a rank sends or receives over the mean of all ranks', rounded to a power of two
  Count sparsity = 1;        // all blocks over those that are not empty, rounded to a power of two
  bool counts_known = true;  // false: ranks know their own counts only, so skew and sparsity are 1
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

// "bruck:radix=4,...  blocking  shared"
std::string to_string(const Way& way);

// The median of a few rounds' times, in seconds, and the interval that the true median is in (RaceResult::confidence).
struct Timing {
  double median_s = 0, lower_s = 0, upper_s = 0;
};

struct WisdomEntry {
  Way way;
  Timing timing;
};

// A race. It speaks for blocks from `least_bytes` to `most_bytes`, around those it was measured with, and for `least_ranks` to
// `most_ranks` ranks.
struct WisdomRecord {
  Situation situation;
  Bytes least_bytes = 0, most_bytes = 0;
  Count least_ranks = 1, most_ranks = 1;
  std::string date;                  // of the measurement, as 2026-11-22
  int rounds = 0;                    // of the race
  std::vector<WisdomEntry> entries;  // the fastest first; all from one race, so that they can be compared
};

// What an executor takes for what schedules do, on ranks so placed: coefficients of the model max-rate (model.hpp).
struct ExecutorFit {
  Executor executor = Executor::messages;
  Count ranks = 1, nodes = 1, ranks_of_node = 1;
  Coefficients coefficients;
  double error = 0;     // median of |predicted / measured - 1| over what it was fitted to
  std::string assumed;  // not measured here: the preset machine that it comes from; empty: measured
  std::string date;
};

// What the MPI library's own collective takes, at a few sizes; in between, lines.
struct VendorFit {
  Collective collective = Collective::alltoall;
  Count ranks = 1, nodes = 1, ranks_of_node = 1;
  std::vector<std::pair<Bytes, double>> seconds;  // by block bytes, ascending
  std::string date;
};

struct Wisdom {
  Fingerprint machine;
  std::vector<WisdomRecord> records;
  std::vector<ExecutorFit> executors;
  std::vector<VendorFit> vendor;

  // The record for the situation: the same but for bytes and ranks, which lie in its ranges; null if there is none.
  const WisdomRecord* find(const Situation& situation) const;
  // Of the same structure, or the nearest by ranks of those on as many nodes; null if there is none for the executor.
  const ExecutorFit* find_fit(Executor executor, const Situation& situation) const;
  const VendorFit* find_vendor(const Situation& situation) const;

  // Replaces what was known for the same situation, and fits ranges so that at most one record speaks for each size.
  void add(WisdomRecord record);
  void add(ExecutorFit fit);
  void add(VendorFit fit);
  void merge(const Wisdom& newer);  // adds all of it; of two for the same, the one with the later date
};

// Throws Error{malformed}, with line and reason: a damaged text is refused whole. `file` is its name in the sentence.
Wisdom parse_wisdom(std::string_view text, const std::string& file);
std::string wisdom_text(const Wisdom& wisdom);

// The file for the machine: QUADRILLE_WISDOM, which is a file or a folder, else a file in the user's cache folder,
// quadrille/wisdom in XDG_CACHE_HOME or ~/.cache. Empty where there is no home, or QUADRILLE_WISDOM is "off".
std::string wisdom_file(const Fingerprint& machine);

// Nothing there, or nothing readable: empty wisdom. Throws Error{malformed} for a damaged file, or one of another machine.
Wisdom read_wisdom(const std::string& file, const Fingerprint& machine);

// Merges `newer` into the file, so that two processes that do this at once lose nothing, and a reader sees the old file or the new
// one. Throws Error{environment} where the file cannot be written, Error{malformed} where the present one is damaged.
void save_wisdom(const std::string& file, const Wisdom& newer);

// Collective: of the machine that the group's rank 0 is on, the same on all ranks. Found out once a process.
Fingerprint fingerprint(Communicator& communicator);

Situation situation_of(const Problem& problem);

}  // namespace quadrille
