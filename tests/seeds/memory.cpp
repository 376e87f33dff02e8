// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "seeds/coverage.hpp"
#include "seeds/system.hpp"

namespace quadrille::seeds {
namespace {

Memory* in_use = nullptr;

constexpr std::size_t page_bytes = 4096, kept_stores = 6;
constexpr std::uint8_t most_old_looks = 12;  // after so many looks at old values in turn, a rank sees the last store

bool acquires(Order order) {
  return order == Order::consume || order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
}
bool releases(Order order) { return order == Order::release || order == Order::acq_rel || order == Order::seq_cst; }

std::uint64_t value_at(const volatile void* memory, std::size_t bytes) {
  std::uint64_t value = 0;
  raw_copy(&value, const_cast<const void*>(memory), bytes);
  return value;
}

std::uint32_t event_of(std::uint32_t stamp) { return stamp & 0xfffffff; }
std::uint32_t rank_of(std::uint32_t stamp) { return stamp >> 28; }

}  // namespace

Memory::Memory(Chance& chance) : chance_(chance) {
  in_use = this;
  constexpr std::uint64_t rates[] = {2, 4, 10, 1'000'000};
  old_one_in_ = chance_.of(rates);
  for (std::size_t rank = 0; rank < most_ranks; ++rank) known_[rank].happened.at[rank] = known_[rank].shown.at[rank] = 1;
}

Memory::~Memory() {
  for (const auto& [place, region] : regions_) system_munmap(reinterpret_cast<void*>(place), region.bytes);
  in_use = nullptr;
}

Memory* Memory::current() { return in_use; }

void* Memory::next_place(std::size_t bytes) {
  next_ += page_bytes * (1 + chance_.below(8));
  void* const place = reinterpret_cast<void*>(next_);
  next_ += (bytes + page_bytes - 1) / page_bytes * page_bytes;
  return place;
}

void Memory::map(void* place, std::size_t bytes, std::uint64_t file, std::uint64_t offset) {
  regions_[reinterpret_cast<std::uintptr_t>(place)] = {bytes, file, offset, Fibres::current()->rank()};
}

void Memory::unmap(void* place) {
  regions_.erase(reinterpret_cast<std::uintptr_t>(place));
  cache_.fill({});
}

std::byte* Memory::allocate_private(std::size_t bytes) {
  bytes = (std::max<std::size_t>(bytes, 1) + page_bytes - 1) / page_bytes * page_bytes;
  void* const place = next_place(bytes);
  system_map_private(place, bytes);
  regions_[reinterpret_cast<std::uintptr_t>(place)] = {bytes, (std::uint64_t{1} << 15) + ++private_files_, 0,
                                                       Fibres::current()->rank()};
  return static_cast<std::byte*>(place);
}

// A read by another rank that did not happen before is a race.
void Memory::free_private(void* memory) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const Region region = region_of(begin).second;
  for (std::size_t at = 0; at < region.bytes; at += page_bytes)
    if (pages_.contains(region.file << 36 | at / page_bytes))
      write(Fibres::current()->rank(), reinterpret_cast<void*>(begin + at), page_bytes, nullptr);
  unmap(memory);
  system_munmap(memory, region.bytes);
}

const std::pair<const std::uintptr_t, Memory::Region>& Memory::region_of(std::uintptr_t address) const {
  auto region = regions_.upper_bound(address);
  if (region == regions_.begin() || address - (--region)->first >= region->second.bytes)
    Fibres::current()->fail(fmt::format("an access to memory that is not mapped: {:#x}", address));
  return *region;
}

bool Memory::is_mapped(const void* memory) const {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  auto region = regions_.upper_bound(address);
  return region != regions_.begin() && address - (--region)->first < region->second.bytes;
}

std::size_t Memory::owner_of(const void* memory) const { return region_of(reinterpret_cast<std::uintptr_t>(memory)).second.owner; }

// Fails if the rank has another rank's address: in production that is another process's.
Memory::Page& Memory::page_of(std::uintptr_t address, std::size_t rank) {
  Cached& cached = cache_[address / page_bytes % cache_.size()];
  if (cached.number != address / page_bytes) {
    const auto& [begin, region] = region_of(address);
    const std::uint64_t number = (region.offset + (address - begin)) / page_bytes;
    auto& page = pages_[region.file << 36 | number];
    if (!page) page = std::make_unique<Page>();
    cached = {address / page_bytes, page.get(), region.file << 48 | number * page_bytes, region.owner};
  }
  if (cached.owner != rank) Fibres::current()->fail(fmt::format("rank {} uses an address of rank {}", rank, cached.owner));
  return *cached.page;
}

const void* Memory::canonical(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  page_of(address, Fibres::current()->rank());
  return reinterpret_cast<const void*>(cache_[address / page_bytes % cache_.size()].name + address % page_bytes);
}

void Memory::race(std::size_t rank, const char* what, std::uint32_t other, const void* memory, const void* place) {
  Fibres::current()->fail(fmt::format("a data race: {} by rank {} at {}, not ordered against rank {}'s at {}", what, rank,
                                      shown_place(place), rank_of(other), memory));
}

void Memory::check_atomics(std::size_t rank, Page& page, std::size_t first, std::size_t last, bool is_write, const void* place) {
  for (std::size_t i = 0; i < page.atomics.size();) {
    const auto [at, object] = page.atomics[i];
    if (at >= last || at + object->bytes <= first) {
      ++i;
      continue;
    }
    for (std::size_t other = 0; other < most_ranks; ++other) {
      const std::uint32_t event = is_write ? object->accessed[other] : object->stored[other];
      if (event != 0 && !knows(rank, static_cast<std::uint32_t>(other) << 28 | event))
        race(rank, is_write ? "a write" : "a read", static_cast<std::uint32_t>(other) << 28 | event, object, place);
    }
    if (!is_write) {
      ++i;
      continue;
    }
    std::erase_if(atomics_, [gone = object](const auto& each) { return each.second.get() == gone; });
    page.atomics.erase(page.atomics.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Memory::read(std::size_t rank, const void* memory, std::size_t bytes, const void* place, bool is_of_other) {
  const std::size_t owner = is_of_other ? owner_of(memory) : rank;
  auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint32_t own = stamp(rank);
  while (bytes > 0) {
    Page& page = page_of(address, owner);
    const std::size_t first = address % page_bytes, last = std::min(page_bytes, first + bytes);
    if (!page.atomics.empty()) check_atomics(rank, page, first, last, false, place);
    for (std::size_t i = first; i < last; ++i) {
      Byte& byte = page.bytes[i];
      if (!knows(rank, byte.written)) race(rank, "a read", byte.written, reinterpret_cast<void*>(address + i - first), place);
      if (rank_of(byte.read[0]) == rank || knows(rank, byte.read[0]))
        byte.read[0] = own;
      else
        byte.read[1] = own;
    }
    address += last - first, bytes -= last - first;
  }
}

void Memory::write(std::size_t rank, const void* memory, std::size_t bytes, const void* place) {
  auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint32_t own = stamp(rank);
  while (bytes > 0) {
    Page& page = page_of(address, rank);
    const std::size_t first = address % page_bytes, last = std::min(page_bytes, first + bytes);
    if (!page.atomics.empty()) check_atomics(rank, page, first, last, true, place);
    for (std::size_t i = first; i < last; ++i) {
      Byte& byte = page.bytes[i];
      for (const std::uint32_t other : {byte.written, byte.read[0], byte.read[1]})
        if (!knows(rank, other)) race(rank, "a write", other, reinterpret_cast<void*>(address + i - first), place);
      byte = {own, {0, 0}};
    }
    address += last - first, bytes -= last - first;
  }
}

Memory::AtomicObject& Memory::atomic_at(std::size_t rank, const volatile void* memory, std::size_t bytes, const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  Page& page = page_of(address, rank);
  const std::size_t first = address % page_bytes;
  const std::uint64_t name = cache_[address / page_bytes % cache_.size()].name + first;
  const Byte& byte = page.bytes[first];
  if (!knows(rank, byte.written)) race(rank, "an atomic access", byte.written, const_cast<const void*>(memory), place);
  if (const auto old = atomics_.find(name); old != atomics_.end() && old->second->bytes != bytes)
    check_atomics(rank, page, first, first + bytes, true, place);  // the memory has another use now
  auto& object = atomics_[name];
  if (!object) {
    object = std::make_unique<AtomicObject>();
    object->bytes = bytes;
    object->stores.push_back({value_at(memory, bytes), byte.written, {}, {}});
    page.atomics.emplace_back(static_cast<std::uint16_t>(first), object.get());
  }
  object->accessed[rank] = known_[rank].happened.at[rank];
  return *object;
}

std::uint64_t Memory::least_number(std::size_t rank, const AtomicObject& object) const {
  const Clock& shown = known_[rank].shown;
  std::uint64_t least = object.first;
  for (std::size_t i = object.stores.size(); i-- > 1;) {
    const std::uint32_t by = object.stores[i].by;
    if (rank_of(by) == rank || shown.at[rank_of(by)] >= event_of(by)) {
      least = object.first + i;
      break;
    }
  }
  for (std::size_t other = 0; other < most_ranks; ++other)
    for (const auto& look : object.looks[other])
      if (look.event != 0 && (other == rank || shown.at[other] >= look.event)) least = std::max(least, look.number);
  return least;
}

void Memory::look(std::size_t rank, AtomicObject& object, std::uint64_t number) {
  auto& looks = object.looks[rank];
  const std::uint32_t event = known_[rank].happened.at[rank];
  if (looks.back().number >= number && looks.back().event != 0) return;
  if (looks.back().event != event) std::rotate(looks.begin(), looks.begin() + 1, looks.end());
  looks.back() = {event, number};
}

std::uint64_t Memory::load(const volatile void* memory, std::size_t bytes, Order order, const void* place) {
  Fibres& fibres = *Fibres::current();
  fibres.point("load", place);
  const std::size_t rank = fibres.rank();
  AtomicObject& object = atomic_at(rank, memory, bytes, place);
  const std::uint64_t last = object.first + object.stores.size() - 1, least = least_number(rank, object);
  std::uint64_t number = last;
  if (least < last && object.old_looks[rank] < most_old_looks && chance_.one_in(old_one_in_))
    number = least + chance_.below(last - least + 1);
  object.old_looks[rank] = number == last ? 0 : static_cast<std::uint8_t>(object.old_looks[rank] + 1);
  look(rank, object, number);
  const Store& store = object.stores[number - object.first];
  if (acquires(order)) known_[rank].happened.join(store.carried), known_[rank].shown.join(store.shown);
  return store.value;
}

void Memory::append(std::size_t rank, AtomicObject& object, volatile void* memory, std::uint64_t value, Order order,
                    const Store* before) {
  Store store{value, stamp(rank), {}, {}};
  if (before) store.carried = before->carried, store.shown = before->shown;
  if (releases(order)) store.carried.join(known_[rank].happened), store.shown.join(known_[rank].shown);
  if (object.stores.back().value != value) Fibres::current()->note_progress();
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  Page& page = page_of(address, rank);
  for (std::size_t i = address % page_bytes; i < address % page_bytes + object.bytes; ++i)
    for (const std::uint32_t other : page.bytes[i].read)
      if (!knows(rank, other)) race(rank, "an atomic store", other, const_cast<const void*>(memory), nullptr);
  object.stored[rank] = known_[rank].happened.at[rank];
  object.stores.push_back(store);
  if (object.stores.size() > kept_stores) object.stores.erase(object.stores.begin()), ++object.first;
  look(rank, object, object.first + object.stores.size() - 1);
  raw_copy(const_cast<void*>(memory), &value, object.bytes);
  ++known_[rank].happened.at[rank], ++known_[rank].shown.at[rank];
}

void Memory::store(volatile void* memory, std::size_t bytes, std::uint64_t value, Order order, const void* place) {
  Fibres& fibres = *Fibres::current();
  fibres.point("store", place);
  AtomicObject& object = atomic_at(fibres.rank(), memory, bytes, place);
  append(fibres.rank(), object, memory, value, order, nullptr);
}

std::uint64_t Memory::modify(volatile void* memory, std::size_t bytes, Change change, std::uint64_t operand, Order order,
                             const void* place) {
  Fibres& fibres = *Fibres::current();
  fibres.point("modify", place);
  const std::size_t rank = fibres.rank();
  AtomicObject& object = atomic_at(rank, memory, bytes, place);
  const Store before = object.stores.back();
  if (acquires(order)) known_[rank].happened.join(before.carried), known_[rank].shown.join(before.shown);
  append(rank, object, memory, change(before.value, operand), order, &before);
  return before.value;
}

bool Memory::compare_exchange(volatile void* memory, std::size_t bytes, std::uint64_t& expected, std::uint64_t desired,
                              Order success, Order failure, bool is_weak, const void* place) {
  Fibres& fibres = *Fibres::current();
  fibres.point("compare and exchange", place);
  const std::size_t rank = fibres.rank();
  AtomicObject& object = atomic_at(rank, memory, bytes, place);
  const Store before = object.stores.back();
  const bool succeeds = before.value == expected && !(is_weak && chance_.one_in(8));
  if (acquires(succeeds ? success : failure)) known_[rank].happened.join(before.carried), known_[rank].shown.join(before.shown);
  if (succeeds)
    append(rank, object, memory, desired, success, &before);
  else
    look(rank, object, object.first + object.stores.size() - 1), expected = before.value;
  return succeeds;
}

void Memory::fence(const void* place) {
  Fibres& fibres = *Fibres::current();
  fibres.point("fence", place);
  Known& own = known_[fibres.rank()];
  own.shown.join(fenced_);
  fenced_.join(own.shown);
  ++own.happened.at[fibres.rank()], ++own.shown.at[fibres.rank()];
  if (chance_.one_in(3)) fibres.give_way("fence", place);  // what follows a fence is where other ranks matter most
}

Clock Memory::released() {
  Known& own = known_[Fibres::current()->rank()];
  const Clock clock = own.happened;
  ++own.happened.at[Fibres::current()->rank()], ++own.shown.at[Fibres::current()->rank()];
  return clock;
}

void Memory::acquire(const Clock& clock) {
  Known& own = known_[Fibres::current()->rank()];
  own.happened.join(clock), own.shown.join(clock);
}

}  // namespace quadrille::seeds
