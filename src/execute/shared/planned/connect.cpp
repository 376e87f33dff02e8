// SPDX-License-Identifier: BSD-3-Clause
// Makes a script ready for shared memory: the ranks agree on the place of each message, which messages are long, and which ranks
// read whose blocks. messages.cpp runs it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <numeric>
#include <tuple>

#include "execute/agreement.hpp"
#include "execute/shared/memory/claim.hpp"
#include "execute/shared/planned/messages.hpp"
#include "foundation/assert.hpp"
#include "foundation/rounding.hpp"
#include "quadrille/checked.hpp"

namespace quadrille {
namespace {

constexpr Bytes line = 64, page = 4096;

// The most bytes of an area, which are a share of the L2 cache, and the most blocks. An area has at least two blocks even if they
// exceed the limit. In a larger area a sender can run further ahead of its readers, which saves context switches; but its data
// would not stay in the cache. If all readers send messages back, two blocks are enough.
constexpr Bytes most_blocks_bytes = 262144, most_blocks = 256;

// A rank tries streaming stores if it receives at least so many bytes in long messages. Fewer bytes may stay in
// a cache until they are used.
constexpr Bytes least_streamed = 1 << 20;

bool is_aligned(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % line == 0; }

std::vector<Rank> everybody(const SharedSpace& space) {
  std::vector<Rank> ranks(index(space.size()));
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

// Extends a range of offsets to cover the region.
void widen(std::pair<Bytes, Bytes>& range, const Region& region) {
  Bytes first = region.offset, last = region.offset + region.length;
  for (const Level& level : region.levels) {
    const Bytes far = (level.count - 1) * level.stride;
    (far < 0 ? first : last) += far;
  }
  range =
      range.first < range.second ? std::pair(std::min(range.first, first), std::max(range.second, last)) : std::pair(first, last);
}

}  // namespace

SharedMessages::SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script, Unconnected)
    : space_(space), costs_(costs), script_(std::move(script)), control_claim_(space), directory_(space), unpublished_(none) {}

SharedMessages::SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script)
    : SharedMessages(space, costs, std::move(script), Unconnected{}) {
  steps_ = NodeSteps::of(space_, everybody(space_), *script_);
  connect(gathered_or_thrown(space_, [&] { return offer(); }));
}

SharedMessages::Places SharedMessages::offer() {
  const Sizes sizes = lay_out();
  if (space_.rank() == 0) control_claim_.allocate_control(guessed_control_bytes(sizes));
  return {sizes, control_claim_.place(), own_blocks_, lay_open(directory_), own_memory_};
}

void SharedMessages::connect(const ByRank<Places>& all) {
  QUADRILLE_ASSERT(quadrille::size(all) == space_.size());
  QUADRILLE_ASSERT(all[space_.rank()].directory == directory_.place() && all[space_.rank()].blocks == own_blocks_);
  control_ = has_room(all) ? all[0].control : allocate_enough(control_claim_, all);
  made_or_thrown(space_, [&] {
    find_place(all);
    find_senders(all);
    return true;
  });
  control_claim_.keep();
  directory_.release();
  is_connected_ = true;
}

SharedMessages::~SharedMessages() {
  if (!space_.is_usable()) {
    control_claim_.keep();
    directory_.keep();
    return;
  }
  if (!is_connected_) {
    // No rank has connected, so no other rank accesses this memory and it can be released. After a failure this is not certain, so
    // the memory is leaked.
    if (space_.has_failed()) {
      control_claim_.keep();
      directory_.keep();
      return;
    }
    if (own_memory_) space_.release(own_memory_);
    if (own_blocks_) space_.release(own_blocks_);
    return;
  }
  if (own_memory_) space_.release(own_memory_);
  const Count ranks = space_.size();
  closing_->close();
  if (own_blocks_)
    space_.retire(own_blocks_, [closing = closing_, ranks] {
      if (!closing->have_closed(ranks)) return false;
      closing->go_through();
      return true;
    });
  else
    closing_->go_through();
  if (space_.rank() == 0) space_.retire(control_, [closing = closing_, ranks] { return closing->are_through(ranks); });
}

Bytes SharedMessages::memory_bytes() const {
  return rounded_up(script_->scratch_bytes, line) + script_->staging_bytes + static_cast<Bytes>(watched_.size() * sizeof(Outlet)) +
         (blocks_.bytes + turns_.bytes) * static_cast<Bytes>(blocks_.mask + 1) +
         memory_bytes_of(postings_, ends_, copies_, groups_, rung_, inlets_, watched_, open_, complete_);
}

// Decides which of the sends of a window are long.
void SharedMessages::choose_long(const std::vector<std::uint32_t>& sends) {
  const auto may_be_long = [&](const ScriptMessage& message) {
    return !message.overwritten && (space_.holds_everything() || is_contiguous(message.regions));
  };
  double saved = 0;
  std::vector<std::uint32_t> gainful;
  std::vector<const Regions*> seen;
  for (const std::uint32_t i : sends) {
    const ScriptMessage& message = script_->messages[i];
    if (message.bytes > costs_.longest_twice()) ends_[i].is_long = true;
    if (ends_[i].is_long || message.bytes < CopyCosts::sizes.front() || !may_be_long(message)) continue;
    const bool first = std::none_of(seen.begin(), seen.end(), [&](const Regions* other) { return *other == message.regions; });
    if (first) seen.push_back(&message.regions);
    const double gain = costs_.saved(message.bytes, first);
    saved += gain;
    gainful.push_back(i);
  }
  if (saved > costs_.wait)
    for (const std::uint32_t i : gainful) ends_[i].is_long = true;
}

// Makes one group of the sends among these messages, and decides where they lie in a block.
void SharedMessages::lay_group(IndexRange range) {
  const std::vector<ScriptMessage>& messages = script_->messages;
  Group group{blocks_.bytes, false};
  const auto index = static_cast<std::uint32_t>(groups_.size());
  std::vector<std::uint32_t> sends;
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    QUADRILLE_ASSERT(messages[i].peer >= 0 && messages[i].peer < space_.size());
    if (messages[i].is_send) sends.push_back(i);
  }
  if (sends.empty()) return;
  choose_long(sends);
  group.receivers.first = static_cast<std::uint32_t>(rung_.size());
  for (const std::uint32_t i : sends) {
    group.has_long = group.has_long || ends_[i].is_long;
    rung_.push_back(messages[i].peer);
  }
  group.receivers.last = static_cast<std::uint32_t>(rung_.size());
  blocks_.bytes += group.has_long ? static_cast<Bytes>(sizeof(GroupHead)) : short_head_bytes;
  // Sorted by address, so that adjacent copies merge.
  const auto place = [&](std::uint32_t i) {
    const Regions& regions = messages[i].regions;
    return regions.empty() ? std::tuple(Buffer{}, Bytes{0}) : std::tuple(regions.front().buffer, regions.front().offset);
  };
  std::stable_sort(sends.begin(), sends.end(), [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  Regions sources, targets;
  std::uint32_t twin = none;  // the previous message: if it reads the same bytes, both share one payload
  for (const std::uint32_t i : sends) {
    End& end = ends_[i];
    postings_[i].group = index;
    postings_[i].is_long = end.is_long;
    end.head = group.head;
    if (end.is_long) {
      for (const Region& region : messages[i].regions) widen(reach_[region.buffer], region);
      end.turn = turns_.bytes;
      turns_.bytes += static_cast<Bytes>(sizeof(Turn));
      if (space_.reads_private_memory()) continue;
    }
    if (twin != none && messages[twin].regions == messages[i].regions && ends_[twin].is_long == end.is_long) {
      end.payload = ends_[twin].payload;
      QUADRILLE_ASSERT(messages[twin].bytes == messages[i].bytes);
      continue;
    }
    twin = i;
    blocks_.bytes = rounded_up(blocks_.bytes, messages[i].bytes < line ? 8 : line);
    end.payload = blocks_.bytes;
    blocks_.bytes += messages[i].bytes;
    const Region target{Buffer::staging, end.payload, messages[i].bytes, {}};
    if (end.is_long) {
      end.copies = append(messages[i].regions, {target});
    } else if (messages[i].bytes > 0) {
      sources.insert(sources.end(), messages[i].regions.begin(), messages[i].regions.end());
      targets.push_back(target);
    }
  }
  group.copies = append(sources, targets);
  QUADRILLE_ASSERT(are_within(group.copies, {group.head + short_head_bytes, blocks_.bytes}));
  blocks_.bytes = rounded_up(blocks_.bytes, line);
  groups_.push_back(group);
}

// Do the copies write only these offsets of a block?
bool SharedMessages::are_within(IndexRange copies, std::pair<Bytes, Bytes> offsets) const {
  return std::all_of(copies_.begin() + copies.first, copies_.begin() + copies.last, [&](const StridedCopy& copy) {
    Region target{copy.target_buffer, copy.target, copy.length, {}};
    for (std::size_t i = 0; i < target.levels.size(); ++i) target.levels[i] = {copy.levels[i].count, copy.levels[i].target_stride};
    const auto [first, last] = hull(target);
    return first >= offsets.first && last <= offsets.second;
  });
}

IndexRange SharedMessages::append(const Regions& source, const Regions& target) {
  const auto first = static_cast<std::uint32_t>(copies_.size());
  append_copies(copies_, source, target);
  return {first, static_cast<std::uint32_t>(copies_.size())};
}

// Decides where each sent message lies in a block, and allocates this rank's own memory.
SharedMessages::Sizes SharedMessages::lay_out() {
  const std::vector<ScriptMessage>& messages = script_->messages;
  postings_.resize(messages.size());
  ends_.resize(messages.size());
  open_.resize(messages.size());
  complete_.resize(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) postings_[i].is_send = messages[i].is_send;
  std::vector<Rank> receivers, senders;
  for (const ScriptMessage& message : messages) (message.is_send ? receivers : senders).push_back(message.peer);
  for (auto* list : {&receivers, &senders}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (const Rank receiver : receivers)
    if (!std::binary_search(senders.begin(), senders.end(), receiver)) watched_.push_back({receiver});

  if (script_->policy == Policy::dataflow)
    for (std::uint32_t i = 0; i < messages.size(); ++i) lay_group({i, i + 1});
  else
    for (const Window& window : script_->windows) lay_group(window.messages);

  const Bytes fitting = watched_.empty() ? 2 : most_blocks_bytes / std::max<Bytes>(blocks_.bytes, 1);
  QUADRILLE_ASSERT(blocks_.bytes % line == 0 && turns_.bytes % line == 0);  // so that all blocks and turns are aligned
  const std::uint64_t blocks = std::bit_floor(static_cast<std::uint64_t>(std::clamp<Bytes>(fitting, 2, most_blocks)));
  blocks_.mask = turns_.mask = blocks - 1;

  const Bytes staging = rounded_up(script_->scratch_bytes, line);
  if (staging + script_->staging_bytes > 0) {
    own_memory_ = space_.allocate(staging + script_->staging_bytes);
    bases_[Buffer::scratch] = space_.at(own_memory_);
    bases_[Buffer::staging] = space_.at(own_memory_) + staging;
  }
  Sizes sizes{static_cast<Bytes>(watched_.size() * sizeof(Outlet)), turns_.bytes * static_cast<Bytes>(blocks), 0};
  const Bytes area = checked_product(blocks_.bytes, static_cast<Bytes>(blocks)).value_or(std::numeric_limits<Bytes>::max());
  if (area >= page)
    own_blocks_ = space_.allocate(area);
  else
    sizes.small_blocks = area;
  return sizes;
}

// Returns the offset of each rank's part of the control memory, and at the end the offset of Closing.
ByRank<Bytes> SharedMessages::parts(const ByRank<Places>& all) {
  ByRank<Bytes> places;
  Bytes total = 0;
  for (const Places& each : all) {
    if (each.sizes.control() >= page) total = rounded_up(total, page);  // on own pages, for the writer's NUMA memory
    places.push_back(total);
    total += rounded_up(each.sizes.control(), line);
  }
  places.push_back(total);
  return places;
}

// Returns what the control memory needs if all ranks need as much as this one. Rank 0 allocates that much in advance: the guess is
// usually right, which saves a gather.
Bytes SharedMessages::guessed_control_bytes(const Sizes& own) const {
  return parts(ByRank<Places>(space_.size(), {.sizes = own})).back() + static_cast<Bytes>(sizeof(Closing));
}

bool SharedMessages::has_room(const ByRank<Places>& all) const {
  return parts(all).back() + static_cast<Bytes>(sizeof(Closing)) <= guessed_control_bytes(all[0].sizes);
}

Offset SharedMessages::allocate_enough(Claim& control, const ByRank<Places>& all) {
  return gathered_or_thrown(space_, [&] {
    if (space_.rank() > 0) return Offset{0};
    space_.release(control.keep());
    return control.allocate_control(parts(all).back() + static_cast<Bytes>(sizeof(Closing)));
  })[0];
}

void SharedMessages::find_place(const ByRank<Places>& all) {
  const ByRank<Bytes> part = parts(all);
  QUADRILLE_ASSERT(control_ != 0);
  std::byte* const closing = space_.at(control_) + part.back();
  closing_ = space_.rank() == 0 ? new (closing) Closing : reinterpret_cast<Closing*>(closing);
  const Area area = area_of(space_.rank(), part, all);
  Outlet* outlets = area.outlets;
  for (Watched& receiver : watched_) receiver.outlet = new (outlets++) Outlet;
  blocks_.first = area.blocks;
  turns_.first = area.turns;
  QUADRILLE_ASSERT(is_aligned(blocks_.first) && is_aligned(turns_.first) && is_aligned(outlets));
  for (std::uint64_t block = 0; block <= blocks_.mask; ++block) {
    for (const Group& group : groups_) new (blocks_.of(block) + group.head) Flag;
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (postings_[i].is_send && ends_[i].is_long) new (turns_.of(block) + ends_[i].turn) Turn;
  }
}

SharedMessages::Area SharedMessages::area_of(Rank rank, const ByRank<Bytes>& part, const ByRank<Places>& all) const {
  const auto& [sizes, control, blocks, directory, memory] = all[rank];
  std::byte* const outlets = space_.at(control_) + part[rank];
  std::byte* const turns = outlets + sizes.outlets;
  return {reinterpret_cast<Outlet*>(outlets), turns, blocks ? space_.at(blocks) : turns + sizes.turns};
}

// Writes the directory for the receivers: the entries, sorted by peer and ordinal, and the regions of long messages.
Offset SharedMessages::lay_open(Claim& claim) {
  const std::vector<ScriptMessage>& messages = script_->messages;
  std::vector<std::uint32_t> sends;
  std::size_t regions = 0;
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_send) continue;
    sends.push_back(i);
    if (ends_[i].is_long) regions += messages[i].regions.size();
  }
  std::sort(sends.begin(), sends.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(messages[a].peer, messages[a].ordinal) < std::tie(messages[b].peer, messages[b].ordinal);
  });
  const Offset place =
      claim.allocate(static_cast<Bytes>(sizeof(Directory) + sends.size() * sizeof(Entry) + regions * sizeof(Region)));
  auto* directory = new (space_.at(place)) Directory{blocks_.bytes, turns_.bytes, blocks_.mask, sends.size()};
  auto* entry = reinterpret_cast<Entry*>(directory + 1);
  auto* const first_region = reinterpret_cast<Region*>(entry + sends.size());
  auto* region = first_region;
  for (const std::uint32_t i : sends) {
    const ScriptMessage& message = messages[i];
    const End& end = ends_[i];
    const auto watched =
        std::find_if(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.rank == message.peer; });
    new (entry++) Entry{message.peer,
                        message.ordinal,
                        end.is_long,
                        message.bytes,
                        watched == watched_.end() ? -1 : watched - watched_.begin(),
                        end.head,
                        end.payload,
                        end.turn,
                        static_cast<std::uint64_t>(region - first_region),
                        end.is_long ? message.regions.size() : 0};
    if (end.is_long) region = std::uninitialized_copy(message.regions.begin(), message.regions.end(), region);
  }
  return place;
}

// Asserts what a receiver relies on in the directory of a sender: head, payload and turn lie within the sender's block and turns.
void SharedMessages::check_entry(const Entry& entry, const Directory& directory, const Sizes& sizes) const {
  QUADRILLE_ASSERT(std::has_single_bit(directory.block_mask + 1) && directory.block_mask + 1 <= most_blocks);
  QUADRILLE_ASSERT(sizes.turns == directory.turn_bytes * static_cast<Bytes>(directory.block_mask + 1));
  QUADRILLE_ASSERT(entry.outlet >= -1 && (entry.outlet + 1) * static_cast<Bytes>(sizeof(Outlet)) <= sizes.outlets);
  const Bytes head_bytes = entry.is_long ? static_cast<Bytes>(sizeof(GroupHead)) : short_head_bytes;
  QUADRILLE_ASSERT(entry.head >= 0 && entry.head + head_bytes <= directory.block_bytes);
  const bool has_payload = !entry.is_long || !space_.reads_private_memory();
  QUADRILLE_ASSERT(!has_payload || (entry.payload >= 0 && entry.payload + entry.bytes <= directory.block_bytes));
  QUADRILLE_ASSERT(!entry.is_long || (entry.turn >= 0 && entry.turn + static_cast<Bytes>(sizeof(Turn)) <= directory.turn_bytes));
}

std::uint32_t SharedMessages::inlet_from(Rank peer, Outlet* outlet, std::uint64_t block_mask) {
  const auto index = static_cast<std::size_t>(
      std::find_if(inlets_.begin(), inlets_.end(), [&](const Inlet& inlet) { return inlet.peer == peer; }) - inlets_.begin());
  if (index == inlets_.size()) inlets_.push_back({peer, outlet, (block_mask + 1) / 2});
  return static_cast<std::uint32_t>(index);
}

// Appends copies that combine `source` into the target of the message's reduction. Returns nothing if a copy would cut an element.
std::optional<IndexRange> SharedMessages::append_combining(const Regions& source, const ScriptMessage& message) {
  const IndexRange copies = append(source, message.reduced_into);
  const auto first = copies_.begin() + copies.first, last = copies_.begin() + copies.last;
  const Bytes element_bytes = script_->operation->element_bytes;
  if (std::any_of(first, last, [&](const StridedCopy& copy) { return copy.length % element_bytes != 0; })) return std::nullopt;
  for (auto copy = first; copy != last; ++copy) copy->effect = message.effect;
  return copies;
}

void SharedMessages::find_senders(const ByRank<Places>& all) {
  const ByRank<Bytes> part = parts(all);
  std::size_t received = 0, sent = 0;
  Bytes long_bytes = 0;
  for (std::uint32_t i = 0; i < ends_.size(); ++i) {
    const ScriptMessage& mine = script_->messages[i];
    if (mine.is_send) continue;
    ++received;
    const auto& directory = *reinterpret_cast<const Directory*>(space_.at(all[mine.peer].directory));
    const auto* first = reinterpret_cast<const Entry*>(&directory + 1);
    const auto* last = first + directory.entry_count;
    const auto* entry = std::lower_bound(first, last, std::pair(space_.rank(), mine.ordinal),
                                         [](const Entry& a, const auto& key) { return std::pair(a.peer, a.ordinal) < key; });
    if (entry == last || entry->peer != space_.rank() || entry->ordinal != mine.ordinal || entry->bytes != mine.bytes)
      throw Error(ErrorCode::misuse, fmt::format("rank {} and rank {} disagree about their messages; verify the schedule",
                                                 space_.shown(space_.rank()), space_.shown(mine.peer)));
    End& end = ends_[i];
    const Area area = area_of(mine.peer, part, all);
    end.inlet = inlet_from(mine.peer, entry->outlet < 0 ? nullptr : area.outlets + entry->outlet, directory.block_mask);
    end.blocks = {area.blocks, directory.block_bytes, directory.block_mask};
    end.turns = {area.turns, directory.turn_bytes, directory.block_mask};
    check_entry(*entry, directory, all[mine.peer].sizes);
    end.is_long = entry->is_long;
    end.head = entry->head;
    end.payload = entry->payload;
    end.turn = entry->turn;
    const Regions payload{{Buffer::staging, 0, mine.bytes, {}}};
    Regions theirs;
    if (end.is_long) {
      if (all[mine.peer].memory)
        space_.at(all[mine.peer].memory);  // map it now, because now an error is still thrown on all ranks of the group
      const auto* region = reinterpret_cast<const Region*>(last) + entry->first_region;
      theirs.assign(region, region + entry->region_count);
      QUADRILLE_ASSERT(bytes(theirs) == mine.bytes);
      end.stored = end.direct = append(theirs, mine.regions);
    }
    end.copies = append(payload, mine.regions);
    end.is_fused = mine.effect != Effect::overwrite;
    if (end.is_long && !end.is_fused) long_bytes += mine.bytes;
    if (end.is_fused) {
      const auto from_block = append_combining(payload, mine);
      const auto from_sender = end.is_long ? append_combining(theirs, mine) : from_block;
      end.combines = from_block && from_sender;
      if (end.combines) {
        end.copies = *from_block;
        end.direct = *from_sender;
      }
    } else if (!end.is_long && end.copies.size() == 1 && copies_[end.copies.first].length == mine.bytes) {
      end.target = copies_[end.copies.first].target;
      end.target_buffer = copies_[end.copies.first].target_buffer;
      end.length = static_cast<std::uint32_t>(mine.bytes);
    }
  }
  may_stream_ = streams_stores && long_bytes >= least_streamed;
  // Finds sends without a receive: counts what the other ranks send to this one.
  for (const Places& each : all) {
    const auto& directory = *reinterpret_cast<const Directory*>(space_.at(each.directory));
    const auto* first = reinterpret_cast<const Entry*>(&directory + 1);
    sent += static_cast<std::size_t>(
        std::count_if(first, first + directory.entry_count, [&](const Entry& entry) { return entry.peer == space_.rank(); }));
  }
  if (sent != received)
    throw Error(ErrorCode::misuse, fmt::format("rank {} receives {} messages and {} are sent to it; verify the schedule",
                                               space_.shown(space_.rank()), received, sent));
}

}  // namespace quadrille
