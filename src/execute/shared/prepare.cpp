// SPDX-License-Identifier: BSD-3-Clause
// What the ranks agree upon when a plan is made: where each message lies, which are long, and who reads whose blocks.
// executable.cpp runs it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>
#include <tuple>

#include "execute/agreement.hpp"
#include "execute/shared/claim.hpp"
#include "execute/shared/executable.hpp"
#include "quadrille/checked.hpp"

namespace quadrille {
namespace {

constexpr Bytes line = 64, page = 4096;

// Of an area whose ranks may run ahead of its readers, a share of a second-level cache: each time that they meet its end the core
// changes hands, which takes longer than fetching some lines from further away.
constexpr Bytes most_blocks_bytes = 262144, most_blocks = 256;

constexpr Bytes least_streamed = 1 << 20;  // by a rank: less may well stay in a cache, whoever else is at work

constexpr Bytes rounded(Bytes bytes, Bytes unit) { return ceil_divide(bytes, unit) * unit; }

std::vector<Rank> everybody(const SharedSpace& space) {
  std::vector<Rank> ranks(index(space.size()));
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

}  // namespace

SharedMessages::SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script)
    : space_(space), costs_(costs), script_(std::move(script)), unpublished_(none) {
  steps_ = NodeSteps::of(space_, everybody(space_), *script_);
  try {
    find_place(gathered_or_thrown(space_, [&] { return lay_out(); }));
    Claim directory(space_);  // until all have read it
    const auto directories = gathered_or_thrown(space_, [&] { return lay_open(directory); });
    made_or_thrown(space_, [&] {
      connect(directories);
      return true;
    });
  } catch (...) {
    close();
    throw;
  }
}

SharedMessages::~SharedMessages() { close(); }

void SharedMessages::close() {
  if (own_memory_) space_.release(own_memory_);
  if (!areas_) return;
  closed_[space_.rank()].closed.store(true, std::memory_order_release);
  if (space_.rank() > 0) return;
  std::vector<const std::atomic<bool>*> closed;
  for (Rank rank = 0; rank < space_.size(); ++rank) closed.push_back(&closed_[rank].closed);
  space_.retire(areas_, std::move(closed));
}

// Of the areas this rank's own, whoever has allocated them.
Bytes SharedMessages::memory_bytes() const {
  return rounded(script_->scratch_bytes, line) + script_->staging_bytes + static_cast<Bytes>(watched_.size() * sizeof(Outlet)) +
         blocks_.bytes * static_cast<Bytes>(blocks_.mask + 1) +
         memory_bytes_of(postings_, ends_, copies_, groups_, rung_, inlets_, watched_, open_, complete_);
}

// Which of the sends of a window are long.
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

// Decides where the sends among these messages, which are published together, lie in a block.
void SharedMessages::lay_group(Range range) {
  const std::vector<ScriptMessage>& messages = script_->messages;
  Group group{blocks_.bytes, false};
  const auto index = static_cast<std::uint32_t>(groups_.size());
  std::vector<std::uint32_t> sends;
  for (std::uint32_t i = range.first; i < range.last; ++i)
    if (messages[i].is_send) sends.push_back(i);
  if (sends.empty()) return;
  choose_long(sends);
  group.receivers.first = static_cast<std::uint32_t>(rung_.size());
  for (const std::uint32_t i : sends) {
    group.has_long = group.has_long || ends_[i].is_long;
    rung_.push_back(messages[i].peer);
  }
  group.receivers.last = static_cast<std::uint32_t>(rung_.size());
  blocks_.bytes += group.has_long ? static_cast<Bytes>(sizeof(Flag)) : short_flag_bytes;
  // In the order of memory, where many copies become few.
  const auto place = [&](std::uint32_t i) {
    const Regions& regions = messages[i].regions;
    return regions.empty() ? std::tuple(Buffer{}, Bytes{0}) : std::tuple(regions.front().buffer, regions.front().offset);
  };
  std::stable_sort(sends.begin(), sends.end(), [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  Regions sources, targets;
  std::uint32_t twin = none;  // the same bytes for several receivers lie there once
  for (const std::uint32_t i : sends) {
    End& end = ends_[i];
    postings_[i].group = index;
    postings_[i].is_long = end.is_long;
    end.flag = group.flag;
    if (end.is_long) {
      blocks_.bytes = rounded(blocks_.bytes, line);
      end.turn = blocks_.bytes;
      blocks_.bytes += static_cast<Bytes>(sizeof(Turn));
      if (space_.reads_private_memory()) continue;
    }
    if (twin != none && messages[twin].regions == messages[i].regions && ends_[twin].is_long == end.is_long) {
      end.payload = ends_[twin].payload;
      continue;
    }
    twin = i;
    blocks_.bytes = rounded(blocks_.bytes, messages[i].bytes < line ? 8 : line);
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
  blocks_.bytes = rounded(blocks_.bytes, line);
  groups_.push_back(group);
}

Range SharedMessages::append(const Regions& source, const Regions& target) {
  const auto first = static_cast<std::uint32_t>(copies_.size());
  append_copies(copies_, source, target);
  return {first, static_cast<std::uint32_t>(copies_.size())};
}

// Decides where each sent message lies in a block; returns the bytes of the area.
Bytes SharedMessages::lay_out() {
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
  const std::uint64_t blocks = std::bit_floor(static_cast<std::uint64_t>(std::clamp<Bytes>(fitting, 2, most_blocks)));
  blocks_.mask = blocks - 1;

  const Bytes staging = rounded(script_->scratch_bytes, line);
  if (staging + script_->staging_bytes > 0) {
    own_memory_ = space_.allocate(staging + script_->staging_bytes);
    bases_[Buffer::scratch] = space_.at(own_memory_);
    bases_[Buffer::staging] = space_.at(own_memory_) + staging;
  }
  return static_cast<Bytes>(watched_.size() * sizeof(Outlet)) + blocks_.bytes * static_cast<Bytes>(blocks);
}

// Collective: agrees with the others where everybody's area is, of so many bytes each.
void SharedMessages::find_place(const ByRank<Bytes>& bytes) {
  ByRank<Bytes> places;  // after the first
  Bytes total = 0;
  Claim claim(space_);
  areas_ = gathered_or_thrown(space_, [&] {
    for (const Bytes area : bytes) {
      if (area >= page) total = rounded(total, page);  // near to who writes there
      places.push_back(total);
      const auto sum = checked_sum(total, rounded(area, line));
      if (!sum) throw std::bad_alloc();
      total = *sum;
    }
    if (space_.rank() > 0) return Offset{0};
    std::byte* flags = space_.at(claim.allocate(total + static_cast<Bytes>(sizeof(Closed)) * space_.size())) + total;
    for (Rank rank = 0; rank < space_.size(); ++rank) new (reinterpret_cast<Closed*>(flags) + rank) Closed;
    return claim.place();
  })[0];
  claim.keep();
  area_ = areas_ + static_cast<Offset>(places[space_.rank()]);
  closed_ = reinterpret_cast<Closed*>(space_.at(areas_) + total);

  auto* outlets = reinterpret_cast<Outlet*>(space_.at(area_));
  for (Watched& receiver : watched_) receiver.outlet = new (outlets++) Outlet;
  blocks_.first = reinterpret_cast<std::byte*>(outlets);
  for (std::uint64_t block = 0; block <= blocks_.mask; ++block) {
    std::byte* start = blocks_.of(block);
    for (const Group& group : groups_) new (start + group.flag) std::atomic<std::uint64_t>(0);
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (postings_[i].is_send && ends_[i].is_long) new (start + ends_[i].turn) Turn;
  }
}

// Directory, entries by peer and ordinal, and the regions of long messages.
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
  auto* directory = new (space_.at(place)) Directory{space_.offset_of(blocks_.first), blocks_.bytes, blocks_.mask, sends.size()};
  auto* entry = reinterpret_cast<Entry*>(directory + 1);
  auto* region = reinterpret_cast<Region*>(entry + sends.size());
  for (const std::uint32_t i : sends) {
    const ScriptMessage& message = messages[i];
    const End& end = ends_[i];
    const auto watched =
        std::find_if(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.rank == message.peer; });
    new (entry++) Entry{message.peer,
                        message.ordinal,
                        end.is_long,
                        message.bytes,
                        watched == watched_.end() ? 0 : space_.offset_of(watched->outlet),
                        end.flag,
                        end.payload,
                        end.turn,
                        space_.offset_of(region),
                        end.is_long ? message.regions.size() : 0};
    if (end.is_long) region = std::uninitialized_copy(message.regions.begin(), message.regions.end(), region);
  }
  return place;
}

std::uint32_t SharedMessages::inlet_from(const Entry& entry, Rank peer, std::uint64_t block_mask) {
  const auto index = static_cast<std::size_t>(
      std::find_if(inlets_.begin(), inlets_.end(), [&](const Inlet& inlet) { return inlet.peer == peer; }) - inlets_.begin());
  if (index == inlets_.size())
    inlets_.push_back({peer, entry.outlet ? reinterpret_cast<Outlet*>(space_.at(entry.outlet)) : nullptr, (block_mask + 1) / 2});
  return static_cast<std::uint32_t>(index);
}

// Copies that combine `source` with where the message is reduced into; nothing unless whole elements come in one piece.
std::optional<Range> SharedMessages::append_combining(const Regions& source, const ScriptMessage& message) {
  const Range copies = append(source, message.reduced_into);
  const auto first = copies_.begin() + copies.first, last = copies_.begin() + copies.last;
  const Bytes element_bytes = script_->operation->element_bytes;
  if (std::any_of(first, last, [&](const StridedCopy& copy) { return copy.length % element_bytes != 0; })) return std::nullopt;
  for (auto copy = first; copy != last; ++copy) copy->effect = message.effect;
  return copies;
}

void SharedMessages::connect(const ByRank<Offset>& directories) {
  std::size_t received = 0, sent = 0;
  Bytes long_bytes = 0;
  for (std::uint32_t i = 0; i < ends_.size(); ++i) {
    const ScriptMessage& mine = script_->messages[i];
    if (mine.is_send) continue;
    ++received;
    const auto& directory = *reinterpret_cast<const Directory*>(space_.at(directories[mine.peer]));
    const auto* first = reinterpret_cast<const Entry*>(&directory + 1);
    const auto* last = first + directory.entry_count;
    const auto* entry = std::lower_bound(first, last, std::pair(space_.rank(), mine.ordinal),
                                         [](const Entry& a, const auto& key) { return std::pair(a.peer, a.ordinal) < key; });
    if (entry == last || entry->peer != space_.rank() || entry->ordinal != mine.ordinal || entry->bytes != mine.bytes)
      throw Error(ErrorCode::misuse, fmt::format("rank {} and rank {} disagree about their messages; verify the schedule",
                                                 space_.shown(space_.rank()), space_.shown(mine.peer)));
    End& end = ends_[i];
    end.inlet = inlet_from(*entry, mine.peer, directory.block_mask);
    end.blocks = {space_.at(directory.first_block), directory.block_bytes, directory.block_mask};
    end.is_long = entry->is_long;
    end.flag = entry->flag;
    end.payload = entry->payload;
    end.turn = entry->turn;
    const Regions payload{{Buffer::staging, 0, mine.bytes, {}}};
    Regions theirs;
    if (end.is_long) {
      const auto* region = reinterpret_cast<const Region*>(space_.at(entry->regions));
      theirs.assign(region, region + entry->region_count);
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
  // A send without its receive: each rank looks at what others would send to it.
  for (const Offset place : directories) {
    const auto& directory = *reinterpret_cast<const Directory*>(space_.at(place));
    const auto* first = reinterpret_cast<const Entry*>(&directory + 1);
    sent += static_cast<std::size_t>(
        std::count_if(first, first + directory.entry_count, [&](const Entry& entry) { return entry.peer == space_.rank(); }));
  }
  if (sent != received)
    throw Error(ErrorCode::misuse, fmt::format("rank {} receives {} messages and {} are sent to it; verify the schedule",
                                               space_.shown(space_.rank()), received, sent));
}

}  // namespace quadrille
