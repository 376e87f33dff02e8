// SPDX-License-Identifier: BSD-3-Clause
// Finds the operations that may be the reason for a finding: the suspects. Each finding is looked at by itself.
//
// A finding about the result says that a place of the output holds a wrong byte at the end. The replay tells two lists:
//   copies   where the right byte was: its input, and all places to which operations took it from there, with their times
//   origins  where the wrong byte was: the place of the output, and all places from which operations took it there
// If one operation is the mistake, then everything before it was right, so one of the copies existed then. Everything after it was
// right, too, so the right byte would have reached the output from one of the origins. The operation should therefore have taken
// the byte from a copy to an origin. An operation is suspect if it would have done so with one thing changed:
//
//   overwrites      it wrote an origin, and the right byte was there until then: the operation should have written elsewhere
//   wrong_source    it wrote an origin; it should have read a copy, at another place of the rank that it read
//   wrong_target    it read a copy; it should have written an origin, at another place of the rank to which it wrote
//   wrong_sender    a message wrote an origin; it should have come from another rank, where a copy was at the place that it read
//   wrong_receiver  a message read a copy; it should have gone to another rank, where an origin was at the place that it wrote
//   missing         all operations are right, but one from the rank of a copy to the rank of an origin is missing
//
// Bytes of an operation that led to a right byte of the output are not suspected.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "verify/block_way.hpp"

namespace quadrille {

// An operation; or a missing one, of which only the two ranks are known.
struct Suspect {
  std::optional<std::size_t> operation;
  Rank from = 0, to = 0;
  auto operator<=>(const Suspect&) const = default;
};

// Why an operation is suspected because of one finding.
struct Suspicion {
  CauseKind kind = CauseKind::missing;
  BytePlace copy, origin;
  // Of a missing operation: it was expected between these two times.
  Count since = before_all, until = never;
  Count copied = before_all;  // of a missing operation: when the byte came to the place of the copy
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
  std::set<std::size_t> origins;     // operations that moved the wrong byte on its way to the output
  std::vector<BytePlace> unwritten;  // places from which operations moved it, although nothing was ever written there
};

// Whether a byte lies between the first and the last byte of a region; the rank is not compared. Gaps of strided regions count as
// parts of them. (A region of a wrong schedule may have too many runs to look at each.)
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
