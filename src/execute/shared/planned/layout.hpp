// SPDX-License-Identifier: BSD-3-Clause
// Decides where the messages that a rank sends lie in shared memory, and which of them are long. The decision is a function of
// the rank's script and of the costs of copies; no memory and no other rank is needed for it.
//
// A rank's *send area* holds the short messages that it sends. An area has several equal *blocks*: execution n uses block n mod
// the number of blocks. A block consists of *groups*: the sends of one group are published together. All sends of a window are
// one group; under dataflow each message is its own group. A group begins with its head, then come the bytes of its messages.
// Groups begin at cache lines. Small blocks share a line if the sender can be ahead of its receivers.
// Each block also has *acknowledgements* (acks): one for each long message, written by the receiver of the message.
//
// In an elastic script (scaled_script.hpp) the bytes of a group's messages follow each other without gaps, so that their places
// scale with the block size. Heads and acks stay in the places that they have for the largest blocks. For these it is decided which
// messages are long.
//
// A message is long if CopyChoice decides to copy it once, or if it has more than CopyCosts::eager_limit() bytes.
#pragma once

#include <utility>
#include <vector>

#include "execute/script/script.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "execute/shared/protocol/flag.hpp"
#include "execute/shared/protocol/loan.hpp"
#include "execute/shared/protocol/reader_progress.hpp"
#include "execute/shared/wait/costs.hpp"

namespace quadrille {

// What ranks can read of each other's memory, as SharedMemory tells.
struct Reach {
  bool holds_everything = false, reads_private_memory = false, holds_large_buffers = false;
};

// The head of a group. The number of its flag is the number of the execution. If the group has a long message, the addresses of
// the sender's buffers follow; otherwise the head has only the flag.
struct GroupHead {
  Flag flag;
  std::uint64_t bases[4];  // addresses of the buffers in the sender's process
  Offset offsets[4];       // the buffers' offsets in shared memory; 0: private memory

  static Bytes bytes(bool has_long) { return static_cast<Bytes>(has_long ? sizeof(GroupHead) : sizeof(Flag)); }
};

// Each receiver writes its own cache lines.
struct alignas(64) Acknowledgement : Loan {};  // for a long message; numbered by execution
struct alignas(64) ProgressCounter : ReaderProgress {
};  // the last execution that a receiver has finished; for receivers that send nothing back

struct SendAreaLayout {
  static constexpr Bytes line = 64;
  static constexpr std::uint64_t most_blocks = 256;

  // The data of a message that each execution reads first. These data are small, so that many fit into a cache line.
  struct Posting {
    std::uint32_t group = 0;  // sends only: the group with which the message is published
    bool is_send = false, is_long = false;
  };

  struct Place {  // the place of a send
    Bytes payload =
        0;          // offset in the block: of a short message, or of a long one if ranks cannot read private memory (else unused)
    Bytes ack = 0;  // of a long message: offset in the acks of the block
    IndexRange copies;  // for a long message with a payload: its copies into the block
  };

  struct Group {
    Bytes head = 0, payload = 0;  // offsets in the block: of the head, and of the first payload behind it
    bool has_long = false;
    IndexRange copies;     // copies of its short messages into the block
    IndexRange receivers;  // range of `rung`
  };

  std::vector<Posting> postings;    // by message
  std::vector<Place> places;        // by message; receives have none
  std::vector<Group> groups;        // in the order in which they are published
  std::vector<StridedCopy> copies;  // copies into blocks; their targets are in buffer `staging`, from the group's `payload` on
  std::vector<Rank> rung;           // receivers whose doorbells are rung when a group is published
  std::vector<Rank> watched;        // receivers that send nothing back, ascending; each has a counter
  ByEnum<Buffer, std::pair<Bytes, Bytes>, 4> lent{};  // by buffer: the offsets that receivers of long messages read
  Bytes block_bytes = 0, ack_bytes = 0;               // bytes of one block, and of its acks
  std::uint64_t block_mask = 0;                       // the number of blocks, a power of two, less one

  Count blocks() const { return static_cast<Count>(block_mask + 1); }
};

SendAreaLayout lay_out(const Script& script, const CopyCosts& costs, const Reach& reach);

// Appends copies as append_copies, and returns where they are in the list.
IndexRange appended(std::vector<StridedCopy>& copies, const Regions& source, const Regions& target);

}  // namespace quadrille
