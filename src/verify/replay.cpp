// SPDX-License-Identifier: BSD-3-Clause
// Runs the programs on symbolic memory and compares the result with the postcondition.
//
// Only the representatives of a symmetry are replayed (without a symmetry, all ranks). Suppose that a representative r receives
// from rank q. Let g be the group element that maps q's representative to q. The data that r receives is the image under g of data
// that q's representative sends in the same round, to the rank that g maps to r. A byte of rank x's input has as its image the
// same byte of the block's image, in the input of the image of x.
#include "verify/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/dependence.hpp"
#include "schedule/symmetry.hpp"
#include "verify/memory_rules.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();

// One end of a message. The two ends of a message have the same key: the sender's orbit, the receiver as seen from the sender's
// representative, and the port.
struct End {
  Count sender;  // orbit of the sender
  Rank to;
  std::optional<Port> port;
  Count owner;  // orbit of the rank that posts this end
  const Message* message;
  auto key() const { return std::tuple(sender, to, port); }
};

class Replay {
 public:
  Replay(const Schedule& schedule, const Symmetry& symmetry, const std::vector<Program>& programs, const VerifyOptions& options,
         FindingList& findings, const MemoryObserver& observer, const OperationObserver& on_operation)
      : schedule_(schedule),
        symmetry_(symmetry),
        programs_(programs),
        most_pieces_(options.most_pieces),
        findings_(findings),
        observer_(observer),
        on_operation_(on_operation),
        terms_(schedule.problem.ranks, required_combining(schedule.problem),
               keep_elements(programs, schedule.problem.element_bytes), options.most_pieces),
        memories_(programs.size()) {
    QUADRILLE_ASSERT(symmetry.ranks() == schedule.problem.ranks && programs.size() == symmetry.representatives().size());
    for (Count at = 0; at < size(programs); ++at) {
      sizes_.push_back(buffer_sizes(schedule, programs[index(at)]));
      write(buffer(at, Buffer::input), 0, {input_bytes(schedule.problem, rank_of(at)), Terms::operand(rank_of(at)), 0});
      if (moves_data(schedule.problem.collective)) continue;
      heard_.emplace_back(index(schedule.problem.ranks));
      heard_.back().set(index(rank_of(at)));
    }
  }

  void run(const MemoryObserver& at_end) {
    const Rounds in_order = rounds_in_order();
    const std::vector<RoundOf>& rounds = in_order.played;
    auto left_out = in_order.left_out.begin();
    const auto tell_left_out = [&](Count up_to) {
      for (; left_out != in_order.left_out.end() && left_out->number() <= up_to; ++left_out) tell_all_of(*left_out);
    };
    observe({});
    for (auto first = rounds.begin(); first != rounds.end();) {
      if (findings_.full()) return;
      const auto last = std::find_if(first, rounds.end(), [&](const RoundOf& other) { return other.number() != first->number(); });
      tell_left_out(first->number());
      play_round({&*first, static_cast<std::size_t>(last - first)});
      observe(first->number());
      first = last;
    }
    tell_left_out(largest);
    if (at_end) at_end({}, memories_, terms_);
    check_delivery();
    if (!moves_data(schedule_.problem.collective)) check_barrier();
  }

 private:
  // One round of one representative.
  struct RoundOf {
    Count at;
    const Round* round;
    Count number() const { return round->number; }
  };
  using ActingRanks = std::span<const RoundOf>;  // of the same round, in ascending order of rank

  Rank rank_of(Count at) const { return symmetry_.representatives()[index(at)]; }
  bool is_rank(Rank rank) const { return rank >= 0 && rank < schedule_.problem.ranks; }

  struct Rounds {
    std::vector<RoundOf> played, left_out;
  };

  // Returns the rounds of all representatives, by number and then by rank, so that ranks without work in a round cost nothing.
  // Some rounds are left out, because they have been reported already: rounds out of order, and all but the last of several
  // rounds with the same number.
  Rounds rounds_in_order() const {
    Rounds rounds;
    auto& [played, left_out] = rounds;
    for (Count at = 0; at < size(programs_); ++at)
      for (const Round& round : programs_[index(at)].rounds) {
        if (!played.empty() && played.back().at == at && round.number <= played.back().number()) {
          if (round.number < played.back().number()) {
            left_out.push_back({at, &round});
            continue;
          }
          left_out.push_back(played.back());
          played.pop_back();
        }
        played.push_back({at, &round});
      }
    for (auto* list : {&played, &left_out})
      std::stable_sort(list->begin(), list->end(), [](const RoundOf& a, const RoundOf& b) { return a.number() < b.number(); });
    return rounds;
  }

  // Tells the observer the operations of a round that is left out, as not done.
  void tell_all_of(const RoundOf& of) const {
    const Rank rank = rank_of(of.at);
    for (const Local& local : of.round->locals)
      tell({{of.number(), kind_of(local), rank, rank}, &local.source, &local.target, false});
    for (const Message& send : of.round->sends)
      tell({{of.number(), NamedOperation::Kind::message, rank, send.peer}, &send.regions, nullptr, false});
    for (const Message& receive : of.round->receives)
      tell({{of.number(), NamedOperation::Kind::message, receive.peer, rank}, nullptr, &receive.regions, false});
  }

  static NamedOperation::Kind kind_of(const Local& local) {
    return local.kind == LocalKind::reduce ? NamedOperation::Kind::reduce : NamedOperation::Kind::copy;
  }

  void tell(const PlayedOperation& operation) const {
    if (on_operation_) on_operation_(operation);
  }

  void observe(std::optional<Count> round) const {
    if (observer_) observer_(round, memories_, terms_);
  }

  void add(Rule rule, Count at, std::optional<Region> region, std::string message) {
    findings_.add({rule, rank_of(at), stage_name(programs_[index(at)].stages, number_), number_, region, std::move(message)});
  }

  // Checks a limit on the work before any of it is done. The limit is 64 passes over the largest allowed memory; a
  // correct schedule needs far fewer.
  void charge(const Regions& regions) {
    for (const Region& region : regions) {
      bytes(region);
      Count runs = 1;
      for (const Level& level : region.levels)
        if (runs = times_at_most(runs, level.count, largest); runs > most_pieces_) too_large();
      if (runs > times_at_most(64, most_pieces_, largest) - work_) too_large();
      work_ += runs;
    }
  }

  [[noreturn]] void too_large() const {
    throw Error(ErrorCode::too_large,
                fmt::format("replaying it takes more than {} pieces of memory; ask for a smaller problem", most_pieces_));
  }

  SymbolicBuffer& buffer(Count at, Buffer which) { return memories_[index(at)][static_cast<std::size_t>(which)]; }

  void write(SymbolicBuffer& buffer, Bytes offset, const SymbolRun& piece) {
    pieces_ -= static_cast<Count>(buffer.piece_count());
    buffer.write(offset, piece);
    pieces_ += static_cast<Count>(buffer.piece_count());
    QUADRILLE_ASSERT(pieces_ >= 0);
  }

  Strip read(Count at, const Regions& regions) {
    charge(regions);
    Strip strip;
    for (const Region& region : regions) {
      Strip part;
      for_each_run(region, [&](Bytes offset, Bytes length) { buffer(at, region.buffer).read(offset, length, part); });
      if (std::any_of(part.begin(), part.end(), [](const SymbolRun& piece) { return piece.term == Terms::undefined; }))
        add(Rule::undefined_read, at, region, "reads bytes that were never written");
      held_ += static_cast<Count>(part.size());
      if (held_ > most_pieces_) too_large();
      for (const SymbolRun& piece : part) append(strip, piece);
    }
    QUADRILLE_ASSERT(length_of(strip) == bytes(regions));
    return strip;
  }

  void write(Count at, const Regions& regions, const Strip& strip) {
    charge(regions);
    QUADRILLE_ASSERT(length_of(strip) == bytes(regions));
    auto piece = strip.begin();
    Bytes used = 0;  // bytes of *piece that are already written
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        while (length > 0 && piece != strip.end()) {
          const Bytes part = std::min(length, piece->length - used);
          write(buffer(at, region.buffer), offset, {part, piece->term, piece->index + used});
          offset += part;
          length -= part;
          used += part;
          if (used == piece->length) ++piece, used = 0;
        }
      });
  }

  std::vector<Run> charged_runs(const Regions& regions) {
    charge(regions);
    return sorted_runs(regions);
  }

  // `strip` is what a representative holds at some place. Returns what rank `rank`, an image of the representative, holds
  // at the image of that place.
  Strip moved(const Strip& strip, Rank rank) {
    if (symmetry_.representative_of(rank) == rank) return strip;
    const Bytes block = schedule_.problem.block_bytes;
    const bool moves_bytes = is_indexed_by_rank(Buffer::input, schedule_.problem.collective);
    Strip images;
    for (SymbolRun piece : strip) {
      piece.term = terms_.moved(symmetry_, rank, piece.term);
      if (!moves_bytes || piece.term == Terms::undefined) {
        append(images, piece);
        continue;
      }
      while (piece.length > 0) {
        const Rank x = piece.index / block;
        const Bytes in_block = piece.index % block, part = std::min(piece.length, symmetry_.stretch(rank, x) * block - in_block);
        append(images, {part, piece.term, symmetry_.image(rank, x) * block + in_block});
        piece.index += part;
        piece.length -= part;
      }
    }
    return images;
  }

  static bool usable(const Regions& source, const Regions& target) { return bytes(source) == bytes(target); }

  void play_local(Count at, const Local& local) {
    const std::vector<Run> target = charged_runs(local.target);
    if (const auto twice = repeated(target))
      add(Rule::overlapping_writes, at, twice, "a local operation writes these bytes twice");
    else if (const auto both = shared(charged_runs(local.source), target))
      add(Rule::overlapping_local, at, both, "source and target share these bytes");
    tell({{number_, kind_of(local), rank_of(at), rank_of(at)}, &local.source, &local.target, usable(local.source, local.target)});
    if (!usable(local.source, local.target)) return;
    Strip result = read(at, local.source);
    if (local.kind == LocalKind::reduce) {
      const Strip target_strip = read(at, local.target);
      check_elements(at, local.source, result, "source");
      check_elements(at, local.target, target_strip, "target");
      result = combine(at, local, result, target_strip);
    }
    write(at, local.target, result);
    held_ = 0;
  }

  void check_elements(Count at, const Regions& regions, const Strip& strip, std::string_view operand) {
    if (const auto torn = first_torn_element(strip, element_))
      add(Rule::element_torn, at, regions.front(), torn_element(strip, *torn, element_, terms_, operand));
  }

  Strip combine(Count at, const Local& local, const Strip& source, const Strip& target) {
    Strip result;
    std::size_t s = 0, t = 0;
    Bytes s_used = 0, t_used = 0;
    bool mismatch = false;
    while (s < source.size() && t < target.size()) {
      const Bytes length = std::min(source[s].length - s_used, target[t].length - t_used);
      const Bytes s_index = source[s].index + s_used, t_index = target[t].index + t_used;
      const bool defined = source[s].term != Terms::undefined && target[t].term != Terms::undefined;
      mismatch = mismatch || (defined && s_index != t_index);
      const auto term = !defined || s_index != t_index              ? Terms::undefined
                        : local.order == OperandOrder::source_first ? terms_.combine(source[s].term, target[t].term)
                                                                    : terms_.combine(target[t].term, source[s].term);
      append(result, {length, term, t_index});
      if (s_used += length; s_used == source[s].length) ++s, s_used = 0;
      if (t_used += length; t_used == target[t].length) ++t, t_used = 0;
    }
    if (mismatch) add(Rule::operand_mismatch, at, local.target.front(), "combines elements of different index");
    return result;
  }

  void play_round(ActingRanks rounds) {
    number_ = rounds.front().number();
    for (const auto& [at, round] : rounds)
      for (const Local& local : round->locals)
        if (in_buffers(at, local.source) && in_buffers(at, local.target)) play_local(at, local);

    std::vector<End> sends, receives;
    for (const auto& [at, round] : rounds) {
      for (const Message& message : round->sends) sends.push_back({at, message.peer, message.port, at, &message});
      for (const Message& message : round->receives) {
        const auto [sender, to] = seen_by_sender(message.peer, rank_of(at));
        receives.push_back({sender, to, message.port, at, &message});
      }
      check_write_overlap(at, *round);
    }
    play_messages(sends, receives);
    play_controls(rounds);
  }

  // For a message from `sender` to `receiver`: returns the orbit of the sender, and the rank to which the sender's representative
  // sends the corresponding message.
  std::pair<Count, Rank> seen_by_sender(Rank sender, Rank receiver) const {
    if (!is_rank(sender)) return {-1, receiver};
    const Count orbit = symmetry_.orbit_of(sender);
    QUADRILLE_ASSERT(orbit >= 0 && orbit < size(programs_));
    return {orbit, symmetry_.preimage(sender, receiver)};
  }

  void check_write_overlap(Count at, const Round& round) {
    Regions written;
    for (const Message& message : round.receives)
      if (in_buffers(at, message.regions)) written.insert(written.end(), message.regions.begin(), message.regions.end());
    if (const auto twice = repeated(charged_runs(written))) add(Rule::overlapping_writes, at, twice, "received twice in one round");
  }

  void play_messages(std::vector<End>& sends, std::vector<End>& receives) {
    const auto by_key = [](const End& a, const End& b) { return a.key() < b.key(); };
    std::stable_sort(sends.begin(), sends.end(), by_key);
    std::stable_sort(receives.begin(), receives.end(), by_key);
    struct Delivery {
      const End *send, *receive;
      Strip strip;
    };
    std::vector<Delivery> under_way;
    held_ = 0;
    for_each_meeting(
        sends, receives, [](const End& a, const End& b) { return a.key() <=> b.key(); },
        [&](const End& send, const End& receive) {
          if (findings_.full()) return;
          const Regions &source = send.message->regions, &target = receive.message->regions;
          const Rank from = receive.message->peer;
          if (!usable(source, target)) {
            tell({{number_, NamedOperation::Kind::message, from, rank_of(receive.owner)}, &source, &target, false});
            add(Rule::length_mismatch, receive.owner, {},
                fmt::format("rank {} sends {} bytes, but {} are received", from, bytes(source), bytes(target)));
          } else if (in_buffers(send.owner, source) && in_buffers(receive.owner, target)) {
            under_way.push_back({&send, &receive, moved(read(send.owner, source), from)});
          }
        },
        [&](const End& send) {
          tell({{number_, NamedOperation::Kind::message, rank_of(send.owner), send.to}, &send.message->regions, nullptr, false});
          add(Rule::unmatched_message, send.owner, {},
              fmt::format("rank {} has no receive in this round for {} bytes sent to it", send.to, bytes(send.message->regions)));
        },
        [&](const End& receive) {
          tell({{number_, NamedOperation::Kind::message, receive.message->peer, rank_of(receive.owner)},
                nullptr,
                &receive.message->regions,
                false});
          add(Rule::unmatched_message, receive.owner, {},
              fmt::format("rank {} sends nothing to rank {} in this round; {} bytes are waited for", receive.message->peer,
                          rank_of(receive.owner), bytes(receive.message->regions)));
        });
    if (findings_.full()) return;
    for (const auto& [send, receive, strip] : under_way) {
      const Regions &source = send->message->regions, &target = receive->message->regions;
      tell({{number_, NamedOperation::Kind::message, receive->message->peer, rank_of(receive->owner)}, &source, &target});
      write(receive->owner, target, strip);
    }
    held_ = 0;
    if (pieces_ > most_pieces_) too_large();
  }

  // A control message tells its receiver every rank from which its sender had heard before the round. Control messages
  // of equal length are interchangeable, because they carry no data. They are kept in a multiset, which also keeps the
  // order of findings deterministic.
  void play_controls(ActingRanks rounds) {
    std::multiset<std::tuple<Count, Rank, Bytes>> sent;
    std::map<Count, boost::dynamic_bitset<>> known_before;  // by sender's orbit
    for (const auto& [at, round] : rounds)
      for (const Control& control : round->control_sends) {
        sent.emplace(at, control.peer, control.bytes);
        if (!heard_.empty()) known_before.try_emplace(at, heard_[index(at)]);
      }
    for (const auto& [at, round] : rounds)
      for (const Control& control : round->control_receives) {
        const auto [sender, to] = seen_by_sender(control.peer, rank_of(at));
        const auto match = sent.find({sender, to, control.bytes});
        if (match == sent.end()) {
          add(Rule::unmatched_message, at, {},
              fmt::format("rank {} sends no control message of {} bytes in this round", control.peer, control.bytes));
          continue;
        }
        sent.erase(match);
        if (!heard_.empty()) hear(heard_[index(at)], known_before.at(sender), control.peer);
      }
    for (const auto& [from, to, length] : sent)
      add(Rule::unmatched_message, from, {},
          fmt::format("rank {} expects no control message of {} bytes in this round", to, length));
  }

  // Adds the ranks from which the sender `from` had heard to `heard`. `known` has the ranks from which the sender's
  // representative had heard.
  void hear(boost::dynamic_bitset<>& heard, const boost::dynamic_bitset<>& known, Rank from) const {
    if (symmetry_.representative_of(from) == from)
      heard |= known;
    else
      for (auto x = known.find_first(); x != known.npos; x = known.find_next(x))
        heard.set(index(symmetry_.image(from, static_cast<Rank>(x))));
  }

  // Regions outside their buffers have been reported already; operations with such regions are skipped.
  bool in_buffers(Count at, const Regions& regions) const {
    return std::all_of(regions.begin(), regions.end(), [&](const Region& region) { return lies_in(sizes_[index(at)], region); });
  }

  void check_delivery() {
    for (Count at = 0; at < size(programs_); ++at)
      for (const ExpectedPiece& expected : expected_output(schedule_.problem, rank_of(at))) {
        if (findings_.full()) return;
        Strip strip;
        buffer(at, Buffer::output).read(expected.offset, expected.length, strip);
        QUADRILLE_ASSERT(length_of(strip) == expected.length);
        const Terms::Form wanted = terms_.form_of_ranks(expected.first, expected.last);
        const std::vector<WrongPart> wrong = wrong_parts(expected, strip, terms_, wanted);
        if (!wrong.empty())
          report_wrong_part(rank_of(at), wrong.front(), wanted);
        else if (const auto torn = is_reduction(schedule_.problem.collective) ? first_torn_element(strip, element_) : std::nullopt)
          findings_.add({.rule = Rule::element_torn,
                         .rank = rank_of(at),
                         .region = Region{Buffer::output, expected.offset, expected.length, {}},
                         .message = torn_element(strip, *torn, element_, terms_, "result")});
      }
  }

  void report_wrong_part(Rank rank, const WrongPart& part, Terms::Form wanted) {
    const bool right_operands =
        part.found.index == part.expected_index && terms_.same_operands(terms_.form(part.found.term), wanted);
    findings_.add({.rule = right_operands ? Rule::operand_order : Rule::delivery,
                   .rank = rank,
                   .region = Region{Buffer::output, part.offset, part.found.length, {}},
                   .message = to_string(part, terms_, wanted)});
  }

  void check_barrier() {
    for (Count at = 0; at < size(heard_); ++at)
      if (const auto& heard = heard_[index(at)]; !heard.all())
        findings_.add({.rule = Rule::delivery,
                       .rank = rank_of(at),
                       .message = fmt::format("has heard from {} of {} at the end", heard.count(), counted(heard.size(), "rank"))});
  }

  const Schedule& schedule_;
  const Symmetry& symmetry_;
  const std::vector<Program>& programs_;
  const Count most_pieces_;
  const Bytes element_ = schedule_.problem.element_bytes;
  FindingList& findings_;
  const MemoryObserver& observer_;
  const OperationObserver& on_operation_;
  Terms terms_;
  std::vector<SymbolicMemory> memories_;
  std::vector<std::array<Bytes, 4>> sizes_;
  std::vector<boost::dynamic_bitset<>> heard_;  // barrier: the ranks from which each representative has heard
  Count number_ = 0;
  Count held_ = 0;    // pieces of messages in progress
  Count pieces_ = 0;  // pieces in all memories
  // Runs of regions visited so far.
  Count work_ = 0;
};

}  // namespace

void replay(const Schedule& schedule, const Symmetry& symmetry, const std::vector<Program>& programs, const VerifyOptions& options,
            FindingList& findings, const MemoryObserver& observer, const MemoryObserver& at_end,
            const OperationObserver& on_operation) {
  Replay(schedule, symmetry, programs, options, findings, observer, on_operation).run(at_end);
}

}  // namespace quadrille
