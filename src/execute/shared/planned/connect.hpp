// SPDX-License-Identifier: BSD-3-Clause
// Connects the ranks of a plan when it is made: they allocate their memory, tell each other where it is, and look up the place of
// each message that they receive. So no messages are matched when the plan runs.
//
// An area of 64 KiB or more lies in its sender's heap. Smaller areas lie next to each other in rank 0's control memory, together
// with everything that receivers write. In heaps, small areas would take separate pages, and separate parts of the page tables,
// for each process. With many ranks per core, the TLB misses on all these pages would cost as much as the short messages.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "execute/shared/planned/layout.hpp"
#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/wait/space.hpp"

namespace quadrille {

// This rank's memory of a plan. The destructor releases the memory that no other rank accesses, and retires the rest.
struct OwnMemory {
  explicit OwnMemory(SharedSpace& of) : space(of) {}
  ~OwnMemory();
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  SharedSpace& space;
  Offset buffers = 0;          // scratch and staging memory; 0: none
  Offset blocks = 0;           // in this rank's heap; 0: in control memory
  Offset control = 0;          // the part of rank 0's control memory that this plan uses
  Closing* closing = nullptr;  // a place in `control`; null until all ranks are connected
};

struct AreaBlocks {  // the blocks of an area, or their acks; execution n uses block n & mask
  std::byte* first = nullptr;
  Bytes bytes = 0;
  std::uint64_t mask = 0;

  std::byte* of(std::uint64_t execution) const { return first + static_cast<Bytes>(execution & mask) * bytes; }
};

// What a rank knows of the other ranks of a plan.
struct Connection {
  // A message that this rank receives. The first cache line holds the data for the most frequent case: one contiguous copy out of
  // a block.
  struct alignas(64) Receive {
    AreaBlocks blocks;            // the sender's blocks
    Bytes head = 0, payload = 0;  // offsets in a block
    Bytes target = 0;
    std::uint32_t length = 0;  // bytes of the single contiguous copy; 0: use `copies`
    Buffer target_buffer{};
    bool is_long = false;
    bool is_fused = false;    // fused receives combine in the order of the script
    bool combines = false;    // if fused: `copies` and `direct` combine; otherwise they store, and a reduction follows
    std::uint32_t inlet = 0;  // index in `inlets`
    Bytes first_payload = 0;  // offset in a block: of the first payload of the message's group
    AreaBlocks acks;          // long messages only: the acks of the sender
    Bytes ack = 0;            // offset in `acks`
    IndexRange copies;        // copies from the payload in the block into this rank's memory
    IndexRange direct;        // of a long message: copies from the sender's memory into this rank's memory
    IndexRange stored;        // as `direct`, but they overwrite instead of combining
  };

  struct Inlet {  // a sender from which this rank receives
    Rank peer;
    ProgressCounter* counter;  // null: not needed, because this rank sends messages back
    std::uint64_t tells_each;  // this rank writes the counter once in this many executions
  };

  struct Watched {  // a receiver that sends nothing back
    Rank rank;
    const ProgressCounter* counter;
    std::uint64_t finished = 0;  // the last value read from the counter
  };

  std::unique_ptr<OwnMemory> own;
  Bases bases{};                    // addresses of scratch and staging memory
  AreaBlocks blocks, acks;          // this rank's blocks and acks
  std::vector<Receive> receives;    // by message; the entry of a send is empty
  std::vector<StridedCopy> copies;  // the copies of all receives
  std::vector<Inlet> inlets;
  std::vector<Inlet> counted;    // those with a counter
  std::vector<Watched> watched;  // by number of this rank's counter
  bool may_stream = false;       // received long messages may exceed the caches: try non-temporal stores
};

struct Connected {
  SendAreaLayout layout;
  Connection connection;
};

// The data that a rank needs only until it is connected. A rank calls `offer`, gathers the places of all ranks, and calls
// `connect`.
class Connector {
 public:
  // Where a rank keeps the memory that other ranks access.
  struct Places {
    Bytes counters = 0, acks = 0, small_blocks = 0;  // how much control memory it needs for each

    Offset control = 0;    // rank 0 only: counters, acks and small areas of all ranks, followed by Closing
    Offset blocks = 0;     // where the blocks begin; 0: in control memory
    Offset directory = 0;  // the list of this rank's messages; only used while the plan is made
    Offset buffers = 0;    // scratch and staging memory; 0: none
  };

  Connector(SharedSpace& space, const Script& script) : space_(space), script_(script), control_(space), directory_(space) {}

  // Local. Throws std::bad_alloc.
  Places offer(const CopyCosts& costs);

  // Collective. Returns make(Connected) on each rank; the result holds the connection. Throws on all ranks or on none: what
  // `make` throws, Error{misuse} if sends and receives of the scripts do not match, Error{too_large}.
  template <class Make>
  auto connect(const ByRank<Places>& all, Make&& make) {
    OwnMemory* const own = own_.get();
    find_control(all);
    auto made = made_or_thrown(space_, [&] { return make(connected(all)); });
    own->closing = closing_;
    control_.keep();
    directory_.release();
    return made;
  }

 private:
  void find_control(const ByRank<Places>& all);
  Connected connected(const ByRank<Places>& all);

  SharedSpace& space_;
  const Script& script_;
  std::unique_ptr<OwnMemory> own_;
  Claim control_, directory_;
  SendAreaLayout layout_;
  Closing* closing_ = nullptr;
};

// Connects in one step: `offer`, gather and `connect`.
Connected connected(SharedSpace& space, const CopyCosts& costs, const Script& script);

}  // namespace quadrille
