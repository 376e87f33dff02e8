// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/icl/interval_set.hpp>

#include "problem/collective_facts.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/regions.hpp"

namespace quadrille {
namespace {

using Intervals = boost::icl::interval_set<Bytes>;
Intervals::interval_type interval(Bytes offset, Bytes length) {
  return Intervals::interval_type::right_open(offset, offset + length);
}

// Maps one canonical buffer to the user's memory.
class LayoutMap {
 public:
  LayoutMap(const Layout& layout, Bytes bytes, Buffer buffer, std::string_view what)
      : buffer_(buffer), map_(pieces(layout, buffer, what)), canonical_(layout.empty()) {
    if (!canonical_ && map_.size() != bytes)
      throw Error(ErrorCode::misuse,
                  fmt::format("the layout of the {} has {} bytes; at this rank it needs {}", what, map_.size(), bytes));
  }

  Regions operator()(const Region& region) const {
    if (!canonical_ && region.length != 0) return map_(region);
    Region moved = region;
    moved.buffer = buffer_;
    return {moved};
  }

  bool overlaps_itself() const {
    Intervals taken;
    for (const Region& piece : map_.places()) {
      if (boost::icl::intersects(taken, interval(piece.offset, piece.length))) return true;
      taken += interval(piece.offset, piece.length);
    }
    return false;
  }

 private:
  static BufferMap pieces(const Layout& layout, Buffer buffer, std::string_view what) {
    Regions places;
    Bytes end = 0;
    for (const LayoutPiece& piece : layout) {
      const auto sum = checked_sum(end, piece.length);
      if (piece.length < 0 || !checked_sum(piece.offset, piece.length) || !sum)
        throw Error(ErrorCode::misuse, fmt::format("a piece of the {} is {} bytes at {}", what, piece.length, piece.offset));
      end = *sum;
      places.push_back({buffer, piece.offset, piece.length, {}});
    }
    return BufferMap(std::move(places));
  }

  Buffer buffer_;
  BufferMap map_;
  bool canonical_;
};

Regions placed(const Regions& regions, const LayoutMap& input, const LayoutMap& output) {
  Regions moved;
  for (const Region& region : regions)
    if (region.buffer == Buffer::scratch)
      moved.push_back(region);
    else
      for (const Region& part : region.buffer == Buffer::input ? input(region) : output(region)) moved.push_back(part);
  return moved;
}

Program placed(Program program, const LayoutMap& input, const LayoutMap& output) {
  for (Round& round : program.rounds) for_all_regions(round, [&](Regions& regions) { regions = placed(regions, input, output); });
  return program;
}

// Does the program read input bytes after it has written output over them? Both buffers lie in the same memory.
bool reads_input_too_late(const Program& program, const LayoutMap& input, const LayoutMap& output) {
  Intervals written;
  const auto runs = [](const Regions& regions, Buffer buffer, const LayoutMap& placement, auto&& visit) {
    for (const Region& region : regions)
      if (region.buffer == buffer)
        for (const Region& part : placement(region))
          for_each_run(part, [&](Bytes offset, Bytes length) { visit(interval(offset, length)); });
  };
  const auto late = [&](const Regions& read) {
    bool found = false;
    runs(read, Buffer::input, input, [&](const auto& bytes) { found = found || boost::icl::intersects(written, bytes); });
    return found;
  };
  const auto write = [&](const Regions& regions) {
    runs(regions, Buffer::output, output, [&](const auto& bytes) { written += bytes; });
  };
  for (const Round& round : program.rounds) {
    for (const Local& local : round.locals) {
      if (late(local.source)) return true;
      const Program alone{.rounds = {Round{.locals = {local}}}};
      const Local moved = placed(alone, input, output).rounds[0].locals[0];
      if (local.kind == LocalKind::copy && moved.source == moved.target) continue;  // source and target are the same place
      write(local.target);
      if (late(local.source)) return true;  // source and target overlap
    }
    for (const Message& message : round.sends)
      if (late(message.regions)) return true;
    for (const Message& message : round.receives) write(message.regions);
  }
  return false;
}

// Returns the program with an additional first copy, which saves the input in scratch memory. All later steps read the input there.
Program with_saved_input(Program program, Bytes bytes) {
  const Bytes room = program.scratch_bytes;
  for (Round& round : program.rounds)
    for_all_regions(round, [&](Regions& regions) {
      for (Region& region : regions)
        if (region.buffer == Buffer::input) {
          region.buffer = Buffer::scratch;
          region.offset += room;
        }
    });
  program.scratch_bytes += bytes;
  if (!program.rounds.empty())
    program.rounds.front().locals.insert(
        program.rounds.front().locals.begin(),
        {LocalKind::copy, {}, {{Buffer::input, 0, bytes, {}}}, {{Buffer::scratch, room, bytes, {}}}});
  return program;
}

void drop_copies_in_place(Program& program) {
  for (Round& round : program.rounds)
    std::erase_if(round.locals, [](const Local& local) { return local.kind == LocalKind::copy && local.source == local.target; });
}

}  // namespace

Layout layout(std::span<const Count> counts, std::span<const Count> displacements, Bytes element_bytes) {
  if (counts.size() != displacements.size())
    throw Error(ErrorCode::misuse, fmt::format("there are {} counts and {} displacements", counts.size(), displacements.size()));
  Layout pieces;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) throw Error(ErrorCode::misuse, fmt::format("a count is {}; counts are 0 or more", counts[i]));
    const auto offset = checked_product(displacements[i], element_bytes), length = checked_product(counts[i], element_bytes);
    if (!offset || !length) throw Error(ErrorCode::too_large, "a layout reaches beyond 2^63 bytes");
    pieces.push_back({*offset, *length});
  }
  return pieces;
}

Layout strided(Count count, Bytes length, Bytes stride) {
  if (count < 0 || length < 0)
    throw Error(ErrorCode::misuse, fmt::format("a layout has {} blocks of {} bytes; neither may be negative", count, length));
  Layout pieces;
  for (Count block = 0; block < count; ++block) {
    const auto offset = checked_product(block, stride);
    if (!offset || !checked_sum(*offset, length)) throw Error(ErrorCode::too_large, "a layout reaches beyond 2^63 bytes");
    pieces.push_back({*offset, length});
  }
  return pieces;
}

Layout shifted(Layout layout, Bytes distance) {
  for (LayoutPiece& piece : layout) {
    const auto offset = checked_sum(piece.offset, distance);
    if (!offset) throw Error(ErrorCode::too_large, "a layout reaches beyond 2^63 bytes");
    piece.offset = *offset;
  }
  return layout;
}

Layouts in_place_layouts(const Problem& problem, Rank rank) {
  const Bytes in = input_bytes(problem, rank), out = output_bytes(problem, rank);
  const Layout from_start_in{{0, in}}, from_start_out{{0, out}};
  if (has_pair_counts(problem.collective)) {
    const Traffic traffic(problem);
    if (traffic.sent_by(rank) != traffic.received_by(rank))
      throw Error(ErrorCode::misuse, fmt::format("an {} in place receives from each rank what it sends there; rank {} does not",
                                                 name(problem.collective), rank));
    return {from_start_in, from_start_out};
  }
  const CollectiveFacts& facts = facts_of(problem.collective);
  const auto has_all = [&](const BufferContents& contents) {
    return contents.holding == Holding::all && has(contents, problem, rank);
  };
  // As MPI defines MPI_IN_PLACE: if one buffer has the blocks of all ranks and the other buffer only this rank's block, this
  // rank's block lies at its place among all blocks. The result of a reduction begins where its operands begin.
  if (facts.input.holding == Holding::one && has_all(facts.output)) return {{{share_offset(problem, rank), in}}, from_start_out};
  if (facts.output.holding == Holding::one && has_all(facts.input) && !facts.is_reduction)
    return {from_start_in, {{share_offset(problem, rank), out}}};
  return {from_start_in, from_start_out};
}

std::pair<Bytes, Bytes> extent(const Layout& layout, Bytes bytes) {
  if (layout.empty() || bytes == 0) return {0, bytes};
  Bytes first = std::numeric_limits<Bytes>::max(), last = std::numeric_limits<Bytes>::min();
  for (const LayoutPiece& piece : layout)
    if (piece.length > 0) {
      first = std::min(first, piece.offset);
      last = std::max(last, piece.offset + piece.length);
    }
  return {first, last};
}

Program bound(Program program, const Problem& problem, const Layouts& layouts, bool in_place) {
  if (layouts.input.empty() && layouts.output.empty() && !in_place) return program;
  const Bytes in = input_bytes(problem, program.rank), out = output_bytes(problem, program.rank);
  const LayoutMap input(layouts.input, in, in_place ? Buffer::output : Buffer::input, "input");
  const LayoutMap output(layouts.output, out, Buffer::output, "output");
  if (output.overlaps_itself()) throw Error(ErrorCode::misuse, "pieces of the output overlap");
  if (in_place && reads_input_too_late(program, input, output)) program = with_saved_input(std::move(program), in);
  program = placed(std::move(program), input, output);
  if (in_place) drop_copies_in_place(program);
  return program;
}

}  // namespace quadrille
