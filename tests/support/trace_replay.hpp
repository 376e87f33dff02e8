// SPDX-License-Identifier: BSD-3-Clause
// Replays a trace as a reader of the file would, round by round: local operations, then all messages at once. Each byte is the list
// of the input bytes that were combined in it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/trace.hpp"

namespace quadrille::testing {

struct OriginByte {
  Rank rank = 0;
  Bytes offset = 0;  // in the rank's input
  auto operator<=>(const OriginByte&) const = default;
};

class TraceReplay {
 public:
  explicit TraceReplay(const Trace& trace) : trace_(trace), memory_(trace.problem.ranks) {
    for (Rank rank = 0; rank < trace.problem.ranks; ++rank) {
      Memory& memory = memory_[rank];
      for (Bytes offset = 0; offset < trace.input_bytes[index(rank)]; ++offset) memory[0].push_back({{rank, offset}});
      memory[1].resize(index(trace.output_bytes[index(rank)]));
      memory[2].resize(index(trace.scratch_bytes[index(rank)]));
    }
  }

  void run() {
    auto local = trace_.locals.begin();
    auto message = trace_.messages.begin();
    for (const TracedRound& round : rounds_of(trace_)) {
      for (; local != trace_.locals.end() && local->round == round.number; ++local) apply(*local);
      std::vector<ByteOrigins> moving;
      const auto first = message;
      for (; message != trace_.messages.end() && message->round == round.number; ++message)
        moving.push_back(read(message->from, message->read));
      for (auto each = first; each != message; ++each) write(each->to, each->write, moving[index(each - first)]);
    }
  }

  // Describes the first byte of an output that is wrong; empty if all are right.
  std::string first_error() const {
    for (Rank rank = 0; rank < trace_.problem.ranks; ++rank)
      for (const ExpectedPiece& piece : expected_output(trace_.problem, rank))
        for (Bytes i = 0; i < piece.length; ++i) {
          std::vector<OriginByte> byte = memory_[rank][1].at(index(piece.offset + i)), expected;
          if (trace_.problem.commutative) std::sort(byte.begin(), byte.end());
          for (Rank origin = piece.first; origin <= piece.last; ++origin) expected.push_back({origin, piece.input_offset + i});
          if (byte != expected) return fmt::format("rank {}, output byte {}", rank, piece.offset + i);
        }
    return "";
  }

 private:
  using ByteOrigins = std::vector<std::vector<OriginByte>>;
  using Memory = std::array<ByteOrigins, 3>;  // by buffer

  template <class Visit>
  void for_each_byte(Rank rank, const Regions& regions, Visit&& visit) {
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        for (Bytes i = 0; i < length; ++i) visit(memory_[rank][static_cast<std::size_t>(region.buffer)].at(index(offset + i)));
      });
  }

  ByteOrigins read(Rank rank, const Regions& regions) {
    ByteOrigins bytes;
    for_each_byte(rank, regions, [&](const auto& byte) { bytes.push_back(byte); });
    return bytes;
  }

  void write(Rank rank, const Regions& regions, const ByteOrigins& bytes) {
    std::size_t next = 0;
    for_each_byte(rank, regions, [&](auto& byte) { byte = bytes.at(next++); });
  }

  void apply(const TracedLocal& traced) {
    const Local& local = traced.local;
    ByteOrigins bytes = read(traced.rank, local.source);
    if (local.kind == LocalKind::reduce) {
      const ByteOrigins targets = read(traced.rank, local.target);
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::vector<OriginByte> combined = local.order == OperandOrder::source_first ? bytes[i] : targets[i];
        const std::vector<OriginByte>& second = local.order == OperandOrder::source_first ? targets[i] : bytes[i];
        combined.insert(combined.end(), second.begin(), second.end());
        bytes[i] = std::move(combined);
      }
    }
    write(traced.rank, local.target, bytes);
  }

  const Trace& trace_;
  ByRank<Memory> memory_;
};

}  // namespace quadrille::testing
