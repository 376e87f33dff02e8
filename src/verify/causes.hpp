// SPDX-License-Identifier: BSD-3-Clause
// The parts of the search for the causes of findings, which fault_cause.cpp puts together: the suspects of each finding, the
// common properties of operations that are wrong in the same way, the choice of suspects, unfinished operations, and causes that
// follow from others.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/schedule.hpp"
#include "verify/block_way.hpp"

namespace quadrille {

// Finds the operations that may be the reason for a finding: the suspects. Each finding is looked at by itself.
//
// A finding about the result says that a place of the output holds a wrong byte at the end. The replay gives two lists:
//   copies   where the right byte was: its input, and all places to which operations took it from there, with their times
//   origins  where the wrong byte was: the place of the output, and all places from which operations took it there
// Suppose that one operation is the only mistake. Then everything before it was right, so one of the copies existed at that time.
// Everything after it was right, too, so a right byte at one of the origins would have reached the output. The operation should
// therefore have taken the byte from a copy to an origin. An operation is suspect if one change would make it do so:
//
//   overwrites      it wrote an origin, and the right byte was there until then: the operation should have written elsewhere
//   wrong_source    it wrote an origin; it should have read a copy, at another place of the rank that it read
//   wrong_target    it read a copy; it should have written an origin, at another place of the rank to which it wrote
//   wrong_sender    a message wrote an origin; it should have come from another rank, where a copy was at the place that it read
//   wrong_receiver  a message read a copy; it should have gone to another rank, where an origin was at the place that it wrote
//   missing         all operations are right, but one from the rank of a copy to the rank of an origin is missing
//
// An operation is not suspected for bytes that became right bytes of the output.

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

// All suspicions of one suspect because of one finding.
struct Suspicions {
  Suspicion first;                // of the kind that comes first in CauseKind
  std::vector<Suspicion> places;  // those of the kinds wrong_source and wrong_target
};

// What a finding about the result tells.
struct WrongByte {
  std::size_t finding = 0;
  Rank from = 0, to = 0;
  std::map<Suspect, Suspicions> suspects;
  std::set<std::size_t> origins;     // operations that moved the wrong byte on its way to the output
  std::vector<BytePlace> unwritten;  // places from which it came, although nothing was ever written there
};

// Whether a byte lies between the first and the last byte of a region; the rank is not compared. Gaps of strided regions count as
// parts of the regions. (A region of a wrong schedule may have too many runs to look at all of them.)
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

// Returns a WrongByte for each finding about the result, in the order of the findings. Throws Error{too_large}.
std::vector<WrongByte> wrong_bytes(const Schedule& schedule, const std::vector<Finding>& findings, ByteFlow& flow, Budget& budget);

// One mistake in a generator often makes operations wrong in the same way at all ranks, or in all rounds. Likenesses describe
// what such operations have in common.

// A set of operations: those of one kind, in some consecutive rounds, between certain ranks.
struct Likeness {
  enum class Between : std::uint8_t {
    distance,      // from rank r to rank r + value, modulo the number of ranks; local operations have the distance 0
    exclusive_or,  // from rank r to rank r ^ value
    sum,           // from rank r to rank value - r, modulo the number of ranks
    sender,        // from rank `value`
    receiver,      // to rank `value`
    any,           // all operations; `value` is 0
  };
  NamedOperation::Kind kind = NamedOperation::Kind::copy;
  Count first_round = 0, last_round = 0;  // -1: the round is not known
  Between between = Between::any;
  Count value = 0;
  auto operator<=>(const Likeness&) const = default;
};

// The sets to which an operation belongs: for its own round, for the rounds of its stage, and for all rounds of the schedule.
std::vector<Likeness> likenesses(const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks);

// How many operations of a schedule are in each set.
using SetSizes = std::map<Likeness, Count>;

// Adds an operation to the sizes of its sets. Sets that are not in `sizes` are left out.
void count_in(SetSizes& sizes, const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks);

// Are `found` of the `all` operations of a set enough to believe in one mistake? Two are enough only if they are the whole set,
// at different ranks. Three or more must be over half of the set, if it is of one known round and of different ranks, and
// otherwise three quarters of the set.
bool is_systematic(const Likeness& likeness, Count found, Count all);

// "the same at 15 of 16 ranks", or "the same for 60 of 64 messages in rounds 0 to 3". `things`: the plural noun for the members
// of the set; if empty, that of their kind of operation.
std::string text_of(const Likeness& likeness, Count found, Count all, Count ranks, std::string_view things = {});

// Tells how well operations would fit into a schedule that does not have them.
class Patterns {
 public:
  Patterns(std::vector<NamedOperation> operations, Count ranks);

  // Counts the operations of the same kind and round that have the same distance, the same exclusive or, or the same sum, and
  // returns the greatest of the three counts. Returns 0 if the schedule has the operation.
  Count fit(const NamedOperation& operation) const;

 private:
  std::vector<NamedOperation> operations_;  // sorted
  Count ranks_;
  SetSizes sizes_;
};

// Operations that are wrong for one reason, as indices, ascending.
struct AlikeGroup {
  std::vector<std::size_t> members;
  std::string text;  // text_of the set with most members; empty if the mistake is not systematic
};

// Groups wrong operations. The two operations of each pair in `together` are in one group. The wrong operations of a set are in
// one group if they are enough (is_systematic). Every operation is in exactly one group; the groups are in the order of their
// first members. `measure` sets the sizes of the sets in its argument.
std::vector<AlikeGroup> alike_groups(const std::vector<NamedOperation>& wrong,
                                     const std::vector<std::pair<std::size_t, std::size_t>>& together,
                                     const std::vector<Stage>& stages, Count ranks, const std::function<void(SetSizes&)>& measure,
                                     std::string_view things = {});

// Chooses one suspect, or most of a set of operations that are alike: the choice that explains most findings. Each member of a
// set must explain findings, and half of the members must explain findings that the other members do not explain. If several
// choices explain equally many findings, the choice whose repair leaves the fewest findings is taken, because a suspect that
// explains findings may be innocent. A replay with moved reads or writes shows the guilty suspect.

// A change of an operation: regions that it reads (or writes) are moved by a distance, and perhaps to another buffer.
struct Repair {
  bool reads = false;
  Buffer buffer = Buffer::input;
  Bytes by = 0;
  auto operator<=>(const Repair&) const = default;
};

// The repair that a suspicion of kind wrong_source or wrong_target suggests.
Repair repair_for(const Suspicion& suspicion);

struct Repaired {
  Repair repair;
  std::size_t left = 0;  // findings
  // The number of comparable operations at other ranks with the same regions, before the repair minus after the repair. The
  // guilty operation often differs from all others, and its repair makes it like them.
  Count irregular = 0;
  // Bytes of scratch at the repaired end's rank that are both written and read. Right schedules leave no holes in the scratch.
  Bytes used_scratch = 0;
};

// Tries the repairs that most suspicions suggest, for the regions that they suggest. Returns the repair that leaves the fewest
// findings; among equal ones, the most regular. At most `most` findings are counted. Returns nothing if no suspicion suggests a
// repair or if all regions would leave their buffers.
std::optional<Repaired> best_repair(const Schedule& schedule, const ByteFlow& flow, std::size_t operation,
                                    const std::vector<const Suspicions*>& suspicions, std::size_t most);

// The stages of the first program, and one more stage with the rounds of all programs, because wrong programs may have rounds of
// no stage.
std::vector<Stage> all_stages(const std::vector<Program>& programs);

// What is known about a wrong schedule.
struct Investigation {
  Investigation(const Schedule& wrong_schedule, const std::vector<Finding>& its_findings);
  void measure(SetSizes& sizes) const;  // sets how many operations of the schedule are in each set

  const Schedule& schedule;
  const std::vector<Finding>& findings;
  const Count ranks = schedule.problem.ranks;
  ByteFlow flow{schedule};
  const std::vector<Stage> stages = all_stages(flow.programs());
  Budget budget;
  const std::vector<WrongByte> wrong = wrong_bytes(schedule, findings, flow, budget);
  std::vector<bool> assigned;  // the findings that have a cause
};

// The wrong bytes that a suspect explains, as indices.
struct Explained {
  // The rounds in which a missing operation may have been expected.
  struct Rounds {
    Count first = 0, last = 0;
  };
  Suspect suspect;
  std::vector<std::size_t> wrong;
  std::vector<Rounds> rounds;  // for each of `wrong`; empty if the operation is not missing

  // Whether the suspect explains wrong[k]; `round`: the round of a missing operation.
  bool explains(std::size_t k, std::optional<Count> round) const {
    return !round || (rounds[k].first <= *round && *round <= rounds[k].last);
  }
};

// Of a missing operation: Patterns::fit, and the rounds in which it may have been expected.
struct Expected {
  Count fit = 0;
  Count first = 0, last = 0;
};

// One suspect, or several suspects that are alike.
struct SuspectChoice {
  std::vector<std::size_t> suspects;  // indices; the suspect that explains most findings comes first
  std::size_t findings = 0;
  int likelihood = 0;
  std::optional<Count> round;  // of a missing operation: a round in which all these findings expect it
  Count fit = 0;               // of a missing operation: Patterns::fit
  Count copied = before_all;   // of a missing operation: when the byte came to the place of the copy
  Count all = 1;
  Count rounds = 1;                // number of rounds from the first to the last of the set
  std::string text;                // text_of the set
  std::optional<Repaired> repair;  // if repairs were tried: the best
  // Of sets that explain equally many findings, the smallest set of existing operations is best, because a missing operation
  // explains everything that a rank lacks.
  bool operator<(const SuspectChoice& other) const;
};

class Choices {
 public:
  explicit Choices(Investigation& known);

  // The best choice of suspects for the findings without a cause; nothing if no suspect explains any of them.
  std::optional<SuspectChoice> best();

  const Explained& suspect(std::size_t i) const { return suspects_[i]; }
  const Expected& expected(std::size_t i, Count round);  // of a suspect that is a missing operation

 private:
  // Suspects with a likeness, as indices.
  struct SuspectSet {
    std::vector<std::size_t> members;
    Count all = 0;          // operations of the schedule with this likeness
    std::size_t bound = 0;  // upper bound on the number of findings that the members explain
  };

  void list_suspects();
  void list_sets();
  std::optional<Count> busiest_round(const std::vector<std::size_t>& suspects) const;
  bool is_open(std::size_t wrong) const { return !known_.assigned[known_.wrong[wrong].finding]; }
  SuspectChoice choice_of(std::size_t i);
  SuspectChoice choice_of(const Likeness& likeness, SuspectSet& set);
  // Of the choices that explain most findings, returns the choice whose repair leaves the fewest findings.
  SuspectChoice best_repaired(std::vector<SuspectChoice> choices);
  // Returns how many findings are left if the suspect of the choice is repaired. A suspect without a repair counts as the cause
  // of all findings that it explains.
  std::size_t left_without(SuspectChoice& choice) const;

  Investigation& known_;
  std::vector<Explained> suspects_;
  std::map<Likeness, SuspectSet> sets_;
  std::optional<Patterns> patterns_;  // made when it is needed
  Count replayed_ = 0;
  std::map<std::pair<std::size_t, Count>, Expected> expected_;  // by index of the suspect and by round
};

// Groups unfinished operations. Each group is probably the result of one mistake. Operations belong to one group if they
//   - are of the same round and have the same sender or the same receiver;
//   - are in one set (Likeness) of which most operations are not finished;
//   - lack their ends at the same rank, which lacks most of its ends;
//   - are the two ends of one message: the k-th send from one rank to another belongs to the k-th receive there;
//   - are messages of one rank which it posts the same number of rounds before (or after) the other ends are posted, and these
//     messages are most of the rank's messages.

// Messages whose ends at one rank are posted some rounds after their other ends.
struct Shift {
  Rank rank = 0;
  Count rounds = 0;                         // negative: before
  Count messages = 0;                       // that were not finished
  std::size_t first = 0;                    // the operation of the first of these messages
  Count send_round = 0, receive_round = 0;  // and the rounds of its two ends
};

// Operations as indices of ByteFlow::operations, in ascending order.
struct UnfinishedGroup {
  std::vector<std::size_t> operations;
  std::string text;            // what the operations have in common; may be empty
  std::optional<Shift> shift;  // the one with the most messages
};

// Every operation that was not finished is in exactly one group.
std::vector<UnfinishedGroup> unfinished_groups(const Investigation& known);

// "rank 3 is 2 rounds late: the message 3 to 4 is sent in round 7 and received in round 5"
std::string to_string(const Shift& shift, const ByteFlow& flow);

// Causes that are probably one mistake: their operations are wrong in the same way, or one follows from another.

// A cause that may still be united with others.
struct DraftCause {
  FaultCause cause;             // its message does not say how many operations are alike
  std::string alike;            // says how many operations are alike
  std::optional<Rank> shifted;  // a rank that is some rounds early or late; its messages may meet wrong ones
};

// Unites causes whose operations together are most of a set. Operations that the schedule lacks are members of the set, too.
void unite_alike(std::vector<DraftCause>& causes, const Investigation& known);

// Moves the findings of a cause to another cause that also explains them, because bytes passed through operations of this other
// cause, or through rounds that are out of order. Several of its operations together may have moved a byte to a place that no
// single one of them explains. If a rule is broken only at the ranks and in the rounds where a cause's operations begin or end,
// these operations break it. An example is two messages between the same ranks, one of which has no other end.
void take_consequences(std::vector<DraftCause>& causes, Investigation& known);

}  // namespace quadrille
