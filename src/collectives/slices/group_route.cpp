// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/group_route.hpp"

#include <algorithm>

#include "patterns/modulo.hpp"

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

}  // namespace

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
  while (dealing_.pass(dealing_passes_) == GridRoute::Pass::deal_along_rows ||
         dealing_.pass(dealing_passes_) == GridRoute::Pass::deal_along_columns)
    ++dealing_passes_;
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

// A member of the smaller group has one message for each column. Those that have the same entry in a column differ by multiples of
// its height. So member b meets its entry in column c in round c + b / h, modulo the number of rounds, where h is the least height.
// Two members that meet the same entry of a column have different values of b / h, so they meet it in different rounds.
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

}  // namespace quadrille
