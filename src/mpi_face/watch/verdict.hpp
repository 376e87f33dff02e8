// SPDX-License-Identifier: BSD-3-Clause
// Why a run hangs: which ranks, in which call, where. A verdict is made from what is known of all ranks at one moment. A slow
// program gives none: a verdict needs that no rank that is concerned has made progress for some time. Nothing here depends on MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_face/watch/seen_rank.hpp"

namespace quadrille::mpi_face {

struct WatchOptions {
  double limit_s = 10;  // a rank that has been in a call for less does not hang
};

// What a group of ranks does that are in the same situation.
struct ShownGroup {
  std::vector<Rank> ranks;  // of the world, ascending
  SeenRank::State state = SeenRank::State::unknown;
  bool is_cause = false;                 // the others wait for these ranks, or these ranks' call is the odd one
  std::string in;                        // the function that they are in; empty: none
  WatchedCall call;                      // that call, or the one that they wait for there; in a mismatch: the one that is compared
  std::string communicator;              // of `call`; empty: none
  Rank peer = -1;                        // of a message, in the world; -1: none or unknown, -2: any
  std::string last;                      // of ranks outside of MPI: their last call, such as "Barrier, call 4,710 (solver.c:80)"
  double since_s = 0, processor_s = -1;  // the shortest time of these ranks; and as in SeenRank
  std::string end, waits_in;             // as in SeenRank
  std::vector<std::string> stack;

  auto operator<=>(const ShownGroup&) const = default;
};

// Why ranks wait.
struct HangReason {
  enum class Cause : std::uint8_t {
    order,          // the order of collectives differs
    root,           // the same collective with different roots
    operation,      // with different operators
    element,        // with different types
    bytes,          // with different sizes
    blocks,         // an irregular collective: what one rank sends is not what another one expects
    died,           // a rank has died
    finalised,      // a rank has called MPI_Finalize
    stopped,        // a rank is stopped
    unknown,        // nothing is known of a rank
    late,           // a rank has not come; it still runs
    elsewhere,      // a rank is in another call, for a reason that is not known
    communicators,  // ranks wait for each other in collectives on several communicators
    messages,       // ranks wait for messages that nobody sends, or for each other
    library,        // all ranks are in the same call
  };

  Cause cause = Cause::late;
  std::uint64_t number = 0;  // of the call that does not end, or does not match; 0: of none
  std::vector<Rank> causes;  // the ranks for which the others wait, or whose call is the odd one
  std::vector<std::string> sentences{};
};

struct HangVerdict : HangReason {
  bool is_hang = true;       // false: calls do not match, although nobody hangs
  std::string communicator;  // whose collective does not end; empty: none
  std::string function;      // of that collective
  double usual_s = 0;        // how long such a call usually takes; 0: unknown
  double quiet_s = 0;        // how long no rank has made progress
  std::vector<ShownGroup> findings;
};

std::string_view word_of(HangVerdict::Cause cause);

// Returns nothing if no rank has been in a blocking call for the limit, or if a rank that is concerned has made progress since
// then.
std::optional<HangVerdict> find_hang(std::span<const SeenRank> ranks, Count world_size, const WatchOptions& options);

// Returns the first call on a communicator in which two ranks do not match, although they may not hang.
std::optional<HangVerdict> find_mismatch(std::span<const SeenRank> ranks, Count world_size);

std::string text_of(const HangVerdict& verdict);       // at most 40 lines
std::string json_text_of(const HangVerdict& verdict);  // format "quadrille-hang/1"

// One line for each place with more than 100 live objects on a rank; empty if there is none.
std::string leaks_text(std::span<const SeenRank> ranks);

}  // namespace quadrille::mpi_face
