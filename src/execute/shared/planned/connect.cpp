// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/connect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <tuple>

#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "quadrille/checked.hpp"

namespace quadrille {
namespace {

using Places = Connector::Places;

constexpr Bytes line_bytes = SendAreaLayout::line, page_bytes = 4096;

// Areas that are smaller lie side by side in control memory.
constexpr Bytes most_small = 65536;

// A rank tries streaming stores if it receives at least this many bytes in long messages. Fewer bytes may stay in a cache until
// they are used.
constexpr Bytes least_streamed = 1 << 20;

// A rank's description of its area and of the messages that it sends. Receivers read it while the plan is made. Behind it lie the
// entries, sorted by peer and ordinal, and behind them the regions of long messages.
struct Directory {
  Bytes block_bytes, ack_bytes;
  std::uint64_t block_mask;
  std::uint64_t entry_count;
};
struct Entry {
  Rank peer;
  std::uint32_t ordinal;
  bool is_long;
  Bytes bytes;
  Count counter;               // index of the sender's counter for this receiver; -1: none
  Bytes head, first_payload;   // offsets in a block: of the group
  Bytes payload, ack;          // offsets in a block, and in its acks
  std::uint64_t first_region;  // index in the list of regions
  std::uint64_t region_count;
};

std::span<const Entry> entries_of(const Directory& directory) {
  return {reinterpret_cast<const Entry*>(&directory + 1), directory.entry_count};
}

bool is_aligned(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % line_bytes == 0; }

// Returns the offset of each rank's part of the control memory, and at the end the offset of Closing.
ByRank<Bytes> parts(const ByRank<Places>& all) {
  ByRank<Bytes> places;
  Bytes total = 0;
  for (const Places& each : all) {
    const Bytes part = each.counters + each.acks + each.small_blocks;
    // A part of a page or more has pages of its own, which can lie in the NUMA memory of its writer.
    if (part >= page_bytes) total = rounded_up(total, page_bytes);
    places.push_back(total);
    total += rounded_up(part, line_bytes);
  }
  places.push_back(total);
  return places;
}

Bytes control_bytes(const ByRank<Places>& all) { return parts(all).back() + static_cast<Bytes>(sizeof(Closing)); }

// Returns the bytes of control memory if all ranks need as much as this rank. Rank 0 allocates this much in advance. If the guess
// is right, as usual, the ranks need one gather less.
Bytes guessed_control_bytes(Count ranks, const Places& own) { return control_bytes(ByRank<Places>(ranks, own)); }

struct MappedArea {  // a rank's area, mapped into this process
  ProgressCounter* counters;
  std::byte *acks, *blocks;
};

// `control`: the rank's part of the control memory.
MappedArea area_of(const SharedSpace& space, const Places& places, std::byte* control) {
  std::byte* const acks = control + places.counters;
  return {reinterpret_cast<ProgressCounter*>(control), acks, places.blocks ? space.at(places.blocks) : acks + places.acks};
}

// Writes the directory for the receivers.
Offset lay_open(Claim& claim, const SharedSpace& space, const std::vector<ScriptMessage>& messages, const SendAreaLayout& layout) {
  std::vector<std::uint32_t> sends;
  std::size_t regions = 0;
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_send) continue;
    sends.push_back(i);
    if (layout.postings[i].is_long) regions += messages[i].regions.size();
  }
  std::sort(sends.begin(), sends.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(messages[a].peer, messages[a].ordinal) < std::tie(messages[b].peer, messages[b].ordinal);
  });
  const Offset place =
      claim.allocate(static_cast<Bytes>(sizeof(Directory) + sends.size() * sizeof(Entry) + regions * sizeof(Region)));
  auto* directory = new (space.at(place)) Directory{layout.block_bytes, layout.ack_bytes, layout.block_mask, sends.size()};
  auto* entry = reinterpret_cast<Entry*>(directory + 1);
  auto* const first_region = reinterpret_cast<Region*>(entry + sends.size());
  auto* region = first_region;
  for (const std::uint32_t i : sends) {
    const ScriptMessage& message = messages[i];
    const SendAreaLayout::Posting& posting = layout.postings[i];
    const auto watched = std::lower_bound(layout.watched.begin(), layout.watched.end(), message.peer);
    const bool has_counter = watched != layout.watched.end() && *watched == message.peer;
    new (entry++) Entry{message.peer,
                        message.ordinal,
                        posting.is_long,
                        message.bytes,
                        has_counter ? watched - layout.watched.begin() : -1,
                        layout.groups[posting.group].head,
                        layout.groups[posting.group].payload,
                        layout.places[i].payload,
                        layout.places[i].ack,
                        static_cast<std::uint64_t>(region - first_region),
                        posting.is_long ? message.regions.size() : 0};
    if (posting.is_long) region = std::uninitialized_copy(message.regions.begin(), message.regions.end(), region);
  }
  return place;
}

// Asserts what a receiver relies on in the directory of a sender: head, payload and ack lie within the sender's block and acks.
void check_entry(const Entry& entry, const Directory& directory, const Places& theirs, bool reads_private_memory) {
  QUADRILLE_ASSERT(std::has_single_bit(directory.block_mask + 1) && directory.block_mask + 1 <= SendAreaLayout::most_blocks);
  QUADRILLE_ASSERT(theirs.acks == directory.ack_bytes * static_cast<Bytes>(directory.block_mask + 1));
  QUADRILLE_ASSERT(entry.counter >= -1 && (entry.counter + 1) * static_cast<Bytes>(sizeof(ProgressCounter)) <= theirs.counters);
  QUADRILLE_ASSERT(entry.head >= 0 && entry.head + GroupHead::bytes(entry.is_long) <= directory.block_bytes);
  const bool has_payload = !entry.is_long || !reads_private_memory;
  QUADRILLE_ASSERT(!has_payload || (entry.payload >= 0 && entry.payload + entry.bytes <= directory.block_bytes));
  QUADRILLE_ASSERT(!entry.is_long ||
                   (entry.ack >= 0 && entry.ack + static_cast<Bytes>(sizeof(Acknowledgement)) <= directory.ack_bytes));
}

// Appends copies that combine `source` into the target of the message's reduction. Returns nothing if a copy would cut an element.
std::optional<IndexRange> append_combining(std::vector<StridedCopy>& list, const Regions& source, const ScriptMessage& message,
                                           Bytes element_bytes) {
  const IndexRange copies = appended(list, source, message.reduced_into);
  const auto first = list.begin() + copies.first, last = list.begin() + copies.last;
  if (std::any_of(first, last, [&](const StridedCopy& copy) { return copy.length % element_bytes != 0; })) return std::nullopt;
  for (auto copy = first; copy != last; ++copy) copy->effect = message.effect;
  return copies;
}

// Prepares the copies of a message. `theirs`: the sender's regions of a long message.
void prepare_copies(Connection::Receive& receive, std::vector<StridedCopy>& copies, const ScriptMessage& mine,
                    const Regions& theirs, const Script& script) {
  const Regions payload{{Buffer::staging, 0, mine.bytes, {}}};
  if (receive.is_long) receive.stored = receive.direct = appended(copies, theirs, mine.regions);
  receive.copies = appended(copies, payload, mine.regions);
  receive.is_fused = mine.effect != Effect::overwrite;
  if (receive.is_fused) {
    const Bytes element_bytes = script.operation->element_bytes;
    const auto from_block = append_combining(copies, payload, mine, element_bytes);
    const auto from_sender = receive.is_long ? append_combining(copies, theirs, mine, element_bytes) : from_block;
    receive.combines = from_block && from_sender;
    if (receive.combines) {
      receive.copies = *from_block;
      receive.direct = *from_sender;
    }
  } else if (!receive.is_long && receive.copies.size() == 1 && copies[receive.copies.first].length == mine.bytes) {
    receive.target = copies[receive.copies.first].target;
    receive.target_buffer = copies[receive.copies.first].target_buffer;
    receive.length = static_cast<std::uint32_t>(mine.bytes);
  }
}

// Looks up the places of all messages that this rank receives. `control`: the plan's control memory.
void find_senders(Connection& made, const SharedSpace& space, const Script& script, const ByRank<Places>& all, std::byte* control) {
  const Rank me = space.rank();
  const ByRank<Bytes> part = parts(all);
  const auto directory_of = [&](Rank rank) -> const Directory& {
    return *reinterpret_cast<const Directory*>(space.at(all[rank].directory));
  };
  std::size_t received = 0, sent = 0;
  Bytes long_bytes = 0;
  made.receives.resize(script.messages.size());
  for (std::size_t i = 0; i < script.messages.size(); ++i) {
    const ScriptMessage& mine = script.messages[i];
    if (mine.is_send) continue;
    ++received;
    const Directory& directory = directory_of(mine.peer);
    const std::span<const Entry> entries = entries_of(directory);
    const auto entry = std::lower_bound(entries.begin(), entries.end(), std::pair(me, mine.ordinal),
                                        [](const Entry& a, const auto& key) { return std::pair(a.peer, a.ordinal) < key; });
    if (entry == entries.end() || entry->peer != me || entry->ordinal != mine.ordinal || entry->bytes != mine.bytes)
      throw Error(ErrorCode::misuse, fmt::format("rank {} and rank {} disagree about their messages; verify the schedule",
                                                 space.shown(me), space.shown(mine.peer)));
    check_entry(*entry, directory, all[mine.peer], space.reads_private_memory());
    const MappedArea area = area_of(space, all[mine.peer], control + part[mine.peer]);
    Connection::Receive& receive = made.receives[i];
    receive.blocks = {area.blocks, directory.block_bytes, directory.block_mask};
    receive.acks = {area.acks, directory.ack_bytes, directory.block_mask};
    receive.is_long = entry->is_long;
    receive.head = entry->head;
    receive.first_payload = entry->first_payload;
    receive.payload = entry->payload;
    receive.ack = entry->ack;
    const auto inlet =
        std::find_if(made.inlets.begin(), made.inlets.end(), [&](const auto& each) { return each.peer == mine.peer; });
    receive.inlet = static_cast<std::uint32_t>(inlet - made.inlets.begin());
    if (inlet == made.inlets.end())
      made.inlets.push_back(
          {mine.peer, entry->counter < 0 ? nullptr : area.counters + entry->counter, (directory.block_mask + 1) / 2});
    Regions theirs;
    if (receive.is_long) {
      if (all[mine.peer].buffers)
        space.at(all[mine.peer].buffers);  // mapped now, because an error here is still thrown on all ranks of the group
      const auto* region = reinterpret_cast<const Region*>(entries.data() + entries.size()) + entry->first_region;
      theirs.assign(region, region + entry->region_count);
      QUADRILLE_ASSERT(bytes(theirs) == mine.bytes);
    }
    prepare_copies(receive, made.copies, mine, theirs, script);
    if (receive.is_long && !receive.is_fused) long_bytes += mine.bytes;
  }
  made.may_stream = streams_stores && long_bytes >= least_streamed && script.capacity == 0;  // trials compare equal sizes
  // Finds sends without a receive: counts the messages that the other ranks send to this rank.
  for (Rank rank = 0; rank < space.size(); ++rank) {
    const std::span<const Entry> entries = entries_of(directory_of(rank));
    sent += index(std::count_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.peer == me; }));
  }
  if (sent != received)
    throw Error(ErrorCode::misuse, fmt::format("rank {} receives {} messages and {} are sent to it; verify the schedule",
                                               space.shown(me), received, sent));
}

}  // namespace

OwnMemory::~OwnMemory() {
  // If the ranks are not connected, no other rank accesses this memory, and it can be released. After a failure of the group
  // other ranks may access it, so the memory is leaked.
  if (!space.is_usable() || (!closing && space.has_failed())) return;
  if (buffers) space.release(buffers);
  if (!closing) {
    if (blocks) space.release(blocks);
    return;
  }
  close_areas(space, *closing, {&blocks, blocks ? std::size_t{1} : 0}, control);
}

Connector::Places Connector::offer(const CopyCosts& costs) {
  for (const ScriptMessage& message : script_.messages) QUADRILLE_ASSERT(message.peer >= 0 && message.peer < space_.size());
  own_ = std::make_unique<OwnMemory>(space_);
  layout_ = lay_out(script_, costs, {space_.holds_everything(), space_.reads_private_memory(), space_.holds_large_buffers()});
  const Bytes buffers = rounded_up(script_.scratch_bytes, line_bytes) + script_.staging_bytes;
  if (buffers > 0) own_->buffers = space_.allocate(buffers);
  Places mine{.counters = static_cast<Bytes>(layout_.watched.size() * sizeof(ProgressCounter)),
              .acks = layout_.ack_bytes * layout_.blocks()};
  const Bytes area = checked_product(layout_.block_bytes, layout_.blocks()).value_or(std::numeric_limits<Bytes>::max());
  if (area >= most_small)
    own_->blocks = space_.allocate(area);
  else
    mine.small_blocks = area;
  if (space_.rank() == 0) mine.control = control_.allocate_control(guessed_control_bytes(space_.size(), mine));
  mine.blocks = own_->blocks;
  mine.directory = lay_open(directory_, space_, script_.messages, layout_);
  mine.buffers = own_->buffers;
  return mine;
}

// Finds rank 0's control memory, which rank 0 allocates again if the guess was wrong.
void Connector::find_control(const ByRank<Places>& all) {
  QUADRILLE_ASSERT(quadrille::size(all) == space_.size());
  QUADRILLE_ASSERT(all[space_.rank()].directory == directory_.place() && all[space_.rank()].blocks == own_->blocks);
  own_->control = all[0].control;
  if (control_bytes(all) <= guessed_control_bytes(space_.size(), all[0])) return;
  own_->control = gathered_or_thrown(space_, [&] {
    if (space_.rank() > 0) return Offset{0};
    space_.release(control_.keep());
    return control_.allocate_control(control_bytes(all));
  })[0];
}

// Lays out this rank's part of the control memory, and finds the senders.
Connected Connector::connected(const ByRank<Places>& all) {
  QUADRILLE_ASSERT(own_->control != 0);
  Connected made;
  SendAreaLayout& layout = made.layout = std::move(layout_);
  Connection& connection = made.connection;
  const ByRank<Bytes> part = parts(all);
  std::byte *const control = space_.at(own_->control), *const closing = control + part.back();
  closing_ = space_.rank() == 0 ? new (closing) Closing : reinterpret_cast<Closing*>(closing);
  const MappedArea area = area_of(space_, all[space_.rank()], control + part[space_.rank()]);
  ProgressCounter* counters = area.counters;
  for (const Rank receiver : layout.watched) connection.watched.push_back({receiver, new (counters++) ProgressCounter});
  connection.blocks = {area.blocks, layout.block_bytes, layout.block_mask};
  connection.acks = {area.acks, layout.ack_bytes, layout.block_mask};
  QUADRILLE_ASSERT(is_aligned(area.blocks) && is_aligned(area.acks) && is_aligned(counters));
  for (std::uint64_t block = 0; block <= layout.block_mask; ++block) {
    for (const SendAreaLayout::Group& group : layout.groups) new (connection.blocks.of(block) + group.head) Flag;
    for (std::size_t i = 0; i < layout.places.size(); ++i)
      if (layout.postings[i].is_send && layout.postings[i].is_long)
        new (connection.acks.of(block) + layout.places[i].ack) Acknowledgement;
  }
  if (own_->buffers) {
    connection.bases[Buffer::scratch] = space_.at(own_->buffers);
    connection.bases[Buffer::staging] = space_.at(own_->buffers) + rounded_up(script_.scratch_bytes, line_bytes);
  }
  find_senders(connection, space_, script_, all, control);
  std::copy_if(connection.inlets.begin(), connection.inlets.end(), std::back_inserter(connection.counted),
               [](const Connection::Inlet& inlet) { return inlet.counter != nullptr; });
  connection.own = std::move(own_);
  return made;
}

Connected connected(SharedSpace& space, const CopyCosts& costs, const Script& script) {
  Connector connector(space, script);
  return connector.connect(gathered_or_thrown(space, [&] { return connector.offer(costs); }),
                           [](Connected connected) { return connected; });
}

}  // namespace quadrille
