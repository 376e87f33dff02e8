// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/dependence.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Limit for one program. Algorithms have a few dependences for each operation; a program from a file could have as
// many as the square of its length.
constexpr std::size_t most_dependences = std::size_t{1} << 24;

// Dependences may be computed before the verifier has run, and regions may then span the whole 64-bit range.
// Distances are therefore unsigned, and lengths saturate at 2^63 - 1.
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

// Returns the greatest common divisor of the region's strides: each run begins at offset plus a multiple of this divisor.
std::uint64_t stride_of(const Region& region) {
  std::uint64_t common = 0;
  for (const Level& level : region.levels)
    if (level.count > 1) common = std::gcd(common, magnitude(level.stride));
  return common;
}

constexpr Count most_of_pair = 1024;               // comparisons of parts of two regions
constexpr Count most_of_program = Count{1} << 18;  // of those of all regions of a program; they take some milliseconds

// Do two regions of a buffer share a byte? Divides a region in halves until hulls and strides tell. Takes what it does from `left`;
// if nothing is left, they may share one.
bool overlap_within(const Region& a, const Region& b, Count& left) {
  const auto [a_first, a_last] = hull(a);
  const auto [b_first, b_last] = hull(b);
  if (a_first >= b_last || b_first >= a_last) return false;
  const std::uint64_t common = std::gcd(stride_of(a), stride_of(b));
  if (common == 0) return true;  // both contiguous
  // All runs of `a` begin at a.offset modulo `common`, all runs of `b` at b.offset modulo `common`: it suffices to
  // compare one period.
  const auto a_length = static_cast<std::uint64_t>(a.length), b_length = static_cast<std::uint64_t>(b.length);
  const std::uint64_t distance = (residue(b.offset, common) + common - residue(a.offset, common)) % common;
  if (a_length < common && b_length < common && distance >= a_length && common - distance >= b_length) return false;
  if (--left < 0) return true;
  const bool divides_a = stride_of(b) == 0 || (stride_of(a) != 0 && difference(a_last, a_first) >= difference(b_last, b_first));
  const Region& other = divides_a ? b : a;
  Region lower = divides_a ? a : b;
  const auto reach = [](const Level& level) {
    return level.count > 1 ? magnitude(level.stride) * static_cast<std::uint64_t>(level.count - 1) : 0;
  };
  Level& level = *std::max_element(lower.levels.begin(), lower.levels.end(),
                                   [&](const Level& one, const Level& next) { return reach(one) < reach(next); });
  const Count half = level.count / 2;
  Region upper = lower;
  upper.levels[static_cast<std::size_t>(&level - lower.levels.data())].count -= half;
  upper.offset += half * level.stride;
  level.count = half;
  return overlap_within(lower, other, left) || overlap_within(upper, other, left);
}

// As may_overlap, by at most `left` comparisons; takes those that were made from it.
bool overlap(const Region& a, const Region& b, Count& left) {
  if (a.buffer != b.buffer) return false;
  const Count most = std::min(left, most_of_pair);
  Count rest = most;
  const bool any = overlap_within(a, b, rest);
  left -= most - std::max<Count>(0, rest);
  return any;
}

// The accesses to one buffer so far, ordered by the start of their hull. A contiguous write removes the parts that it
// covers from earlier contiguous accesses. No order is lost: a later operation on such a part depends on the write, and
// the write depends on the earlier access. A strided access is removed only if it is covered completely.
class BufferAccesses {
 public:
  struct Access {
    Region region;
    std::pair<Bytes, Bytes> hull;
    std::size_t operation;
    bool writes;
  };

  template <class Visit>
  void for_each_overlap(const Region& region, Count& left, Visit&& visit) const {
    if (accesses_.empty()) return;
    const auto [first, last] = hull(region);
    for (auto entry = accesses_.lower_bound(difference(first, longest_)); entry != accesses_.end() && entry->first < last; ++entry)
      if (entry->second.hull.second > first && overlap(entry->second.region, region, left)) visit(entry->second);
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
        const bool has_left = first < written.first;
        const bool has_right = last > written.second;
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

  std::multimap<Bytes, Access> accesses_;  // by the start of the hull
  // Length of the longest hull: an access that overlaps a region starts at most this far before the region.
  Bytes longest_ = 0;
};

void sort_unique(std::vector<Dependence>& list) {
  const auto key = [](const Dependence& d) { return std::pair(d.on, d.hazard); };
  std::sort(list.begin(), list.end(), [&](const Dependence& a, const Dependence& b) { return key(a) < key(b); });
  list.erase(std::unique(list.begin(), list.end()), list.end());
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
  Count left = most_of_pair;
  return overlap(a, b, left);
}

std::vector<Operation> operations(const Program& program) {
  std::vector<Operation> list;
  for (std::size_t r = 0; r < program.rounds.size(); ++r) {
    const Round& round = program.rounds[r];
    for (std::size_t i = 0; i < round.locals.size(); ++i) list.push_back({OperationKind::local, r, i});
    for (std::size_t i = 0; i < round.sends.size(); ++i) list.push_back({OperationKind::send, r, i});
    for (std::size_t i = 0; i < round.receives.size(); ++i) list.push_back({OperationKind::receive, r, i});
  }
  return list;
}

DependenceGraph dependences(const Program& program) {
  DependenceGraph graph;
  std::array<BufferAccesses, 4> buffers;
  Count left = most_of_program;
  const auto accesses = [&](const Region& region) -> BufferAccesses& { return buffers[static_cast<std::size_t>(region.buffer)]; };

  // Compares each operation with the accesses before it, then adds the operation's accesses.
  const auto depend_on_reads = [&](const Regions& regions, std::vector<Dependence>& before, std::size_t self) {
    for (const Region& region : regions)
      accesses(region).for_each_overlap(region, left, [&](const auto& access) {
        if (access.writes && access.operation != self) before.push_back({access.operation, Hazard::read_after_write});
      });
  };
  const auto depend_on_writes = [&](const Regions& regions, std::vector<Dependence>& before, std::size_t self) {
    for (const Region& region : regions)
      accesses(region).for_each_overlap(region, left, [&](const auto& access) {
        if (access.operation != self)
          before.push_back({access.operation, access.writes ? Hazard::write_after_write : Hazard::write_after_read});
      });
  };
  // Nothing depends on accesses to the input, because it is never written, or to the bytes of control messages, because they are
  // never read.
  const auto enter = [&](const Regions& regions, std::size_t self, bool writes) {
    for (const Region& region : regions)
      if (region.buffer != Buffer::input && region.buffer != Buffer::staging) accesses(region).add(region, self, writes);
  };

  std::size_t count = 0;
  graph.operations = operations(program);
  graph.before.resize(graph.operations.size());
  for (std::size_t self = 0; self < graph.operations.size(); ++self) {
    std::vector<Dependence>& before = graph.before[self];
    switch (graph.operations[self].kind) {
      case OperationKind::local: {
        const Local& local = graph.local(program, self);
        depend_on_reads(local.source, before, self);
        if (local.kind == LocalKind::reduce) depend_on_reads(local.target, before, self);
        depend_on_writes(local.target, before, self);
        enter(local.source, self, false);
        enter(local.target, self, true);
        break;
      }
      case OperationKind::send:
        depend_on_reads(graph.message(program, self).regions, before, self);
        enter(graph.message(program, self).regions, self, false);
        break;
      case OperationKind::receive:
        depend_on_writes(graph.message(program, self).regions, before, self);
        enter(graph.message(program, self).regions, self, true);
        break;
    }
    sort_unique(before);
    QUADRILLE_ASSERT(before.empty() || before.back().on < self);
    if ((count += before.size()) > most_dependences)
      throw Error(ErrorCode::too_large,
                  "a program has too many dependences between its operations; use fewer and larger operations");
  }
  return graph;
}

std::vector<ChannelPlace> channel_places(const Program& program, const DependenceGraph& graph) {
  struct Channel {
    std::size_t last;
    std::uint32_t count;
  };
  std::vector<ChannelPlace> places(graph.operations.size());
  std::unordered_map<Rank, Channel> to, from;  // by peer
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (graph.operations[i].kind == OperationKind::local) continue;
    auto& channels = graph.operations[i].kind == OperationKind::send ? to : from;
    Channel& channel = channels.try_emplace(graph.message(program, i).peer, Channel{no_operation, 0}).first->second;
    places[i] = {channel.last, channel.count};
    channel = {i, channel.count + 1};
  }
  return places;
}

}  // namespace quadrille
