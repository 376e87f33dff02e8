// SPDX-License-Identifier: BSD-3-Clause
// The parts of the search for the causes of findings, which fault_cause.cpp puts together: the suspects of each finding, what
// operations that are wrong in the same way have in common, the choice of suspects, operations that were not finished, and causes
// that follow from others.
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

// What operations have in common that one systematic mistake makes wrong: a generator that is wrong at one rank is often wrong in
// the same way at all ranks, or in all rounds.

// A set of operations: those of one kind, in some consecutive rounds, between certain ranks.
struct Likeness {
  enum class Between : std::uint8_t {
    distance,      // from rank r to rank r + value, modulo the number of ranks; local operations have the distance 0
    exclusive_or,  // from rank r to rank r ^ value
    sum,           // from rank r to rank value - r, modulo the number of ranks
    sender,        // from rank `value`
    receiver,      // to rank `value`
    any,           // all; `value` is 0
  };
  NamedOperation::Kind kind = NamedOperation::Kind::copy;
  Count first_round = 0, last_round = 0;  // -1: in no known round
  Between between = Between::any;
  Count value = 0;
  auto operator<=>(const Likeness&) const = default;
};

// The sets to which an operation belongs: with the rounds of the operation, of its stage, and of the whole schedule.
std::vector<Likeness> likenesses(const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks);

// The sizes of sets: how many operations a schedule has in each.
using SetSizes = std::map<Likeness, Count>;

// Counts an operation in each of its sets that are in `sizes` already.
void count_in(SetSizes& sizes, const NamedOperation& operation, const std::vector<Stage>& stages, Count ranks);

// Whether `found` of the `all` operations of a set are enough to believe in one mistake: two or more, more than half of the set if
// its operations are of one known round and at different ranks, and at least three quarters of any other set.
bool is_systematic(const Likeness& likeness, Count found, Count all);

// "the same at 15 of 16 ranks", or "the same for 60 of 64 messages in rounds 0 to 3". `things` is the plural of what is in the set;
// empty: that of its kind.
std::string text_of(const Likeness& likeness, Count found, Count all, Count ranks, std::string_view things = {});

// Tells how well operations would fit into a schedule that does not have them.
class Patterns {
 public:
  Patterns(std::vector<NamedOperation> operations, Count ranks);

  // The number of operations of the same kind and round with the same distance, or with the same exclusive or if these are more; 0
  // if the schedule has the operation.
  Count fit(const NamedOperation& operation) const;

 private:
  std::vector<NamedOperation> operations_;  // sorted
  Count ranks_;
  SetSizes sizes_;
};

// Operations that are wrong for one reason, as indices, ascending.
struct AlikeGroup {
  std::vector<std::size_t> members;
  std::string text;  // text_of the set that has most of them; empty if they are no systematic mistake
};

// Groups wrong operations: those of each pair in `together`, and those of each set of which enough are wrong. Every operation is in
// exactly one group; the groups are in the order of their first members. `measure` sets the sizes of the sets that it is given.
std::vector<AlikeGroup> alike_groups(const std::vector<NamedOperation>& wrong,
                                     const std::vector<std::pair<std::size_t, std::size_t>>& together,
                                     const std::vector<Stage>& stages, Count ranks, const std::function<void(SetSizes&)>& measure,
                                     std::string_view things = {});

// Chooses the suspects that explain most findings: one, or most of a set of operations that are alike, each of
// findings that the others do not explain. Of several that explain as much, those are preferred whose repair leaves fewer findings:
// a suspect that explains findings may be innocent; what the schedule would do if it read or wrote other places shows the guilty
// one.

// A change of an operation: regions that it reads, or writes, are moved by a distance, and perhaps to another buffer.
struct Repair {
  bool reads = false;
  Buffer buffer = Buffer::input;
  Bytes by = 0;
  auto operator<=>(const Repair&) const = default;
};

// The repair for which a suspicion of kind wrong_source or wrong_target asks.
Repair repair_for(const Suspicion& suspicion);

struct Repaired {
  Repair repair;
  std::size_t left = 0;  // findings
  // Comparable operations at other ranks with the same regions, before the repair less those after it: the guilty one is often the
  // one that differs from all others.
  Count irregular = 0;
  // Bytes of scratch at the repaired end's rank that are both written and read; right schedules leave no holes in it.
  Bytes used_scratch = 0;
};

// Tries the repairs that most suspicions suggest, with the regions that they suggest. Returns the repair that leaves the fewest
// findings; among equal ones, the most regular. At most `most` findings are counted. Returns nothing if nothing is
// asked for or if all regions would leave their buffers.
std::optional<Repaired> best_repair(const Schedule& schedule, const ByteFlow& flow, std::size_t operation,
                                    const std::vector<const Suspicions*>& suspicions, std::size_t most);

// The stages of the first program, and one for all rounds that any program has, because wrong programs may have rounds of no stage.
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
  std::vector<Rounds> rounds;  // of each of `wrong`; empty: the operation is not missing

  // Whether it explains wrong[k], if it was expected in this round.
  bool explains(std::size_t k, std::optional<Count> round) const {
    return !round || (rounds[k].first <= *round && *round <= rounds[k].last);
  }
};

// A missing operation: how well it would fit into the schedule, and the rounds in which it may have been expected.
struct Expected {
  Count fit = 0;
  Count first = 0, last = 0;
};

// One suspect or several that are alike.
struct SuspectChoice {
  std::vector<std::size_t> suspects;  // those first that explain most
  std::size_t findings = 0;
  int likelihood = 0;
  std::optional<Count> round;  // missing: a round in which all findings ask for it
  Count fit = 0;               // how well a missing operation would fit
  Count copied = before_all;   // missing: since when the byte was where it stayed
  Count all = 1;
  Count rounds = 1;                // from the first to the last of the set
  std::string text;                // which are alike
  std::optional<Repaired> repair;  // if repairs were tried: the best
  // Of sets that explain as much, the smallest one of existing operations is best, because a missing operation explains whatever a
  // rank lacks.
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
    std::size_t bound = 0;  // at least the number of findings that the members explain
  };

  void list_suspects();
  void list_sets();
  std::optional<Count> busiest_round(const std::vector<std::size_t>& suspects) const;
  bool is_open(std::size_t wrong) const { return !known_.assigned[known_.wrong[wrong].finding]; }
  SuspectChoice choice_of(std::size_t i);
  SuspectChoice choice_of(const Likeness& likeness, SuspectSet& set);
  // Of the suspects that explain most findings, returns the one whose repair leaves the fewest; of several, the first.
  SuspectChoice best_repaired(std::vector<SuspectChoice> choices);
  // Returns how many findings are left if the suspect of the choice is repaired. A suspect without a repair is believed to have
  // caused what it explains.
  std::size_t left_without(SuspectChoice& choice) const;

  Investigation& known_;
  std::vector<Explained> suspects_;
  std::map<Likeness, SuspectSet> sets_;
  std::optional<Patterns> patterns_;  // made when it is needed
  Count replayed_ = 0;
  std::map<std::pair<std::size_t, Count>, Expected> expected_;  // by index of the suspect and by round
};

// Groups operations that were not finished by the mistake that they share. Those are one mistake that
//   - are of the same round and have the same sender or the same receiver;
//   - are a set of operations of which most are not finished;
//   - lack the end of the same rank, which lacks most of its ends;
//   - are the two ends of one message: the first send from one rank to another belongs to the first receive there, and so on;
//   - are most of the messages of one rank, which it posts the same number of rounds before or after the other ends.

// Messages of which a rank posts its ends some rounds after the other ends.
struct Shift {
  Rank rank = 0;
  Count rounds = 0;                         // negative: before them
  Count messages = 0;                       // that were not finished
  std::size_t first = 0;                    // of these: the operation
  Count send_round = 0, receive_round = 0;  // and its rounds
};

// Operations as indices of ByteFlow::operations, in ascending order.
struct UnfinishedGroup {
  std::vector<std::size_t> operations;
  std::string text;            // what they have in common; empty if that is said otherwise
  std::optional<Shift> shift;  // the one with the most messages
};

// Every operation that was not finished is in exactly one group.
std::vector<UnfinishedGroup> unfinished_groups(const Investigation& known);

// "rank 3 is 2 rounds late: the message 3 to 4 is sent in round 7 and received in round 5"
std::string to_string(const Shift& shift, const ByteFlow& flow);

// Causes that are probably one mistake: their operations are wrong in the same way, or one follows from another.

// A cause that may still be united with others.
struct DraftCause {
  FaultCause cause;             // its message does not yet say how many operations are alike
  std::string alike;            // says it
  std::optional<Rank> shifted;  // a rank that is some rounds early or late, so that its messages may meet wrong ones
};

// Unites causes whose operations together are most of a set: of existing operations or of missing ones. A set then
// consists of the operations that the schedule has and of those that it lacks.
void unite_alike(std::vector<DraftCause>& causes, const Investigation& known);

// Gives the findings of a cause to another one that explains them, too: bytes passed through operations that are wrong in the same
// way, or through rounds that are not where they belong. Several such operations together may have moved a byte to a place that no
// single one explains. Rules that are broken only where a cause's operations begin or end, in their rounds, are broken by these:
// two messages of the same ranks, for instance, one of which has no other end.
void take_consequences(std::vector<DraftCause>& causes, Investigation& known);

}  // namespace quadrille
