// SPDX-License-Identifier: BSD-3-Clause
#include "projection/replay.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/assert.hpp"
#include "foundation/hash.hpp"
#include "projection/call_problem.hpp"
#include "projection/draws.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

// The ranks of a replay: how each entry of a recording changes a rank's times, and which ranks may continue.
class Walk {
 public:
  // `first` and `last`: the sides whose times are followed.
  Walk(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, const ReplayPart& part, std::size_t first,
       std::size_t last);

  // Reads the rank's next entry. Returns false at the end.
  bool take(std::size_t rank);
  const RecordedCall& entry(std::size_t rank) const { return players_[rank].entry; }
  double computing_s(std::size_t rank) const { return players_[rank].entry.gap_s * options_.computing; }
  double away_s(std::size_t rank) const { return players_[rank].entry.away_s * options_.away; }

  // The rank has spent this many seconds in this part.
  void pass(std::size_t side, std::size_t rank, ProjectedPart part, double seconds) { pass(side, rank, part, seconds, {}); }
  double now_s(std::size_t side, std::size_t rank) const { return replayed_.ranks[side][rank].now_s; }

  // Does the call of the rank's entry. Returns false if the rank has to wait for others. Appends to `released` ranks that waited
  // and no longer have to.
  bool act(std::size_t rank, std::vector<std::size_t>& released);

  Count taken() const { return taken_; }
  Replayed finish() &&;

 private:
  // A nonblocking collective that the rank has started and not completed.
  struct Started {
    std::uint32_t site;
    MatchedCall* call;
    std::size_t member;
  };
  struct Player {
    RecordedCalls calls;
    RecordedCall entry;
    std::vector<Started> started;
    Count taken = 0;
    std::unordered_map<std::uint32_t, double> gaps_s;  // by site: a gap that has changed places with a later one
    const MatchedCall* waits_for = nullptr;
    bool has_ended = false;
    double recorded_s = 0;    // the end of the entry in the recorded run
    bool is_watched = false;  // is the entry in the watched window?
  };
  // The call in which time passes.
  struct Inside {
    const RecordedSite* site = nullptr;
    const MatchedCall* call = nullptr;
  };

  void pass(std::size_t side, std::size_t rank, ProjectedPart part, double seconds, const Inside& inside) {
    RankTimes& times = replayed_.ranks[side][rank];
    const double begin_s = times.now_s;
    times.now_s += seconds;
    times.parts[static_cast<std::size_t>(part)] += seconds;
    if (players_[rank].is_watched) tell(side, rank, part, begin_s, inside);
  }
  void tell(std::size_t side, std::size_t rank, ProjectedPart part, double begin_s, const Inside& inside) const;
  void as_recorded(std::size_t rank, ProjectedPart part);
  void unmatched(std::size_t rank);
  MatchedCall* enter(std::size_t rank, std::size_t& member, std::vector<std::size_t>& released);
  double drawn_gap(std::size_t rank, const RecordedCall& entry);
  void complete(MatchedCall& call, std::vector<std::size_t>& released);
  void set_exits(MatchedCall& call, std::size_t side, std::uint64_t number);
  void leave(MatchedCall& call, std::size_t rank, std::size_t member);
  std::optional<Started> take_started(std::size_t rank, std::uint32_t completion);

  const Recording& recording_;
  const ProjectionOptions& options_;
  CallPrices& prices_;
  const ReplayPart part_;
  const std::size_t first_, last_;
  Matching matching_;
  std::vector<Player> players_;
  std::vector<std::uint32_t> starts_;  // by site: of a completion the site of its start, of any other itself
  CallKinds kinds_;
  std::vector<std::uint64_t> calls_of_;  // by communicator: how many calls were complete
  std::vector<double> scaled_;           // used by set_exits
  Replayed replayed_;
  Count taken_ = 0;
};

Walk::Walk(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, const ReplayPart& part,
           std::size_t first, std::size_t last)
    : recording_(recording),
      options_(options),
      prices_(prices),
      part_(part),
      first_(first),
      last_(last),
      matching_(recording),
      starts_(starts_of(recording)),
      kinds_(recording) {
  for (const RecordedRank& rank : recording.ranks)
    players_.push_back({.calls = RecordedCalls(rank), .entry = {}, .started = {}, .gaps_s = {}});
  for (auto& times : replayed_.ranks) times.resize(players_.size());
  calls_of_.resize(recording.communicators.size());
  replayed_.unmatched.resize(recording.sites.size());
}

bool Walk::take(std::size_t rank) {
  Player& player = players_[rank];
  const auto next = player.taken < part_.most_entries ? player.calls.next() : std::nullopt;
  if (!next) {
    player.has_ended = true;
    return false;
  }
  player.entry = *next;
  ++taken_, ++player.taken;
  const PieceWatch& pieces = options_.pieces;
  player.is_watched = pieces.watch && player.recorded_s >= pieces.from_s && player.recorded_s < pieces.to_s;
  player.recorded_s += next->gap_s + next->away_s + next->duration_s;
  if (part_.draw) player.entry.gap_s = drawn_gap(rank, *next);
  return true;
}

// Another run has gaps of the same lengths, but not all at the same calls. So a gap may change places with an earlier one of its
// site, which keeps the sum. Gaps that differ by more than a factor of two belong to their steps, and stay. A folded recording has
// means in place of gaps; these vary by the deviation that it has kept.
double Walk::drawn_gap(std::size_t rank, const RecordedCall& entry) {
  Player& player = players_[rank];
  const RecordedRank& recorded = recording_.ranks[rank];
  if (recording_.is_folded) {
    const auto place = std::find(recorded.sites.begin(), recorded.sites.end(), entry.site) - recorded.sites.begin();
    const double deviation_s = recorded.times[static_cast<std::size_t>(place)].gap_deviation_s;
    return std::max(0.0, entry.gap_s + deviation_s * part_.draw->normal(recorded.rank, player.taken));
  }
  const auto [held, is_new] = player.gaps_s.try_emplace(entry.site, entry.gap_s);
  if (is_new) return entry.gap_s;
  const bool are_alike = held->second <= 2 * entry.gap_s && entry.gap_s <= 2 * held->second;
  if (are_alike && !part_.draw->swaps(recorded.rank, player.taken)) return entry.gap_s;
  const double earlier_s = std::exchange(held->second, entry.gap_s);
  return are_alike ? earlier_s : entry.gap_s;
}

void Walk::as_recorded(std::size_t rank, ProjectedPart part) {
  const RecordedCall& entry = players_[rank].entry;
  for (std::size_t side = first_; side < last_; ++side)
    pass(side, rank, part, entry.duration_s, {.site = &recording_.sites[entry.site]});
}

void Walk::unmatched(std::size_t rank) {
  UnmatchedCalls& sum = replayed_.unmatched[players_[rank].entry.site];
  ++sum.calls;
  sum.seconds += players_[rank].entry.duration_s;
  as_recorded(rank, ProjectedPart::collectives);
}

bool Walk::act(std::size_t rank, std::vector<std::size_t>& released) {
  Player& player = players_[rank];
  QUADRILLE_ASSERT(!player.waits_for && !player.has_ended);
  const RecordedSite& site = recording_.sites[player.entry.site];
  std::size_t member = 0;
  switch (site.kind) {
    case RecordedKind::point_to_point: as_recorded(rank, ProjectedPart::point_to_point); return true;
    case RecordedKind::making:
      if (!makes_together(site.function)) return as_recorded(rank, ProjectedPart::other), true;
      break;
    case RecordedKind::others: unmatched(rank); return true;
    case RecordedKind::start: {
      if (!matching_.is_matched(site.communicator)) return unmatched(rank), true;
      MatchedCall* const call = enter(rank, member, released);
      player.started.push_back({player.entry.site, call, member});
      as_recorded(rank, ProjectedPart::collectives);
      return true;
    }
    case RecordedKind::completion: {
      const auto started = take_started(rank, player.entry.site);
      if (!started) return unmatched(rank), true;
      if (started->call->is_complete()) return leave(*started->call, rank, started->member), true;
      started->call->waiting.push_back({static_cast<Rank>(rank), started->member});
      player.waits_for = started->call;
      return false;
    }
    case RecordedKind::collective: break;
  }
  if (!matching_.is_matched(site.communicator)) {
    if (site.kind == RecordedKind::making) return as_recorded(rank, ProjectedPart::other), true;
    return unmatched(rank), true;
  }
  MatchedCall* const call = enter(rank, member, released);
  if (call->is_complete()) return leave(*call, rank, member), true;
  call->waiting.push_back({static_cast<Rank>(rank), member});
  player.waits_for = call;
  return false;
}

MatchedCall* Walk::enter(std::size_t rank, std::size_t& member, std::vector<std::size_t>& released) {
  const RecordedCall& entry = players_[rank].entry;
  const std::size_t communicator = recording_.sites[entry.site].communicator;
  member = matching_.member_of(communicator, static_cast<Rank>(rank));
  MatchedCall& call = matching_.next(communicator, member);
  QUADRILLE_ASSERT(!call.is_complete());
  call.sites[member] = entry.site;
  call.shortest_s = std::min(call.shortest_s, entry.duration_s);
  if (recording_.sites[entry.site].kind == RecordedKind::start) call.starting_s += entry.duration_s;
  for (std::size_t side = first_; side < last_; ++side) call.entries[side][member] = now_s(side, rank);
  ++call.entered;
  if (call.is_complete()) complete(call, released);
  return &call;
}

void Walk::complete(MatchedCall& call, std::vector<std::size_t>& released) {
  call.priced = &prices_.of(call.communicator, call.sites, kinds_.next(call.sites.front()));
  const bool makes = recording_.sites[call.sites.front()].kind == RecordedKind::making;
  if (!makes) ++replayed_.calls;
  if (first_ == 0) ++call.priced->calls;
  const std::uint64_t number = hash_with(call.communicator, calls_of_[call.communicator]++);
  for (std::size_t side = first_; side < last_; ++side) {
    call.priced->inside_s[side] += call.starting_s;
    std::vector<double>& entries = call.entries[side];
    if (options_.without_late_ranks) {
      const double mean = std::accumulate(entries.begin(), entries.end(), 0.0) / static_cast<double>(entries.size());
      std::fill(entries.begin(), entries.end(), mean);
    }
    set_exits(call, side, number);
  }
  QUADRILLE_ASSERT(call.waiting.size() < call.sites.size());  // the last member does not wait
  for (const WaitingMember& waiting : call.waiting) {
    leave(call, index(waiting.rank), waiting.member);
    players_[index(waiting.rank)].waits_for = nullptr;
    released.push_back(index(waiting.rank));
  }
  call.waiting.clear();
}

// Delays times a factor are the delays among entries that are divided by it, as times since the first entry.
void Walk::set_exits(MatchedCall& call, std::size_t side, std::uint64_t number) {
  std::vector<double>&entries = call.entries[side], &exits = call.exits[side];
  const auto& by = call.priced->priced->by[side];
  call.factors[side] = 1;
  if (!by) return MemberTimes(call.shortest_s).exits(entries, exits);
  if (!part_.draw) return by->times.exits(entries, exits);
  const double factor = call.factors[side] = part_.draw->factor(*by, number);
  const double begin_s = *std::min_element(entries.begin(), entries.end());
  scaled_.clear();
  for (const double entry : entries) scaled_.push_back((entry - begin_s) / factor);
  by->times.exits(scaled_, exits);
  for (std::size_t i = 0; i < exits.size(); ++i) exits[i] = std::max(entries[i], begin_s + factor * exits[i]);
}

void Walk::leave(MatchedCall& call, std::size_t rank, std::size_t member) {
  const RecordedSite& site = recording_.sites[call.sites[member]];
  const RecordedKind kind = site.kind;
  const bool is_blocking = kind != RecordedKind::start, makes = kind == RecordedKind::making;
  for (std::size_t side = first_; side < last_; ++side) {
    const auto& by = call.priced->priced->by[side];
    const double entry = call.entries[side][member], exit = call.exits[side][member];
    QUADRILLE_ASSERT(exit >= entry);
    const double alone = by ? call.factors[side] * by->times.alone(member) : call.shortest_s;
    // Without late ranks all members enter at the mean time: the computing of later members becomes shorter, and that of earlier
    // members longer.
    if (options_.without_late_ranks && is_blocking) pass(side, rank, ProjectedPart::computing, entry - now_s(side, rank));
    const double rest = std::max(0.0, exit - now_s(side, rank));
    const double late = std::clamp(exit - entry - alone, 0.0, rest);  // time that passes because other ranks were late
    pass(side, rank, ProjectedPart::waiting, late, {&site, &call});
    pass(side, rank, makes ? ProjectedPart::other : ProjectedPart::collectives, rest - late, {&site, &call});
    call.priced->inside_s[side] += rest - late;
  }
  matching_.leave(call);
}

// If several collectives of one site are open, the oldest is completed.
std::optional<Walk::Started> Walk::take_started(std::size_t rank, std::uint32_t completion) {
  std::vector<Started>& started = players_[rank].started;
  const auto oldest =
      std::find_if(started.begin(), started.end(), [&](const Started& each) { return each.site == starts_[completion]; });
  if (oldest == started.end()) return std::nullopt;
  const Started found = *oldest;
  started.erase(oldest);
  return found;
}

void Walk::tell(std::size_t side, std::size_t rank, ProjectedPart part, double begin_s, const Inside& inside) const {
  ProjectedPiece piece{.side = static_cast<Implementation>(side),
                       .rank = static_cast<Rank>(rank),
                       .part = part,
                       .begin_s = begin_s,
                       .end_s = now_s(side, rank),
                       .site = inside.site};
  if (!(piece.end_s > piece.begin_s)) return;
  if (inside.call) {
    if (const auto& by = inside.call->priced->priced->by[side]) piece.algorithm = by->algorithm;
    const std::vector<double>& entries = inside.call->entries[side];
    const auto last = std::max_element(entries.begin(), entries.end()) - entries.begin();
    piece.last_rank = recording_.communicators[inside.call->communicator].members[static_cast<std::size_t>(last)];
  }
  options_.pieces.watch(piece);
}

Replayed Walk::finish() && {
  for (std::size_t rank = 0; rank < players_.size(); ++rank) {
    if (players_[rank].waits_for) replayed_.stuck.push_back(static_cast<Rank>(rank));
    if (!players_[rank].waits_for) continue;
    const MatchedCall& call = *players_[rank].waits_for;
    for (const Rank other : recording_.communicators[call.communicator].members)
      if (players_[index(other)].has_ended) replayed_.missed.push_back(other);
  }
  std::sort(replayed_.missed.begin(), replayed_.missed.end());
  replayed_.missed.erase(std::unique(replayed_.missed.begin(), replayed_.missed.end()), replayed_.missed.end());
  return std::move(replayed_);
}

constexpr Count entries_between_reports = 1 << 16;

// Processor sharing: while n ranks compute on c cores, each advances by min(1, c / n) seconds a second. All advance at the same
// rate, so a rank is done when the common progress has grown by the rank's work.
class SharedCores {
 public:
  SharedCores(Walk& walk, std::size_t side, std::size_t ranks, Count cores)
      : walk_(walk), side_(side), cores_(static_cast<double>(cores)) {
    for (std::size_t rank = 0; rank < ranks; ++rank) moments_.push({0, rank, Next::take});
  }

  void run(const std::function<void()>& report) {
    while (!moments_.empty() || !computing_.empty()) {
      const double rate = std::min(1.0, cores_ / std::max(1.0, static_cast<double>(computing_.size())));
      const double done_s = computing_.empty() ? 0 : now_s_ + std::max(0.0, computing_.top().at - progress_) / rate;
      const bool is_done = !computing_.empty() && (moments_.empty() || done_s <= moments_.top().at);
      const double next_s = is_done ? done_s : std::max(now_s_, moments_.top().at);
      progress_ += (next_s - now_s_) * rate;
      now_s_ = next_s;
      if (is_done)
        end_computing();
      else
        begin();
      if (walk_.taken() % entries_between_reports == 0) report();
    }
  }

 private:
  enum class Next : std::uint8_t { take, act };
  struct Moment {
    double at;  // when the rank is done, in seconds; for computing ranks, in common progress
    std::size_t rank;
    Next next;
    bool operator>(const Moment& other) const { return at > other.at; }
  };
  using Queue = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

  void end_computing() {
    const std::size_t rank = computing_.top().rank;
    computing_.pop();
    walk_.pass(side_, rank, ProjectedPart::computing, now_s_ - walk_.now_s(side_, rank));
    const double away_s = walk_.away_s(rank);
    if (!(away_s > 0)) return act(rank);
    walk_.pass(side_, rank, ProjectedPart::other, away_s);
    moments_.push({walk_.now_s(side_, rank), rank, Next::act});
  }

  void begin() {
    const Moment moment = moments_.top();
    moments_.pop();
    if (moment.next == Next::act) return act(moment.rank);
    if (const double late_s = now_s_ - walk_.now_s(side_, moment.rank); late_s > 0)
      walk_.pass(side_, moment.rank, ProjectedPart::waiting, late_s);
    if (walk_.take(moment.rank)) computing_.push({progress_ + walk_.computing_s(moment.rank), moment.rank, Next::act});
  }

  void act(std::size_t rank) {
    released_.clear();
    const bool goes_on = walk_.act(rank, released_);
    if (goes_on) released_.push_back(rank);
    for (const std::size_t each : released_) moments_.push({walk_.now_s(side_, each), each, Next::take});
  }

  Walk& walk_;
  const std::size_t side_;
  const double cores_;
  double now_s_ = 0, progress_ = 0;
  Queue moments_, computing_;
  std::vector<std::size_t> released_;
};

// A replay in which all ranks share a few cores: ranks that compute at the same time get equal parts of the cores' time. A rank
// never leaves a collective before the last member has entered it. Calls `report` regularly.
void walk_on_shared_cores(Walk& walk, std::size_t side, std::size_t ranks, Count cores, const std::function<void()>& report) {
  SharedCores(walk, side, ranks, cores).run(report);
}

double entries_of(const Recording& recording) {
  return std::accumulate(recording.ranks.begin(), recording.ranks.end(), 0.0,
                         [](double sum, const RecordedRank& rank) { return sum + static_cast<double>(rank.calls); });
}

// Each rank has a core, so the order in which ranks are replayed has no influence on their times.
void walk_freely(Walk& walk, std::size_t ranks, const std::function<void()>& report) {
  std::vector<std::size_t> ready(ranks);
  std::iota(ready.rbegin(), ready.rend(), std::size_t{0});
  while (!ready.empty()) {
    const std::size_t rank = ready.back();
    ready.pop_back();
    while (walk.take(rank)) {
      for (std::size_t side = 0; side < sides; ++side) {
        walk.pass(side, rank, ProjectedPart::computing, walk.computing_s(rank));
        walk.pass(side, rank, ProjectedPart::other, walk.away_s(rank));
      }
      if (walk.taken() % entries_between_reports == 0) report();
      if (!walk.act(rank, ready)) break;
    }
  }
}

}  // namespace

Replayed replay(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, const ReplayPart& part) {
  const std::size_t ranks = recording.ranks.size();
  const double entries = entries_of(recording);
  Count before = 0;  // the entries of earlier passes
  const bool shares_cores = options.total_cores > 0 && options.total_cores < static_cast<Count>(ranks);
  const auto report_of = [&](const Walk& walk) {
    return [&] {
      const double all = entries * (shares_cores ? 2 : 1);
      if (options.progress) options.progress(static_cast<double>(before + walk.taken()) / std::max(all, 1.0));
    };
  };
  if (!shares_cores) {
    Walk walk(recording, options, prices, part, 0, sides);
    walk_freely(walk, ranks, report_of(walk));
    return std::move(walk).finish();
  }
  BySide<Replayed> passes;
  for (std::size_t side = 0; side < sides; ++side) {
    Walk walk(recording, options, prices, part, side, side + 1);
    walk_on_shared_cores(walk, side, ranks, options.total_cores, report_of(walk));
    before = walk.taken();
    passes[side] = std::move(walk).finish();
  }
  QUADRILLE_ASSERT(passes[0].calls == passes[1].calls && passes[0].stuck == passes[1].stuck);
  passes[0].ranks[1] = std::move(passes[1].ranks[1]);
  return std::move(passes[0]);
}

}  // namespace quadrille::projection
