// SPDX-License-Identifier: BSD-3-Clause
#include "plan/given_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "execute/agreement.hpp"
#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"
#include "plan/placed.hpp"
#include "quadrille/document.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"
#include "schedule/comparison.hpp"

namespace quadrille {
namespace {

// Remembers verified programs: maps the hash of one rank's program to the hash of its schedule. A process has one table, which
// ranks that are threads share. When the table is full, a new entry replaces the oldest.
class VerifiedParts {
 public:
  std::uint64_t find(std::uint64_t part) {
    const std::lock_guard lock(mutex_);
    const auto found = schedules_.find(part);
    return found == schedules_.end() ? 0 : found->second;
  }

  void add(std::uint64_t part, std::uint64_t schedule) {
    const std::lock_guard lock(mutex_);
    if (!schedules_.insert_or_assign(part, schedule).second) return;
    std::uint64_t& place = parts_[next_++ % parts_.size()];
    if (next_ > parts_.size()) schedules_.erase(place);
    place = part;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> schedules_;  // hash of the schedule, by hash of the part
  std::array<std::uint64_t, 4096> parts_{};                     // the keys, as a ring buffer
  std::size_t next_ = 0;
};

VerifiedParts& verified_parts() {
  static VerifiedParts parts;
  return parts;
}

// Returns a hash of the schedule's statements that do not belong to one rank.
std::uint64_t common_hash(const Schedule& schedule) {
  ContentHash hash;
  hash.add(hash_of(schedule.problem));
  hash.add(specification(schedule));  // included because a parameter may limit the ports
  hash.add(schedule.port_limit.value_or(-1));
  hash.add(schedule.node_port_limit.value_or(-1));
  return hash.value();
}

std::uint64_t part_hash(std::uint64_t common, const Schedule& schedule, const Program& own) {
  const BufferBytes buffers = buffer_bytes(schedule, own.rank);
  ContentHash hash;
  hash.add(common);
  hash.add(buffers.input);
  hash.add(buffers.output);
  hash.add(hash_of(own));
  return hash.value();
}

// Returns a hash of the representatives' programs, or 0 if no symmetry is stated. The
// symmetry derives all other programs from them.
std::uint64_t symmetry_hash(const Schedule& schedule) {
  if (!schedule.symmetry) return 0;
  ContentHash hash;
  hash.add(schedule.symmetry->name());
  for (const Rank rank : schedule.symmetry->representatives()) hash.add(hash_of(schedule.program(rank)));
  return hash.value() | 1;
}

// Hash of one round of a program. Entry 0 of a list is the hash of everything else in the program.
struct RoundHash {
  Count number = -1;
  std::uint64_t value = 0;
  bool operator==(const RoundHash&) const = default;
};

std::vector<RoundHash> round_hashes(Program program) {
  std::vector<RoundHash> hashes(1);
  for (const Round& round : program.rounds) hashes.push_back({round.number, hash_of(round)});
  program.rounds.clear();
  hashes[0].value = hash_of(program);
  return hashes;
}

// What a schedule states about a rank besides its program.
struct Statements {
  Count port_limit = -1, node_port_limit = -1;  // -1: none
  BufferBytes buffers;
  std::uint64_t symmetry = 0;
};

Statements statements(const Schedule& schedule, Rank rank) {
  return {schedule.port_limit.value_or(-1), schedule.node_port_limit.value_or(-1), buffer_bytes(schedule, rank),
          symmetry_hash(schedule)};
}

// Describes the first difference between two ranks' statements about `rank`, as the end of a sentence.
std::string difference(const Statements& first, const Statements& other, Rank rank) {
  const auto limit = [](Count ports) { return ports < 0 ? std::string("none") : fmt::format("{}", ports); };
  const auto limits = [&](std::string_view what, Count a, Count b) {
    return fmt::format("in the {} that they state: {} at rank 0, {} at rank {}", what, limit(a), limit(b), rank);
  };
  const auto sizes = [&](std::string_view buffer, Bytes a, Bytes b) {
    return fmt::format("in the size of rank {}'s {} that they state: {} B at rank 0, {} B at rank {}", rank, buffer, a, b, rank);
  };
  if (first.port_limit != other.port_limit) return limits("limit of ports", first.port_limit, other.port_limit);
  if (first.node_port_limit != other.node_port_limit)
    return limits("limit of a node's ports", first.node_port_limit, other.node_port_limit);
  if (first.buffers.input != other.buffers.input) return sizes("input", first.buffers.input, other.buffers.input);
  if (first.buffers.output != other.buffers.output) return sizes("output", first.buffers.output, other.buffers.output);
  return first.symmetry != other.symmetry ? "in the symmetry that they state" : "in the problem that they solve";
}

// Describes the first difference between two programs of a rank, as the end of a sentence; empty if they are equal.
std::string difference(const std::vector<RoundHash>& a, const std::vector<RoundHash>& b, Rank rank) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size() && i < b.size() && a[i] == b[i]) continue;
    if (i == 0) return fmt::format("in the stages of rank {}, or in its scratch memory", rank);
    const Count in_a = i < a.size() ? a[i].number : b[i].number, in_b = i < b.size() ? b[i].number : a[i].number;
    return fmt::format("in what rank {} does in round {}", rank, std::min(in_a, in_b));
  }
  return "";
}

// Collective: throws, on all ranks, a sentence about the first difference between the schedules of rank 0 and `other`.
[[noreturn]] void throw_difference(Communicator& communicator, const Schedule& schedule, Rank other) {
  const Rank me = communicator.rank();
  std::string told;
  if (me == other) {
    const Statements stated = statements(schedule, me);
    const std::vector<RoundHash> mine = round_hashes(schedule.program(me));
    told.assign(reinterpret_cast<const char*>(&stated), sizeof(stated));
    told.append(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(RoundHash));
  }
  told = told_by(communicator, other, std::move(told));
  std::string sentence;
  if (me == 0) {
    QUADRILLE_ASSERT(told.size() >= sizeof(Statements) && (told.size() - sizeof(Statements)) % sizeof(RoundHash) == 0);
    Statements stated;
    std::memcpy(&stated, told.data(), sizeof(stated));
    std::vector<RoundHash> theirs((told.size() - sizeof(stated)) / sizeof(RoundHash));
    std::memcpy(theirs.data(), told.data() + sizeof(stated), theirs.size() * sizeof(RoundHash));
    std::string where = difference(round_hashes(schedule.program(other)), theirs, other);
    if (where.empty()) where = difference(statements(schedule, other), stated, other);
    sentence = fmt::format("ranks 0 and {} hand over different schedules of {}: they differ {}", other, schedule.algorithm, where);
  }
  throw Error(ErrorCode::misuse, told_by(communicator, 0, std::move(sentence)));
}

std::string sentence_of(const Schedule& schedule, const std::vector<Finding>& findings, std::size_t most_findings) {
  constexpr std::size_t most_told = 3;
  std::string sentence = fmt::format("the schedule of {} is wrong", schedule.algorithm);
  for (std::size_t i = 0; i < std::min(most_told, findings.size()); ++i)
    sentence += (i == 0 ? ": " : "; ") + to_string(findings[i]);
  if (findings.size() > most_told)
    sentence +=
        fmt::format("; and {}{} more findings", findings.size() < most_findings ? "" : "at least ", findings.size() - most_told);
  return sentence;
}

// A rank's message to rank 0 about its schedule: hashes of its own part and of the symmetry.
struct Part {
  std::uint64_t own = 0, symmetry = 0;
};

// The result of rank 0's check.
struct RankZeroFound {
  Rank differs = -1;      // a rank whose program differs from the one in rank 0's schedule; -1: none
  bool is_wrong = false;  // the schedule fails verification
};

RankZeroFound look_at_all(const Schedule& schedule, const ByRank<Part>& parts, std::string& sentence) {
  if (!schedule.symmetry) {
    const std::uint64_t common = common_hash(schedule);
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
      if (part_hash(common, schedule, schedule.program(rank)) != parts[rank].own) return {.differs = rank};
  }
  // The comparison with images may take about a second, because the other ranks wait. The seed is fixed, so that the result of
  // the check is always the same.
  const VerifyOptions options{.most_compared_work = Count{1} << 23, .seed = 1};
  const std::vector<Finding> findings = verify(schedule, options);
  if (findings.empty()) return {};
  sentence = sentence_of(schedule, findings, options.most_findings);
  return {.is_wrong = true};
}

// A rank's message about its schedule. The schedule's text, or the reason why there is none, follows.
struct Made {
  bool is_made = true;
  Bytes length = 0;  // bytes of the text
  std::optional<Count> port_limit{};
};

Result<Schedule> made_by_every_rank(Communicator& communicator, const Family& family, const Problem& problem) {
  std::optional<Result<Schedule>> mine;
  const auto made = gathered_or_thrown(communicator, [&] {
    mine.emplace(family.schedule(problem));
    return Made{.is_made = mine->has_value()};
  });
  const auto without = std::find_if(made.begin(), made.end(), [](const Made& each) { return !each.is_made; });
  if (without == made.end()) return *std::move(mine);
  return cannot(told_by(communicator, without - made.begin(), mine->has_value() ? "" : mine->error()));
}

Result<Schedule> made_by_first_rank(Communicator& communicator, const Family& family, const Problem& problem) {
  if (communicator.size() > most_ranks_of_first)
    throw Error(ErrorCode::too_large,
                fmt::format("{} makes the schedules of all ranks at rank 0, for at most {} ranks, and not for {}", family.name(),
                            most_ranks_of_first, communicator.size()));
  std::string text;
  const auto made = gathered_or_thrown(communicator, [&]() -> Made {
    if (communicator.rank() != 0) return {};
    const Result<Schedule> schedule = family.schedule(problem);
    if (!schedule) {
      text = schedule.error();
      return {false, static_cast<Bytes>(text.size())};
    }
    std::ostringstream out;
    write_text(out, *schedule);
    text = std::move(out).str();
    return {true, static_cast<Bytes>(text.size()), schedule->port_limit};
  });
  text = told_in_parts(communicator, 0, std::move(text), made[0].length);
  QUADRILLE_ASSERT(static_cast<Bytes>(text.size()) == made[0].length);
  if (!made[0].is_made) return cannot(std::move(text));
  return made_or_thrown(communicator, [&] {
    Schedule schedule = std::move(parse_documents(text).front());
    schedule.problem = problem;
    schedule.port_limit = made[0].port_limit;
    return schedule;
  });
}

}  // namespace

Schedule placed(const Communicator& communicator, Schedule schedule) {
  schedule.problem = placed(communicator, std::move(schedule.problem));
  return schedule;
}

Program own_program(const Schedule& schedule, Rank rank) {
  if (!schedule.program) throw Error(ErrorCode::misuse, "this schedule makes no programs; set Schedule::program");
  for (const auto* sizes : {&schedule.stated_input_bytes, &schedule.stated_output_bytes})
    if (!sizes->empty() && size(*sizes) != schedule.problem.ranks)
      throw Error(ErrorCode::misuse, fmt::format("this schedule states {} sizes of buffers for {}", sizes->size(),
                                                 counted(schedule.problem.ranks, "rank")));
  Program own = schedule.program(rank);
  if (own.rank != rank)
    throw Error(ErrorCode::misuse,
                fmt::format("asked for the program of rank {}, this schedule makes that of rank {}", rank, own.rank));
  return own;
}

std::uint64_t part_hash(const Schedule& schedule, const Program& own) { return part_hash(common_hash(schedule), schedule, own); }

std::uint64_t verified_with(std::uint64_t part) { return verified_parts().find(part); }

void verify_together(Communicator& communicator, const Schedule& schedule) {
  const Rank me = communicator.rank();
  const auto parts = gathered_or_thrown(communicator, [&] {
    if (const auto wrong = check_symmetry(schedule, {me})) throw Error(ErrorCode::misuse, sentence_of(schedule, {*wrong}, 2));
    return Part{part_hash(schedule, schedule.program(me)), symmetry_hash(schedule)};
  });
  QUADRILLE_ASSERT(quadrille::size(parts) == communicator.size() && schedule.problem.ranks == communicator.size());
  for (Rank rank = 0; rank < communicator.size(); ++rank)
    if (parts[rank].symmetry != parts[0].symmetry) throw_difference(communicator, schedule, rank);
  std::string sentence;
  const auto found =
      gathered_or_thrown(communicator, [&] { return me == 0 ? look_at_all(schedule, parts, sentence) : RankZeroFound{}; });
  if (found[0].differs >= 0) throw_difference(communicator, schedule, found[0].differs);
  if (found[0].is_wrong) throw Error(ErrorCode::misuse, told_by(communicator, 0, std::move(sentence)));
  ContentHash whole;
  for (const Part& part : parts) whole.add(part.own);
  verified_parts().add(parts[me].own, whole.value() | 1);
}

Result<Schedule> schedule_of(Communicator& communicator, const Family& family, const Problem& problem) {
  return family.made_by() == Family::MadeBy::every_rank ? made_by_every_rank(communicator, family, problem)
                                                        : made_by_first_rank(communicator, family, problem);
}

}  // namespace quadrille
