// SPDX-License-Identifier: BSD-3-Clause
// Verifies a schedule by its stated symmetry: replays the programs of the representatives, and compares the programs of other ranks
// with the images of their representatives' programs (above 4,096 ranks only of a sample, if comparing all takes more than
// VerifyOptions::most_compared_work). If every program is the image of its representative's program, the result holds for all
// ranks, for these reasons:
//
// - The group permutes ranks, and with them the blocks that belong to ranks. It maps buffers to buffers, bytes one to
//   one, each round to itself, and a message between two ranks to a message between their images.
// - Rules about one program (structure.cpp): regions within their buffers, lengths, peers, ports, order of rounds and
//   stages are the same as in the representative's program. Whole elements in reductions (element-cut) are compared
//   in addition to the bytes.
// - Matching: the send that a receive of rank r needs is the image of the send that the same receive of r's
//   representative needs. The group is commutative, and exactly one element of it maps a given rank to its
//   representative. The sender's element maps both ends of a message, and the images are compared (replay.cpp).
// - Memory (undefined-read, overlaps, operand-mismatch, length-mismatch): before the first round, the memory of a
//   rank is the image of its representative's memory. This stays true in each round: both ranks do the same local
//   operations, and a message of the rank connects the images of the pairs of bytes that the representative's message
//   connects. No rule depends on the order in which the two ends list these pairs.
// - Delivery: the output that the collective requires of a rank is the image of the output that it requires of the
//   representative. This holds for collectives in which every output depends on the inputs of all ranks: no rank is
//   then special, such as a root, a first rank or a neighbour.
// - Reductions: combining the images of operands gives the image of the combined operands. This holds if operands
//   commute and no element is split (element-torn). If the order of operands matters (operand-order), all ranks are
//   replayed.
// - Deadlock: if every send has its receive in the same round and rounds are in ascending order, there is no
//   deadlock. Suppose that there is a deadlock, and consider the first round in which some operation never completes. Under every
//   policy (schedule/ordering.hpp), an operation waits only for three things: its own rank's operations of earlier rounds, local
//   operations before it, and the posting or packing of sends of its round, if they have lower ports in the same channel or if it
//   overwrites their memory. All of these happen. So both ends of each message of the round are posted, and the messages
//   complete, in contradiction to the assumption.
//
// The group need not map nodes to nodes or links to links. So node ports and links are checked with the programs of all
// ranks (verify.cpp).
//
// The symmetry itself is tested, too: the program of each rank must be the image of its representative's program.
//
// The image of a message has the same round and port. It connects the images of the message's two ranks, and the images of its
// pairs of bytes. A message is such an image if both of its ends list the images of the representative's bytes in the same order,
// however these are divided into regions. One end may list them in another order if the other end uses the same order. In that
// case the programs of the peer and of its representative are made, and the pairs of bytes are compared. So if all ranks are
// compared, a message with only one end in another order is always found. Local operations must be images one by one, and
// reductions must keep whole elements.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"
#include "schedule/regions.hpp"
#include "schedule/symmetry.hpp"
#include "verify/finding_list.hpp"
#include "verify/memory_rules.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

constexpr Count most_runs = Count{1} << 26;

// Bytes that a message moves, with their places at the receiver and at the sender.
struct Moved {
  Region to, from;
  bool operator==(const Moved&) const = default;
};

// Returns the pairs of bytes that the two ends of a message connect, as runs of maximal length, sorted by the receiver's bytes.
// Both lists consist of single runs.
std::vector<Moved> connected(const Regions& sent, const Regions& received) {
  std::vector<Moved> pieces, runs;
  for_each_pair_of_runs(sent, received, [&](const Region& from, const Region& to) { pieces.push_back({to, from}); });
  const auto place = [](const Moved& moved) { return std::pair(moved.to.buffer, moved.to.offset); };
  std::sort(pieces.begin(), pieces.end(), [&](const Moved& a, const Moved& b) { return place(a) < place(b); });
  const auto follows = [](const Region& a, const Region& b) { return a.buffer == b.buffer && a.offset + a.length == b.offset; };
  for (const Moved& piece : pieces)
    if (!runs.empty() && follows(runs.back().to, piece.to) && follows(runs.back().from, piece.from))
      runs.back().to.length = runs.back().from.length += piece.to.length;
    else
      runs.push_back(piece);
  return runs;
}

enum class Direction : std::uint8_t { send, receive };

const std::vector<Message>& messages(const Round& round, Direction direction) {
  return direction == Direction::send ? round.sends : round.receives;
}

const Message* find_message(const Program& program, Count number, Direction direction, Rank peer, std::optional<Port> port) {
  for (const Round& round : program.rounds)
    if (round.number == number)
      for (const Message& message : messages(round, direction))
        if (message.peer == peer && message.port == port) return &message;
  return nullptr;
}

bool cuts_elements(const Local& local, Bytes element) {
  const auto cut = [&](const Region& region) { return region.length % element != 0; };
  return local.kind == LocalKind::reduce &&
         (std::any_of(local.source.begin(), local.source.end(), cut) || std::any_of(local.target.begin(), local.target.end(), cut));
}

// Stores programs that are needed repeatedly, because the compared ranks have common peers. Adds the number of operations of the
// programs that it makes to `work`.
class Programs {
 public:
  Programs(const Schedule& schedule, Count& work) : schedule_(schedule), work_(work) {}

  // The reference is valid until `of` is called for a rank whose program is not stored.
  const Program& of(Rank rank) {
    if (const auto known = kept_.find(rank); known != kept_.end()) return known->second;
    if (operations_ > most_kept) kept_.clear(), operations_ = 0;
    const Program& program = kept_[rank] = schedule_.program(rank);
    operations_ += operation_count(program);
    work_ += operation_count(program);
    return program;
  }

 private:
  static constexpr Count most_kept = Count{1} << 20;  // in operations

  const Schedule& schedule_;
  Count& work_;
  std::map<Rank, Program> kept_;
  Count operations_ = 0;
};

// Compares the program of a rank with the image of its representative's program. Adds to `work` how many operations and runs of
// memory it compares.
class Comparison {
 public:
  Comparison(const Schedule& schedule, Rank rank, const std::map<Rank, Program>& representatives, Programs& peers, Count& work)
      : symmetry_(*schedule.symmetry),
        problem_(schedule.problem),
        rank_(rank),
        representatives_(representatives),
        peers_(peers),
        work_(work) {}

  // Returns the first difference, or nothing if there is none.
  std::optional<Finding> of(const Program& representative, const Program& own) {
    const auto finding = [&](std::optional<Count> round, std::string_view difference) {
      return Finding{Rule::false_symmetry,
                     rank_,
                     round ? stage_name(own.stages, *round) : "",
                     round,
                     {},
                     fmt::format("{} than the image of rank {} under the stated symmetry ({})", difference, representative.rank,
                                 symmetry_.name())};
    };
    work_ += operation_count(own);
    if (own.rank != rank_) return finding({}, "is the program of another rank");
    if (representative.stages != own.stages) return finding({}, "has other stages");
    if (representative.scratch_bytes != own.scratch_bytes) return finding({}, "has another size of scratch");
    if (representative.rounds.size() != own.rounds.size()) return finding({}, "acts in more or fewer rounds");
    for (std::size_t r = 0; r < own.rounds.size(); ++r) {
      const Round& a = representative.rounds[r];
      const Round& b = own.rounds[r];
      if (a.number != b.number) return finding(b.number, "acts in other rounds");
      if (!same_locals(a.locals, b.locals)) return finding(b.number, "has other local operations");
      if (!same_messages(a, b, Direction::send)) return finding(b.number, "sends other messages");
      if (!same_messages(a, b, Direction::receive)) return finding(b.number, "receives other messages");
      if (!same_controls(a.control_sends, b.control_sends) || !same_controls(a.control_receives, b.control_receives))
        return finding(b.number, "has other control messages");
    }
    return std::nullopt;
  }

 private:
  // Refuses regions with too many runs to compare. A few words of text can describe such regions.
  void check_runs(const Regions& regions) const {
    Count runs = 0;
    for (const Region& region : regions) {
      Count more = 1;
      for (const Level& level : region.levels) more = times_at_most(more, level.count, most_runs + 1);
      if ((runs += more) > most_runs) check_limit(problem_, runs, most_runs, "runs of memory in one message to compare");
    }
  }

  bool moves(const Region& region) const {
    return problem_.block_bytes > 0 && is_indexed_by_rank(region.buffer, problem_.collective);
  }

  bool same_regions(const Regions& a, const Regions& b) {
    if (a == b && std::none_of(a.begin(), a.end(), [&](const Region& region) { return moves(region); })) return true;
    const Regions image = listed(a, rank_), own = listed(b, {});
    work_ += size(image) + size(own);
    return are_same_bytes(image, own);
  }

  // Returns the bytes of regions or of their image at a rank, in the same order. Runs at equal distances whose images have these
  // distances, too, are one entry, which has the innermost level only.
  Regions listed(const Regions& regions, std::optional<Rank> image) const {
    check_runs(regions);
    Regions list;
    for (const Region& region : regions) {
      const auto& [inner, middle, outer] = region.levels;
      for (Count c = 0; c < outer.count; ++c)
        for (Count b = 0; b < middle.count; ++b) {
          const Region runs{region.buffer, region.offset + b * middle.stride + c * outer.stride, region.length, {inner}};
          if (image && moves(region))
            list_image(runs, *image, list);
          else
            append(list, runs);
        }
    }
    return list;
  }

  static void append(Regions& list, Region runs) {
    auto& [count, stride] = runs.levels[0];
    if (runs.length == 0 || count == 0) return;
    if (count > 1 && stride == runs.length) runs.length *= std::exchange(count, 1);
    if (count == 1) stride = 0;
    if (!list.empty() && count == 1)
      if (Region& last = list.back();
          last.levels[0].count == 1 && last.buffer == runs.buffer && last.offset + last.length == runs.offset) {
        last.length += runs.length;
        return;
      }
    list.push_back(runs);
  }

  void list_image(Region runs, Rank rank, Regions& list) const {
    Count& count = runs.levels[0].count;
    const Bytes stride = runs.levels[0].stride;
    const Bytes block = problem_.block_bytes;
    const auto is_inside = [&](Bytes offset) { return offset >= 0 && offset / block < problem_.ranks; };
    // The first byte after `offset` whose image does not follow the image of the byte before it.
    const auto end_of_stretch = [&](Bytes offset) { return (offset / block + symmetry_.stretch(rank, offset / block)) * block; };
    for (Count moved = 0; count > 0 && runs.length > 0; runs.offset += moved * stride, count -= moved) {
      Bytes offset = runs.offset;
      const Bytes end = offset + runs.length;
      // Are the run and the `first`-th from it on in one stretch?
      const auto stay_together = [&](Count first) {
        const Bytes last = offset + (first - 1) * stride;
        return is_inside(std::min(offset, last)) && end_of_stretch(std::min(offset, last)) >= std::max(end, last + runs.length);
      };
      const auto image = [&](Bytes at) { return symmetry_.image(rank, at / block) * block + at % block; };
      if (stay_together(1)) {
        moved = 1;
        Count most = count + 1;  // does not stay together, or there are fewer
        while (most - moved > 1) {
          const Count next = most > 2 * moved ? 2 * moved : moved + (most - moved) / 2;
          (stay_together(next) ? moved : most) = next;
        }
        append(list, {runs.buffer, image(offset), runs.length, {Level{moved, stride}}});
        continue;
      }
      for (moved = 1; offset < end;) {
        const Bytes part = is_inside(offset) ? std::min(end, end_of_stretch(offset)) - offset : end - offset;
        append(list, {runs.buffer, is_inside(offset) ? image(offset) : offset, part, {}});
        offset += part;
      }
    }
  }

  // Ignores the order of operands: a symmetry is stated only if the order does not matter, and the image of the lower of two
  // ranks may be the higher one.
  bool same_locals(const std::vector<Local>& a, const std::vector<Local>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Local& x, const Local& y) {
      return x.kind == y.kind && same_regions(x.source, y.source) && same_regions(x.target, y.target) &&
             cuts_elements(x, problem_.element_bytes) == cuts_elements(y, problem_.element_bytes);
    });
  }

  // Ignores the order in which a round lists its messages, because the group may change it.
  bool same_messages(const Round& its_round, const Round& own_round, Direction direction) {
    const std::vector<Message>&a = messages(its_round, direction), &b = messages(own_round, direction);
    if (a.size() != b.size()) return false;
    std::map<std::pair<Rank, std::optional<Port>>, const Message*> others;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Rank peer = symmetry_.image(rank_, a[i].peer);
      const Message* other = &b[i];
      if (other->peer != peer || other->port != a[i].port) {
        if (others.empty())
          for (const Message& message : b) others[{message.peer, message.port}] = &message;
        const auto found = others.find({peer, a[i].port});
        if (found == others.end()) return false;
        other = found->second;
      }
      if (!same_regions(a[i].regions, other->regions) && !connect_alike(a[i], *other, own_round.number, direction)) return false;
    }
    return true;
  }

  // Returns true if this message and the representative's message connect the same pairs of bytes, in any order.
  bool connect_alike(const Message& its, const Message& own, Count round, Direction direction) {
    const Rank peer = own.peer;
    if (peer < 0 || peer >= problem_.ranks) return false;
    const Direction other = direction == Direction::send ? Direction::receive : Direction::send;
    const Message* own_end = find_message(peers_.of(peer), round, other, rank_, own.port);
    const Message* its_end = find_message(representatives_.at(symmetry_.representative_of(peer)), round, other,
                                          symmetry_.preimage(peer, rank_), its.port);
    if (!own_end || !its_end) return false;
    for (const Message* message : {&its, own_end, its_end})
      if (bytes(message->regions) != bytes(own.regions)) return false;
    const Regions own_near = placed(own.regions, {}), own_far = placed(own_end->regions, {});
    const Regions image_near = placed(its.regions, rank_), image_far = placed(its_end->regions, peer);
    return direction == Direction::send ? connected(own_near, own_far) == connected(image_near, image_far)
                                        : connected(own_far, own_near) == connected(image_far, image_near);
  }

  // As `listed`, run by run.
  Regions placed(const Regions& regions, std::optional<Rank> image) {
    Regions runs = merged_runs(listed(regions, image));
    work_ += size(runs);
    return runs;
  }

  bool same_controls(const std::vector<Control>& a, const std::vector<Control>& b) const {
    const auto [its, own] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(), [&](const Control& one, const Control& other) {
      return symmetry_.image(rank_, one.peer) == other.peer && one.bytes == other.bytes;
    });
    std::multiset<std::pair<Rank, Bytes>> images, others;  // of those behind the first that differs
    std::for_each(its, a.end(), [&](const Control& each) { images.emplace(symmetry_.image(rank_, each.peer), each.bytes); });
    std::for_each(own, b.end(), [&](const Control& each) { others.emplace(each.peer, each.bytes); });
    return images == others;
  }

  const Symmetry& symmetry_;
  const Problem& problem_;
  const Rank rank_;
  const std::map<Rank, Program>& representatives_;
  Programs& peers_;
  Count& work_;
};

// Compares ranks with the images of their representatives.
class Comparisons {
 public:
  explicit Comparisons(const Schedule& schedule) : schedule_(schedule), peers_(schedule, work_) {
    for (const Rank rank : schedule.symmetry->representatives()) representatives_.emplace(rank, schedule.program(rank));
  }

  // Returns false if the rank's program differs from the image; `found` then says how.
  bool agree(Rank rank) {
    const Program& representative = representatives_.at(schedule_.symmetry->representative_of(rank));
    found = Comparison(schedule_, rank, representatives_, peers_, work_).of(representative, schedule_.program(rank));
    return !found;
  }

  std::optional<Finding> found;
  Count work() const { return work_; }

 private:
  const Schedule& schedule_;
  std::map<Rank, Program> representatives_;
  Count work_ = 0;
  Programs peers_;
};

constexpr Count least_sampled = 64;

// Compares all ranks, if there are few or if the work allows it. Otherwise compares as many random ranks as the work allows, but at
// least 64, and one of each class. The work for a first sample of 64 ranks tells how many ranks the work allows.
std::optional<Finding> compare_ranks(const Schedule& schedule, Count most_work, std::optional<std::uint64_t> seed,
                                     Coverage& coverage) {
  const Symmetry& symmetry = *schedule.symmetry;
  const Count p = symmetry.ranks(), classes = size(symmetry.representatives());
  if (classes == p) return coverage.compared = p, std::nullopt;  // each rank represents itself
  Comparisons comparisons(schedule);
  const auto agrees = [&](Rank rank) { return ++coverage.compared, comparisons.agree(rank); };
  std::set<Rank> sample;
  if (p > most_compared_exhaustively) {
    coverage.seed = seed ? *seed : std::random_device()();
    std::mt19937_64 random(coverage.seed);
    Count wanted = std::min(std::max(least_sampled, classes), p - classes);
    for (Count drawn = 0; static_cast<Count>(sample.size()) < wanted;) {
      const Rank any = std::uniform_int_distribution<Rank>(0, p - 1)(random);
      if (symmetry.representative_of(any) == any) continue;
      const Rank rank = symmetry.image(any, symmetry.representatives()[index(drawn++ % classes)]);
      if (!sample.insert(rank).second) continue;
      if (!agrees(rank)) return comparisons.found;
      if (coverage.compared != least_sampled) continue;
      const Count affordable = most_work / std::max<Count>(1, comparisons.work() / least_sampled);
      if (affordable >= p - classes) {
        wanted = p;
        break;
      }
      wanted = std::max(wanted, affordable);
    }
    if (wanted < p) return std::nullopt;
  }
  for (Rank rank = 0; rank < p; ++rank)
    if (!sample.contains(rank) && !agrees(rank)) return comparisons.found;
  return std::nullopt;
}

// Returns true if what the collective requires of a rank is the image of what it requires of the representative, and if combining
// the images of operands gives the image of the combined operands. Then it is enough to replay the representatives.
bool asks_alike(const Problem& problem, const std::vector<Program>& programs) {
  if (is_irregular(problem.collective) || !all_depend_on_all(problem.collective)) return false;
  if (!is_reduction(problem.collective)) return true;
  return required_combining(problem) == Combining::any_order && keep_elements(programs, problem.element_bytes);
}

}  // namespace

std::optional<Finding> check_symmetry(const Schedule& schedule, const std::vector<Rank>& ranks) {
  if (!schedule.symmetry) return std::nullopt;
  const Symmetry& symmetry = *schedule.symmetry;
  if (symmetry.ranks() != schedule.problem.ranks) {
    std::string message = fmt::format("the stated symmetry ({}) is one of {}", symmetry.name(), counted(symmetry.ranks(), "rank"));
    return Finding{.rule = Rule::false_symmetry, .message = std::move(message)};
  }
  if (ranks.empty()) return std::nullopt;
  Comparisons comparisons(schedule);
  for (const Rank rank : ranks)
    if (!comparisons.agree(rank)) return comparisons.found;
  return std::nullopt;
}

void check_by_symmetry(const Schedule& schedule, const VerifyOptions& options, Count port_limit, FindingList& findings,
                       Coverage& coverage) {
  coverage = {schedule.problem.ranks, 0, schedule.symmetry->name(), 0};
  if (auto wrong = check_symmetry(schedule, {})) return findings.add(std::move(*wrong));
  const std::vector<Rank>& representatives = schedule.symmetry->representatives();
  for (const Rank rank : representatives)
    QUADRILLE_ASSERT(rank >= 0 && rank < schedule.problem.ranks && schedule.symmetry->representative_of(rank) == rank);
  check_pieces(schedule.problem, size(representatives), options);
  std::vector<Program> programs;
  Count operations = 0;
  for (const Rank rank : representatives) {
    programs.push_back(schedule.program(rank));
    operations += operation_count(programs.back());
    check_limit(schedule.problem, operations, options.most_operations, "operations to replay");
  }
  check_structure(schedule, programs, port_limit, findings);
  if (!findings.empty()) return;
  const bool is_enough = asks_alike(schedule.problem, programs);  // otherwise all ranks are replayed anyway
  if (auto wrong = compare_ranks(schedule, is_enough ? options.most_compared_work : 0, options.seed, coverage))
    return findings.add(std::move(*wrong));
  if (!is_enough) return;
  replay(schedule, *schedule.symmetry, programs, options, findings);
  coverage.replayed = size(programs);
}

}  // namespace quadrille
