// SPDX-License-Identifier: BSD-3-Clause
#include "verify/causes.hpp"

#include <algorithm>
#include <utility>

#include "quadrille/indexed.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

// Limit on the pieces of results that are followed back, to find spans that led to right bytes.
constexpr Count most_acquitting = Count{1} << 16;

bool same_offset(const BytePlace& a, const BytePlace& b) { return a.buffer == b.buffer && a.offset == b.offset; }

class Evidence {
 public:
  Evidence(const Schedule& schedule, const std::vector<Finding>& findings, ByteFlow& flow, Budget& budget)
      : schedule_(schedule), findings_(findings), flow_(flow), budget_(budget) {}

  std::vector<WrongByte> run() {
    acquit();
    for (std::size_t i = 0; i < findings_.size(); ++i) look_at(i);
    return std::move(wrong_);
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

  // Whether the first byte of a piece came from each input that it needs, exactly once.
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
      wrong_.push_back({i, from, *finding.rank, {}, {}, {}});
      for (const ByteStay& origin : origins)
        if (origin.written_by)
          wrong_.back().origins.insert(*origin.written_by);
        else if (origin.next && origin.place.buffer != Buffer::input)
          wrong_.back().unwritten.push_back(origin.place);
      const std::vector<ByteStay> copies = flow_.copies_of(start);
      suspect(copies, origins);
      const std::vector<ByteStay> chain = chain_of_wrong_leaf(piece, byte, origins);
      budget_.charge(size(copies) * size(chain));
      for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) suspect_missing(*copy, chain);
    }
  }

  // Returns the first rank whose operand the piece needs but lacks. If it lacks none, returns the first rank whose operand it
  // needs.
  static Rank absent_operand(const ExpectedPiece& piece, Bytes byte, const std::vector<ByteStay>& origins) {
    std::set<Rank> there;
    for (const ByteStay& origin : origins)
      if (!origin.written_by && origin.place.buffer == Buffer::input && origin.place.offset == byte)
        there.insert(origin.place.rank);
    for (Rank rank = piece.first; rank <= piece.last; ++rank)
      if (!there.contains(rank)) return rank;
    return piece.first;
  }

  void suspect(const std::vector<ByteStay>& copies, const std::vector<ByteStay>& origins) {
    budget_.charge(size(copies) * size(origins) * (size(flow_.unfinished()) + 1));
    for (const ByteStay& origin : origins)
      for (const ByteStay& copy : copies) {
        suspect_writer(copy, origin);
        if (copy.next && !right_[copy.written_span]) suspect_reader(copy, origin);
        suspect_unfinished(copy, origin);
      }
  }

  // Returns the stays on the way of the first wrong operand to the place of the finding. If all operands are right, returns all
  // stays.
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

  // Suspects a missing operation: one that would have taken the copy to the first place that waited for it.
  void suspect_missing(const ByteStay& copy, const std::vector<ByteStay>& origins) {
    const ByteStay* next = nullptr;
    for (const ByteStay& origin : origins)
      if (origin.until > copy.since && origin.since < copy.until && origin.place != copy.place &&
          origin.place.buffer != Buffer::input && (next == nullptr || origin.until < next->until))
        next = &origin;
    if (next == nullptr) return;
    const Count since = std::max(copy.since, next->since), until = std::min(copy.until, next->until);
    enter({{}, copy.place.rank, next->place.rank}, {CauseKind::missing, copy.place, next->place, since, until, copy.since});
  }

  // Suspects the operation that wrote the origin.
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

  // Suspects the operation that wrote the copy: it had read an earlier copy.
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
    const auto [known, fresh] = wrong_.back().suspects.try_emplace(suspect, Suspicions{suspicion, {}});
    Suspicions& all = known->second;
    if (suspicion.kind == CauseKind::wrong_source || suspicion.kind == CauseKind::wrong_target) all.places.push_back(suspicion);
    if (fresh) return;
    if (suspicion.kind < all.first.kind)
      all.first = suspicion;
    else if (suspicion.kind == CauseKind::missing)
      all.first.since = std::min(all.first.since, suspicion.since), all.first.until = std::max(all.first.until, suspicion.until);
  }

  const Schedule& schedule_;
  const std::vector<Finding>& findings_;
  ByteFlow& flow_;
  Budget& budget_;
  std::vector<bool> right_;  // by span
  std::vector<WrongByte> wrong_;
};

}  // namespace

bool touches(const Region& region, const BytePlace& place) {
  const auto [first, last] = hull(region);
  return region.buffer == place.buffer && first <= place.offset && place.offset < last;
}

std::vector<WrongByte> wrong_bytes(const Schedule& schedule, const std::vector<Finding>& findings, ByteFlow& flow, Budget& budget) {
  return Evidence(schedule, findings, flow, budget).run();
}

}  // namespace quadrille
