// SPDX-License-Identifier: BSD-3-Clause
// The route of an irregular exchange from a group of senders to a group of receivers [liu2002, section 5]: the stages of A4, with
// each group in an array of its own. The senders deal all data out among themselves, along the rows and columns of their array.
// Then data crosses to the receivers and moves along the columns of the larger group's array:
//   more receivers   a sender has one message for each column, to the receiver there that is its *entry*; this one forwards data
//                    along its column.
//   more senders     the reverse: along its column, data moves to the *entry* of its target, which sends it there.
// The entry of the smaller group's member b in a column of height h is in row b mod h. The groups may overlap; ranks of neither
// group take no part.
#pragma once

#include "collectives/slices/grid_route.hpp"

namespace quadrille {

class GroupRoute : public SliceRoute {
 public:
  // The senders and the receivers are the ranks that send, or receive, any byte. Without `split`, nothing is dealt out.
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
    Count places() const { return std::max<Count>(size(members), 1); }  // of an array for them
  };

  bool is_dealing(Count pass) const { return pass < dealing_passes_; }
  bool is_crossing(Count pass) const { return pass == dealing_passes_ + (receivers_are_more_ ? 0 : 1); }
  const Group& larger() const { return receivers_are_more_ ? receivers_ : senders_; }
  const Group& smaller() const { return receivers_are_more_ ? senders_ : receivers_; }
  Rank entry(Count number, Count column) const;
  std::vector<Meeting> crossings(Rank me) const;

  Group senders_, receivers_;
  bool receivers_are_more_;
  GridRoute dealing_;   // of the senders' numbers
  RankArray crossing_;  // of the larger group's numbers
  Count dealing_passes_ = 0;
  std::vector<Count> places_;  // by target
  std::vector<Rank> at_place_;
};

}  // namespace quadrille
