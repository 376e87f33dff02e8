// SPDX-License-Identifier: BSD-3-Clause
// Projections: how long a recorded program (recording.hpp) would take on another machine, once with the MPI library's own
// collectives and once with ours. The recording is replayed call by call; docs/projection.md describes the model and what it
// leaves out.
//
//   const Recording recording = read_recording("quadrille-recording");
//   const Projection projection = project(recording, {.machine = find_machine("hdr"), .nodes = {0, 0, 1, 1}});
//   std::printf("%s\n", verdict_text(projection).c_str());  // "run it by `quadrille wrap`: 14 % shorter [9, 17]"
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/recording.hpp"

namespace quadrille {

enum class ProjectedPart : std::uint8_t { computing, waiting, collectives, point_to_point, other };
inline constexpr std::size_t projected_parts = 5;
std::string_view name(ProjectedPart part);  // "waiting for late ranks"

// An interval of the projected run in which a rank does one thing.
struct ProjectedPiece {
  Implementation side = Implementation::vendor;
  Rank rank = 0;
  ProjectedPart part = ProjectedPart::computing;
  double begin_s = 0, end_s = 0;
  const RecordedSite* site = nullptr;  // the site of the call; null while the rank computes or has no processor
  std::string_view algorithm;          // for a collective: its algorithm; empty: as recorded
  Rank last_rank = -1;                 // the rank that entered the collective last; -1: no collective, or calls were not matched
};

// Receives the pieces of those entries that began, in the recorded run, at `from_s` or later and before `to_s`. The pieces of
// each rank and side come in the order of time, without overlaps.
struct PieceWatch {
  std::function<void(const ProjectedPiece& piece)> watch;  // empty: not called
  double from_s = 0, to_s = std::numeric_limits<double>::infinity();
};

struct ProjectionOptions {
  MachineCosts machine;
  std::vector<Count> nodes;  // the node of each rank of the recording; empty: all are on one node
  std::string vendor;        // id of a VendorLibrary (vendor_choice.hpp); empty: the library that was recorded
  // Algorithms, as parse_choice reads them, that replace our choice. For calls to which such an algorithm does not apply, our
  // choice stays.
  std::map<Collective, std::string> chosen;
  double computing = 1;  // factor for the computing between calls, at most 1e6
  double away = 1;       // factor for the time in which ranks were away from a processor, at most 1e6
  // If true, all members of a communicator enter each collective at the mean of their times, as if they shared their work evenly.
  bool without_late_ranks = false;
  // If true, the machine is taken to have no residuals. If false, prices of collectives are multiplied by them: wholly where a
  // communicator has the node sizes with which they were measured, by half of their logarithm elsewhere.
  bool without_correction = false;
  Count total_cores = 0;  // cores that all ranks share while they compute; 0: each rank has a core
  Count draws = 200;      // replays with random draws, from which the bands follow
  std::uint64_t seed = 1;
  PieceWatch pieces;                           // not with without_late_ranks, which moves computing between ranks afterwards
  std::function<void(double share)> progress;  // called from time to time with the part of the replay that is done, from 0 to 1
};

// A value with the 10th and the 90th percentile of the draws.
struct Band {
  double value = 0, low = 0, high = 0;
};

// Times in seconds. The parts are means over the ranks and sum up to the total. The time that a rank waits at the end of the run
// for the last rank counts as waiting.
struct ProjectedRun {
  Band total;
  std::array<Band, projected_parts> parts;
  const Band& part(ProjectedPart part) const { return parts[static_cast<std::size_t>(part)]; }
};

struct ProjectedWay {
  std::string algorithm;  // the algorithm that takes the most time; empty: as recorded
  Count algorithms = 1;   // number of different algorithms
  double seconds = 0;     // time in these calls, mean over all ranks of the run, without waiting for late ranks
};

// Calls of a function on communicators of one name and size, with blocks of one size or, for functions with counts, of all sizes.
struct ProjectedRow {
  std::string function;                   // "Alltoall"; nonblocking functions have their own rows
  std::string communicator;               // name of the communicators; may be empty
  Count communicators = 1;                // number of these communicators
  Count ranks = 1, nodes = 1;             // of the first communicator
  Bytes least_bytes = 0, most_bytes = 0;  // RecordedSite::block_bytes
  Count calls = 0;                        // a call of all members counts once
  Count corrected_calls = 0;              // how many of them have a price that was wholly multiplied by a residual
  ProjectedWay vendor, ours;
  Band gain_s;         // the vendor's time minus ours
  std::string remark;  // why the vendor's algorithm is not known, or why the calls are replayed as recorded; empty: nothing to say
};

enum class ProjectionVerdict : std::uint8_t {
  run_it,      // ours is shorter by 1 % or more, and in nearly all draws
  keep_it,     // ours is longer by 1 % or more, and in nearly no draw worth it
  late_ranks,  // nothing to gain in nearly all draws: ranks wait for each other
  network,     // nothing to gain, though collectives take time
  computing,   // nothing to gain: there is little time in collectives
  not_known,   // the draws differ in whether there is something to gain, or too much is in point-to-point calls
};

struct Projection {
  std::string vendor_title;  // "Open MPI 4.1"
  bool is_vendor_checked = true;
  ProjectedRun vendor, ours;
  Band gain;  // share of the vendor's total by which ours is shorter
  ProjectionVerdict verdict = ProjectionVerdict::computing;
  std::string remedy;                // if the verdict is not known, what would narrow the band of the gain; may be empty
  std::vector<ProjectedRow> rows;    // by the vendor's time, the longest first
  Count calls = 0;                   // replayed; a call of all members counts once
  Count corrected_calls = 0;         // how many of them have a price that was wholly multiplied by a residual
  double recorded_s = 0;             // duration of the recorded run
  std::vector<std::string> remarks;  // what the reader should know before trusting the figures
};

// Throws Error{misuse} if recordings of ranks are missing, if the options do not fit the recording or each other, or if no model
// can price its calls on this machine.
Projection project(const Recording& recording, const ProjectionOptions& options);

// Writes the run as GOAL, the text that the simulators LogGOPSim and ATLAHS read: for each collective the messages of the
// schedule that the vendor takes or that we take, and between collectives the time that ranks computed, in nanoseconds
// (docs/projection.md). Throws like `project`. Also throws Error{misuse} if total_cores or without_late_ranks is set, which GOAL
// cannot express, and Error{too_large} if the file would have more than 2^26 operations.
void write_goal(std::ostream& out, const Recording& recording, const ProjectionOptions& options, Implementation side);

// Returns the verdict in one sentence, for example "nothing to gain: your ranks wait for each other".
std::string verdict_text(const Projection& projection);

// ---- Recordings of more ranks
//
// Scales a recording to more ranks: each new rank is a copy of a recorded one. docs/projection.md states the assumptions.
//
//   const Recording recording = read_recording("quadrille-recording");                                      // of 8 ranks
//   const Recording more = scaled(recording, {.from = {2, 4}, .to = {4, 16}, .blocks = BlockScale::weak});  // of 64

// What happens to the sizes of blocks.
enum class BlockScale : std::uint8_t {
  same,    // each block keeps its size
  weak,    // the amount of data of each rank stays the same
  strong,  // the amount of data of all ranks together stays the same
};
std::string_view name(BlockScale blocks);  // "weak"
std::optional<BlockScale> block_scale_named(std::string_view name);

// The recorded ranks form a grid, numbered row by row, and so do the ranks of the result. Rank (i, j, ..) of the new grid is a
// copy of rank (i / g, j / h, ..), where g, h, .. are the factors by which the sides grow.
struct RankScale {
  std::vector<Count> from, to;  // sides of the grids
  BlockScale blocks = BlockScale::same;
};

Count ranks_of_grid(const std::vector<Count>& sides);

inline constexpr Count most_scaled_ranks = 4096;  // the time of pricing grows with the square of the number of ranks

// A communicator must be a part of the grid: the ranks that share their coordinates in some dimensions (none for the whole grid).
// The communicator grows with the other dimensions, and the number of such communicators grows with the shared dimensions. Gaps
// and times inside calls stay as they were recorded.
//
// Throws Error{misuse} if the grid is not that of the recorded ranks, if a side does not grow by a whole factor, if a
// communicator is used that is not a part of the grid, or if the recording does not determine what a collective would do on more
// ranks.
Recording scaled(const Recording& recording, const RankScale& scale);

}  // namespace quadrille
