// SPDX-License-Identifier: BSD-3-Clause
// The last calls of a rank, as its file of counters has them for watchers (RecordPlaces::watch). The rank writes them by plain
// stores; a watcher reads them meanwhile, or after the rank has died.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace quadrille::mpi_face {

// MPI's operators by their codes in an entry.
inline constexpr std::string_view ring_operations[] = {
    "",           "user",       "max",         "min",         "sum",    "product", "logical and", "bitwise and",
    "logical or", "bitwise or", "logical xor", "bitwise xor", "maxloc", "minloc",  "replace"};

// The basic types whose elements Quadrille's own operators combine, by ElementType::number.
inline constexpr std::string_view element_names[] = {"i8",  "i16", "i32", "i64", "u8",  "u16",
                                                     "u32", "u64", "f32", "f64", "c64", "c128"};

// One call, in one cache line. A reader takes an entry only if `sequence` is even, and has the same value before and after.
struct alignas(64) RingEntry {
  static constexpr std::uint32_t no_communicator = 0xFFFFFFFF;
  static constexpr std::int32_t none = -1, any = -2;
  static constexpr std::int64_t blocks_differ = -1;

  std::uint64_t sequence;  // of the k-th call, from 0: 2k + 1 while it is written, then 2k + 2
  std::uint64_t begin_ticks;
  std::uint64_t site;          // the address to which MPI's function returns
  std::uint64_t number;        // of the collective on its communicator, from 1
  std::int64_t bytes;          // of a block, or blocks_differ; of a message
  std::uint32_t communicator;  // its number in the record; in the upper half, its number among those with the same members
  std::uint16_t function;
  std::uint16_t has_left;
  std::int32_t root;       // or the message's peer
  std::int32_t operation;  // its code; or the message's tag
  std::int32_t element;    // ElementType::number; -1: matches all
  std::uint32_t unused;
};

// The arguments of the irregular collective that the rank is in, by their addresses in its memory.
struct CallLists {
  std::uint64_t number;                      // of the call on its communicator, from 1; 0: the call has no lists
  std::uint64_t sent, received;              // addresses of arrays of counts; 0: none
  std::uint32_t sent_bytes, received_bytes;  // of an element; 0: the types differ
  std::uint32_t number_bytes;                // of a count: 4 or 8
  std::uint32_t ranks;                       // entries of an array
};

// Objects that the program has made at one place, and not freed.
struct LiveSite {
  enum class Kind : std::uint64_t { communicator, type, request };
  static constexpr std::size_t kinds = 3;
  static constexpr std::uint64_t few = 100;  // no watcher tells of so few objects of one place

  std::uint64_t site;  // as in RingEntry
  Kind kind;
  std::uint64_t live;
};

struct WatchPage {
  static constexpr std::size_t kept_collectives = 64, kept_messages = 16, kept_sites = 64;

  std::uint64_t collectives, messages;  // calls begun
  std::uint64_t left_ticks;             // when the rank last left a call
  std::uint64_t is_finalising;          // 1: MPI_Finalize was called
  std::uint64_t finalize_site;          // as RingEntry::site
  std::uint64_t end;                    // written by 'quadrille wrap': 1 + the status of waitpid(2); 0: the rank has not ended
  std::uint64_t mismatch;  // 1: the last collective does not match another rank's, so the rank does not run it; 2: that was told
  std::uint64_t told;      // written by a watcher that has made a verdict: the calls begun on all ranks it knew
  std::uint64_t wanted;    // a watcher increments it: the rank's own watcher then writes down what it sees
  CallLists lists;
  std::uint64_t leaks_told;  // written by the rank's watcher: 1: it has told which objects are not freed at the end
  char meeting[128];         // where watchers meet, as rank 0 has told it
  RingEntry last_collectives[kept_collectives], last_messages[kept_messages];
  LiveSite sites[kept_sites];  // the last ones, one of each kind, stand for all sites without an entry; their `site` is 0
};
static_assert(sizeof(RingEntry) == 64 && std::is_trivially_copyable_v<WatchPage>);

// Writes the last calls. Functions may be called by several threads at the same time if `is_shared`.
class CallRing {
 public:
  CallRing(WatchPage* page, bool is_shared) noexcept : page_(page), is_shared_(is_shared) {}

  explicit operator bool() const noexcept { return page_ != nullptr; }
  WatchPage& page() const noexcept { return *page_; }
  bool is_shared() const noexcept { return is_shared_; }

  // Writes all of `call` but its sequence. Returns the entry, for `leave`.
  RingEntry& begin_collective(const RingEntry& call) const noexcept {
    const std::uint64_t k = next(page_->collectives);
    return write(page_->last_collectives[k % WatchPage::kept_collectives], k, call);
  }
  RingEntry& begin_message(const RingEntry& call) const noexcept {
    const std::uint64_t k = next(page_->messages);
    return write(page_->last_messages[k % WatchPage::kept_messages], k, call);
  }
  void leave(RingEntry& entry, std::uint64_t now) const noexcept {
    store(entry.has_left, std::uint16_t{1});
    store(page_->left_ticks, now);
  }

  // Increments a number and returns what it was before.
  std::uint64_t next(std::uint64_t& number) const noexcept {
    std::atomic_ref shared(number);
    if (is_shared_) return shared.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t before = shared.load(std::memory_order_relaxed);
    shared.store(before + 1, std::memory_order_relaxed);
    return before;
  }

 private:
  template <class Number>
  static void store(Number& place, Number value) noexcept {
    std::atomic_ref(place).store(value, std::memory_order_relaxed);
  }
  static RingEntry& write(RingEntry& to, std::uint64_t k, const RingEntry& call) noexcept {
    store(to.sequence, 2 * k + 1);
    std::atomic_thread_fence(std::memory_order_release);
    store(to.begin_ticks, call.begin_ticks);
    store(to.site, call.site);
    store(to.number, call.number);
    store(to.bytes, call.bytes);
    store(to.communicator, call.communicator);
    store(to.function, call.function);
    store(to.has_left, std::uint16_t{0});
    store(to.root, call.root);
    store(to.operation, call.operation);
    store(to.element, call.element);
    std::atomic_ref(to.sequence).store(2 * k + 2, std::memory_order_release);
    return to;
  }

  WatchPage* page_;
  bool is_shared_;
};

}  // namespace quadrille::mpi_face
