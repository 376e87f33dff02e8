// SPDX-License-Identifier: BSD-3-Clause
// The memory that the ranks of a run share, as the C++ memory model sees it: the last stores to each atomic object, which access to
// each byte was the last, and what each rank knows of the others (vector clocks). A load may return an old store as long as the
// model allows it; the seed decides. Two accesses to plain memory, one of them a write, are a failure unless one happened before
// the other. The model is that of support/interleavings/memory.hpp, run once for each seed. It has no limit of objects, but knows
// only the last two ranks that have read a byte.
//
// The hooks of the compiler's thread instrumentation (hooks.cpp) call it for each access that the engine makes. So the engine's
// classes are the production ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "seeds/fibres.hpp"

namespace quadrille::seeds {

struct Clock {  // by rank: its first so many events
  std::array<std::uint32_t, most_ranks> at{};
  void join(const Clock& other) {
    for (std::size_t i = 0; i < most_ranks; ++i) at[i] = std::max(at[i], other.at[i]);
  }
};

// Orders as the instrumentation states them.
enum class Order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };

class Memory {
 public:
  explicit Memory(Chance& chance);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  static Memory* current();

  // All memory of a run lies in one range of addresses.
  static constexpr std::uintptr_t window = 0x2000'0000'0000, window_bytes = std::uintptr_t{1} << 40;
  static bool is_shared(const volatile void* memory) { return reinterpret_cast<std::uintptr_t>(memory) - window < window_bytes; }

  // Returns the address at which the next `bytes` bytes shall be mapped. The seed decides the distance to the last ones.
  void* next_place(std::size_t bytes);
  // The same bytes of a file may be mapped at several places.
  // Only the rank that has mapped them uses this place.
  void map(void* place, std::size_t bytes, std::uint64_t file, std::uint64_t offset);
  void unmap(void* place);
  // Memory of the running rank alone, which others read only by process_vm_readv.
  std::byte* allocate_private(std::size_t bytes);
  void free_private(void* memory);
  bool is_mapped(const void* memory) const;
  std::size_t owner_of(const void* memory) const;  // the rank that has mapped it
  const void* canonical(const void* memory);       // a name of the byte, whatever place it is mapped at

  // `is_of_other`: the memory is another rank's, which process_vm_readv may read.
  void read(std::size_t rank, const void* memory, std::size_t bytes, const void* place, bool is_of_other = false);
  void write(std::size_t rank, const void* memory, std::size_t bytes, const void* place);

  std::uint64_t load(const volatile void* memory, std::size_t bytes, Order order, const void* place);
  void store(volatile void* memory, std::size_t bytes, std::uint64_t value, Order order, const void* place);
  using Change = std::uint64_t (*)(std::uint64_t before, std::uint64_t operand);
  std::uint64_t modify(volatile void* memory, std::size_t bytes, Change change, std::uint64_t operand, Order order,
                       const void* place);
  bool compare_exchange(volatile void* memory, std::size_t bytes, std::uint64_t& expected, std::uint64_t desired, Order success,
                        Order failure, bool is_weak, const void* place);
  void fence(const void* place);

  // Other ways by which ranks tell each other something: messages, meetings, system calls.
  Clock released();  // what the running rank knows; its next events are later ones
  void acquire(const Clock& clock);

 private:
  struct Byte {
    std::uint32_t written = 0;  // rank << 28 | event; 0: never
    std::uint32_t read[2] = {0, 0};
  };
  struct AtomicObject;
  struct Page {
    std::array<Byte, 4096> bytes;
    std::vector<std::pair<std::uint16_t, AtomicObject*>> atomics;
  };
  struct Store {
    std::uint64_t value;
    std::uint32_t by;  // as Byte::written
    Clock carried, shown;
  };
  struct AtomicObject {
    std::size_t bytes;
    std::uint64_t first = 0;  // the number of stores.front()
    std::vector<Store> stores;
    struct Look {
      std::uint32_t event = 0;
      std::uint64_t number = 0;
    };
    std::array<std::array<Look, 3>, most_ranks> looks{};  // by rank: its last looks, by growing numbers
    std::array<std::uint32_t, most_ranks> accessed{}, stored{};
    std::array<std::uint8_t, most_ranks> old_looks{};
  };
  struct Region {
    std::size_t bytes;
    std::uint64_t file, offset;
    std::size_t owner;  // the rank that has mapped it
  };
  struct Known {
    Clock happened, shown;  // shown: which stores it cannot fail to see (those that happened before, and what fences show)
    std::uint32_t event() const;
  };

  const std::pair<const std::uintptr_t, Region>& region_of(std::uintptr_t address) const;
  Page& page_of(std::uintptr_t address, std::size_t rank);
  AtomicObject& atomic_at(std::size_t rank, const volatile void* memory, std::size_t bytes, const void* place);
  void check_atomics(std::size_t rank, Page& page, std::size_t first, std::size_t last, bool is_write, const void* place);
  std::uint64_t least_number(std::size_t rank, const AtomicObject& object) const;
  void look(std::size_t rank, AtomicObject& object, std::uint64_t number);
  void append(std::size_t rank, AtomicObject& object, volatile void* memory, std::uint64_t value, Order order, const Store* before);
  [[noreturn]] void race(std::size_t rank, const char* what, std::uint32_t other, const void* memory, const void* place);
  bool knows(std::size_t rank, std::uint32_t event) const {
    return event == 0 || event >> 28 == rank || known_[rank].happened.at[event >> 28] >= (event & 0xfffffff);
  }
  std::uint32_t stamp(std::size_t rank) const { return static_cast<std::uint32_t>(rank) << 28 | known_[rank].happened.at[rank]; }

  Chance& chance_;
  std::uintptr_t next_ = window + (1 << 20);
  std::map<std::uintptr_t, Region> regions_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by file and page
  std::unordered_map<std::uint64_t, std::unique_ptr<AtomicObject>> atomics_;
  struct Cached {
    std::uintptr_t number = 0;
    Page* page = nullptr;
    std::uint64_t name = 0;
    std::size_t owner = 0;
  };
  std::array<Cached, 256> cache_;
  std::array<Known, most_ranks> known_;
  Clock fenced_;
  std::uint64_t private_files_ = 0;
  std::uint64_t old_one_in_;
};

// Called before each store of instrumented code to memory that is not simulated; null: nothing is.
extern void (*before_each_store)();

}  // namespace quadrille::seeds
