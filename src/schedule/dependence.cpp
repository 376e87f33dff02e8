// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/dependence.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Of one program. Algorithms have a few for each operation; a document could have the square of its length.
constexpr std::size_t most_dependences = std::size_t{1} << 24;

// Whoever asks may do so before the verifier, of regions that reach from one end of 64 bits to the other: distances are without
// sign, and lengths end at 2^63 - 1.
std::uint64_t magnitude(Bytes value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

std::uint64_t residue(Bytes value, std::uint64_t modulus) {
  const std::uint64_t rest = magnitude(value) % modulus;
  return value < 0 && rest > 0 ? modulus - rest : rest;
}

Bytes difference(Bytes a, Bytes b) {
  Bytes result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a < b ? std::numeric_limits<Bytes>::min() : std::numeric_limits<Bytes>::max();
}

// The greatest common divisor of a region's strides: its runs begin at offset + multiples of it.
std::uint64_t stride_of(const Region& region) {
  std::uint64_t common = 0;
  for (const Level& level : region.levels)
    if (level.count > 1) common = std::gcd(common, magnitude(level.stride));
  return common;
}

// Accesses of one buffer so far. Found by hull; what a contiguous write covers of the contiguous accesses before it is forgotten,
// since whoever meets it meets the writer, which waits for it. Of accesses with gaps all or nothing is.
class BufferAccesses {
 public:
  struct Access {
    Region region;
    std::pair<Bytes, Bytes> hull;
    std::size_t operation;
    bool writes;
  };

  template <class Visit>
  void for_each_overlap(const Region& region, Visit&& visit) const {
    const auto [first, last] = hull(region);
    for (auto entry = accesses_.lower_bound(difference(first, longest_)); entry != accesses_.end() && entry->first < last; ++entry)
      if (may_overlap(entry->second.region, region)) visit(entry->second);
  }

  void add(const Region& region, std::size_t operation, bool writes) {
    const auto extent = hull(region);
    longest_ = std::max(longest_, difference(extent.second, extent.first));
    if (writes && is_contiguous(region, extent)) forget(extent, operation);
    accesses_.insert({extent.first, {region, extent, operation, writes}});
  }

 private:
  using Extent = std::pair<Bytes, Bytes>;

  static bool is_contiguous(const Region& region, const Extent& extent) {
    return stride_of(region) == 0 && bytes(region) == difference(extent.second, extent.first);
  }

  void forget(const Extent& written, std::size_t writer) {
    for (auto entry = accesses_.lower_bound(difference(written.first, longest_));
         entry != accesses_.end() && entry->first < written.second;) {
      Access& access = entry->second;
      const auto [first, last] = access.hull;
      const auto next = std::next(entry);
      const auto keep = [&](Bytes begin, Bytes end) {
        return Access{{access.region.buffer, begin, end - begin, {}}, {begin, end}, access.operation, access.writes};
      };
      if (last > written.first && access.operation != writer) {
        const bool has_left = first<written.first, has_right = last> written.second;
        if (!has_left && !has_right) {
          accesses_.erase(entry);
        } else if (is_contiguous(access.region, access.hull)) {
          if (has_right) accesses_.insert({written.second, keep(written.second, last)});
          if (has_left)
            access = keep(first, written.first);
          else
            accesses_.erase(entry);
        }
      }
      entry = next;
    }
  }

  std::multimap<Bytes, Access> accesses_;  // by begin of the hull
  Bytes longest_ = 0;
};

void sort_unique(std::vector<Dependence>& list) {
  const auto key = [](const Dependence& d) { return std::pair(d.on, d.hazard); };
  std::sort(list.begin(), list.end(), [&](const Dependence& a, const Dependence& b) { return key(a) < key(b); });
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Must `operation` wait until messages are complete that were posted together with `dependence.on`?
bool needs_completion(const DependenceGraph& graph, std::size_t operation, const Dependence& dependence) {
  switch (graph.operations[dependence.on].kind) {
    case OperationKind::local: return false;  // locals of a window run before its messages, in program order
    case OperationKind::receive: return true;
    case OperationKind::send: return graph.operations[operation].kind == OperationKind::local;  // a receive has the send packed
  }
  return true;
}

}  // namespace

const Local& DependenceGraph::local(const Program& program, std::size_t operation) const {
  const Operation& where = operations[operation];
  return program.rounds[where.round].locals[where.index];
}

const Message& DependenceGraph::message(const Program& program, std::size_t operation) const {
  const Operation& where = operations[operation];
  const Round& round = program.rounds[where.round];
  return where.kind == OperationKind::send ? round.sends[where.index] : round.receives[where.index];
}

bool may_overlap(const Region& a, const Region& b) {
  if (a.buffer != b.buffer) return false;
  const auto [a_first, a_last] = hull(a);
  const auto [b_first, b_last] = hull(b);
  if (a_first >= b_last || b_first >= a_last) return false;
  const std::uint64_t common = std::gcd(stride_of(a), stride_of(b));
  if (common == 0) return true;  // both contiguous
  // All runs of a begin at a.offset mod `common`, all of b at b.offset: compare one period.
  const auto a_length = static_cast<std::uint64_t>(a.length), b_length = static_cast<std::uint64_t>(b.length);
  if (a_length >= common || b_length >= common) return true;
  const std::uint64_t distance = (residue(b.offset, common) + common - residue(a.offset, common)) % common;
  return distance < a_length || common - distance < b_length;
}

DependenceGraph dependences(const Program& program) {
  DependenceGraph graph;
  std::array<BufferAccesses, 4> buffers;
  const auto accesses = [&](const Region& region) -> BufferAccesses& { return buffers[static_cast<std::size_t>(region.buffer)]; };

  // Each operation is compared with what came before it, and entered after that.
  const auto depend_on_reads = [&](const Regions& regions, std::vector<Dependence>& before, std::size_t self) {
    for (const Region& region : regions)
      accesses(region).for_each_overlap(region, [&](const auto& access) {
        if (access.writes && access.operation != self) before.push_back({access.operation, Hazard::read_after_write});
      });
  };
  const auto depend_on_writes = [&](const Regions& regions, std::vector<Dependence>& before, std::size_t self) {
    for (const Region& region : regions)
      accesses(region).for_each_overlap(region, [&](const auto& access) {
        if (access.operation != self)
          before.push_back({access.operation, access.writes ? Hazard::write_after_write : Hazard::write_after_read});
      });
  };
  // The input is never written, so reading it depends on nothing and nothing depends on it.
  const auto enter = [&](const Regions& regions, std::size_t self, bool writes) {
    for (const Region& region : regions)
      if (region.buffer != Buffer::input) accesses(region).add(region, self, writes);
  };

  std::size_t count = 0;
  const auto finish = [&](std::vector<Dependence>& before) {
    sort_unique(before);
    if ((count += before.size()) > most_dependences)
      throw Error(ErrorCode::too_large,
                  "a program has too many operations that wait for each other; cut them into fewer, larger ones");
  };

  for (std::size_t r = 0; r < program.rounds.size(); ++r) {
    const Round& round = program.rounds[r];
    const auto operation = [&](OperationKind kind, std::size_t index) {
      graph.operations.push_back({kind, r, index});
      graph.before.emplace_back();
      return graph.operations.size() - 1;
    };
    for (std::size_t i = 0; i < round.locals.size(); ++i) {
      const Local& local = round.locals[i];
      const std::size_t self = operation(OperationKind::local, i);
      depend_on_reads(local.source, graph.before[self], self);
      if (local.kind == LocalKind::reduce) depend_on_reads(local.target, graph.before[self], self);
      depend_on_writes(local.target, graph.before[self], self);
      enter(local.source, self, false);
      enter(local.target, self, true);
      finish(graph.before[self]);
    }
    for (std::size_t i = 0; i < round.sends.size(); ++i) {
      const std::size_t self = operation(OperationKind::send, i);
      depend_on_reads(round.sends[i].regions, graph.before[self], self);
      enter(round.sends[i].regions, self, false);
      finish(graph.before[self]);
    }
    for (std::size_t i = 0; i < round.receives.size(); ++i) {
      const std::size_t self = operation(OperationKind::receive, i);
      depend_on_writes(round.receives[i].regions, graph.before[self], self);
      enter(round.receives[i].regions, self, true);
      finish(graph.before[self]);
    }
  }
  return graph;
}

std::vector<std::size_t> windows(const Program& program, const DependenceGraph& graph, Policy policy) {
  assert(policy != Policy::dataflow);
  std::vector<std::size_t> window(program.rounds.size());
  if (policy == Policy::blocking) {
    std::iota(window.begin(), window.end(), std::size_t{0});
    return window;
  }
  const auto stage_of = [&](std::size_t round) {
    return std::upper_bound(program.stages.begin(), program.stages.end(), program.rounds[round].number,
                            [](Count number, const Stage& stage) { return number < stage.first_round; });
  };
  std::size_t first_round = 0;  // of the current window
  std::size_t operation = 0;
  for (std::size_t round = 0; round < window.size(); ++round) {
    bool cut = round > 0 && stage_of(round) != stage_of(round - 1);
    for (; operation < graph.operations.size() && graph.operations[operation].round == round; ++operation)
      for (const Dependence& dependence : graph.before[operation]) {
        const std::size_t other = graph.operations[dependence.on].round;
        cut = cut || (other >= first_round && other < round && needs_completion(graph, operation, dependence));
      }
    if (cut) first_round = round;
    window[round] = round == 0 ? 0 : window[round - 1] + (cut ? 1 : 0);
  }
  return window;
}

std::vector<std::size_t> previous_in_channel(const Program& program, const DependenceGraph& graph) {
  std::vector<std::size_t> previous(graph.operations.size(), no_operation);
  std::map<std::pair<OperationKind, Rank>, std::size_t> last;
  for (std::size_t i = 0; i < previous.size(); ++i) {
    if (graph.operations[i].kind == OperationKind::local) continue;
    const auto [entry, fresh] = last.try_emplace({graph.operations[i].kind, graph.message(program, i).peer}, i);
    if (!fresh) previous[i] = std::exchange(entry->second, i);
  }
  return previous;
}

}  // namespace quadrille
