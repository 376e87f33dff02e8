// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/groups: the four stages of A4, or the two of A3, from the group of ranks that send anything to the group of ranks
//                   that receive anything.
// Source  [liu2002], section 5: senders and receivers in distinct groups of different sizes.
// Needs   a rank that sends nothing or receives nothing. Ranks that know only their own counts do not know who sends and who
//         receives, so counts are gathered or known.
// Idea    The S ranks that send anything form one array, and the D ranks that receive anything form another array. The senders
//         deal all data out among themselves, along rows and columns. Then data crosses to the receivers. If there are more
//         receivers, each sender has one message for each column of receivers, and receivers forward the data along their
//         columns. If there are more senders, they collect the data along their columns before it crosses.
// Cost    Let L be the most that a rank sends or receives. Four stages: about 2 sqrt(S) + 2 sqrt(max(S, D)) rounds. A rank sends
//         at most 2L to other senders and L to the receivers. It sends L along a column if the smaller group has at least as many
//         ranks as a column. Rounding to grains adds to these bounds. Two stages: only the terms of the last two stages.
// Prefer  few of the ranks send, or few receive: alltoallv/four-stage has rounds for rows and columns of all ranks.
#include <algorithm>

#include "collectives/slices/array_routes.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_code.hpp"
#include "collectives/slices/slice_passes.hpp"
#include "patterns/integers.hpp"

namespace quadrille {
namespace {

GridRoute grid_of(Count ranks, std::optional<Split> split, Bytes grain) {
  return {ranks, RankArray::best_columns(ranks), split, grain};
}

template <class Bytes_of>
std::vector<Rank> ranks_with_bytes(Count ranks, Bytes_of&& bytes_of) {
  std::vector<Rank> list;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (bytes_of(rank) > 0) list.push_back(rank);
  return list;
}

// The route of an irregular exchange from a group of senders to a group of receivers [liu2002, section 5]: the stages of A4, with
// each group in an array of its own. The senders deal all data out among themselves, along the rows and columns of their array.
// Then data crosses to the receivers and moves along the columns of the larger group's array:
//   more receivers   a sender has one message for each column, to the receiver there that is its *entry*; the entry forwards
//                    data along the column.
//   more senders     the reverse: data moves along the sender's column to the *entry* of the target; the entry sends it to the
//                    target.
// The entry of the smaller group's member b in a column of height h is in row b mod h. The groups may overlap; ranks of neither
// group take no part.
class GroupRoute : public SliceRoute {
 public:
  // The senders are all ranks that send a byte, and the receivers all ranks that receive one. Without `split`, nothing is dealt
  // out.
  GroupRoute(const Problem& problem, std::optional<Split> split, Bytes grain);

  Count ranks() const override { return size(at_place_); }
  Count passes() const override { return dealing_passes_ + 2; }
  std::string_view name(Count pass) const override;
  std::vector<Meeting> meetings(Count pass, Rank me) const override;
  Count place_of(Rank target) const override { return places_[index(target)]; }
  Rank at_place(Count place) const override { return at_place_[index(place)]; }
  void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override;

 private:
  // The members of a group, which are numbered from 0 in the order of their ranks.
  struct Group {
    std::vector<Rank> members;
    std::optional<Count> number_of(Rank rank) const;
    std::optional<Rank> member(std::optional<Count> number) const;
    Count places() const { return std::max<Count>(size(members), 1); }  // the number of places in the members' array
  };

  bool is_dealing(Count pass) const { return pass < dealing_passes_; }
  bool is_crossing(Count pass) const { return pass == dealing_passes_ + (receivers_are_more_ ? 0 : 1); }
  const Group& larger() const { return receivers_are_more_ ? receivers_ : senders_; }
  const Group& smaller() const { return receivers_are_more_ ? senders_ : receivers_; }
  Rank entry(Count number, Count column) const;
  std::vector<Meeting> crossings(Rank me) const;

  Group senders_, receivers_;
  bool receivers_are_more_;
  GridRoute dealing_;   // between senders, by their numbers
  RankArray crossing_;  // has the numbers of the larger group
  Count dealing_passes_ = 0;
  std::vector<Count> places_;  // by target
  std::vector<Rank> at_place_;
};

std::optional<Count> GroupRoute::Group::number_of(Rank rank) const {
  const auto found = std::lower_bound(members.begin(), members.end(), rank);
  if (found == members.end() || *found != rank) return std::nullopt;
  return found - members.begin();
}

std::optional<Rank> GroupRoute::Group::member(std::optional<Count> number) const {
  return number ? std::optional(members[index(*number)]) : std::nullopt;
}

GroupRoute::GroupRoute(const Problem& problem, std::optional<Split> split, Bytes grain)
    : senders_{ranks_with_bytes(problem.ranks, [&](Rank rank) { return Traffic(problem).sent_bytes(rank); })},
      receivers_{ranks_with_bytes(problem.ranks, [&](Rank rank) { return Traffic(problem).received_bytes(rank); })},
      receivers_are_more_(receivers_.members.size() >= senders_.members.size()),
      dealing_(grid_of(senders_.places(), split, grain)),
      crossing_(grid_of(larger().places(), split, grain).array()),
      places_(index(problem.ranks)) {
  while (dealing_.is_dealing(dealing_passes_)) ++dealing_passes_;
  for (Count place = 0; place < size(receivers_.members); ++place)
    at_place_.push_back(receivers_.members[index(receivers_are_more_ ? crossing_.at_place(place) : place)]);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    if (!receivers_.number_of(rank)) at_place_.push_back(rank);
  for (Count place = 0; place < problem.ranks; ++place) places_[index(at_place(place))] = place;
}

std::string_view GroupRoute::name(Count pass) const {
  if (is_dealing(pass)) return dealing_.name(pass);
  return is_crossing(pass) ? "from senders to receivers" : "collect along columns";
}

// The member of the larger group that exchanges with a member of the smaller one in a column.
Rank GroupRoute::entry(Count number, Count column) const {
  return larger().members[index(crossing_.rank_at(number % crossing_.height(column), column))];
}

std::vector<SliceRoute::Meeting> GroupRoute::meetings(Count pass, Rank me) const {
  std::vector<Meeting> list;
  if (is_dealing(pass)) {
    const auto sender = senders_.number_of(me);
    for (const Meeting& meeting : dealing_.meetings(pass, sender.value_or(0)))
      list.push_back(sender ? Meeting{senders_.member(meeting.to), senders_.member(meeting.from)} : Meeting{});
    return list;
  }
  if (is_crossing(pass)) return crossings(me);
  const auto number = larger().number_of(me);
  const auto other = [&](std::optional<Count> of) { return of == number ? std::nullopt : larger().member(of); };
  for (Count step = 1; step <= crossing_.column_steps(); ++step)
    list.push_back(number ? Meeting{other(crossing_.column_receiver(*number, step)), other(crossing_.column_sender(*number, step))}
                          : Meeting{});
  return list;
}

// A member of the smaller group has one message for each column. Members with the same entry in a column have numbers that differ
// by multiples of the column's height. So member b meets its entry in column c in round c + b / h, modulo the number of rounds,
// where h is the least height. Two members that meet the same entry of a column have different values of b / h, so they meet it
// in different rounds.
std::vector<SliceRoute::Meeting> GroupRoute::crossings(Rank me) const {
  const Count columns = crossing_.columns(), least_height = crossing_.height(columns - 1);
  std::vector<Meeting> list(index(std::max(columns, ceil_divide(smaller().places(), least_height))));
  const auto meet = [&](Count number, Count column, Rank with, bool sends) {
    Meeting& meeting = list[index((column + number / least_height) % size(list))];
    if (with != me) (sends ? meeting.to : meeting.from) = with;
  };
  if (larger().members.empty()) return list;
  if (const auto number = smaller().number_of(me))
    for (Count column = 0; column < columns; ++column) meet(*number, column, entry(*number, column), receivers_are_more_);
  if (const auto place = larger().number_of(me)) {
    const Count column = crossing_.column_of(*place), height = crossing_.height(column);
    for (Count number = crossing_.row_of(*place); number < size(smaller().members); number += height)
      meet(number, column, smaller().members[index(number)], !receivers_are_more_);
  }
  return list;
}

void GroupRoute::deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  if (held.empty()) return;
  if (is_dealing(pass)) {
    dealing_.deal(pass, *senders_.number_of(me), held,
                  [&](const HeldSlice& slice, Count number) { hand(slice, *senders_.member(number)); });
    return;
  }
  for (const HeldSlice& slice : held) {
    if (pass == passes() - 1) {
      hand(slice, slice.target);
      continue;
    }
    const Count sender = *senders_.number_of(me), receiver = *receivers_.number_of(slice.target);
    hand(slice, receivers_are_more_ ? entry(sender, crossing_.column_of(receiver)) : entry(receiver, crossing_.column_of(sender)));
  }
}

Parameter stages_parameter() {
  return {.name = "stages",
          .summary = "four: the senders deal out all data among themselves first; two: each sends its own data",
          .standard = "four",
          .choices = {"four", "two"},
          .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
            return {"four", "two"};
          }};
}

Result<> has_groups(const Problem& problem, const Parameters&) {
  const Traffic traffic(problem);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    if (traffic.sent_bytes(rank) == 0 || traffic.received_bytes(rank) == 0) return {};
  return cannot("every rank sends something and receives something; then four-stage and grid have fewer rounds");
}

std::shared_ptr<const Analysis> analyse_groups(const Problem& problem, const Parameters& parameters) {
  const Bytes grain = number(parameters, "grain");
  const auto split = word(parameters, "stages") == "four" ? std::optional(Split::chain) : std::nullopt;
  return replay_route(problem, parameters, std::make_shared<GroupRoute>(problem, split, grain), grain);
}

}  // namespace

extern const Algorithm alltoallv_groups{
    .collective = Collective::alltoallv,
    .id = "groups",
    .summary = "from the ranks that send to those that receive, in an array of each: deal among senders, collect among receivers",
    .picture =
        "Three ranks have something to send, and only the other five receive. When all know the counts, the senders deal the data "
        "out among themselves, then it crosses, and the receivers collect it among themselves. The rounds with data depend on the "
        "sizes of these two groups, not on the number of all ranks.",
    .picture_problem = "--ranks 8 --block 64B --pattern groups:3",
    .needs = "a rank that sends nothing or receives nothing",
    .source = "liu2002, section 5",
    .parameters = {stages_parameter(), grain_parameter(), counts_of_all_parameter()},
    .generate = program_by_route,
    .applies = has_groups,
    .analyse = analyse_groups,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
