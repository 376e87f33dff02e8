// SPDX-License-Identifier: BSD-3-Clause
#include "verify/causes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

using OperationKey = std::tuple<Count, NamedOperation::Kind, Rank, Rank>;
OperationKey key_of(const NamedOperation& operation) { return {operation.round, operation.kind, operation.from, operation.to}; }

// The operation of a cause, and the operations that are alike. A cause of kind rule has none.
std::vector<NamedOperation> operations_of(const FaultCause& cause) {
  if (!cause.operation) return {};
  std::vector<NamedOperation> operations{*cause.operation};
  operations.insert(operations.end(), cause.alike.begin(), cause.alike.end());
  return operations;
}

// Moves the findings of `other` to `cause`.
void take_findings(FaultCause& cause, FaultCause& other) {
  cause.findings.insert(cause.findings.end(), other.findings.begin(), other.findings.end());
  other.findings.clear();
}

// Erases the causes without findings.
void erase_empty(std::vector<DraftCause>& causes) {
  std::erase_if(causes, [](const DraftCause& draft) { return draft.cause.findings.empty(); });
}

void unite_alike(std::vector<DraftCause>& causes, const Investigation& known, bool missing) {
  std::vector<NamedOperation> names;
  std::vector<std::pair<std::size_t, std::size_t>> together;
  std::map<OperationKey, std::size_t> index_of;
  std::vector<std::pair<std::size_t, DraftCause*>> drafts;  // with the index of the first name
  for (DraftCause& draft : causes) {
    if ((draft.cause.kind == CauseKind::missing) != missing) continue;
    std::optional<std::size_t> first;
    for (const NamedOperation& name : operations_of(draft.cause)) {
      const auto [place, fresh] = index_of.try_emplace(key_of(name), names.size());
      if (fresh) names.push_back(name);
      if (first) together.emplace_back(*first, place->second);
      if (!first) first = place->second, drafts.emplace_back(place->second, &draft);
    }
  }
  if (drafts.size() < 2) return;
  const auto measure = [&](SetSizes& sizes) {
    known.measure(sizes);
    for (const NamedOperation& name : names)
      if (missing) count_in(sizes, name, known.stages, known.ranks);
  };
  for (const AlikeGroup& group : alike_groups(names, together, known.stages, known.ranks, measure)) {
    std::vector<DraftCause*> members;
    for (const auto& [first, draft] : drafts)
      if (std::binary_search(group.members.begin(), group.members.end(), first)) members.push_back(draft);
    if (members.size() < 2) continue;
    const auto most = std::max_element(members.begin(), members.end(), [](const DraftCause* a, const DraftCause* b) {
      return a->cause.findings.size() < b->cause.findings.size();
    });
    FaultCause& cause = (*most)->cause;
    for (DraftCause* other : members) {
      if (other == *most) continue;
      const std::vector<NamedOperation> more = operations_of(other->cause);
      cause.alike.insert(cause.alike.end(), more.begin(), more.end());
      take_findings(cause, other->cause);
    }
    (*most)->alike = group.text;
  }
  erase_empty(causes);
}

// The operations of a cause that may have many consequences, because bytes passed through several of them or ranks waited for
// them.
class FarReaching {
 public:
  FarReaching(const DraftCause& draft, const Investigation& known) {
    const FaultCause& cause = draft.cause;
    const std::vector<NamedOperation> names = operations_of(cause);
    if (cause.kind == CauseKind::missing && names.size() > 1)
      for (const NamedOperation& name : names) missing_at_.insert(name.to);
    std::set<OperationKey> keys;
    if (cause.kind != CauseKind::missing)
      for (const NamedOperation& name : names) ends_.insert({{name.round, name.from}, {name.round, name.to}});
    if (cause.kind == CauseKind::unfinished || (cause.kind != CauseKind::missing && names.size() > 1))
      for (const NamedOperation& name : names) keys.insert(key_of(name));
    if (cause.kind == CauseKind::rule) ends_ = places_of_all(cause, known);
    std::set<std::pair<Count, Rank>> rounds;  // out of order, or of no stage
    for (const std::size_t i : cause.findings)
      if (const Finding& finding = known.findings[i]; finding.rule == Rule::round_order && finding.round && finding.rank)
        rounds.emplace(*finding.round, *finding.rank);
    for (std::size_t i = 0; i < known.flow.operations().size(); ++i) {
      const NamedOperation& name = known.flow.operations()[i].name;
      if (keys.contains(key_of(name))) {
        operations_.insert(i);
        if (cause.kind == CauseKind::unfinished && known.flow.operations()[i].target == nullptr) unreceived_at_.insert(name.to);
      }
      const auto is_misplaced = [&](Rank rank) { return rank == draft.shifted || rounds.contains({name.round, rank}); };
      if (is_misplaced(name.from) || is_misplaced(name.to)) misplaced_.insert(i);
    }
    operations_.insert(misplaced_.begin(), misplaced_.end());
    if (cause.kind != CauseKind::unfinished) return;
    for (const NamedOperation& name : names)
      for (const Rank rank : {name.from, name.to})
        if (rank >= 0 && rank < known.ranks && known.flow.programs()[index(rank)].rounds.empty()) idle_.insert(rank);
  }

  bool empty() const { return operations_.empty() && missing_at_.empty() && ends_.empty(); }
  bool has(std::size_t operation) const { return operations_.contains(operation); }
  const std::set<std::size_t>& misplaced() const { return misplaced_; }
  bool is_missing_at(Rank rank) const { return missing_at_.contains(rank); }
  bool lacks_receive_at(Rank rank) const { return unreceived_at_.contains(rank); }
  bool ends_at(const std::optional<Count>& round, const std::optional<Rank>& rank) const {
    return round && rank && ends_.contains({*round, *rank});
  }
  bool is_of_idle_ranks(const FaultCause& cause) const {
    const std::vector<NamedOperation> names = operations_of(cause);
    return cause.kind == CauseKind::missing && std::all_of(names.begin(), names.end(), [&](const NamedOperation& name) {
             return idle_.contains(name.from) || idle_.contains(name.to);
           });
  }

 private:
  // The places of a rule's findings; none if a finding has no round or rank.
  static std::set<std::pair<Count, Rank>> places_of_all(const FaultCause& cause, const Investigation& known) {
    std::set<std::pair<Count, Rank>> places;
    for (const std::size_t i : cause.findings) {
      const Finding& finding = known.findings[i];
      if (!finding.round || !finding.rank) return {};
      places.emplace(*finding.round, *finding.rank);
    }
    return places;
  }

  std::set<std::size_t> operations_, misplaced_;
  std::set<std::pair<Count, Rank>> ends_;  // rounds and ranks of the operations
  std::set<Rank> missing_at_;              // the ranks to which operations are missing
  std::set<Rank> unreceived_at_;           // the ranks at which messages are not received
  std::set<Rank> idle_;                    // ranks that do nothing, although others wait for them
};

// Tells whether findings are consequences of operations.
class Consequences {
 public:
  explicit Consequences(Investigation& known) : known_(known) {
    for (const WrongByte& wrong : known.wrong) wrong_[wrong.finding] = &wrong;
  }

  bool has(const FarReaching& reach, std::size_t finding) {
    const auto wrong = wrong_.find(finding);
    return wrong == wrong_.end() ? leads_to_read(reach, known_.findings[finding]) : leads_to(reach, *wrong->second);
  }

  // Whether a finding is about the place where an operation begins or ends, or about bytes that were not received.
  bool meets(const FarReaching& reach, const FaultCause& cause, std::size_t finding) {
    const Finding& found = known_.findings[finding];
    if (cause.kind == CauseKind::rule && !is_about_what_was_read(found) && reach.ends_at(found.round, found.rank)) return true;
    if (const auto wrong = wrong_.find(finding); wrong != wrong_.end()) {
      const std::vector<BytePlace>& places = wrong->second->unwritten;
      return std::any_of(places.begin(), places.end(), [&](const BytePlace& place) { return reach.lacks_receive_at(place.rank); });
    }
    return reads_unreceived(reach, found);
  }

 private:
  bool leads_to(const FarReaching& reach, const WrongByte& wrong) {
    if (std::any_of(wrong.origins.begin(), wrong.origins.end(), [&](std::size_t i) { return reach.has(i); })) return true;
    known_.budget.charge(size(wrong.suspects) * (size(reach.misplaced()) + 1));
    return std::any_of(wrong.suspects.begin(), wrong.suspects.end(), [&](const auto& each) {
      const auto& [suspect, suspicions] = each;
      const Suspicion& suspicion = suspicions.first;
      return (suspect.operation && reach.has(*suspect.operation)) ||
             std::any_of(reach.misplaced().begin(), reach.misplaced().end(), [&](std::size_t i) {
               const TimedOperation& operation = known_.flow.operations()[i];
               return lies_at(operation.source, operation.name.from, suspicion.copy) ||
                      lies_at(operation.target, operation.name.to, suspicion.origin);
             });
    });
  }

  // Whether bytes that were read came from operations of `reach`, or were expected from them.
  bool leads_to_read(const FarReaching& reach, const Finding& finding) {
    if (finding.rule == Rule::round_order) return !reach.misplaced().empty();
    const std::vector<ByteStay> origins = origins_of_read(finding);
    return std::any_of(origins.begin(), origins.end(), [&](const ByteStay& stay) {
      return stay.written_by ? reach.has(*stay.written_by) : stay.place.buffer != Buffer::input && waits_for(reach, stay.place);
    });
  }

  bool reads_unreceived(const FarReaching& reach, const Finding& finding) {
    const std::vector<ByteStay> origins = origins_of_read(finding);
    return std::any_of(origins.begin(), origins.end(), [&](const ByteStay& stay) {
      return !stay.written_by && stay.place.buffer != Buffer::input && reach.lacks_receive_at(stay.place.rank);
    });
  }

  static bool is_about_what_was_read(const Finding& finding) {
    return finding.rule == Rule::undefined_read || finding.rule == Rule::operand_mismatch || finding.rule == Rule::element_torn;
  }

  // Where the bytes of a finding about what was read came from; nothing for other findings.
  std::vector<ByteStay> origins_of_read(const Finding& finding) {
    if (!is_about_what_was_read(finding) || !finding.rank || !finding.round || !finding.region) return {};
    Count time = before_all;
    for (const TimedOperation& operation : known_.flow.operations())
      if (operation.name.round == *finding.round && operation.name.from == *finding.rank)
        time = std::max(time, operation.read_time);
    return known_.flow.origins_of({*finding.rank, finding.region->buffer, finding.region->offset}, time);
  }

  // Whether operations of `reach` should have written a place that was read before anything was written there.
  bool waits_for(const FarReaching& reach, const BytePlace& place) {
    if (reach.is_missing_at(place.rank)) return true;
    known_.budget.charge(size(known_.flow.unfinished()) + size(reach.misplaced()));
    return std::any_of(known_.flow.unfinished().begin(), known_.flow.unfinished().end(),
                       [&](const UnfinishedEnd& end) {
                         return !end.reads && reach.has(end.operation) && end.rank == place.rank && touches(end.region, place);
                       }) ||
           std::any_of(reach.misplaced().begin(), reach.misplaced().end(), [&](std::size_t i) {
             const TimedOperation& operation = known_.flow.operations()[i];
             return lies_at(operation.target, operation.name.to, place);
           });
  }

  static bool lies_at(const Regions* regions, Rank rank, const BytePlace& place) {
    return regions != nullptr && rank == place.rank &&
           std::any_of(regions->begin(), regions->end(), [&](const Region& region) { return touches(region, place); });
  }

  Investigation& known_;
  std::map<std::size_t, const WrongByte*> wrong_;  // by finding
};

// Gives each cause the findings that it explains. `explains` tells whether a cause explains a finding of another cause.
template <class Explains>
void take_explained(std::vector<DraftCause>& causes, const Investigation& known, Explains&& explains) {
  for (DraftCause& draft : causes) {
    FaultCause& cause = draft.cause;
    if (cause.findings.empty()) continue;
    const FarReaching reach(draft, known);
    if (reach.empty()) continue;
    for (DraftCause& other : causes) {
      if (&other == &draft || other.cause.kind == CauseKind::unfinished) continue;
      // Causes are in the order in which they were found: first those that explain most findings, last those of a rule.
      if (cause.kind != CauseKind::rule && &other < &draft) continue;
      const std::vector<std::size_t>& findings = other.cause.findings;
      if (reach.is_of_idle_ranks(other.cause) ||
          std::all_of(findings.begin(), findings.end(), [&](std::size_t i) { return explains(reach, other.cause, i); }))
        take_findings(cause, other.cause);
    }
  }
  erase_empty(causes);
}

}  // namespace

void unite_alike(std::vector<DraftCause>& causes, const Investigation& known) {
  for (const bool missing : {false, true}) unite_alike(causes, known, missing);
}

void take_consequences(std::vector<DraftCause>& causes, Investigation& known) {
  Consequences consequences(known);
  take_explained(causes, known,
                 [&](const FarReaching& reach, const FaultCause&, std::size_t i) { return consequences.has(reach, i); });
  take_explained(causes, known, [&](const FarReaching& reach, const FaultCause& other, std::size_t i) {
    return consequences.has(reach, i) || consequences.meets(reach, other, i);
  });
}

}  // namespace quadrille
