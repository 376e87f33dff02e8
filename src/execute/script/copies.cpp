// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/copies.hpp"

#include "foundation/assert.hpp"
#include "schedule/regions.hpp"

namespace quadrille {
namespace {

// Returns the copy between a region and the contiguous bytes of equal number at `offset` of `buffer`.
StridedCopy against_contiguous(const Region& strided, Buffer buffer, Bytes offset, bool strided_is_source) {
  StridedCopy copy{buffer, buffer, offset, offset, strided.length, {}};
  (strided_is_source ? copy.source_buffer : copy.target_buffer) = strided.buffer;
  (strided_is_source ? copy.source : copy.target) = strided.offset;
  Bytes dense = strided.length;
  for (std::size_t i = 0; i < 3; ++i) {
    const Level& level = strided.levels[i];
    copy.levels[i] = {level.count, strided_is_source ? level.stride : dense, strided_is_source ? dense : level.stride};
    dense *= level.count;
  }
  return copy;
}

bool same_shape(const Regions& a, const Regions& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Region& x, const Region& y) {
    return x.length == y.length && x.levels[0].count == y.levels[0].count && x.levels[1].count == y.levels[1].count &&
           x.levels[2].count == y.levels[2].count;
  });
}

bool is_single(const StridedCopy& copy) {
  return copy.levels[0].count == 1 && copy.levels[1].count == 1 && copy.levels[2].count == 1;
}

// Appends a copy. A single contiguous run is merged into the last copy if it continues the strided pattern of that copy. Copies
// before index `first` are not changed.
void append_piece(std::vector<StridedCopy>& copies, std::size_t first, const StridedCopy& piece) {
  if (copies.size() > first && is_single(piece) && copies.back().levels[1].count == 1 && copies.back().levels[2].count == 1) {
    StridedCopy& last = copies.back();
    auto& level = last.levels[0];
    const bool same_buffers = last.source_buffer == piece.source_buffer && last.target_buffer == piece.target_buffer;
    if (same_buffers && level.count == 1 && last.source + last.length == piece.source &&
        last.target + last.length == piece.target) {
      last.length += piece.length;
      return;
    }
    const Bytes source_stride = piece.source - last.source, target_stride = piece.target - last.target;
    if (same_buffers && last.length == piece.length &&
        (level.count == 1 ||
         (level.count * level.source_stride == source_stride && level.count * level.target_stride == target_stride))) {
      if (level.count == 1) level = {1, source_stride, target_stride};
      ++level.count;
      return;
    }
  }
  copies.push_back(piece);
}

struct Run {
  Buffer buffer;
  Bytes offset, length;
};

std::vector<Run> runs_of(const Regions& regions) {
  std::vector<Run> runs;
  for_each_merged_run(regions, [&](Buffer buffer, Bytes offset, Bytes length) { runs.push_back({buffer, offset, length}); });
  return runs;
}

template <std::size_t length>
void copy_fixed(std::byte* target, const std::byte* source, const StridedCopy::Level& level) {
  for (Count i = 0; i < level.count; ++i) std::memcpy(target + i * level.target_stride, source + i * level.source_stride, length);
}

void copy_innermost(std::byte* target, const std::byte* source, Bytes length, const StridedCopy::Level& level) {
  if (level.count == 1) {
    copy_long(target, source, static_cast<std::size_t>(length));
    return;
  }
  switch (length) {  // most strided copies have short runs, and the compiler inlines memcpy of a constant length
    case 1: return copy_fixed<1>(target, source, level);
    case 2: return copy_fixed<2>(target, source, level);
    case 4: return copy_fixed<4>(target, source, level);
    case 8: return copy_fixed<8>(target, source, level);
    case 16: return copy_fixed<16>(target, source, level);
    case 32: return copy_fixed<32>(target, source, level);
    case 64: return copy_fixed<64>(target, source, level);
    default:
      for (Count i = 0; i < level.count; ++i)
        copy_long(target + i * level.target_stride, source + i * level.source_stride, static_cast<std::size_t>(length));
  }
}

}  // namespace

bool is_contiguous(const Regions& regions) {
  if (regions.size() == 1 && bytes(regions.front()) == regions.front().length) return true;
  // For each region, the cheap test comes first; most lists fail it.
  Bytes end = 0;
  bool contiguous = true, first = true;
  for (const Region& region : regions) {
    if (!contiguous || region.buffer != regions.front().buffer) return false;
    const Bytes total = bytes(region);
    const auto [low, high] = hull(region);
    if (high - low != total || (!first && region.offset != end)) return false;
    for_each_run(region, [&](Bytes offset, Bytes length) {
      contiguous = contiguous && (first || offset == end);
      first = false;
      end = offset + length;
    });
  }
  return contiguous;
}

void append_copies(std::vector<StridedCopy>& copies, const Regions& source, const Regions& target) {
  QUADRILLE_ASSERT(bytes(source) == bytes(target));
  const bool to_one = target.size() == 1 && is_contiguous(target), from_one = source.size() == 1 && is_contiguous(source);
  const std::size_t first = copies.size();
  if (to_one && from_one) {
    copies.push_back({source[0].buffer, target[0].buffer, source[0].offset, target[0].offset, bytes(source[0]), {}});
  } else if (to_one || from_one) {
    const Regions& strided = to_one ? source : target;
    const Region& dense = to_one ? target[0] : source[0];
    Bytes offset = dense.offset;
    for (const Region& region : strided) {
      append_piece(copies, first, against_contiguous(region, dense.buffer, offset, to_one));
      offset += bytes(region);
    }
  } else if (same_shape(source, target)) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      StridedCopy copy{source[i].buffer, target[i].buffer, source[i].offset, target[i].offset, source[i].length, {}};
      for (std::size_t l = 0; l < 3; ++l)
        copy.levels[l] = {source[i].levels[l].count, source[i].levels[l].stride, target[i].levels[l].stride};
      append_piece(copies, first, copy);
    }
  } else {
    const std::vector<Run> from = runs_of(source), to = runs_of(target);
    Bytes from_used = 0, to_used = 0;
    for (std::size_t f = 0, t = 0; f < from.size() && t < to.size();) {
      const Bytes length = std::min(from[f].length - from_used, to[t].length - to_used);
      append_piece(copies, first, {from[f].buffer, to[t].buffer, from[f].offset + from_used, to[t].offset + to_used, length, {}});
      if (from_used += length; from_used == from[f].length) ++f, from_used = 0;
      if (to_used += length; to_used == to[t].length) ++t, to_used = 0;
    }
    QUADRILLE_ASSERT(from_used == 0 && to_used == 0);
  }
}

void run_reduction(const StridedCopy& copy, const Operator& operation, const Bases& source_bases, const Bases& target_bases) {
  const std::byte* source = source_bases[copy.source_buffer] + copy.source;
  std::byte* target = target_bases[copy.target_buffer] + copy.target;
  const OperandOrder order = copy.effect == Effect::combine_source_first ? OperandOrder::source_first : OperandOrder::target_first;
  QUADRILLE_HOT_ASSERT(copy.length % operation.element_bytes == 0);
  const Count elements = copy.length / operation.element_bytes;
  const auto& [inner, middle, outer] = copy.levels;
  for (Count c = 0; c < outer.count; ++c)
    for (Count b = 0; b < middle.count; ++b)
      for (Count a = 0; a < inner.count; ++a)
        operation.combine(source + a * inner.source_stride + b * middle.source_stride + c * outer.source_stride,
                          target + a * inner.target_stride + b * middle.target_stride + c * outer.target_stride, elements, order);
}

void run_strided(const StridedCopy& copy, const std::byte* source, std::byte* target) {
  const auto& [inner, middle, outer] = copy.levels;
  for (Count c = 0; c < outer.count; ++c)
    for (Count b = 0; b < middle.count; ++b)
      copy_innermost(target + b * middle.target_stride + c * outer.target_stride,
                     source + b * middle.source_stride + c * outer.source_stride, copy.length, inner);
}

}  // namespace quadrille
