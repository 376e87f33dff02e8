// SPDX-License-Identifier: BSD-3-Clause
// Compares what the programs leave in memory with the postcondition.
#include "verify/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();

struct Run {
  Buffer buffer;
  Bytes first, last;
};

// One end of a message, found by (from, to, port).
struct End {
  Rank from, to;
  std::optional<Port> port;
  const Message* message;
  auto key() const { return std::tuple(from, to, port); }
};

bool at_multiples_of(Bytes element, const Region& region) {
  return region.offset % element == 0 && region.length % element == 0 &&
         std::all_of(region.levels.begin(), region.levels.end(),
                     [&](const Level& level) { return level.count <= 1 || level.stride % element == 0; });
}

// Does every operation read and write whole elements, if memory is made of them? Then none is ever taken apart.
bool keep_elements(const std::vector<Program>& programs, Bytes element) {
  const auto keep = [&](const Regions& regions) {
    return std::all_of(regions.begin(), regions.end(), [&](const Region& region) { return at_multiples_of(element, region); });
  };
  const auto all_keep = [&](const std::vector<Message>& messages) {
    return std::all_of(messages.begin(), messages.end(), [&](const Message& message) { return keep(message.regions); });
  };
  const auto round_keeps = [&](const Round& round) {
    return all_keep(round.sends) && all_keep(round.receives) &&
           std::all_of(round.locals.begin(), round.locals.end(),
                       [&](const Local& local) { return keep(local.source) && keep(local.target); });
  };
  return element == 1 || std::all_of(programs.begin(), programs.end(), [&](const Program& program) {
           return std::all_of(program.rounds.begin(), program.rounds.end(), round_keeps);
         });
}

class Replay {
 public:
  Replay(const Schedule& schedule, const std::vector<Program>& programs, const VerifyOptions& options, Report& report,
         const MemoryObserver& observer)
      : schedule_(schedule),
        programs_(programs),
        most_pieces_(options.most_pieces),
        report_(report),
        observer_(observer),
        terms_(schedule.problem.ranks, required_combining(schedule.problem),
               keep_elements(programs, schedule.problem.element_bytes), options.most_pieces),
        memories_(programs.size()),
        heard_(!moves_data(schedule.problem.collective) ? programs.size() : 0, boost::dynamic_bitset<>(programs.size())) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      sizes_.push_back(buffer_sizes(schedule, programs[rank]));
      write(memories_[rank][0], 0,
            {input_bytes(schedule.problem, static_cast<Rank>(rank)), terms_.operand(static_cast<Rank>(rank)), 0});
      if (!heard_.empty()) heard_[rank].set(rank);
    }
  }

  void run() {
    const std::vector<RoundOf> rounds = rounds_in_order();
    observe({});
    for (auto first = rounds.begin(); first != rounds.end();) {
      if (report_.full()) return;
      const auto last = std::find_if(first, rounds.end(), [&](const RoundOf& other) { return other.number() != first->number(); });
      play_round({first, last});
      observe(first->number());
      first = last;
    }
    check_delivery();
    if (!moves_data(schedule_.problem.collective)) check_barrier();
  }

 private:
  // A round of a rank that acts in it.
  struct RoundOf {
    Rank rank;
    const Round* round;
    Count number() const { return round->number; }
  };
  using ActingRanks = std::span<const RoundOf>;  // of one round, ascending

  // By number, then by rank: going through them takes no longer for ranks that have nothing to do. Rounds out of order were
  // reported; they are left out, as is all but the last of one number.
  std::vector<RoundOf> rounds_in_order() const {
    std::vector<RoundOf> rounds;
    for (std::size_t i = 0; i < programs_.size(); ++i)
      for (const Round& round : programs_[i].rounds) {
        const auto rank = static_cast<Rank>(i);
        if (!rounds.empty() && rounds.back().rank == rank && round.number <= rounds.back().number()) {
          if (round.number < rounds.back().number()) continue;
          rounds.pop_back();
        }
        rounds.push_back({rank, &round});
      }
    std::stable_sort(rounds.begin(), rounds.end(), [](const RoundOf& a, const RoundOf& b) { return a.number() < b.number(); });
    return rounds;
  }

  void observe(std::optional<Count> round) const {
    if (observer_) observer_(round, memories_, terms_);
  }

  void add(Rule rule, Rank rank, std::optional<Region> region, std::string message) {
    report_.add(
        {rule, rank, stage_name(programs_[static_cast<std::size_t>(rank)].stages, number_), number_, region, std::move(message)});
  }

  // Bounds the work before any of it is done; 64 passes over a full memory are plenty for any schedule.
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

  SymbolicBuffer& buffer(Rank rank, Buffer which) {
    return memories_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(which)];
  }

  void write(SymbolicBuffer& buffer, Bytes offset, const SymbolRun& piece) {
    pieces_ -= static_cast<Count>(buffer.piece_count());
    buffer.write(offset, piece);
    pieces_ += static_cast<Count>(buffer.piece_count());
  }

  Strip read(Rank rank, const Regions& regions) {
    charge(regions);
    Strip strip;
    for (const Region& region : regions) {
      Strip part;
      for_each_run(region, [&](Bytes offset, Bytes length) { buffer(rank, region.buffer).read(offset, length, part); });
      if (std::any_of(part.begin(), part.end(), [](const SymbolRun& piece) { return piece.term == Terms::undefined; }))
        add(Rule::undefined_read, rank, region, "reads bytes that nothing has written before");
      held_ += static_cast<Count>(part.size());
      if (held_ > most_pieces_) too_large();
      for (const SymbolRun& piece : part) append(strip, piece);
    }
    return strip;
  }

  void write(Rank rank, const Regions& regions, const Strip& strip) {
    charge(regions);
    std::size_t at = 0;
    Bytes used = 0;  // of strip[at]
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        while (length > 0 && at < strip.size()) {
          const SymbolRun& piece = strip[at];
          const Bytes part = std::min(length, piece.length - used);
          write(buffer(rank, region.buffer), offset, {part, piece.term, piece.index + used});
          offset += part;
          length -= part;
          used += part;
          if (used == piece.length) ++at, used = 0;
        }
      });
  }

  std::vector<Run> sorted_runs(const Regions& regions) {
    charge(regions);
    std::vector<Run> runs;
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) { runs.push_back({region.buffer, offset, offset + length}); });
    std::sort(runs.begin(), runs.end(),
              [](const Run& a, const Run& b) { return std::tie(a.buffer, a.first) < std::tie(b.buffer, b.first); });
    return runs;
  }

  static std::optional<Region> common(const Run& a, const Run& b) {
    const Bytes first = std::max(a.first, b.first), last = std::min(a.last, b.last);
    return a.buffer == b.buffer && first < last ? std::optional(Region{a.buffer, first, last - first, {}}) : std::nullopt;
  }

  // Bytes that occur twice among sorted runs.
  static std::optional<Region> repeated(const std::vector<Run>& runs) {
    for (std::size_t i = 1; i < runs.size(); ++i)
      if (const auto both = common(runs[i - 1], runs[i])) return both;
    return std::nullopt;
  }

  // Bytes that occur among `reads` and among `writes`, which do not repeat each other; both sorted.
  static std::optional<Region> shared(const std::vector<Run>& reads, const std::vector<Run>& writes) {
    for (const Run& read : reads) {
      const auto after = std::partition_point(writes.begin(), writes.end(), [&](const Run& write) {
        return std::tie(write.buffer, write.last) <= std::tie(read.buffer, read.first);
      });
      if (after != writes.end())
        if (const auto both = common(read, *after)) return both;
    }
    return std::nullopt;
  }

  static bool usable(const Regions& source, const Regions& target) { return bytes(source) == bytes(target); }

  void play_local(Rank rank, const Local& local) {
    const std::vector<Run> target = sorted_runs(local.target);
    if (const auto twice = repeated(target))
      add(Rule::overlapping_writes, rank, twice, "a local operation writes these bytes twice");
    else if (const auto both = shared(sorted_runs(local.source), target))
      add(Rule::overlapping_local, rank, both, "source and target share these bytes");
    if (!usable(local.source, local.target)) return;
    Strip result = read(rank, local.source);
    if (local.kind == LocalKind::reduce) {
      const Strip target_strip = read(rank, local.target);
      check_elements(rank, local.source, result, "source");
      check_elements(rank, local.target, target_strip, "target");
      result = combine(rank, local, result, target_strip);
    }
    write(rank, local.target, result);
    held_ = 0;
  }

  void check_elements(Rank rank, const Regions& regions, const Strip& strip, std::string_view operand) {
    if (const auto torn = first_torn_element(strip))
      add(Rule::element_torn, rank, regions.front(), torn_element(strip, *torn, operand));
  }

  // The number of the first element whose bytes are not, in their order, those of one element of one term. Unwritten bytes are the
  // matter of another rule.
  std::optional<Count> first_torn_element(const Strip& strip) const {
    const Bytes element = schedule_.problem.element_bytes;
    Bytes at = 0;
    for (const SymbolRun& piece : strip) {
      if (piece.term != Terms::undefined) {
        if (at % element != 0 || piece.index % element != 0) return at / element;
        if (piece.length % element != 0) return (at + piece.length) / element;
      }
      at += piece.length;
    }
    return std::nullopt;
  }

  std::string torn_element(const Strip& strip, Count number, std::string_view of_what) const {
    const Bytes element = schedule_.problem.element_bytes, first = number * element, last = first + element;
    std::string parts;
    Bytes at = 0;
    for (const SymbolRun& piece : strip) {
      const Bytes begin = std::max(at, first), end = std::min(at + piece.length, last);
      if (begin < end) {
        const Bytes byte = piece.index + begin - at, last_byte = byte + end - begin - 1;
        parts += parts.empty() ? "" : ", then ";
        if (piece.term == Terms::undefined)
          parts += "nothing";
        else
          parts += fmt::format("{} of {}",
                               byte == last_byte ? fmt::format("byte {}", byte) : fmt::format("bytes {} to {}", byte, last_byte),
                               terms_.to_string(terms_.form(piece.term)));
      }
      at += piece.length;
    }
    return fmt::format(
        "element {} of the {} is made of {}; expected the {} bytes of one element in their order, all combined in the same order "
        "and with the same brackets",
        number, of_what, parts, element);
  }

  Strip combine(Rank rank, const Local& local, const Strip& source, const Strip& target) {
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
    if (mismatch) add(Rule::operand_mismatch, rank, local.target.front(), "combines different elements of the operands");
    return result;
  }

  void play_round(ActingRanks rounds) {
    number_ = rounds.front().number();
    for (const auto& [rank, round] : rounds)
      for (const Local& local : round->locals)
        if (in_buffers(rank, local.source) && in_buffers(rank, local.target)) play_local(rank, local);

    std::vector<End> sends, receives;
    for (const auto& [rank, round] : rounds) {
      for (const Message& message : round->sends) sends.push_back({rank, message.peer, message.port, &message});
      for (const Message& message : round->receives) receives.push_back({message.peer, rank, message.port, &message});
      check_write_overlap(rank, *round);
    }
    play_messages(sends, receives);
    play_controls(rounds);
  }

  void check_write_overlap(Rank rank, const Round& round) {
    Regions written;
    for (const Message& message : round.receives)
      if (in_buffers(rank, message.regions)) written.insert(written.end(), message.regions.begin(), message.regions.end());
    if (const auto twice = repeated(sorted_runs(written)))
      add(Rule::overlapping_writes, rank, twice, "received twice in one round");
  }

  void play_messages(std::vector<End>& sends, std::vector<End>& receives) {
    const auto by_key = [](const End& a, const End& b) { return a.key() < b.key(); };
    std::stable_sort(sends.begin(), sends.end(), by_key);
    std::stable_sort(receives.begin(), receives.end(), by_key);
    std::vector<std::pair<const End*, Strip>> under_way;
    held_ = 0;
    std::size_t s = 0, r = 0;
    while (s < sends.size() || r < receives.size()) {
      if (r == receives.size() || (s < sends.size() && by_key(sends[s], receives[r]))) {
        add(Rule::unmatched_message, sends[s].from, {},
            fmt::format("rank {} has no receive in this round for {} bytes sent to it", sends[s].to,
                        bytes(sends[s].message->regions)));
        ++s;
      } else if (s == sends.size() || by_key(receives[r], sends[s])) {
        add(Rule::unmatched_message, receives[r].to, {},
            fmt::format("rank {} sends nothing in this round; {} bytes are waited for", receives[r].from,
                        bytes(receives[r].message->regions)));
        ++r;
      } else {
        const Regions& source = sends[s].message->regions;
        const Regions& target = receives[r].message->regions;
        if (!usable(source, target))
          add(Rule::length_mismatch, receives[r].to, {},
              fmt::format("rank {} sends {} bytes and {} are received", sends[s].from, bytes(source), bytes(target)));
        else if (in_buffers(sends[s].from, source) && in_buffers(receives[r].to, target))
          under_way.emplace_back(&receives[r], read(sends[s].from, source));
        ++s;
        ++r;
      }
      if (report_.full()) return;
    }
    for (const auto& [end, strip] : under_way) write(end->to, end->message->regions, strip);
    held_ = 0;
    if (pieces_ > most_pieces_) too_large();
  }

  // A control message tells its receiver whatever its sender had heard before the round.
  void play_controls(ActingRanks rounds) {
    std::multiset<std::tuple<Rank, Rank, Bytes>> sent;
    std::map<Rank, boost::dynamic_bitset<>> known_before;  // to those who tell
    for (const auto& [rank, round] : rounds)
      for (const Control& control : round->control_sends) {
        sent.emplace(rank, control.peer, control.bytes);
        if (!heard_.empty()) known_before.try_emplace(rank, heard_[static_cast<std::size_t>(rank)]);
      }
    for (const auto& [rank, round] : rounds)
      for (const Control& control : round->control_receives) {
        const auto match = sent.find({control.peer, rank, control.bytes});
        if (match == sent.end()) {
          add(Rule::unmatched_message, rank, {},
              fmt::format("rank {} sends no control message of {} bytes in this round", control.peer, control.bytes));
          continue;
        }
        sent.erase(match);
        if (!heard_.empty()) heard_[static_cast<std::size_t>(rank)] |= known_before.at(control.peer);
      }
    for (const auto& [from, to, length] : sent)
      add(Rule::unmatched_message, from, {},
          fmt::format("rank {} expects no control message of {} bytes in this round", to, length));
  }

  // Regions outside their buffers were reported; they are not played.
  bool in_buffers(Rank rank, const Regions& regions) const {
    return std::all_of(regions.begin(), regions.end(),
                       [&](const Region& region) { return lies_in(sizes_[static_cast<std::size_t>(rank)], region); });
  }

  void check_delivery() {
    for (std::size_t rank = 0; rank < programs_.size(); ++rank)
      for (const ExpectedPiece& expected : expected_output(schedule_.problem, static_cast<Rank>(rank))) {
        if (report_.full()) return;
        Strip strip;
        memories_[rank][1].read(expected.offset, expected.length, strip);
        const Terms::Form wanted = terms_.form_of_ranks(expected.first, expected.last);
        Bytes at = 0;
        const auto wrong = std::find_if(strip.begin(), strip.end(), [&](const SymbolRun& piece) {
          if (terms_.form(piece.term) != wanted || piece.index != expected.input_offset + at) return true;
          at += piece.length;
          return false;
        });
        if (wrong != strip.end())
          report_wrong_piece(static_cast<Rank>(rank), expected, at, *wrong, wanted);
        else if (const auto torn = is_reduction(schedule_.problem.collective) ? first_torn_element(strip) : std::nullopt)
          report_.add({Rule::element_torn,
                       static_cast<Rank>(rank),
                       "",
                       {},
                       Region{Buffer::output, expected.offset, expected.length, {}},
                       torn_element(strip, *torn, "result")});
      }
  }

  void report_wrong_piece(Rank rank, const ExpectedPiece& expected, Bytes at, const SymbolRun& piece, Terms::Form wanted) {
    const Terms::Form found = terms_.form(piece.term);
    const bool right_operands = piece.index == expected.input_offset + at && terms_.same_operands(found, wanted);
    const Region where{Buffer::output, expected.offset + at, piece.length, {}};
    const auto description = [&](Terms::Form form, Bytes index) {
      return form == Terms::undefined ? std::string("nothing") : fmt::format("{}, bytes from {}", terms_.to_string(form), index);
    };
    report_.add({right_operands ? Rule::operand_order : Rule::delivery,
                 rank,
                 "",
                 {},
                 where,
                 fmt::format("holds {} at the end; expected {}", description(found, piece.index),
                             description(wanted, expected.input_offset + at))});
  }

  void check_barrier() {
    for (std::size_t rank = 0; rank < heard_.size(); ++rank)
      if (!heard_[rank].all())
        report_.add({Rule::delivery,
                     static_cast<Rank>(rank),
                     "",
                     {},
                     {},
                     fmt::format("has heard from {} of {} ranks at the end", heard_[rank].count(), heard_.size())});
  }

  const Schedule& schedule_;
  const std::vector<Program>& programs_;
  const Count most_pieces_;
  Report& report_;
  const MemoryObserver& observer_;
  Terms terms_;
  std::vector<SymbolicMemory> memories_;
  std::vector<std::array<Bytes, 4>> sizes_;
  std::vector<boost::dynamic_bitset<>> heard_;  // barrier: of whom each rank knows
  Count number_ = 0;
  Count held_ = 0;    // pieces of messages under way
  Count pieces_ = 0;  // of all memories
  Count work_ = 0;
};

}  // namespace

void replay(const Schedule& schedule, const std::vector<Program>& programs, const VerifyOptions& options, Report& report,
            const MemoryObserver& observer) {
  Replay(schedule, programs, options, report, observer).run();
}

}  // namespace quadrille
