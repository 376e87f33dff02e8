// SPDX-License-Identifier: BSD-3-Clause
// The operations that may explain findings, each finding by itself.
//
// A finding about the result says that a place at the end should hold some byte and holds another. Two things are known: all copies
// of the byte that should be there, forwards from its input (`copies`), and all places from which the byte that is there came,
// backwards from the end (`origins`). If one operation is wrong, then `copies` are right before it, and `origins` are right after
// it. So at some time the byte was at one of the copies and should have gone to one of the origins. An operation that would do so
// if one thing about it were different is suspect:
//
//   overwrites      the byte was at an origin's place, and the operation that wrote the origin overwrote it
//   wrong_source    the operation wrote an origin, and a copy was at the rank that it read, at another place
//   wrong_target    the operation read a copy, and wrote to the rank of an origin, at another place
//   wrong_sender    a message wrote an origin, and a copy was at the place that it read, at another rank
//   wrong_receiver  a message read a copy, and wrote to the place of an origin, at another rank
//   missing         no operation is wrong: one from the rank of a copy to that of an origin is missing
//
// A part of an operation's bytes that correctly led to a right byte of a result is not suspected.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "verify/byte_flow.hpp"

namespace quadrille {

// An operation, or none and the two ranks between which one is missing.
struct Suspect {
  std::optional<std::size_t> operation;
  Rank from = 0, to = 0;
  auto operator<=>(const Suspect&) const = default;
};

// Why an operation is suspected because of one finding.
struct Suspicion {
  CauseKind kind = CauseKind::missing;
  BytePlace copy, origin;
  // Missing: the operation may have been expected between these times, and since when the byte was at the place of the copy, which
  // is the latest one of its rank.
  Count since = before_all, until = never, copied = before_all;
};

// All suspicions of a suspect because of one finding.
struct Suspicions {
  Suspicion first;                // of the first kind, in the order of CauseKind
  std::vector<Suspicion> places;  // those of the kinds wrong_source and wrong_target
};

// What a finding about the result asks for.
struct WrongByte {
  std::size_t finding = 0;
  Rank from = 0, to = 0;
  std::map<Suspect, Suspicions> suspects;
  std::set<std::size_t> origins;  // operations that wrote what is there
};

// Whether a region contains a byte, apart from the rank. The gaps of strided regions count, because a region that is not used may
// have any number of runs.
bool touches(const Region& region, const BytePlace& place);

// Limits the number of comparisons. Throws Error{too_large} when they exceed some seconds.
class Budget {
 public:
  void charge(Count more) {
    if ((work_ += more) > most_work) throw Error(ErrorCode::too_large, "that would take too long");
  }

 private:
  static constexpr Count most_work = Count{1} << 28;
  Count work_ = 0;
};

// Returns what each finding about the result asks for, in the order of the findings. Throws Error{too_large}.
std::vector<WrongByte> wrong_bytes(const Schedule& schedule, const std::vector<Finding>& findings, ByteFlow& flow, Budget& budget);

}  // namespace quadrille
