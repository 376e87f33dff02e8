// SPDX-License-Identifier: BSD-3-Clause
// Finds the causes of findings. Operations that were not finished are certainly wrong, so they are taken first. Then the suspects
// that explain most of the remaining findings become a cause, until no suspect explains any. Findings that no operation explains
// are grouped by their rule. At last, causes that are probably one mistake are united.
#include "quadrille/fault_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "verify/causes.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

class Search {
 public:
  Search(const Schedule& schedule, const std::vector<Finding>& findings) : known_(schedule, findings), choices_(known_) {}

  std::vector<FaultCause> run() {
    take_all_if_nothing_is_done();
    take_unfinished();
    while (const std::optional<SuspectChoice> best = choices_.best()) take(*best);
    take_rules();
    unite_alike(drafts_, known_);
    take_consequences(drafts_, known_);
    std::vector<FaultCause> causes;
    for (auto& [cause, alike, shifted] : drafts_) {
      std::sort(cause.findings.begin(), cause.findings.end());
      if (!alike.empty()) cause.message += "; " + alike;
      causes.push_back(std::move(cause));
    }
    const auto key = [&](const FaultCause& cause) {
      int urgency = 0;
      for (const std::size_t i : cause.findings) urgency = std::max(urgency, quadrille::urgency(known_.findings[i].rule));
      return std::pair(urgency, cause.kind == CauseKind::rule ? 0 : cause.findings.size());
    };
    std::stable_sort(causes.begin(), causes.end(), [&](const FaultCause& a, const FaultCause& b) { return key(a) > key(b); });
    return causes;
  }

 private:
  const NamedOperation& operation(std::size_t i) const { return known_.flow.operations()[i].name; }

  // If no program has an operation, all findings of rule delivery have one cause.
  void take_all_if_nothing_is_done() {
    const auto does_nothing = [](const Program& program) {
      return std::all_of(program.rounds.begin(), program.rounds.end(), [](const Round& round) {
        return round.locals.empty() && round.sends.empty() && round.receives.empty() && round.control_sends.empty() &&
               round.control_receives.empty();
      });
    };
    const std::vector<Program>& programs = known_.flow.programs();
    if (!std::all_of(programs.begin(), programs.end(), does_nothing)) return;
    FaultCause cause;
    for (std::size_t i = 0; i < known_.findings.size(); ++i)
      if (known_.findings[i].rule == Rule::delivery) assign(i, cause);
    cause.message = "the programs of all ranks are empty";
    finish(std::move(cause), "");
  }

  void take_unfinished() {
    for (const UnfinishedGroup& group : unfinished_groups(known_)) take_group(group);
  }

  void take_group(const UnfinishedGroup& group) {
    FaultCause cause;
    cause.kind = CauseKind::unfinished;
    std::set<std::pair<Count, Rank>> places;
    const std::set<std::size_t> operations(group.operations.begin(), group.operations.end());
    std::vector<NamedOperation> names;
    for (const std::size_t number : group.operations) {
      names.push_back(operation(number));
      places.insert({{names.back().round, names.back().from}, {names.back().round, names.back().to}});
    }
    const auto says_most = [&](const NamedOperation& name) {
      if (group.shift) return name == operation(group.shift->first);
      return std::max(name.from, name.to) >= known_.ranks || std::min(name.from, name.to) < 0;
    };
    const auto example = std::find_if(names.begin(), names.end(), says_most);
    std::iter_swap(names.begin(), example == names.end() ? names.begin() : example);
    cause.operation = names.front();
    cause.alike.assign(names.begin() + 1, names.end());
    std::size_t said = known_.findings.size();  // the finding whose sentence tells most
    for (std::size_t i = 0; i < known_.findings.size(); ++i) {
      const Finding& finding = known_.findings[i];
      if (known_.assigned[i] || !finding.round || !finding.rank) continue;
      const bool is_order = finding.rule == Rule::round_order;
      if (!places.contains({*finding.round, *finding.rank}) && !(is_order && group.shift && group.shift->rank == *finding.rank))
        continue;
      if (finding.rule != Rule::unmatched_message && finding.rule != Rule::length_mismatch && finding.rule != Rule::unknown_rank &&
          finding.rule != Rule::self_message && !is_order)
        continue;
      if (said == known_.findings.size() || urgency(finding.rule) > urgency(known_.findings[said].rule)) said = i;
      assign(i, cause);
    }
    for (const WrongByte& wrong : known_.wrong) {
      known_.budget.charge(size(wrong.suspects));
      if (!known_.assigned[wrong.finding] && std::any_of(wrong.suspects.begin(), wrong.suspects.end(), [&](const auto& suspect) {
            return suspect.first.operation && operations.contains(*suspect.first.operation);
          }))
        assign(wrong.finding, cause);
    }
    take_undefined_reads(cause);
    if (drafts_.empty())  // the ranks wait forever only because of this operation
      for (std::size_t i = 0; i < known_.findings.size(); ++i)
        if (known_.findings[i].rule == Rule::deadlock) assign(i, cause);
    cause.message = group.shift
                        ? to_string(*group.shift, known_.flow)
                        : fmt::format("{} in round {} is not finished: {}", to_string(*cause.operation), cause.operation->round,
                                      said < known_.findings.size() ? known_.findings[said].message : "");
    const bool is_shifted = group.shift && group.shift->messages > 1;
    finish(std::move(cause), group.shift ? "" : group.text, is_shifted ? std::optional(group.shift->rank) : std::nullopt);
  }

  void take(const SuspectChoice& choice) {
    struct Reason {
      std::size_t findings = 0;
      const WrongByte* first = nullptr;
      std::size_t suspect = 0;  // of the first finding
      Suspicion suspicion;      // of the first finding
    };
    FaultCause cause;
    std::map<CauseKind, Reason> reasons;
    for (const std::size_t i : choice.suspects) {
      const Explained& explained = choices_.suspect(i);
      for (std::size_t k = 0; k < explained.wrong.size(); ++k) {
        const WrongByte& wrong = known_.wrong[explained.wrong[k]];
        if (known_.assigned[wrong.finding] || !explained.explains(k, choice.round)) continue;
        const Suspicion& found = suspicion_of(wrong.suspects.at(explained.suspect), choice.repair);
        Reason& reason = reasons[found.kind];
        if (reason.findings++ == 0) reason.first = &wrong, reason.suspect = i, reason.suspicion = found;
        assign(wrong.finding, cause);
      }
    }
    // A loss (`overwrites`) tells the user most. Otherwise the most frequent reason is taken. Among equally frequent reasons, the
    // last kind is taken, because a message to the wrong rank also brings wrong bytes to that rank.
    const auto reason = reasons.contains(CauseKind::overwrites)
                            ? reasons.find(CauseKind::overwrites)
                            : std::max_element(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
                                return std::pair(a.second.findings, a.first) < std::pair(b.second.findings, b.first);
                              });
    cause.kind = reason->first;
    describe(cause, reason->second.suspect, choice.round, *reason->second.first, reason->second.suspicion);
    for (const std::size_t i : choice.suspects)
      if (i != reason->second.suspect) cause.alike.push_back(name_of(choices_.suspect(i).suspect, *cause.operation));
    take_undefined_reads(cause);
    take_collisions(cause);
    finish(std::move(cause), choice.text);
  }

  // Returns the suspicion that suggests the repair; if none does, or if the first suspicion is a loss, the first.
  static const Suspicion& suspicion_of(const Suspicions& all, const std::optional<Repaired>& repaired) {
    if (repaired && all.first.kind != CauseKind::overwrites)
      for (const Suspicion& suspicion : all.places)
        if (repair_for(suspicion) == repaired->repair) return suspicion;
    return all.first;
  }

  // A missing operation has the round of `example`.
  NamedOperation name_of(const Suspect& suspect, const NamedOperation& example) const {
    if (suspect.operation) return operation(*suspect.operation);
    return {example.round, example.kind, suspect.from, suspect.to};
  }

  void describe(FaultCause& cause, std::size_t i, std::optional<Count> round, const WrongByte& wrong, const Suspicion& suspicion) {
    const Suspect& suspect = choices_.suspect(i).suspect;
    const std::string block = fmt::format("block {} to {}", wrong.from, wrong.to);
    if (!suspect.operation) {
      const auto kind = suspect.from == suspect.to ? NamedOperation::Kind::copy : NamedOperation::Kind::message;
      const Expected& when = choices_.expected(i, *round);
      cause.operation = {when.first, kind, suspect.from, suspect.to};
      cause.last_round = when.last;
      const std::string rounds = when.last == when.first ? fmt::format("round {}", when.first)
                                                         : fmt::format("one of the rounds {} to {}", when.first, when.last);
      cause.message = kind == NamedOperation::Kind::copy
                          ? fmt::format("{} stays at {}: a copy is missing in {}", block, to_string(suspicion.copy), rounds)
                          : fmt::format("{} stays at {}: a message to rank {} is missing in {}", block, to_string(suspicion.copy),
                                        suspect.to, rounds);
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

  // Takes findings about bytes that were read before they were written and then came to places that the cause explains.
  void take_undefined_reads(FaultCause& cause) {
    const std::set<std::size_t> explained(cause.findings.begin(), cause.findings.end());
    std::set<std::tuple<Count, Rank>> readers;
    for (const WrongByte& wrong : known_.wrong)
      if (explained.contains(wrong.finding))
        for (const std::size_t i : wrong.origins) readers.emplace(operation(i).round, operation(i).from);
    for (std::size_t i = 0; i < known_.findings.size(); ++i) {
      const Finding& finding = known_.findings[i];
      if (!known_.assigned[i] && finding.round && finding.rank &&
          (finding.rule == Rule::undefined_read || finding.rule == Rule::operand_mismatch || finding.rule == Rule::element_torn) &&
          readers.contains({*finding.round, *finding.rank}))
        assign(i, cause);
    }
  }

  // Takes findings about places that an operation of the cause and another operation write in the same round, and findings about
  // repeated messages.
  void take_collisions(FaultCause& cause) {
    if (cause.kind == CauseKind::missing) return;
    std::set<std::pair<Count, Rank>> targets, ends;
    const auto add = [&](const NamedOperation& name) {
      targets.emplace(name.round, name.to);
      ends.insert({{name.round, name.from}, {name.round, name.to}});
    };
    add(*cause.operation);
    for (const NamedOperation& name : cause.alike) add(name);
    for (std::size_t i = 0; i < known_.findings.size(); ++i) {
      const Finding& finding = known_.findings[i];
      if (known_.assigned[i] || !finding.round || !finding.rank) continue;
      const std::pair place{*finding.round, *finding.rank};
      const bool overlaps = finding.rule == Rule::overlapping_writes || finding.rule == Rule::overlapping_local;
      if ((overlaps && targets.contains(place)) || (finding.rule == Rule::repeated_message && ends.contains(place)))
        assign(i, cause);
    }
  }

  // Groups the remaining findings by their rule.
  void take_rules() {
    std::map<Rule, std::vector<std::size_t>> left;
    for (std::size_t i = 0; i < known_.findings.size(); ++i)
      if (!known_.assigned[i]) left[known_.findings[i].rule].push_back(i);
    std::vector<DraftCause> drafts;
    for (const auto& [rule, numbers] : left) {
      std::vector<NamedOperation> places;
      std::vector<std::pair<std::size_t, std::size_t>> together;
      std::vector<std::size_t> place_of;
      std::map<std::pair<Count, Rank>, std::size_t> known;
      std::map<Count, std::size_t> first_of_round;
      for (const std::size_t i : numbers) {
        const Count round = known_.findings[i].round.value_or(before_all);
        const Rank rank = known_.findings[i].rank.value_or(0);
        const auto [place, fresh] = known.try_emplace({round, rank}, places.size());
        place_of.push_back(place->second);
        if (!fresh) continue;
        if (!known_.findings[i].round || !known_.findings[i].rank) {
          if (const auto [first, is_first] = first_of_round.try_emplace(round, places.size()); !is_first)
            together.emplace_back(first->second, places.size());
        }
        places.push_back({round, NamedOperation::Kind::copy, rank, rank});
      }
      const auto groups = alike_groups(
          places, together, known_.stages, known_.ranks, [&](SetSizes& sizes) { measure_places(sizes); }, "places");
      for (const AlikeGroup& group : groups) {
        const std::set<std::size_t> members(group.members.begin(), group.members.end());
        FaultCause cause;
        for (std::size_t k = 0; k < numbers.size(); ++k)
          if (members.contains(place_of[k])) assign(numbers[k], cause);
        cause.message = to_string(known_.findings[cause.findings.front()]);
        drafts.push_back({std::move(cause), group.text, {}});
      }
    }
    std::sort(drafts.begin(), drafts.end(),
              [](const DraftCause& a, const DraftCause& b) { return a.cause.findings.front() < b.cause.findings.front(); });
    for (DraftCause& draft : drafts) finish(std::move(draft.cause), std::move(draft.alike));
  }

  // Counts places: one for each rank and each round in which it has operations, and one for each rank without a known round.
  void measure_places(SetSizes& sizes) const {
    for (const Program& program : known_.flow.programs()) {
      const auto count = [&](Count round) {
        count_in(sizes, {round, NamedOperation::Kind::copy, program.rank, program.rank}, known_.stages, known_.ranks);
      };
      count(before_all);
      for (const Round& round : program.rounds) count(round.number);
    }
  }

  void assign(std::size_t i, FaultCause& cause) {
    known_.assigned[i] = true;
    cause.findings.push_back(i);
  }

  void finish(FaultCause cause, std::string alike, std::optional<Rank> shifted = {}) {
    if (!cause.findings.empty()) drafts_.push_back({std::move(cause), std::move(alike), shifted});
  }

  Investigation known_;
  Choices choices_;
  std::vector<DraftCause> drafts_;
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

bool is_its_finding(const FaultCause& cause) { return cause.kind == CauseKind::rule && cause.findings.size() == 1; }

std::vector<std::size_t> order_of(const std::vector<Finding>& findings, const FaultCauses& causes) {
  std::vector<std::size_t> order;
  for (const FaultCause& cause : causes.causes) order.insert(order.end(), cause.findings.begin(), cause.findings.end());
  for (std::size_t i = order.size(); i < findings.size(); ++i) order.push_back(i);  // no causes were sought
  return order;
}

std::string count_of(const std::vector<Finding>& findings, const FaultCauses& causes) {
  const bool is_cut = findings.size() >= most_counted_findings;
  std::string text = (is_cut ? "at least " : "") + counted(findings.size(), "finding");
  const std::size_t count = causes.causes.size();
  if (count > 0)
    text += fmt::format("{} {}", is_cut ? "; the first of these have" : ",", count == 1 ? "one cause" : counted(count, "cause"));
  return text;
}

std::string summary_of(const std::vector<Finding>& findings, const FaultCauses& causes) {
  const std::string first = causes.causes.empty() ? to_string(findings.front()) : causes.causes.front().message;
  const bool is_only = causes.causes.size() == 1 || findings.size() == 1;
  return fmt::format("{}{} {}", count_of(findings, causes), is_only ? ":" : "; first:", first);
}

}  // namespace quadrille
