// SPDX-License-Identifier: BSD-3-Clause
// Chooses the causes of findings among the suspects (suspects.hpp).
//
// Operations that were not finished are certainly wrong, so they come first. Then the suspect that explains most findings is taken
// as the cause of these, and so on with the rest. If most operations of a set (likeness.hpp) are suspect, each of findings that the
// others do not explain, then the set is one suspect: one mistake that was made at every rank.
#include "quadrille/fault_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "verify/byte_flow.hpp"
#include "verify/finding_list.hpp"
#include "verify/likeness.hpp"
#include "verify/repair.hpp"
#include "verify/suspects.hpp"

namespace quadrille {
namespace {

// The wrong bytes that a suspect explains, as indices.
struct Explained {
  Suspect suspect;
  std::vector<std::size_t> wrong;
};

// Suspects with a likeness, as indices.
struct SuspectSet {
  std::vector<std::size_t> members;
  Count all = 0;          // operations of the schedule with this likeness
  std::size_t bound = 0;  // at least the number of findings that the members explain
};

// A missing operation: how well it would fit into the schedule, and the rounds in which it may have been expected.
struct Expected {
  Count fit = 0;
  Count first = 0, last = 0;
};

// One suspect or several that are alike.
struct Choice {
  std::vector<std::size_t> suspects;  // those first that explain most
  std::size_t findings = 0;
  int likelihood = 0;
  bool is_missing = false;
  Count fit = 0;              // how well a missing operation would fit
  Count copied = before_all;  // missing: since when the byte was where it stayed
  Count all = 1;
  Count rounds = 1;              // from the first to the last of the set
  std::string text;              // which are alike
  std::optional<Repair> repair;  // if repairs were tried: the best
  // Of sets that explain as much, the smallest one of existing operations is best, because a missing operation explains whatever a
  // rank lacks.
  bool operator<(const Choice& other) const {
    const auto key = [](const Choice& choice) {
      const bool is_set = choice.suspects.size() > 1;
      return std::tuple(choice.findings, is_set && !choice.is_missing, is_set ? -size(choice.suspects) : 0, choice.likelihood,
                        choice.fit, choice.copied, -choice.all, -choice.rounds);
    };
    return key(*this) < key(other);
  }
};

// Suspects whose repair is tried, repairs of each, and the operations that are replayed for them.
constexpr std::size_t most_repairs = 6, most_repairs_each = 4;
constexpr Count most_replayed = Count{1} << 18;  // about a second

int likelihood(CauseKind kind) {
  if (kind == CauseKind::wrong_receiver || kind == CauseKind::wrong_sender) return 0;
  return kind == CauseKind::missing ? 1 : 2;
}

class Search {
 public:
  Search(const Schedule& schedule, const std::vector<Finding>& findings)
      : schedule_(schedule),
        ranks_(schedule.problem.ranks),
        findings_(findings),
        flow_(schedule),
        stages_(schedule.program(0).stages),
        assigned_(findings.size(), false),
        wrong_(wrong_bytes(schedule, findings, flow_, budget_)) {}

  std::vector<FaultCause> run() {
    list_suspects();
    list_sets();
    take_unfinished();
    while (take_best()) {}
    take_rules();
    for (FaultCause& cause : causes_) std::sort(cause.findings.begin(), cause.findings.end());
    const auto key = [&](const FaultCause& cause) {
      int urgency = 0;
      for (const std::size_t i : cause.findings) urgency = std::max(urgency, quadrille::urgency(findings_[i].rule));
      return std::pair(urgency, cause.kind == CauseKind::rule ? 0 : cause.findings.size());
    };
    std::stable_sort(causes_.begin(), causes_.end(), [&](const FaultCause& a, const FaultCause& b) { return key(a) > key(b); });
    return std::move(causes_);
  }

 private:
  const NamedOperation& operation(std::size_t i) const { return flow_.operations()[i].name; }

  void list_suspects() {
    std::map<Suspect, std::vector<std::size_t>> list;
    for (std::size_t i = 0; i < wrong_.size(); ++i) {
      budget_.charge(size(wrong_[i].suspects) * 8);
      for (const auto& [suspect, suspicion] : wrong_[i].suspects) list[suspect].push_back(i);
    }
    for (auto& [suspect, wrong] : list) suspects_.push_back({suspect, std::move(wrong)});
  }

  // Missing operations have no round, and there might be one at each rank.
  void list_sets() {
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      const auto& [number, from, to] = suspects_[i].suspect;
      const auto kind = from == to ? NamedOperation::Kind::copy : NamedOperation::Kind::message;
      const NamedOperation missing{before_all, kind, from, to};
      for (const Likeness& likeness : number ? likenesses(operation(*number), stages_, ranks_) : likenesses(missing, {}, ranks_))
        if (number || likeness.between != Likeness::Between::any) sets_[likeness].members.push_back(i);
    }
    std::erase_if(sets_, [](const auto& set) { return set.second.members.size() < 2; });
    SetSizes sizes;
    for (const auto& [likeness, set] : sets_) sizes[likeness] = 0;
    measure(sizes);
    for (auto& [likeness, set] : sets_) {
      set.all = likeness.first_round == before_all ? missing_size(likeness) : sizes[likeness];
      for (const std::size_t i : set.members) set.bound += suspects_[i].wrong.size();
    }
  }

  Count missing_size(const Likeness& likeness) const {
    const bool of_a_rank = likeness.between == Likeness::Between::sender || likeness.between == Likeness::Between::receiver;
    return of_a_rank ? ranks_ - 1 : ranks_;
  }

  void measure(SetSizes& sizes) const {
    for (const TimedOperation& timed : flow_.operations()) count_in(sizes, timed.name, stages_, ranks_);
  }

  // Takes operations that were not finished as one cause if they are of the same round and share their sender or receiver.
  void take_unfinished() {
    std::set<std::size_t> unfinished;
    for (const UnfinishedEnd& end : flow_.unfinished()) unfinished.insert(end.operation);
    const std::vector<std::size_t> numbers(unfinished.begin(), unfinished.end());
    std::vector<NamedOperation> names;
    std::vector<std::pair<std::size_t, std::size_t>> together;
    std::map<std::tuple<Count, bool, Rank>, std::size_t> known;
    for (const std::size_t number : numbers) {
      const NamedOperation& name = operation(number);
      for (const bool sends : {true, false})
        if (const auto [first, fresh] = known.try_emplace({name.round, sends, sends ? name.from : name.to}, names.size()); !fresh)
          together.emplace_back(first->second, names.size());
      names.push_back(name);
    }
    for (const AlikeGroup& group : alike_groups(names, together, stages_, ranks_, [&](SetSizes& sizes) { measure(sizes); }))
      take_group(group, numbers);
  }

  void take_group(const AlikeGroup& group, const std::vector<std::size_t>& numbers) {
    FaultCause cause;
    cause.kind = CauseKind::unfinished;
    std::set<std::pair<Count, Rank>> places;
    std::set<std::size_t> operations;
    std::vector<NamedOperation> names;
    for (const std::size_t member : group.members) {
      names.push_back(operation(numbers[member]));
      places.insert({{names.back().round, names.back().from}, {names.back().round, names.back().to}});
      operations.insert(numbers[member]);
    }
    const auto is_strange = [&](const NamedOperation& name) {
      return std::max(name.from, name.to) >= ranks_ || std::min(name.from, name.to) < 0;
    };
    const auto strange = std::find_if(names.begin(), names.end(), is_strange);
    std::iter_swap(names.begin(), strange == names.end() ? names.begin() : strange);  // says most
    cause.operation = names.front();
    cause.alike.assign(names.begin() + 1, names.end());
    std::size_t said = findings_.size();  // the finding whose sentence tells most
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const Finding& finding = findings_[i];
      if (assigned_[i] || !finding.round || !finding.rank || !places.contains({*finding.round, *finding.rank})) continue;
      if (finding.rule != Rule::unmatched_message && finding.rule != Rule::length_mismatch && finding.rule != Rule::unknown_rank &&
          finding.rule != Rule::self_message)
        continue;
      if (said == findings_.size() || urgency(finding.rule) > urgency(findings_[said].rule)) said = i;
      assign(i, cause);
    }
    for (const WrongByte& wrong : wrong_) {
      budget_.charge(size(wrong.suspects));
      if (!assigned_[wrong.finding] && std::any_of(wrong.suspects.begin(), wrong.suspects.end(), [&](const auto& suspect) {
            return suspect.first.operation && operations.contains(*suspect.first.operation);
          }))
        assign(wrong.finding, cause);
    }
    take_undefined_reads(cause);
    if (causes_.empty())  // without that operation, ranks would not wait forever
      for (std::size_t i = 0; i < findings_.size(); ++i)
        if (findings_[i].rule == Rule::deadlock) assign(i, cause);
    cause.message = fmt::format("{} in round {} is not finished: {}{}", to_string(*cause.operation), cause.operation->round,
                                said < findings_.size() ? findings_[said].message : "", and_text(group.text));
    finish(std::move(cause));
  }

  bool take_best() {
    std::vector<Choice> singles;
    for (std::size_t i = 0; i < suspects_.size(); ++i)
      if (Choice choice = choice_of(i); choice.findings > 0) singles.push_back(std::move(choice));
    if (singles.empty()) return false;
    Choice best = *std::max_element(singles.begin(), singles.end());
    std::vector<std::pair<const Likeness, SuspectSet>*> sets;
    for (auto& set : sets_)
      if (set.second.bound > best.findings) sets.push_back(&set);
    std::stable_sort(sets.begin(), sets.end(), [](const auto* a, const auto* b) { return a->second.bound > b->second.bound; });
    const std::size_t least = best.findings + 1;
    for (auto* set : sets) {
      if (set->second.bound < std::max(least, best.findings)) break;
      Choice choice = choice_of(set->first, set->second);
      if (choice.findings >= least) best = std::max(best, std::move(choice));
    }
    take(best.suspects.size() == 1 ? best_repaired(std::move(singles)) : best);
    return true;
  }

  // Of the suspects that explain most findings, returns the one whose repair leaves the fewest; of several, the first.
  Choice best_repaired(std::vector<Choice> choices) {
    std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return b < a; });
    const std::size_t enough = choices.front().findings / 2 + 1;
    std::erase_if(choices, [&](const Choice& choice) { return choice.findings < enough; });
    if (choices.size() > most_repairs) choices.resize(most_repairs);
    if (choices.size() == 1) return choices.front();
    replayed_ += size(choices) * size(flow_.operations());
    if (replayed_ > most_replayed) return choices.front();
    Choice* best = nullptr;
    std::tuple<std::size_t, bool, Count> fewest;
    for (Choice& choice : choices) {
      const Repaired result = best_repair(choice);
      const std::tuple now{result.left, !choice.repair, result.irregular};  // what was tried counts more than what is believed
      if (best == nullptr || now < fewest) best = &choice, fewest = now;
    }
    return *best;
  }

  // Tries the repairs for which most findings ask, and keeps the best. A suspect without a repair is believed to have caused what
  // it explains.
  Repaired best_repair(Choice& choice) const {
    const auto& [suspect, list] = suspects_[choice.suspects.front()];
    std::vector<const Suspicions*> suspicions;
    std::map<Repair, std::size_t> asked;
    for (const std::size_t wrong : list) {
      if (assigned_[wrong_[wrong].finding]) continue;
      suspicions.push_back(&wrong_[wrong].suspects.at(suspect));
      std::set<Repair> here;
      for (const Suspicion& suspicion : suspicions.back()->places) here.insert(repair_for(suspicion));
      for (const Repair& repair : here) ++asked[repair];
    }
    std::vector<std::pair<std::size_t, Repair>> repairs;
    for (const auto& [repair, findings] : asked) repairs.emplace_back(findings, repair);
    std::stable_sort(repairs.begin(), repairs.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (repairs.size() > most_repairs_each) repairs.resize(most_repairs_each);
    Repaired best{findings_.size() - choice.findings, 0};
    for (const auto& [findings, repair] : repairs)
      if (const auto result = repaired(schedule_, flow_, *suspect.operation, suspicions, repair, findings_.size() + 1);
          result && (!choice.repair || *result < best))
        best = *result, choice.repair = repair;
    return best;
  }

  Choice choice_of(std::size_t i) {
    const auto& [suspect, list] = suspects_[i];
    budget_.charge(size(list));
    Choice choice{{i}, 0, 0, !suspect.operation, 0, before_all, 1, 1, "", {}};
    for (const std::size_t wrong : list)
      if (!assigned_[wrong_[wrong].finding]) {
        ++choice.findings;
        choice.likelihood = std::max(choice.likelihood, likelihood(wrong_[wrong].suspects.at(suspect).first.kind));
      }
    if (!suspect.operation && choice.findings > 0) {
      choice.fit = expected(i).fit;
      choice.copied = wrong_[list.front()].suspects.at(suspect).first.copied;
    }
    return choice;
  }

  const Expected& expected(std::size_t i) {
    const auto [known, fresh] = expected_.try_emplace(i);
    Expected& best = known->second;
    if (!fresh) return best;
    if (!patterns_) {
      std::vector<NamedOperation> names;
      for (const TimedOperation& timed : flow_.operations()) names.push_back(timed.name);
      patterns_.emplace(std::move(names), ranks_);
    }
    const auto& [suspect, list] = suspects_[i];
    Suspicion suspicion = wrong_[list.front()].suspects.at(suspect).first;
    for (const std::size_t wrong : list) narrow(suspicion, wrong_[wrong].suspects.at(suspect).first);
    const auto kind = suspect.from == suspect.to ? NamedOperation::Kind::copy : NamedOperation::Kind::message;
    best = {0, flow_.round_of(suspicion.since), flow_.round_of(suspicion.until)};
    budget_.charge(best.last - best.first + 1);
    for (Count round = best.first; round <= best.last; ++round)
      best.fit = std::max(best.fit, patterns_->fit({round, kind, suspect.from, suspect.to}));
    return best;
  }

  // The members that explain findings. There is no choice if they are too few for one mistake, or if less than half of them explain
  // what the others do not; they will not become more.
  Choice choice_of(const Likeness& likeness, SuspectSet& set) {
    std::vector<Choice> members;
    for (const std::size_t i : set.members) members.push_back(choice_of(i));
    std::stable_sort(members.begin(), members.end(), [](const Choice& a, const Choice& b) { return a.findings > b.findings; });
    Choice choice{{}, 0,          0,       likeness.first_round == before_all,
                  0,  before_all, set.all, likeness.last_round - likeness.first_round + 1,
                  "", {}};
    std::vector<bool> explained(wrong_.size(), false);
    Count needed = 0;
    for (const Choice& member : members) {
      std::size_t more = 0;
      for (const std::size_t wrong : suspects_[member.suspects.front()].wrong)
        if (!assigned_[wrong_[wrong].finding] && !explained[wrong]) {
          explained[wrong] = true;
          ++more;
        }
      if (member.findings == 0) break;
      if (more > 0) ++needed;
      choice.suspects.push_back(member.suspects.front());
      choice.findings += more;
      choice.likelihood = std::max(choice.likelihood, member.likelihood);
      choice.fit = std::max(choice.fit, member.fit);
    }
    const Count found = size(choice.suspects);
    if (needed < 2 || 2 * needed < found || !is_systematic(likeness, found, set.all)) choice = {};
    set.bound = choice.findings;
    choice.text = text_of(likeness, found, set.all, ranks_);
    return choice;
  }

  void take(const Choice& choice) {
    struct Reason {
      std::size_t findings = 0;
      const WrongByte* first = nullptr;
      std::size_t suspect = 0;  // of the first finding
      Suspicion suspicion;      // of the first finding
    };
    FaultCause cause;
    std::map<CauseKind, Reason> reasons;
    for (const std::size_t i : choice.suspects) {
      const auto& [suspect, list] = suspects_[i];
      for (const std::size_t number : list) {
        const WrongByte& wrong = wrong_[number];
        if (assigned_[wrong.finding]) continue;
        const Suspicion& found = suspicion_of(wrong.suspects.at(suspect), choice.repair);
        Reason& reason = reasons[found.kind];
        if (reason.findings++ == 0) reason.first = &wrong, reason.suspect = i, reason.suspicion = found;
        assign(wrong.finding, cause);
      }
    }
    // A loss says most. Otherwise the reason of most findings is taken, and of several the last kind: a message to the wrong rank
    // also brings the wrong bytes there.
    const auto reason = reasons.contains(CauseKind::overwrites)
                            ? reasons.find(CauseKind::overwrites)
                            : std::max_element(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
                                return std::pair(a.second.findings, a.first) < std::pair(b.second.findings, b.first);
                              });
    cause.kind = reason->first;
    describe(cause, reason->second.suspect, *reason->second.first, reason->second.suspicion);
    for (const std::size_t i : choice.suspects)
      if (i != reason->second.suspect) cause.alike.push_back(name_of(suspects_[i].suspect, *cause.operation));
    cause.message += and_text(choice.text);
    take_undefined_reads(cause);
    take_collisions(cause);
    finish(std::move(cause));
  }

  // The suspicion that asks for the repair, if there is one and it is no loss.
  static const Suspicion& suspicion_of(const Suspicions& all, const std::optional<Repair>& repair) {
    if (repair && all.first.kind != CauseKind::overwrites)
      for (const Suspicion& suspicion : all.places)
        if (repair_for(suspicion) == *repair) return suspicion;
    return all.first;
  }

  // An operation that was missing in both times.
  static void narrow(Suspicion& suspicion, const Suspicion& other) {
    const Count since = std::max(suspicion.since, other.since), until = std::min(suspicion.until, other.until);
    if (since < until) suspicion.since = since, suspicion.until = until;
  }

  // A missing operation has the round of `example`.
  NamedOperation name_of(const Suspect& suspect, const NamedOperation& example) const {
    if (suspect.operation) return operation(*suspect.operation);
    return {example.round, example.kind, suspect.from, suspect.to};
  }

  static std::string and_text(const std::string& text) { return text.empty() ? "" : "; " + text; }

  void describe(FaultCause& cause, std::size_t i, const WrongByte& wrong, const Suspicion& suspicion) {
    const Suspect& suspect = suspects_[i].suspect;
    const std::string block = fmt::format("block {} to {}", wrong.from, wrong.to);
    if (!suspect.operation) {
      const auto kind = suspect.from == suspect.to ? NamedOperation::Kind::copy : NamedOperation::Kind::message;
      const Expected& when = expected(i);
      cause.operation = {when.first, kind, suspect.from, suspect.to};
      cause.last_round = when.last;
      const std::string rounds =
          when.last == when.first ? fmt::format("round {}", when.first) : fmt::format("rounds {} to {}", when.first, when.last);
      cause.message = kind == NamedOperation::Kind::copy
                          ? fmt::format("{} stays at {}: no copy of {} takes it further", block, to_string(suspicion.copy), rounds)
                          : fmt::format("{} stays at {}: no message of {} takes it to rank {}", block, to_string(suspicion.copy),
                                        rounds, suspect.to);
      return;
    }
    cause.operation = operation(*suspect.operation);
    const std::string who = fmt::format("{} in round {}", to_string(*cause.operation), cause.operation->round);
    switch (cause.kind) {
      case CauseKind::overwrites:
        cause.message =
            fmt::format("{} was lost in round {}, overwritten by {}", block, cause.operation->round, to_string(*cause.operation));
        break;
      case CauseKind::wrong_source:
        cause.message =
            fmt::format("{} reads {}, but {} is at {}", who, to_string(suspicion.origin), block, to_string(suspicion.copy));
        break;
      case CauseKind::wrong_target:
        cause.message = fmt::format("{} writes {} to {}, but it is needed at {}", who, block, to_string(suspicion.copy),
                                    to_string(suspicion.origin));
        break;
      case CauseKind::wrong_sender:
        cause.message = fmt::format("{} comes from the wrong rank: {} is at {}", who, block, to_string(suspicion.copy));
        break;
      default:
        cause.message = fmt::format("{} goes to the wrong rank: {} is needed at {}", who, block, to_string(suspicion.origin));
        break;
    }
  }

  // Bytes that were never written when they were read, and came to places that the cause explains.
  void take_undefined_reads(FaultCause& cause) {
    const std::set<std::size_t> explained(cause.findings.begin(), cause.findings.end());
    std::set<std::tuple<Count, Rank>> readers;
    for (const WrongByte& wrong : wrong_)
      if (explained.contains(wrong.finding))
        for (const std::size_t i : wrong.origins) readers.emplace(operation(i).round, operation(i).from);
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const Finding& finding = findings_[i];
      if (!assigned_[i] && finding.round && finding.rank &&
          (finding.rule == Rule::undefined_read || finding.rule == Rule::operand_mismatch || finding.rule == Rule::element_torn) &&
          readers.contains({*finding.round, *finding.rank}))
        assign(i, cause);
    }
  }

  // Places that an operation of the cause and another of its round write, and messages of the same two ranks.
  void take_collisions(FaultCause& cause) {
    if (cause.kind == CauseKind::missing) return;
    std::set<std::pair<Count, Rank>> targets, ends;
    const auto add = [&](const NamedOperation& name) {
      targets.emplace(name.round, name.to);
      ends.insert({{name.round, name.from}, {name.round, name.to}});
    };
    add(*cause.operation);
    for (const NamedOperation& name : cause.alike) add(name);
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const Finding& finding = findings_[i];
      if (assigned_[i] || !finding.round || !finding.rank) continue;
      const std::pair place{*finding.round, *finding.rank};
      const bool overlaps = finding.rule == Rule::overlapping_writes || finding.rule == Rule::overlapping_local;
      if ((overlaps && targets.contains(place)) || (finding.rule == Rule::repeated_message && ends.contains(place)))
        assign(i, cause);
    }
  }

  // Takes the findings that are left, by their rule.
  void take_rules() {
    std::map<Rule, std::vector<std::size_t>> left;
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (!assigned_[i]) left[findings_[i].rule].push_back(i);
    std::vector<FaultCause> causes;
    for (const auto& [rule, numbers] : left) {
      std::vector<NamedOperation> places;
      std::vector<std::pair<std::size_t, std::size_t>> together;
      std::vector<std::size_t> place_of;
      std::map<std::pair<Count, Rank>, std::size_t> known;
      std::map<Count, std::size_t> first_of_round;
      for (const std::size_t i : numbers) {
        const Count round = findings_[i].round.value_or(before_all);
        const Rank rank = findings_[i].rank.value_or(0);
        const auto [place, fresh] = known.try_emplace({round, rank}, places.size());
        place_of.push_back(place->second);
        if (!fresh) continue;
        if (!findings_[i].round || !findings_[i].rank) {
          if (const auto [first, is_first] = first_of_round.try_emplace(round, places.size()); !is_first)
            together.emplace_back(first->second, places.size());
        }
        places.push_back({round, NamedOperation::Kind::copy, rank, rank});
      }
      const auto groups = alike_groups(
          places, together, stages_, ranks_, [&](SetSizes& sizes) { measure_places(sizes); }, "places");
      for (const AlikeGroup& group : groups) {
        const std::set<std::size_t> members(group.members.begin(), group.members.end());
        FaultCause cause;
        for (std::size_t k = 0; k < numbers.size(); ++k)
          if (members.contains(place_of[k])) assign(numbers[k], cause);
        cause.message = to_string(findings_[cause.findings.front()]) + and_text(group.text);
        causes.push_back(std::move(cause));
      }
    }
    std::sort(causes.begin(), causes.end(),
              [](const FaultCause& a, const FaultCause& b) { return a.findings.front() < b.findings.front(); });
    for (FaultCause& cause : causes) finish(std::move(cause));
  }

  // The sizes of sets of places: each rank in each round is one.
  void measure_places(SetSizes& sizes) const {
    for (auto& [likeness, count] : sizes) {
      const Count rounds = likeness.last_round - likeness.first_round + 1;
      count = likeness.between == Likeness::Between::sender ? rounds : rounds * ranks_;
    }
  }

  void assign(std::size_t i, FaultCause& cause) {
    assigned_[i] = true;
    cause.findings.push_back(i);
  }

  void finish(FaultCause cause) {
    if (!cause.findings.empty()) causes_.push_back(std::move(cause));
  }

  const Schedule& schedule_;
  const Count ranks_;
  const std::vector<Finding>& findings_;
  ByteFlow flow_;
  Budget budget_;
  const std::vector<Stage> stages_;
  std::vector<bool> assigned_;
  const std::vector<WrongByte> wrong_;
  std::vector<Explained> suspects_;
  std::map<Likeness, SuspectSet> sets_;
  std::optional<Patterns> patterns_;  // made when it is needed
  Count replayed_ = 0;
  std::map<std::size_t, Expected> expected_;  // of missing suspects, by index
  std::vector<FaultCause> causes_;
};

}  // namespace

std::string_view name(CauseKind kind) {
  constexpr std::string_view names[] = {"unfinished",     "overwrites",   "wrong-source", "wrong-target",
                                        "wrong-receiver", "wrong-sender", "missing",      "rule"};
  return names[static_cast<std::size_t>(kind)];
}

FaultCauses causes_of(const Schedule& schedule, const std::vector<Finding>& findings) {
  if (findings.empty()) return {};
  try {
    return {Search(schedule, findings).run(), ""};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    return {{}, fmt::format("no causes were sought: {}", error.what())};
  }
}

bool explains(const FaultCause& cause) { return cause.kind != CauseKind::rule || cause.findings.size() > 1; }

std::string count_of(const std::vector<Finding>& findings, const FaultCauses& causes) {
  std::string text = fmt::format("{}{} finding{}", findings.size() < most_counted_findings ? "" : "at least ", findings.size(),
                                 findings.size() == 1 ? "" : "s");
  const std::size_t count = causes.causes.size();
  if (std::any_of(causes.causes.begin(), causes.causes.end(), explains))
    text += fmt::format(", {} cause{}", count == 1 ? "one" : fmt::format("{}", count), count == 1 ? "" : "s");
  return text;
}

std::string summary_of(const std::vector<Finding>& findings, const FaultCauses& causes) {
  const std::string first = causes.causes.empty() ? to_string(findings.front()) : causes.causes.front().message;
  const bool is_only = causes.causes.size() == 1 || findings.size() == 1;
  return fmt::format("{}{} {}", count_of(findings, causes), is_only ? ":" : "; first:", first);
}

}  // namespace quadrille
