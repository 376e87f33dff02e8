// SPDX-License-Identifier: BSD-3-Clause
// Memory of the program in a shared file: the functions of SharedFile that src/heap calls.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>

#include "execute/shared/memory/shared_file.hpp"
#include "foundation/arithmetic.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Bytes longest_run = 65536;

Bytes whole_pages(Bytes bytes) { return rounded_up(std::max<Bytes>(bytes, 1), FileRoom::page); }

}  // namespace

std::optional<Place> SharedFile::allocate_pages(Bytes bytes, bool grows) {
  if (mark_.is_in_child() || bytes > bytes_) return std::nullopt;
  const Bytes length = whole_pages(bytes);
  has_program_pages_.store(true, std::memory_order_relaxed);
  Lock lock(mutex_);
  return_idle(lock);
  if (const auto parked = grows ? std::nullopt : room_.take_parked(length)) return parked;
  // A long block in new pages: what is kept beyond the usual is returned first, so that the process holds no more than it once did.
  if (length > FileRoom::longest_parked && room_.bytes_warm() > always_warm && !room_.has_warm(length)) return_idle(lock, 0);
  for (const bool map_more : {grows, true})
    if (const auto place = take(length, map_more, grows)) return place;
  return_idle(lock, 0);
  return take(length, true);
}

bool SharedFile::resize_pages(Place place, Bytes bytes) {
  if (bytes > bytes_) return false;
  const Bytes length = whole_pages(bytes);
  Lock lock(mutex_);
  if (length < room_.length_of(place)) {
    if (const auto end = room_.cut(place, length)) keep_warm(lock, *end);
    return true;
  }
  if (!room_.grow(place, length)) return false;
  dump(place, length);
  return true;
}

void SharedFile::release_pages(Place place) {
  Lock lock(mutex_);
  if (const FileRoom::Piece piece = room_.park(place, now()); piece.length > 0) keep_warm(lock, piece);
}

Bytes SharedFile::length_of(Place place) const {
  const Lock lock(mutex_);
  return room_.length_of(place);
}

// Calls the function with the first place and the length of each run of pages of the range that hold memory, until it returns
// false. A run may also contain some holes, because SEEK_HOLE would look beyond the range, at all resident pages that follow.
template <class Function>
void SharedFile::for_each_resident(Place place, Bytes bytes, Function&& function) const {
  const auto end = static_cast<off_t>(place) + bytes;
  const bool has_file = has_descriptor();
  for (auto at = static_cast<off_t>(place); at < end;) {
    const off_t data = has_file ? ::lseek(file_.number(), at, SEEK_DATA) : at;
    if (data >= end || (data < 0 && errno == ENXIO)) return;
    at = std::max(at, data);
    const Bytes length = std::min<Bytes>(longest_run, end - at);
    if (!function(static_cast<Place>(at), length)) return;
    at += length;
  }
}

void SharedFile::clear_pages(Place place, Bytes bytes) {
  for_each_resident(place, bytes, [this](Place first, Bytes length) {
    std::memset(at(first), 0, index(length));
    return true;
  });
}

void SharedFile::copy_pages(Place to, Place from, Bytes bytes) {
  Bytes done = 0;  // a hole of the source means zeros
  for_each_resident(from, bytes, [&](Place first, Bytes length) {
    const auto before = static_cast<Bytes>(first - from);
    clear_pages(to + static_cast<Place>(done), before - done);
    std::memcpy(at(to + static_cast<Place>(before)), at(first), index(length));
    done = before + length;
    return true;
  });
  clear_pages(to + static_cast<Place>(done), bytes - done);
}

void SharedFile::hold() {
  Lock lock(mutex_);
  return_idle(lock, 0);
  lock.release();
}

bool SharedFile::copy_into_child() noexcept {
  const bool has_file = has_descriptor();
  for (std::size_t extent = 0; extent < Extents::most; ++extent) {
    std::byte* const memory = extents_[extent].load(std::memory_order_relaxed);
    if (!memory) continue;
    const auto used = index(dumped_[extent]);
    void* copy = nullptr;
    if (!has_file && used > 0) {  // the program has closed the descriptor: the mapping is read, which allocates its holes
      copy = ::mmap(nullptr, used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (copy == MAP_FAILED) return false;
      std::memcpy(copy, memory, used);
    }
    if (::mmap(memory, index(Extents::bytes(extent)), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
            MAP_FAILED ||
        (used > 0 && ::mprotect(memory, used, PROT_READ | PROT_WRITE) != 0))
      return false;
    if (copy && ::mremap(copy, used, used, MREMAP_MAYMOVE | MREMAP_FIXED, memory) == MAP_FAILED) return false;
    if (!has_file) continue;
    bool is_copied = true;
    for_each_resident(Extents::begin(extent), dumped_[extent], [&](Place first, Bytes length) {
      while (is_copied && length > 0) {
        const ssize_t count = ::pread(file_.number(), at(first), index(length), static_cast<off_t>(first));
        is_copied = count > 0;
        first += static_cast<Place>(count), length -= count;
      }
      return is_copied;
    });
    if (!is_copied) return false;
  }
  new (&mutex_) std::recursive_mutex;  // the parent's thread holds it
  return true;
}

Bytes SharedFile::forget_in_child(Place place) {
  const Lock lock(mutex_);
  return room_.drop(place);
}

}  // namespace quadrille
