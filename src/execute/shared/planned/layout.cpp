// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/layout.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <tuple>

#include "execute/shared/memory/program_heap.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"

namespace quadrille {
namespace {

// The buffers out of which receivers probably load, because the sender's process shares them.
class LoadedBuffers {
 public:
  LoadedBuffers(const std::vector<ScriptMessage>& messages, const Reach& reach) : all_(reach.holds_everything) {
    if (all_ || !reach.holds_large_buffers) return;
    for (const ScriptMessage& message : messages)
      for (const Region& region : message.regions) end_[region.buffer] = std::max(end_[region.buffer], hull(region).second);
  }

  bool hold(const Regions& regions) const {
    return all_ || std::all_of(regions.begin(), regions.end(),
                               [&](const Region& region) { return end_[region.buffer] >= static_cast<Bytes>(least_large); });
  }

 private:
  const bool all_;
  ByEnum<Buffer, Bytes, 4> end_{};  // by buffer: the end of what messages use of it
};

// Decides which of the sends of a window are long: those that are copied once, and those for which a block has no room.
void choose_long(SendAreaLayout& layout, const std::vector<ScriptMessage>& messages, const std::vector<std::uint32_t>& sends,
                 const CopyChoice& choice, const Reach& reach, const LoadedBuffers& loaded) {
  std::vector<CopiedMessage> copied;
  std::vector<const Regions*> sources;                        // of `copied`
  std::vector<std::pair<std::uint32_t, std::size_t>> chosen;  // a message, and its place in `copied`
  for (const std::uint32_t i : sends) {
    const ScriptMessage& message = messages[i];
    const bool is_long = message.bytes > choice.eager_limit();
    layout.postings[i].is_long = is_long;
    const bool may_be_long = !message.overwritten && (reach.holds_everything || is_contiguous(message.regions));
    if (!is_long && (message.bytes < CopyChoice::least_rendezvous || !may_be_long)) continue;
    const auto twin = std::find_if(sources.begin(), sources.end(), [&](const Regions* other) { return *other == message.regions; });
    chosen.emplace_back(i, twin - sources.begin());
    if (twin != sources.end()) {
      ++copied[chosen.back().second].receivers;
    } else {
      sources.push_back(&message.regions);
      copied.push_back({.bytes = message.bytes, .is_loaded = loaded.hold(message.regions)});
    }
  }
  choice.choose(std::span(copied));
  for (const auto& [i, place] : chosen)
    if (copied[place].way == CopyWay::rendezvous) layout.postings[i].is_long = true;
}

// Extends a range of offsets to cover the region.
void widen(std::pair<Bytes, Bytes>& range, const Region& region) {
  const auto [first, last] = hull(region);
  const bool is_empty = range.first == range.second;
  range = {is_empty ? first : std::min(range.first, first), is_empty ? last : std::max(range.second, last)};
}

// Gives the messages of a group their places in the block, behind its first `block_bytes` bytes.
void lay_messages(SendAreaLayout& layout, SendAreaLayout::Group& group, const Script& script,
                  const std::vector<std::uint32_t>& sends, bool reads_private_memory) {
  const auto aligned = [&](Bytes place, Bytes length) {
    return rounded_up(place, length < SendAreaLayout::line ? 8 : SendAreaLayout::line);
  };
  const std::vector<ScriptMessage>& messages = script.messages;
  if (script.capacity > 0) layout.block_bytes = aligned(layout.block_bytes, script.capacity);
  group.payload = layout.block_bytes;
  Regions sources, targets;
  std::optional<std::uint32_t> twin;  // the previous message: if it reads the same bytes, both share one payload
  for (const std::uint32_t i : sends) {
    const ScriptMessage& message = messages[i];
    const bool is_long = layout.postings[i].is_long;
    SendAreaLayout::Place& place = layout.places[i];
    if (is_long) {
      for (const Region& region : message.regions) widen(layout.lent[region.buffer], region);
      place.payload = group.payload;
      place.ack = std::exchange(layout.ack_bytes, layout.ack_bytes + static_cast<Bytes>(sizeof(Acknowledgement)));
      if (reads_private_memory) continue;
    }
    if (twin && messages[*twin].regions == message.regions && layout.postings[*twin].is_long == is_long) {
      place.payload = layout.places[*twin].payload;
      QUADRILLE_ASSERT(messages[*twin].bytes == message.bytes);
      continue;
    }
    twin = i;
    place.payload = script.capacity > 0 ? layout.block_bytes : aligned(layout.block_bytes, message.bytes);
    layout.block_bytes = place.payload + message.bytes;
    const Region target{Buffer::staging, place.payload - group.payload, message.bytes, {}};
    if (is_long) {
      place.copies = appended(layout.copies, message.regions, {target});
    } else if (message.bytes > 0) {
      sources.insert(sources.end(), message.regions.begin(), message.regions.end());
      targets.push_back(target);
    }
  }
  group.copies = appended(layout.copies, sources, targets);
}

}  // namespace

SendAreaLayout lay_out(const Script& script, const CopyCosts& costs, const Reach& reach) {
  const std::vector<ScriptMessage>& messages = script.messages;
  const CopyChoice choice(costs);
  const LoadedBuffers loaded(messages, reach);
  SendAreaLayout layout;
  layout.postings.resize(messages.size());
  layout.places.resize(messages.size());
  const auto lay_group = [&](IndexRange range) {
    std::vector<std::uint32_t> sends;
    for (std::uint32_t i = range.first; i < range.last; ++i)
      if (messages[i].is_send) sends.push_back(i);
    if (sends.empty()) return;
    choose_long(layout, messages, sends, choice, reach, loaded);
    SendAreaLayout::Group group;
    group.head = layout.block_bytes = rounded_up(layout.block_bytes, SendAreaLayout::line);
    group.receivers.first = static_cast<std::uint32_t>(layout.rung.size());
    for (const std::uint32_t i : sends) {
      layout.postings[i] = {static_cast<std::uint32_t>(layout.groups.size()), true, layout.postings[i].is_long};
      group.has_long = group.has_long || layout.postings[i].is_long;
      layout.rung.push_back(messages[i].peer);
    }
    group.receivers.last = static_cast<std::uint32_t>(layout.rung.size());
    layout.block_bytes += GroupHead::bytes(group.has_long);
    // Sorted by address, so that adjacent copies merge.
    const auto source = [&](std::uint32_t i) {
      const Regions& regions = messages[i].regions;
      return regions.empty() ? std::tuple(Buffer{}, Bytes{0}) : std::tuple(regions.front().buffer, regions.front().offset);
    };
    std::stable_sort(sends.begin(), sends.end(), [&](std::uint32_t a, std::uint32_t b) { return source(a) < source(b); });
    lay_messages(layout, group, script, sends, reach.reads_private_memory);
    layout.groups.push_back(group);
  };
  if (script.policy == Policy::dataflow)
    for (std::uint32_t i = 0; i < messages.size(); ++i) lay_group({i, i + 1});
  else
    for (const Window& window : script.windows) lay_group(window.messages);

  std::vector<Rank> receivers, senders;
  for (const ScriptMessage& message : messages) (message.is_send ? receivers : senders).push_back(message.peer);
  std::sort(receivers.begin(), receivers.end());
  std::sort(senders.begin(), senders.end());
  receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
  std::set_difference(receivers.begin(), receivers.end(), senders.begin(), senders.end(), std::back_inserter(layout.watched));
  // Small blocks share a cache line if the sender can be ahead of its receivers. Then one transfer of the line to another core,
  // which may take longer than a call, moves the messages of several executions.
  const bool may_share_a_line = !layout.watched.empty() && layout.block_bytes < SendAreaLayout::line;
  layout.block_bytes = may_share_a_line ? static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(layout.block_bytes)))
                                        : rounded_up(layout.block_bytes, SendAreaLayout::line);
  // An area has at least two blocks even if they exceed the limit. If all readers send messages back, two are enough.
  const Bytes fitting = layout.watched.empty() ? 2 : CopyChoice::most_area_bytes / std::max<Bytes>(layout.block_bytes, 1);
  const auto blocks = static_cast<std::uint64_t>(std::clamp<Bytes>(fitting, 2, static_cast<Bytes>(SendAreaLayout::most_blocks)));
  layout.block_mask = std::bit_floor(blocks) - 1;
  return layout;
}

IndexRange appended(std::vector<StridedCopy>& copies, const Regions& source, const Regions& target) {
  const auto first = static_cast<std::uint32_t>(copies.size());
  append_copies(copies, source, target);
  return {first, static_cast<std::uint32_t>(copies.size())};
}

}  // namespace quadrille
