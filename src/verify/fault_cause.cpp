// SPDX-License-Identifier: BSD-3-Clause
// Seeks the operations that explain findings.
//
// A finding about the result says that a place at the end should hold some byte and holds another. Two things are known: all copies
// of the byte that should be there, forwards from its input (`copies`), and all places from which the byte that is there came,
// backwards from the end (`origins`). If one operation is wrong, then `copies` are right before it, and `origins` are right after
// it. So at some time the byte was at one of the copies and should have gone to one of the origins. An operation that would do so
// if one thing about it were different is suspect:
//
//   overwrites      the byte was at an origin's place, and the operation that wrote the origin overwrote it
//   wrong_source    the operation wrote an origin, and a copy was at the rank that it read, at another place
//   wrong_target    the operation read a copy, and wrote to the rank of an origin, at another place
//   wrong_sender    a message wrote an origin, and a copy was at the place that it read, at another rank
//   wrong_receiver  a message read a copy, and wrote to the place of an origin, at another rank
//   missing         no operation is wrong: one from the rank of the latest copy to that of an origin is missing
//
// A part of an operation's bytes that correctly led to a right byte of a result is not suspected. The suspect that explains most
// findings is taken as the cause of these, and so on with the rest. Operations that were not
// finished are certainly wrong, so they come first.
#include "quadrille/fault_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/symmetry.hpp"
#include "verify/byte_flow.hpp"

namespace quadrille {
namespace {

// An operation, or none and the two ranks between which one is missing.
struct Suspect {
  std::optional<std::size_t> operation;
  Rank from = 0, to = 0;
  auto operator<=>(const Suspect&) const = default;
};

// Why an operation is suspected because of one finding.
struct Suspicion {
  CauseKind kind = CauseKind::missing;
  BytePlace copy, origin;
  Count since = before_all, until = never;  // missing: the operation may have been expected between these times
};

// What a finding about the result asks for.
struct WrongByte {
  std::size_t finding = 0;
  Rank from = 0, to = 0;
  std::map<Suspect, Suspicion> suspects;
  std::set<std::size_t> origins;  // operations that wrote what is there
};

// More pieces of the results than this are not looked at to find the spans that led to right ones.
constexpr Count most_acquitting = Count{1} << 16;

// The number of comparisons: some seconds.
constexpr Count most_work = Count{1} << 28;

bool same_offset(const BytePlace& a, const BytePlace& b) { return a.buffer == b.buffer && a.offset == b.offset; }

// The gaps of strided regions count as touched, because a region that is not used may have any number of runs.
bool touches(const Region& region, const BytePlace& place) {
  const auto [first, last] = hull(region);
  return region.buffer == place.buffer && first <= place.offset && place.offset < last;
}

class Search {
 public:
  Search(const Schedule& schedule, const std::vector<Finding>& findings)
      : schedule_(schedule), findings_(findings), flow_(schedule), assigned_(findings.size(), false) {}

  std::vector<FaultCause> run() {
    acquit();
    for (std::size_t i = 0; i < findings_.size(); ++i) look_at(i);
    take_unfinished();
    while (take_best()) {}
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (!assigned_[i]) take_rule(i);
    for (FaultCause& cause : causes_) std::sort(cause.findings.begin(), cause.findings.end());
    const auto weight = [](const FaultCause& cause) { return cause.kind == CauseKind::rule ? 0 : cause.findings.size(); };
    std::stable_sort(causes_.begin(), causes_.end(),
                     [&](const FaultCause& a, const FaultCause& b) { return weight(a) > weight(b); });
    return std::move(causes_);
  }

 private:
  const TimedOperation& operation(std::size_t i) const { return flow_.operations()[i]; }

  // Finds the spans that led to right results.
  void acquit() {
    right_.assign(flow_.span_count(), false);
    Count looked_at = 0;
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank)
      for (const ExpectedPiece& piece : expected_output(schedule_.problem, rank)) {
        if (++looked_at > most_acquitting) return;
        if (piece.length == 0) continue;
        const std::vector<ByteStay> origins = flow_.origins_of({rank, Buffer::output, piece.offset});
        if (!is_right(piece, origins)) continue;
        for (const ByteStay& origin : origins)
          if (origin.written_by) right_[origin.written_span] = true;
      }
  }

  // Whether the first byte of a piece came from the inputs that it needs, once from each.
  static bool is_right(const ExpectedPiece& piece, const std::vector<ByteStay>& origins) {
    std::set<Rank> there;
    Count leaves = 0;
    for (const ByteStay& origin : origins) {
      if (origin.written_by) continue;
      ++leaves;
      if (origin.place.buffer != Buffer::input || origin.place.offset != piece.input_offset) return false;
      if (origin.place.rank >= piece.first && origin.place.rank <= piece.last) there.insert(origin.place.rank);
    }
    return static_cast<Count>(there.size()) == leaves && leaves == piece.last - piece.first + 1;
  }

  void look_at(std::size_t i) {
    const Finding& finding = findings_[i];
    if (finding.round || !finding.rank || !finding.region || finding.region->buffer != Buffer::output) return;
    const Bytes offset = finding.region->offset;
    for (const ExpectedPiece& piece : expected_output(schedule_.problem, *finding.rank)) {
      if (offset < piece.offset || offset - piece.offset >= piece.length) continue;
      const std::vector<ByteStay> origins = flow_.origins_of({*finding.rank, Buffer::output, offset});
      const Bytes byte = piece.input_offset + offset - piece.offset;
      const Rank from = absent_operand(piece, byte, origins);
      const BytePlace start{from, Buffer::input, byte};
      wrong_.push_back({i, from, *finding.rank, {}, {}});
      for (const ByteStay& origin : origins)
        if (origin.written_by) wrong_.back().origins.insert(*origin.written_by);
      const std::vector<ByteStay> copies = flow_.copies_of(start);
      suspect(copies, origins);
      suspect_missing(copies.back(), chain_of_wrong_leaf(piece, byte, origins));
    }
  }

  // Of the ranks whose operands the piece needs, returns the first that is not there; if all are there, the first.
  static Rank absent_operand(const ExpectedPiece& piece, Bytes byte, const std::vector<ByteStay>& origins) {
    std::set<Rank> there;
    for (const ByteStay& origin : origins)
      if (!origin.written_by && origin.place.buffer == Buffer::input && origin.place.offset == byte)
        there.insert(origin.place.rank);
    for (Rank rank = piece.first; rank <= piece.last; ++rank)
      if (!there.contains(rank)) return rank;
    return piece.first;
  }

  void charge(Count more) {
    if ((work_ += more) > most_work) throw Error(ErrorCode::too_large, "that would take too long");
  }

  void suspect(const std::vector<ByteStay>& copies, const std::vector<ByteStay>& origins) {
    charge(size(copies) * size(origins) * (size(flow_.unfinished()) + 1));
    for (const ByteStay& origin : origins)
      for (const ByteStay& copy : copies) {
        suspect_writer(copy, origin);
        if (copy.next && !right_[copy.written_span]) suspect_reader(copy, origin);
        suspect_unfinished(copy, origin);
      }
  }

  // Returns the stays by which the first wrong operand came to the end. If all operands are right, returns all stays.
  static std::vector<ByteStay> chain_of_wrong_leaf(const ExpectedPiece& piece, Bytes byte, const std::vector<ByteStay>& origins) {
    std::set<Rank> there;
    for (const ByteStay& leaf : origins) {
      if (leaf.written_by) continue;
      const Rank rank = leaf.place.rank;
      if (leaf.place.buffer == Buffer::input && leaf.place.offset == byte && rank >= piece.first && rank <= piece.last &&
          there.insert(rank).second)
        continue;
      std::vector<ByteStay> chain;
      for (const ByteStay* stay = &leaf;; stay = &origins[*stay->next]) {
        chain.push_back(*stay);
        if (!stay->next) return chain;
      }
    }
    return origins;
  }

  // The operation that would have taken the latest copy to the first place that waited for it.
  void suspect_missing(const ByteStay& copy, const std::vector<ByteStay>& origins) {
    const ByteStay* next = nullptr;
    for (const ByteStay& origin : origins)
      if (origin.until > copy.since && origin.since < copy.until && origin.place != copy.place &&
          (next == nullptr || origin.until < next->until))
        next = &origin;
    if (next != nullptr)
      enter({{}, copy.place.rank, next->place.rank},
            {CauseKind::missing, copy.place, next->place, std::max(copy.since, next->since), std::min(copy.until, next->until)});
  }

  // The operation that wrote the origin.
  void suspect_writer(const ByteStay& copy, const ByteStay& origin) {
    if (!origin.written_by || right_[origin.written_span]) return;
    const TimedOperation& writer = operation(*origin.written_by);
    if (copy.overwritten_by == origin.written_by && copy.place == origin.place)
      enter({origin.written_by}, {CauseKind::overwrites, copy.place, origin.place});
    if (copy.since >= writer.read_time || copy.until <= writer.read_time || copy.place == origin.source) return;
    if (copy.place.rank == writer.name.from)
      enter({origin.written_by}, {CauseKind::wrong_source, copy.place, origin.source});
    else if (writer.name.kind == NamedOperation::Kind::message && same_offset(copy.place, origin.source))
      enter({origin.written_by}, {CauseKind::wrong_sender, copy.place, origin.source});
  }

  // The operation that wrote the copy.
  void suspect_reader(const ByteStay& copy, const ByteStay& origin) {
    const TimedOperation& reader = operation(*copy.written_by);
    if (origin.since > reader.write_time || origin.until <= reader.write_time || copy.place == origin.place) return;
    if (origin.place.rank == reader.name.to)
      enter({copy.written_by}, {CauseKind::wrong_target, copy.place, origin.place});
    else if (reader.name.kind == NamedOperation::Kind::message && same_offset(copy.place, origin.place))
      enter({copy.written_by}, {CauseKind::wrong_receiver, copy.place, origin.place});
  }

  void suspect_unfinished(const ByteStay& copy, const ByteStay& origin) {
    for (const UnfinishedEnd& end : flow_.unfinished()) {
      const ByteStay& stay = end.reads ? copy : origin;
      const Count time = end.reads ? operation(end.operation).read_time : operation(end.operation).write_time;
      if (stay.place.rank == end.rank && stay.since < time && time < stay.until && touches(end.region, stay.place))
        enter({end.operation}, {CauseKind::unfinished, copy.place, origin.place});
    }
  }

  void enter(const Suspect& suspect, const Suspicion& suspicion) {
    const auto [known, fresh] = wrong_.back().suspects.try_emplace(suspect, suspicion);
    if (!fresh && suspicion.kind < known->second.kind) known->second = suspicion;
  }

  // Takes operations of the same round that were not finished and share their sender or receiver as one cause.
  void take_unfinished() {
    std::vector<std::vector<std::size_t>> groups;
    std::set<std::size_t> unfinished;
    for (const UnfinishedEnd& end : flow_.unfinished()) unfinished.insert(end.operation);
    for (const std::size_t i : unfinished) {
      const NamedOperation& name = operation(i).name;
      charge(size(groups) + 1);
      const auto known = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
        return std::any_of(group.begin(), group.end(), [&](std::size_t other) {
          const NamedOperation& that = operation(other).name;
          return that.round == name.round && (that.from == name.from || that.to == name.to);
        });
      });
      (known == groups.end() ? groups.emplace_back() : *known).push_back(i);
    }
    for (const std::vector<std::size_t>& group : groups) {
      charge((size(findings_) + size(wrong_)) * size(group));
      const NamedOperation& name = operation(group.front()).name;
      FaultCause cause{CauseKind::unfinished, name, {}, "", {}};
      std::string sentence;
      for (std::size_t i = 0; i < findings_.size(); ++i) {
        const Finding& finding = findings_[i];
        if (assigned_[i] || (finding.rule != Rule::unmatched_message && finding.rule != Rule::length_mismatch)) continue;
        if (finding.round != name.round || std::none_of(group.begin(), group.end(), [&](std::size_t other) {
              return finding.rank == operation(other).name.from || finding.rank == operation(other).name.to;
            }))
          continue;
        if (sentence.empty()) sentence = finding.message;
        assign(i, cause);
      }
      for (const WrongByte& wrong : wrong_)
        if (!assigned_[wrong.finding] &&
            std::any_of(group.begin(), group.end(), [&](std::size_t i) { return wrong.suspects.contains({i}); }))
          assign(wrong.finding, cause);
      if (&group == &groups.front())  // without that operation, ranks would not wait forever
        for (std::size_t i = 0; i < findings_.size(); ++i)
          if (findings_[i].rule == Rule::deadlock) assign(i, cause);
      cause.message = fmt::format("{} in round {} is not finished: {}", to_string(name), name.round, sentence);
      finish(std::move(cause));
    }
  }

  static int likelihood(CauseKind kind) {
    if (kind == CauseKind::wrong_receiver || kind == CauseKind::wrong_sender) return 0;
    return kind == CauseKind::missing ? 1 : 2;
  }

  bool take_best() {
    struct Weight {
      std::size_t findings = 0;
      int likelihood = 0;
      auto operator<=>(const Weight&) const = default;
    };
    std::map<Suspect, Weight> weights;
    for (const WrongByte& wrong : wrong_)
      if (charge(1); !assigned_[wrong.finding])
        for (const auto& [suspect, suspicion] : wrong.suspects) {
          charge(8);
          Weight& weight = weights[suspect];
          ++weight.findings;
          weight.likelihood = std::max(weight.likelihood, likelihood(suspicion.kind));
        }
    if (weights.empty()) return false;
    const auto best =
        std::max_element(weights.begin(), weights.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const Suspect suspect = best->first;
    FaultCause cause;
    struct Reason {
      std::size_t findings = 0;
      const WrongByte* first = nullptr;
      Suspicion suspicion;  // of the first finding
    };
    std::map<CauseKind, Reason> reasons;
    for (const WrongByte& wrong : wrong_) {
      const auto suspicion = wrong.suspects.find(suspect);
      if (assigned_[wrong.finding] || suspicion == wrong.suspects.end()) continue;
      const Suspicion& found = suspicion->second;
      Reason& reason = reasons[found.kind];
      if (reason.findings++ == 0) reason.first = &wrong, reason.suspicion = found;
      const Count since = std::max(found.since, reason.suspicion.since), until = std::min(found.until, reason.suspicion.until);
      if (since < until) reason.suspicion.since = since, reason.suspicion.until = until;
      assign(wrong.finding, cause);
    }
    // A loss says most. Otherwise the reason of most findings is taken, and of several the last kind: a message to the wrong rank
    // also brings the wrong bytes there.
    const auto reason = reasons.contains(CauseKind::overwrites)
                            ? reasons.find(CauseKind::overwrites)
                            : std::max_element(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
                                return std::pair(a.second.findings, a.first) < std::pair(b.second.findings, b.first);
                              });
    cause.kind = reason->first;
    describe(cause, suspect, *reason->second.first, reason->second.suspicion);
    take_undefined_reads(cause);
    take_overlaps(cause, suspect);
    finish(std::move(cause));
    return true;
  }

  void describe(FaultCause& cause, const Suspect& suspect, const WrongByte& wrong, const Suspicion& suspicion) const {
    const std::string block = fmt::format("block {} to {}", wrong.from, wrong.to);
    if (!suspect.operation) {
      const auto kind = suspect.from == suspect.to ? NamedOperation::Kind::copy : NamedOperation::Kind::message;
      cause.operation = {flow_.round_of(suspicion.since), kind, suspect.from, suspect.to};
      cause.last_round = flow_.round_of(suspicion.until);
      const std::string rounds = *cause.last_round == cause.operation->round
                                     ? fmt::format("round {}", cause.operation->round)
                                     : fmt::format("rounds {} to {}", cause.operation->round, *cause.last_round);
      cause.message = kind == NamedOperation::Kind::copy
                          ? fmt::format("{} stays at {}: no copy of {} takes it further", block, to_string(suspicion.copy), rounds)
                          : fmt::format("{} stays at {}: no message of {} takes it to rank {}", block, to_string(suspicion.copy),
                                        rounds, suspect.to);
      return;
    }
    cause.operation = operation(*suspect.operation).name;
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
    std::set<std::tuple<Count, Rank>> readers;
    for (const WrongByte& wrong : wrong_)
      if (std::find(cause.findings.begin(), cause.findings.end(), wrong.finding) != cause.findings.end())
        for (const std::size_t i : wrong.origins) readers.emplace(operation(i).name.round, operation(i).name.from);
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const Finding& finding = findings_[i];
      if (!assigned_[i] && finding.round && finding.rank &&
          (finding.rule == Rule::undefined_read || finding.rule == Rule::operand_mismatch || finding.rule == Rule::element_torn) &&
          readers.contains({*finding.round, *finding.rank}))
        assign(i, cause);
    }
  }

  // Places that the suspect and another operation of the round write.
  void take_overlaps(FaultCause& cause, const Suspect& suspect) {
    if (!suspect.operation) return;
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const Finding& finding = findings_[i];
      if (!assigned_[i] && (finding.rule == Rule::overlapping_writes || finding.rule == Rule::overlapping_local) &&
          finding.round == cause.operation->round && finding.rank == cause.operation->to)
        assign(i, cause);
    }
  }

  void take_rule(std::size_t i) {
    const Finding& finding = findings_[i];
    FaultCause cause{CauseKind::rule, {}, {}, to_string(finding), {}};
    for (std::size_t j = i; j < findings_.size(); ++j)
      if (const Finding& other = findings_[j]; !assigned_[j] && other.rule == finding.rule && other.round == finding.round &&
                                               (!finding.round || other.rank == finding.rank))
        assign(j, cause);
    finish(std::move(cause));
  }

  void assign(std::size_t i, FaultCause& cause) {
    assigned_[i] = true;
    cause.findings.push_back(i);
  }

  void finish(FaultCause cause) {
    if (!cause.findings.empty()) causes_.push_back(std::move(cause));
  }

  const Schedule& schedule_;
  const std::vector<Finding>& findings_;
  ByteFlow flow_;
  std::vector<bool> right_;  // by span
  std::vector<bool> assigned_;
  std::vector<WrongByte> wrong_;
  std::vector<FaultCause> causes_;
  Count work_ = 0;
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

}  // namespace quadrille
