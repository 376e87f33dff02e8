// SPDX-License-Identifier: BSD-3-Clause
#include "verify/causes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "foundation/assert.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"
#include "verify/memory_rules.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_proven_repairs = 4;

// Sorted runs of one buffer, without bytes that occur twice.
std::vector<Run> united(const std::vector<Run>& runs) {
  std::vector<Run> list;
  for (const Run& run : runs)
    if (!list.empty() && run.first <= list.back().last)
      list.back().last = std::max(list.back().last, run.last);
    else
      list.push_back(run);
  return list;
}

// Returns the list of regions in `copies` that corresponds to `regions` in `programs`.
Regions* found_again(const Regions* regions, const std::vector<Program>& programs, std::vector<Program>& copies, Rank rank) {
  const Program& program = programs[index(rank)];
  for (std::size_t r = 0; r < program.rounds.size(); ++r) {
    const Round& round = program.rounds[r];
    Round& copy = copies[index(rank)].rounds[r];
    for (std::size_t i = 0; i < round.locals.size(); ++i) {
      if (&round.locals[i].source == regions) return &copy.locals[i].source;
      if (&round.locals[i].target == regions) return &copy.locals[i].target;
    }
    for (std::size_t i = 0; i < round.sends.size(); ++i)
      if (&round.sends[i].regions == regions) return &copy.sends[i].regions;
    for (std::size_t i = 0; i < round.receives.size(); ++i)
      if (&round.receives[i].regions == regions) return &copy.receives[i].regions;
  }
  return nullptr;
}

// Whether two operations are likely to have the same regions: if they have the same sender and different receivers, or different
// senders and the same distance or exclusive or.
bool are_comparable(const NamedOperation& a, const NamedOperation& b, Count ranks) {
  if (a.kind != b.kind || a == b) return false;
  if (a.from == b.from) return a.to != b.to;
  return (a.to - a.from - b.to + b.from) % ranks == 0 || (a.from ^ a.to) == (b.from ^ b.to);
}

Count same_regions(const ByteFlow& flow, std::size_t operation, const Regions& regions, bool reads, Count ranks) {
  Count count = 0;
  for (const TimedOperation& other : flow.operations()) {
    const Regions* its = reads ? other.source : other.target;
    if (its != nullptr && *its == regions && are_comparable(other.name, flow.operations()[operation].name, ranks)) ++count;
  }
  return count;
}

// Bytes of a program's scratch that are both written and read.
Bytes used_scratch(const Program& program) {
  Regions reads, writes;
  const auto add = [](Regions& list, const Regions& regions) {
    for (const Region& region : regions)
      if (region.buffer == Buffer::scratch) list.push_back(region);
  };
  for (const Round& round : program.rounds) {
    for (const Local& local : round.locals) add(reads, local.source), add(writes, local.target);
    for (const Message& send : round.sends) add(reads, send.regions);
    for (const Message& receive : round.receives) add(writes, receive.regions);
  }
  const std::vector<Run> read = united(sorted_runs(reads)), written = united(sorted_runs(writes));
  Bytes used = 0;
  for (auto r = read.begin(), w = written.begin(); r != read.end() && w != written.end();) {
    used += std::max<Bytes>(0, std::min(r->last, w->last) - std::max(r->first, w->first));
    (r->last < w->last ? r : w)++;
  }
  return used;
}

std::optional<Repaired> repaired(const Schedule& schedule, const ByteFlow& flow, std::size_t operation,
                                 const std::vector<const Suspicions*>& suspicions, const Repair& repair, std::size_t most) {
  const TimedOperation& timed = flow.operations()[operation];
  const Regions* before = repair.reads ? timed.source : timed.target;
  if (before == nullptr) return std::nullopt;
  std::vector<Program> programs = flow.programs();
  Regions* moved_regions = found_again(before, flow.programs(), programs, repair.reads ? timed.name.from : timed.name.to);
  QUADRILLE_ASSERT(moved_regions != nullptr);
  Regions& after = *moved_regions;
  std::set<std::size_t> moved;
  for (const Suspicions* each : suspicions)
    for (const Suspicion& suspicion : each->places) {
      if (repair_for(suspicion) != repair) continue;
      const auto region = std::find_if(before->begin(), before->end(), [&](const Region& candidate) {
        return touches(candidate, repair.reads ? suspicion.origin : suspicion.copy);
      });
      if (region != before->end()) moved.insert(static_cast<std::size_t>(region - before->begin()));
    }
  for (const std::size_t i : moved) {
    after[i].buffer = repair.buffer;
    after[i].offset += repair.by;
  }
  Schedule changed = schedule;
  changed.symmetry.reset();
  changed.program = [&](Rank rank) { return programs[index(rank)]; };
  VerifyOptions options;
  options.policies.clear();
  options.most_findings = most;
  const std::vector<Finding> findings = verify(changed, options);
  if (std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.rule == Rule::out_of_buffer; }))
    return std::nullopt;
  return Repaired{repair, findings.size(),
                  same_regions(flow, operation, *before, repair.reads, schedule.problem.ranks) -
                      same_regions(flow, operation, after, repair.reads, schedule.problem.ranks),
                  used_scratch(programs[index(repair.reads ? timed.name.from : timed.name.to)])};
}

// Limits on suspects whose repair is tried, and on operations that are replayed for these repairs.
constexpr std::size_t most_repairs = 6;
constexpr Count most_rounds = 4096;              // in which a missing operation is sought
constexpr Count most_replayed = Count{1} << 18;  // about a second

int likelihood(CauseKind kind) {
  if (kind == CauseKind::wrong_receiver || kind == CauseKind::wrong_sender) return 0;
  return kind == CauseKind::missing ? 1 : 2;
}

}  // namespace

Repair repair_for(const Suspicion& suspicion) {
  const bool reads = suspicion.kind == CauseKind::wrong_source;
  const BytePlace &from = reads ? suspicion.origin : suspicion.copy, &to = reads ? suspicion.copy : suspicion.origin;
  return {reads, to.buffer, to.offset - from.offset};
}

std::optional<Repaired> best_repair(const Schedule& schedule, const ByteFlow& flow, std::size_t operation,
                                    const std::vector<const Suspicions*>& suspicions, std::size_t most) {
  std::map<Repair, std::size_t> asked;
  for (const Suspicions* each : suspicions) {
    std::set<Repair> here;
    for (const Suspicion& suspicion : each->places) here.insert(repair_for(suspicion));
    for (const Repair& repair : here) ++asked[repair];
  }
  std::vector<std::pair<std::size_t, Repair>> repairs;
  for (const auto& [repair, times] : asked) repairs.emplace_back(times, repair);
  std::stable_sort(repairs.begin(), repairs.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (repairs.size() > most_proven_repairs) repairs.resize(most_proven_repairs);
  std::optional<Repaired> best;
  for (const auto& [times, repair] : repairs) {
    const auto result = repaired(schedule, flow, operation, suspicions, repair, most);
    if (result && (!best || std::pair(result->left, result->irregular) < std::pair(best->left, best->irregular))) best = result;
  }
  return best;
}

std::vector<Stage> all_stages(const std::vector<Program>& programs) {
  std::vector<Stage> stages = programs.front().stages;
  std::optional<std::pair<Count, Count>> rounds;  // the first and the last
  for (const Program& program : programs)
    for (const Round& round : program.rounds)
      if (round.number >= 0)
        rounds = rounds ? std::pair(std::min(rounds->first, round.number), std::max(rounds->second, round.number))
                        : std::pair(round.number, round.number);
  if (rounds)
    if (const auto count = checked_sum(rounds->second - rounds->first, Count{1})) stages.push_back({"", rounds->first, *count});
  return stages;
}

Investigation::Investigation(const Schedule& wrong_schedule, const std::vector<Finding>& its_findings)
    : schedule(wrong_schedule), findings(its_findings), assigned(findings.size(), false) {}

void Investigation::measure(SetSizes& sizes) const {
  for (const TimedOperation& timed : flow.operations()) count_in(sizes, timed.name, stages, ranks);
}

bool SuspectChoice::operator<(const SuspectChoice& other) const {
  const auto key = [](const SuspectChoice& choice) {
    const bool is_set = choice.suspects.size() > 1;
    return std::tuple(choice.findings, is_set && !choice.round, is_set ? -size(choice.suspects) : 0, choice.likelihood, choice.fit,
                      choice.copied, -choice.all, -choice.rounds);
  };
  return key(*this) < key(other);
}

Choices::Choices(Investigation& known) : known_(known) {
  list_suspects();
  list_sets();
}

void Choices::list_suspects() {
  std::map<Suspect, std::vector<std::size_t>> list;
  for (std::size_t i = 0; i < known_.wrong.size(); ++i) {
    known_.budget.charge(size(known_.wrong[i].suspects) * 8);
    for (const auto& [suspect, suspicion] : known_.wrong[i].suspects) list[suspect].push_back(i);
  }
  for (auto& [suspect, wrong] : list) {
    std::vector<Explained::Rounds> rounds;
    for (const std::size_t i : suspect.operation ? std::vector<std::size_t>{} : wrong) {
      const Suspicion& found = known_.wrong[i].suspects.at(suspect).first;
      rounds.push_back({known_.flow.round_of(found.since), known_.flow.round_of(found.until)});
    }
    suspects_.push_back({suspect, std::move(wrong), std::move(rounds)});
  }
}

// The round of a missing operation is not known, and one might be missing at each rank.
void Choices::list_sets() {
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const auto& [number, from, to] = suspects_[i].suspect;
    const auto kind = from == to ? NamedOperation::Kind::copy : NamedOperation::Kind::message;
    const NamedOperation missing{before_all, kind, from, to};
    for (const Likeness& likeness : number ? likenesses(known_.flow.operations()[*number].name, known_.stages, known_.ranks)
                                           : likenesses(missing, {}, known_.ranks))
      if (number || likeness.between != Likeness::Between::any) sets_[likeness].members.push_back(i);
  }
  std::erase_if(sets_, [](const auto& set) { return set.second.members.size() < 2; });
  SetSizes sizes;
  for (const auto& [likeness, set] : sets_) sizes[likeness] = 0;
  known_.measure(sizes);
  for (auto& [likeness, set] : sets_) {
    const bool of_a_rank = likeness.between == Likeness::Between::sender || likeness.between == Likeness::Between::receiver;
    set.all = likeness.first_round != before_all ? sizes[likeness] : known_.ranks - (of_a_rank ? 1 : 0);
    for (const std::size_t i : set.members) set.bound += suspects_[i].wrong.size();
  }
}

std::optional<SuspectChoice> Choices::best() {
  std::vector<SuspectChoice> singles;
  for (std::size_t i = 0; i < suspects_.size(); ++i)
    if (SuspectChoice choice = choice_of(i); choice.findings > 0) singles.push_back(std::move(choice));
  if (singles.empty()) return std::nullopt;
  SuspectChoice best = *std::max_element(singles.begin(), singles.end());
  std::size_t most_of_one = 0;  // the most findings that an existing operation explains
  for (const SuspectChoice& choice : singles)
    if (!choice.round) most_of_one = std::max(most_of_one, choice.findings);
  std::vector<std::pair<const Likeness, SuspectSet>*> sets;
  for (auto& set : sets_)
    if (set.second.bound > best.findings) sets.push_back(&set);
  std::stable_sort(sets.begin(), sets.end(), [](const auto* a, const auto* b) { return a->second.bound > b->second.bound; });
  const std::size_t least = best.findings + 1;
  for (auto* set : sets) {
    if (set->second.bound < std::max(least, best.findings)) break;
    SuspectChoice choice = choice_of(set->first, set->second);
    // Missing operations explain everything that a rank lacks. They are believed only if each of them explains as much as an
    // existing operation.
    if (choice.round && choice.findings < most_of_one * choice.suspects.size()) continue;
    if (choice.findings >= least) best = std::max(best, std::move(choice));
  }
  return best.suspects.size() == 1 ? best_repaired(std::move(singles)) : best;
}

SuspectChoice Choices::best_repaired(std::vector<SuspectChoice> choices) {
  std::stable_sort(choices.begin(), choices.end(), [](const SuspectChoice& a, const SuspectChoice& b) { return b < a; });
  const std::size_t enough = choices.front().findings / 2 + 1;
  std::erase_if(choices, [&](const SuspectChoice& choice) { return choice.findings < enough; });
  if (choices.size() > most_repairs) choices.resize(most_repairs);
  replayed_ += (size(choices) - 1) * size(known_.flow.operations());
  if (choices.size() == 1 || replayed_ > most_replayed) return choices.front();
  SuspectChoice* best = nullptr;
  std::tuple<std::size_t, bool, Count, Bytes> fewest;
  for (SuspectChoice& choice : choices) {
    const std::size_t left = left_without(choice);
    const std::optional<Repaired>& repair = choice.repair;  // a tried repair is preferred
    const std::tuple now{left, !repair, repair ? repair->irregular : 0, repair ? -repair->used_scratch : 0};
    if (best == nullptr || now < fewest) best = &choice, fewest = now;
  }
  return *best;
}

std::size_t Choices::left_without(SuspectChoice& choice) const {
  const auto& [suspect, list, rounds] = suspects_[choice.suspects.front()];
  std::vector<const Suspicions*> suspicions;
  for (const std::size_t wrong : list)
    if (is_open(wrong)) suspicions.push_back(&known_.wrong[wrong].suspects.at(suspect));
  const std::size_t count = known_.findings.size();
  if (suspect.operation) choice.repair = best_repair(known_.schedule, known_.flow, *suspect.operation, suspicions, count + 1);
  return choice.repair ? choice.repair->left : count - choice.findings;
}

// For missing operations: the first of the rounds in which most open findings expect them.
std::optional<Count> Choices::busiest_round(const std::vector<std::size_t>& suspects) const {
  std::map<Count, Count> changes;  // by round: how many more findings expect them in it than in the round before
  for (const std::size_t i : suspects)
    for (std::size_t k = 0; k < suspects_[i].rounds.size(); ++k)
      if (is_open(suspects_[i].wrong[k])) {
        ++changes[suspects_[i].rounds[k].first];
        --changes[suspects_[i].rounds[k].last + 1];
      }
  std::optional<Count> best;
  Count now = 0, most = 0;
  for (const auto& [round, change] : changes)
    if (now += change; now > most) most = now, best = round;
  return best;
}

SuspectChoice Choices::choice_of(std::size_t i) {
  const Explained& explained = suspects_[i];
  known_.budget.charge(size(explained.wrong));
  SuspectChoice choice{{i}, 0, 0, busiest_round({i}), 0, before_all, 1, 1, "", {}};
  for (std::size_t k = 0; k < explained.wrong.size(); ++k) {
    if (!is_open(explained.wrong[k]) || !explained.explains(k, choice.round)) continue;
    const Suspicion& found = known_.wrong[explained.wrong[k]].suspects.at(explained.suspect).first;
    if (choice.findings++ == 0) choice.copied = found.copied;
    choice.likelihood = std::max(choice.likelihood, likelihood(found.kind));
  }
  if (choice.round) choice.fit = expected(i, *choice.round).fit;
  return choice;
}

const Expected& Choices::expected(std::size_t i, Count round) {
  const auto [known, fresh] = expected_.try_emplace({i, round});
  Expected& best = known->second;
  if (!fresh) return best;
  if (!patterns_) {
    std::vector<NamedOperation> names;
    for (const TimedOperation& timed : known_.flow.operations()) names.push_back(timed.name);
    patterns_.emplace(std::move(names), known_.ranks);
  }
  const auto& [suspect, list, rounds] = suspects_[i];
  best = {0, before_all, never};
  for (std::size_t k = 0; k < list.size(); ++k)
    if (suspects_[i].explains(k, round))
      best.first = std::max(best.first, rounds[k].first), best.last = std::min(best.last, rounds[k].last);
  const auto kind = suspect.from == suspect.to ? NamedOperation::Kind::copy : NamedOperation::Kind::message;
  const Count last = std::min(best.last, best.first + most_rounds);
  known_.budget.charge(8 * (last - best.first + 1));
  for (Count each = best.first; each <= last; ++each)
    best.fit = std::max(best.fit, patterns_->fit({each, kind, suspect.from, suspect.to}));
  return best;
}

// The choice of the members that explain findings. It is empty if they are too few for one mistake, or if less than half of them
// explain findings that the others do not explain.
SuspectChoice Choices::choice_of(const Likeness& likeness, SuspectSet& set) {
  const std::optional<Count> round = busiest_round(set.members);
  std::vector<SuspectChoice> members;
  for (const std::size_t i : set.members) members.push_back(choice_of(i));
  std::stable_sort(members.begin(), members.end(),
                   [](const SuspectChoice& a, const SuspectChoice& b) { return a.findings > b.findings; });
  SuspectChoice choice{{}, 0, 0, round, 0, before_all, set.all, likeness.last_round - likeness.first_round + 1, "", {}};
  std::vector<bool> explained(known_.wrong.size(), false);
  Count needed = 0;
  for (const SuspectChoice& member : members) {
    const Explained& its = suspects_[member.suspects.front()];
    std::size_t more = 0, any = 0;
    for (std::size_t k = 0; k < its.wrong.size(); ++k)
      if (is_open(its.wrong[k]) && its.explains(k, round)) {
        ++any;
        if (!explained[its.wrong[k]]) ++more;
        explained[its.wrong[k]] = true;
      }
    if (any == 0) continue;
    if (more > 0) ++needed;
    choice.suspects.push_back(member.suspects.front());
    choice.findings += more;
    choice.likelihood = std::max(choice.likelihood, member.likelihood);
    choice.fit = std::max(choice.fit, member.fit);
  }
  const Count found = size(choice.suspects);
  if (needed < 2 || 2 * needed < found || !is_systematic(likeness, found, set.all)) choice = {};
  set.bound = choice.findings;
  choice.text = text_of(likeness, found, set.all, known_.ranks);
  return choice;
}

}  // namespace quadrille
