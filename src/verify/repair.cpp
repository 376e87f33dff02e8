// SPDX-License-Identifier: BSD-3-Clause
#include "verify/repair.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"
#include "verify/runs.hpp"

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

// The same regions in a copy of the programs.
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

// Whether two operations are likely to have the same regions: they have one distance or exclusive or, at different ranks, or one
// sender and different receivers.
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

}  // namespace quadrille
