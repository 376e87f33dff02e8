// SPDX-License-Identifier: BSD-3-Clause
#include "draw/focus.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count most_crossings = 128;  // of a round
constexpr Count least_ranks_of_sample = 24, sampled_ranks = 8, most_used_of_rank = 4;

// Returns true if the arrows of some round cross more often than anybody can follow.
bool is_tangle(const MessagesByRound& messages) {
  for (const auto& [number, sent] : messages) {
    Count crossings = 0;
    for (std::size_t i = 0; i < sent.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if ((sent[i].from < sent[j].from && sent[i].to > sent[j].to) || (sent[i].from > sent[j].from && sent[i].to < sent[j].to))
          if (++crossings > most_crossings) return true;
  }
  return false;
}

}  // namespace

Focus::Focus(Count ranks, const MessagesByRound& messages, std::optional<Rank> only_rank, Rank usual_rank)
    : rank_(only_rank), is_alone_(only_rank.has_value()) {
  if (only_rank && (*only_rank < 0 || *only_rank >= ranks))
    throw Error(ErrorCode::misuse, fmt::format("there is no rank {}; the ranks are 0 to {}", *only_rank, ranks - 1));
  if (only_rank || !is_tangle(messages)) return;
  take(usual_rank, ranks);
}

Focus::Focus(const Topology& topology, Rank usual_rank, Count used) : is_of_links_(true) {
  const Count ranks = topology.ranks();
  is_on_used_ = used <= most_used_of_rank * ranks;
  if (ranks >= least_ranks_of_sample && topology.link_count() > ranks * ranks / 2) take(usual_rank, ranks);
}

void Focus::take(Rank rank, Count ranks) {
  rank_ = rank;
  if (ranks >= least_ranks_of_sample) every_ = (ranks + sampled_ranks - 1) / sampled_ranks;
}

Emphasis Focus::of(Rank from, Rank to) const {
  if (!rank_ || from == *rank_ || to == *rank_) return Emphasis::strong;
  return !is_alone_ && from % every_ == 0 ? Emphasis::faint : Emphasis::absent;
}

Emphasis Focus::of_link(const Link& link, bool is_used) const {
  if (!rank_) return Emphasis::strong;
  if (is_on_used_) return is_used ? Emphasis::strong : link.from % every_ == 0 ? Emphasis::faint : Emphasis::absent;
  const Emphasis of_ends = of(link.from, link.to);
  return of_ends == Emphasis::strong && !is_used ? Emphasis::faint : of_ends;
}

std::string Focus::explanation() const {
  if (!rank_) return "";
  if (is_alone_) return fmt::format("only what rank {} sends and receives", *rank_);
  if (is_of_links_ && is_on_used_)
    return fmt::format(
        "strong: the links that carry messages; faint: a sample of the others, those that leave ranks 0, {}, {} and so on", every_,
        2 * every_);
  if (is_of_links_)
    return fmt::format(
        "strong: the used links of rank {}; faint: a sample of the others, those that leave ranks 0, {}, {} and so "
        "on",
        *rank_, every_, 2 * every_);
  const std::string others =
      every_ == 1 ? "all other messages"
                  : fmt::format("a sample of the other messages, those that ranks 0, {}, {} and so on send", every_, 2 * every_);
  return fmt::format("strong: what rank {} sends and receives; faint: {}", *rank_, others);
}

}  // namespace quadrille
