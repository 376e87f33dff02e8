// SPDX-License-Identifier: BSD-3-Clause
// Runs a script among ranks that share memory. A message is a copy. Nothing is matched at run time, because the ranks agree on all
// places when the plan is made (connect.cpp).
//
// Short messages are copied twice, as in an eager protocol. The sender copies them into its *area* and goes on; the receiver copies
// them out. One flag announces all messages that a sender posts in a window (under dataflow: one message). An area has several
// *blocks*: execution n uses block n mod the number of blocks. Before a sender writes to a block again, it must know that all
// readers have finished the earlier execution with that block. A reader that also sends messages to this sender shows it by its
// later messages. Any other reader writes its progress into an Outlet from time to time.
//
// An area of a page or more lies in its sender's heap. Smaller areas lie next to each other in rank 0's control memory, together
// with everything that receivers write. Otherwise they would lie on separate pages for each process; with many ranks per core, the
// TLB misses on all these pages would cost as much as the short messages.
//
// Long messages are copied once, as in a rendezvous protocol: the receiver copies directly from the sender's buffer, and the
// sender waits until this copy is complete. The receiver uses loads if the buffer is in shared memory (threads' memory,
// plans' scratch and staging memory, memory of `allocate`), and process_vm_readv otherwise. Its sender packs a strided
// message first, unless the receivers can load all memory. If the system forbids process_vm_readv, a long message in private
// memory is copied twice, like a short one.
//
// The sender decides which messages are long when the plan is made, for all sends of a window together (choose_long): messages
// above CopyCosts::longest_twice(), and messages of 1 KiB or more if the copies that they save together cost more than one wait.
#pragma once

#include <optional>

#include "execute/script/run.hpp"
#include "execute/script/streaming.hpp"
#include "execute/shared/memory/claim.hpp"
#include "execute/shared/planned/node_steps.hpp"
#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/protocol/flag.hpp"
#include "execute/shared/protocol/loan.hpp"
#include "execute/shared/protocol/reader_progress.hpp"
#include "execute/shared/wait/costs.hpp"
#include "execute/shared/wait/space.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class SharedMessages {
  using Clock = std::chrono::steady_clock;

 public:
  // How many bytes of control memory a rank needs.
  struct Sizes {
    Bytes outlets, turns, small_blocks;

    Bytes control() const { return outlets + turns + small_blocks; }
  };
  // Where a rank keeps the memory that other ranks access.
  struct Places {
    Sizes sizes{};
    Offset control = 0;    // rank 0 only: outlets, turns and small areas of all ranks, followed by Closing
    Offset blocks = 0;     // 0: the blocks are in control memory
    Offset directory = 0;  // the list of this rank's messages; only used while the plan is made
    Offset memory = 0;     // scratch and staging memory; 0: none
  };

  // Collective. Throws on all ranks or on none: Error{misuse} if sends and receives of the scripts do not match, Error{too_large}.
  SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script);

  // The same in two steps, so that the caller can send the offers together with other data: `offer` is local and throws
  // std::bad_alloc, `connect` is collective. Not for scripts with PlanOptions::keep_step.
  struct Unconnected {};
  SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script, Unconnected);
  Places offer();
  void connect(const ByRank<Places>& all);

  ~SharedMessages();
  SharedMessages(const SharedMessages&) = delete;
  SharedMessages& operator=(const SharedMessages&) = delete;

  // The concept Messages of script/run.hpp.
  const Script& script() const { return *script_; }
  NodeSteps* steps() { return steps_.get(); }
  bool can_begin() { return watched_.empty() || !reader_of_next_block(); }
  void wait_to_begin() {
    if (!can_begin()) wait_for_readers();
  }
  const Bases& begin(const std::byte* input, std::byte* output);
  void post(std::uint32_t message);
  bool advance();
  void wait();
  std::optional<std::uint32_t> advance_any();
  std::uint32_t wait_any();
  template <class Done>
  bool poll(Done&& done) {
    const auto whom = [&] { return open_count_ > 0 ? script_->messages[open_[0]].peer : SharedSpace::anybody; };
    return space_.poll(done, whom, looks_);
  }
  void end();
  void withdraw();
  void fail(const Error& why) noexcept;
  Bytes memory_bytes() const;

  bool has_open() const { return open_count_ > 0 || unpublished_ != none || complete_count_ > 0; }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  // The head of a group of sends that are published together. The flag's number is that of the execution. If the group has a long
  // message, the addresses of the sender's buffers follow. The bytes of the short messages follow in the block.
  struct GroupHead {
    Flag flag;
    std::uint64_t bases[4];  // addresses of the buffers in the sender's process
    Offset offsets[4];       // their offsets in shared memory; 0: this buffer is private memory
  };
  static constexpr Bytes short_head_bytes = sizeof(Flag);  // the head of a group without long messages

  // Each receiver writes cache lines of its own.
  struct alignas(64) Turn : Loan {};              // a long message; its numbers are those of executions
  struct alignas(64) Outlet : ReaderProgress {};  // for a receiver that sends nothing back: the executions that it has finished

  // A rank's description of its area and of the messages that it sends. Receivers read it while the plan is made.
  struct Directory {
    Bytes block_bytes, turn_bytes;  // the size of one block, and of its turns
    std::uint64_t block_mask;
    std::uint64_t entry_count;
  };
  struct Entry {
    Rank peer;
    std::uint32_t ordinal;
    bool is_long;
    Bytes bytes;
    Count outlet;                // index of the sender's outlet for this receiver; -1: none
    Bytes head, payload, turn;   // offsets in a block, and in its turns
    std::uint64_t first_region;  // index in the list of regions that follows the entries
    std::uint64_t region_count;
  };

  struct Area {  // a rank's area, mapped into this process
    Outlet* outlets;
    std::byte *turns, *blocks;
  };

  struct Inlet {  // a sender from which this rank receives
    Rank peer;
    Outlet* outlet;            // null: not needed, because this rank sends messages back
    std::uint64_t tells_each;  // this rank writes the outlet once in so many executions
  };

  struct Blocks {  // the blocks of an area; execution n uses block n & mask
    std::byte* first = nullptr;
    Bytes bytes = 0;
    std::uint64_t mask = 0;

    std::byte* of(std::uint64_t execution) const { return first + static_cast<Bytes>(execution & mask) * bytes; }
  };

  // The data of a message that `post` reads. They are small, so that many of them fit into a cache line.
  struct Posting {
    std::uint32_t group = 0;  // sends only: the group with which the message is published
    bool is_send = false, is_long = false;
  };

  // One end of a message. The first cache line holds what most receives need: one contiguous copy out of a block.
  struct alignas(64) End {
    Blocks blocks;  // the area blocks of the sender
    Bytes head = 0, payload = 0;
    Bytes target = 0;
    std::uint32_t length = 0;  // bytes of the single contiguous copy; 0: use `copies`
    Buffer target_buffer{};
    bool is_long = false;
    bool is_fused = false;    // receives only: combined in the order of the script
    bool combines = false;    // fused receives only: `copies` and `direct` combine; otherwise they store, and a reduction follows
    std::uint32_t inlet = 0;  // receives only: index in inlets_
    Blocks turns;             // long messages only: the turns of the sender
    Bytes turn = 0;           // offset in `turns`
    IndexRange copies;        // between the payload in the block and this rank's memory
    IndexRange direct;        // receives of long messages: from the sender's memory into this rank's
    IndexRange stored;        // the same without combining
  };

  struct Group {     // sends that are published together
    Bytes head = 0;  // where its GroupHead lies in a block
    bool has_long = false;
    IndexRange copies;     // short messages, into the block
    IndexRange receivers;  // range of rung_
  };

  struct Watched {  // a receiver that sends nothing back
    Rank rank;
    const Outlet* outlet = nullptr;
    std::uint64_t finished = 0;  // the last value read from the outlet
  };

  Sizes lay_out();
  void lay_group(IndexRange messages);
  void choose_long(const std::vector<std::uint32_t>& sends);
  IndexRange append(const Regions& source, const Regions& target);
  static ByRank<Bytes> parts(const ByRank<Places>& all);
  Bytes guessed_control_bytes(const Sizes& own) const;
  bool has_room(const ByRank<Places>& all) const;
  Offset allocate_enough(Claim& control, const ByRank<Places>& all);
  Offset lay_open(Claim& claim);
  void find_place(const ByRank<Places>& all);
  Area area_of(Rank rank, const ByRank<Bytes>& part, const ByRank<Places>& all) const;
  void find_senders(const ByRank<Places>& all);
  void check_entry(const Entry& entry, const Directory& directory, const Sizes& sizes) const;
  bool are_within(IndexRange copies, std::pair<Bytes, Bytes> offsets) const;
  std::uint32_t inlet_from(Rank peer, Outlet* outlet, std::uint64_t block_mask);

  const Watched* reader_of_next_block();
  void wait_for_readers();
  void publish(std::uint32_t group);
  Offset offset_of(Buffer buffer) const;
  bool goes_through_block(const ScriptMessage& message) const;
  void run_to_block(IndexRange copies);
  void run(IndexRange copies, const Bases& source, const Bases& target);
  std::optional<IndexRange> append_combining(const Regions& source, const ScriptMessage& message);
  void run_from_block(const End& end, std::byte* block);
  void fetch(std::uint32_t message) const;
  bool try_to_complete(std::uint32_t message);
  bool receive_long(const End& end, std::byte* block);
  std::optional<Bases> held_bases(const End& end, const GroupHead& head);
  void run_long(IndexRange copies, const Bases& source);
  void read_private(const End& end, const GroupHead& head);

  SharedSpace& space_;
  const CopyCosts costs_;
  std::shared_ptr<const Script> script_;
  Offset own_memory_ = 0;  // scratch and staging memory
  Offset own_blocks_ = 0;  // in this rank's heap; 0: in control memory
  Offset control_ = 0;     // the part of rank 0's control memory that this plan uses
  Closing* closing_ = nullptr;
  Claim control_claim_, directory_;  // owned only until all ranks are connected
  bool is_connected_ = false;
  Blocks blocks_, turns_;
  std::byte *now_ = nullptr, *turns_now_ = nullptr;  // the block and the turns of this execution
  Bases bases_{};
  std::uint64_t execution_ = 0;
  std::vector<Posting> postings_;    // by message
  std::vector<End> ends_;            // by message
  std::vector<StridedCopy> copies_;  // all copies: into blocks, out of blocks, and directly
  std::vector<Group> groups_;
  std::vector<Rank> rung_;  // receivers whose bells are rung when a group is published
  std::vector<Inlet> inlets_;
  std::vector<Watched> watched_;     // in the order of this rank's outlets
  std::vector<std::uint32_t> open_;  // messages posted and not complete: the first open_count_ entries
  std::size_t open_count_ = 0;
  std::vector<std::uint32_t> complete_;  // dataflow: complete short sends that advance_any has not returned yet
  std::size_t complete_count_ = 0;
  ByEnum<Buffer, std::pair<Bytes, Bytes>, 4> reach_{};  // by buffer, the range of offsets that receivers of long messages read
  std::uint32_t unpublished_;                           // the group of the sends posted since the last wait
  bool may_stream_ = false;                             // received long messages may exceed the caches: try non-temporal stores
  StreamingTrial streaming_;                            // compares stores past the caches with ordinary ones
  double trial_seconds_ = 0;                            // seconds of long copies in this execution
  LongSince looks_{SharedSpace::between_questions};
  std::unique_ptr<NodeSteps> steps_;
};

extern template class ScriptExecutable<SharedMessages>;  // instantiated in messages.cpp, where `post` is inlined
using SharedExecutable = ScriptExecutable<SharedMessages>;

}  // namespace quadrille
