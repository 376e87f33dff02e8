// SPDX-License-Identifier: BSD-3-Clause
// Findings: what earlier runs found out about kinds of calls. Rank 0 of MPI_COMM_WORLD reads them from a file of the user's when
// the ranks first meet, and tells them to all ranks. At the end of the run it merges what this run found into the file.
//
// A finding saves the choice of a way and the trial of several contenders. It is only a hint: the program's calls run by turns by
// the MPI library and in the way that was found, until the trial has confirmed it. So a wrong finding costs no more than a lost
// trial. Nothing here depends on MPI.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mpi_face/policy/kind.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

// The calls that a finding is about, and what was found. Values of the file; two findings are about the same calls if all members
// up to `element` are equal.
struct CallFinding {
  static constexpr std::uint16_t vendor = 0xFFFF, exchange = 0xFFFE;  // in place of the number of an algorithm

  std::uint32_t machine = 0;    // a hash of the MPI library, the processor and our table of algorithms
  std::uint32_t nodes = 0;      // a hash of Communicator::nodes
  std::uint32_t ranks = 0;      // of the communicator
  std::uint32_t operation = 0;  // a hash of CallKind::operation_name; 0: none
  std::uint8_t function = 0;
  std::uint8_t size_class = 0;  // the block size is at most 2^(size_class - 1); 0: no bytes
  std::int16_t element = -1;    // Key::element

  std::uint16_t runs = 0;                              // that confirmed it
  std::uint16_t day = 0;                               // when it was last confirmed: days since 1970
  float ours_s = 0, vendors_s = 0;                     // medians of the last trial
  float least_ratio = 0, greatest_ratio = 0;           // ours_s / vendors_s in its repetitions
  std::uint32_t calls = 0;                             // how many of these the last run made
  std::uint8_t missed = 0;                             // the number of runs since then that made such calls and did not confirm it
  std::uint8_t policy = 0, executor = 0, buffers = 2;  // of the way, as in PackedWay; bit 7 of `buffers`: keep_step
  std::uint16_t algorithm = vendor;                    // what won
  std::uint8_t length = 0;                             // of the values that are used
  std::array<std::uint8_t, 13> values{};               // as in PackedWay

  bool is_ours() const { return algorithm != vendor; }
  bool is_of_same_calls(const CallFinding& other) const;
  // Of the run's calls that are still to come, the seconds that ours saves if this run makes as many calls as the last one.
  double expected_gain_s(std::uint64_t calls_so_far) const;
};
static_assert(std::is_trivially_copyable_v<CallFinding> && sizeof(CallFinding) == 64);

// The way that won; nothing if it was the MPI library or an exchange, or if this is no packed way.
std::optional<Way> way_of(const CallFinding& finding);

// A finding about the kind's calls on a communicator of this many ranks; what was found has default values. `nodes`:
// Communicator::nodes; empty if they are not known.
CallFinding calls_of(const CallKind& kind, Count ranks, std::span<const Count> nodes);

// What this run found about a kind: `runs` is 0 if no trial was settled. Nothing if it says nothing about the calls.
std::optional<CallFinding> found_in(const CallKind& kind, Count ranks, std::span<const Count> nodes);

class Findings {
 public:
  static constexpr std::size_t most = 1000;
  static constexpr std::uint8_t most_missed = 10;  // runs
  static constexpr int most_days = 30;

  Findings() = default;
  // Drops what is no finding, or is too old on this day.
  Findings(std::vector<CallFinding> all, std::uint16_t today);

  const std::vector<CallFinding>& all() const { return all_; }
  bool empty() const { return all_.empty(); }

  // For findings of one machine: the one about these calls; null if there is none. If the nodes are not known (empty), one for any
  // nodes, and rather one that ours won.
  const CallFinding* find(const CallKind& kind, Count ranks, std::span<const Count> nodes) const;

  // Those for this machine and at most `ranks` ranks.
  Findings of_machine(std::uint32_t machine, Count ranks) const;

  // Merges what a run found. A finding that the run refuted is forgotten; one that it did not confirm is kept for a while.
  void merge(const std::vector<CallFinding>& run, std::uint16_t today);

  // The form in messages and files. Text that is no such form, or that other versions wrote, has no findings.
  std::string bytes() const;
  static Findings of_bytes(std::string_view bytes, std::uint16_t today);

 private:
  std::vector<CallFinding> all_;
};

// Adds up what a run found about the same calls, on several communicators or with several block sizes.
void add_found(std::vector<CallFinding>& run, const CallFinding& found);

std::uint16_t day_now();

// The user's file: quadrille/learned in XDG_CACHE_HOME or ~/.cache, or beside the file or in the folder that QUADRILLE_WISDOM
// names. Empty if nothing is to be learned: QUADRILLE_WISDOM or QUADRILLE_LEARN is off, or there is no home folder.
std::string findings_file();

// Reads the file. One that is missing, foreign, planted by another user, damaged or too long has no findings.
Findings read_findings(const std::string& file, std::uint16_t today);

// Merges what a run found into the file. Of two programs that do so at once, one may lose what it found. If the file cannot be
// written, it stays as it is. Returns whether it was written.
bool save_findings(const std::string& file, const std::vector<CallFinding>& run, std::uint16_t today);

}  // namespace quadrille::mpi_face
