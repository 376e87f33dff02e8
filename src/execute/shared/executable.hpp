// SPDX-License-Identifier: BSD-3-Clause
// A script made ready for ranks that share memory. There are no messages and no matching: where everything lies is agreed upon
// when the plan is made, and a message is a copy.
//
// A short message is copied into its sender's area and from there to where it belongs; the sender goes on at once. A flag tells
// that all messages of a window are there (of a dataflow task: its one). An area has several blocks, used by executions in turn: by
// the time a rank comes back to one of them its readers are through, as they would not have sent the last execution's messages
// otherwise; from readers that send nothing back it takes a word, now and then.
//
// An area of a page or more lies in its sender's heap. Smaller ones lie side by side in control memory of rank 0, together with all
// that receivers write: each process has pages of its own, and with many ranks per core the TLB misses of visiting all of them
// would take as long as the short messages.
//
// A long message is copied once, by its receiver, straight from where it is: by load where that is in the space (threads' memory,
// plans' own buffers, what `allocate` gave), else by reading the other process's memory. Its sender waits until that has happened.
// Where reading is forbidden, long messages go the way of short ones. What is long is decided for all sends of a window together,
// by the machine's costs: it must save more than the wait.
#pragma once

#include <optional>

#include "execute/run.hpp"
#include "execute/shared/claim.hpp"
#include "execute/shared/costs.hpp"
#include "execute/shared/node_steps.hpp"
#include "execute/shared/space.hpp"
#include "execute/streaming.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class SharedMessages {
  using Clock = std::chrono::steady_clock;

 public:
  // Of a rank, in control memory.
  struct Sizes {
    Bytes outlets, turns, small_blocks;

    Bytes control() const { return outlets + turns + small_blocks; }
  };
  // Where a rank has what others look at.
  struct Places {
    Sizes sizes{};
    Offset control = 0;  // at rank 0: outlets, turns and small areas of all ranks; Closing
    Offset blocks = 0;   // 0: in control memory
    Offset directory = 0;
    Offset memory = 0;  // scratch and staging; 0: none
  };

  // Collective; throws on all ranks or on none: Error{misuse} if the scripts' messages do not fit together, Error{too_large}.
  SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script);

  // In two steps, so that the ranks can exchange their offers with something else: `offer` is local and throws std::bad_alloc,
  // `connect` is collective. Not for scripts whose ranks keep step.
  struct Unconnected {};
  SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script, Unconnected);
  Places offer();
  void connect(const ByRank<Places>& all);

  ~SharedMessages();
  SharedMessages(const SharedMessages&) = delete;
  SharedMessages& operator=(const SharedMessages&) = delete;

  // As run.hpp wants it.
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

  // At the front of what is published together: the last execution that has done so, and, for long messages, where the sender's
  // buffers are. Others follow in the block: short messages' bytes, and a Turn for each long message.
  //
  // `execution` is released after all of these and after whatever the sender's program wrote into its buffers before; the receiver
  // acquires it before it reads any of them (try_to_complete). Relaxed, the number might be seen before the bytes. The same pair
  // tells the other way that this rank has read what its receiver wrote in earlier executions, so that the receiver may use those
  // blocks again: a release keeps loads before it, too, and copies are loads.
  struct Flag {
    std::atomic<std::uint64_t> execution{0};
    std::uint64_t bases[4];  // addresses in the sender's process
    Offset offsets[4];       // the same in the space; 0: it does not hold this buffer
  };
  static constexpr Bytes short_flag_bytes = 8;  // without long messages

  // Who has the sender's memory of a long message: the execution for which it was read, marked while it is being read. The number
  // is released after the copy; the sender acquires it before its program may write there again. The receiver marks it and the
  // sender withdraws it by exchanges of one place, so that one of them is first, whatever the order of anything else.
  struct alignas(64) Turn {
    static constexpr std::uint64_t reading = std::uint64_t{1} << 63, withdrawn = std::uint64_t{1} << 62;
    std::atomic<std::uint64_t> read{0};
  };

  // For each of a sender's receivers that sends nothing back: the execution that this is through with. Released after its copies
  // out of the block, acquired before the sender writes there again.
  struct alignas(64) Outlet {
    std::atomic<std::uint64_t> finished{0};
  };

  // When may areas be released? `closed` counts ranks that look at areas no more; an area is released when all have closed.
  // `through` counts ranks that look at `closed` no more; this memory is released when all are through. Ranks add by a release
  // after their last look, and whoever releases memory acquires all of these.
  struct alignas(64) Closing {
    std::atomic<Count> closed{0}, through{0};
  };

  // What a rank lays open about its area and the messages it sends.
  struct Directory {
    Bytes block_bytes, turn_bytes;  // of one block, of the turns that go with it
    std::uint64_t block_mask;
    std::uint64_t entry_count;
  };
  struct Entry {
    Rank peer;
    std::uint32_t ordinal;
    bool is_long;
    Bytes bytes;
    Count outlet;                // in the sender's order; -1: none
    Bytes flag, payload, turn;   // in a block and its turns
    std::uint64_t first_region;  // in the list of all that follows the entries
    std::uint64_t region_count;
  };

  struct Area {  // a rank's, as this one sees it
    Outlet* outlets;
    std::byte *turns, *blocks;
  };

  struct Inlet {  // a sender, as its receiver sees it
    Rank peer;
    Outlet* outlet;            // null: what this rank sends back tells as much
    std::uint64_t tells_each;  // executions, that this rank is through
  };

  struct Blocks {  // of an area, used in turn
    std::byte* first = nullptr;
    Bytes bytes = 0;
    std::uint64_t mask = 0;

    std::byte* of(std::uint64_t execution) const { return first + static_cast<Bytes>(execution & mask) * bytes; }
  };

  // What posting a message takes, most of them at that.
  struct Posting {
    std::uint32_t group = 0;  // sends: what is published together
    bool is_send = false, is_long = false;
  };

  // A message. What most receives need, one contiguous copy out of a block, is together in the first line.
  struct alignas(64) End {
    Blocks blocks;  // the sender's
    Bytes flag = 0, payload = 0;
    Bytes target = 0;
    std::uint32_t length = 0;  // of that copy; 0: it takes more
    Buffer target_buffer{};
    bool is_long = false;
    bool is_fused = false, combines = false;  // receives: combined in the order of the script; by `copies` and `direct`
    std::uint32_t inlet = 0;                  // receives
    Blocks turns;                             // the sender's; long messages
    Bytes turn = 0;                           // in these
    Range copies;                             // between payload and memory
    Range direct;                             // receives of long messages: from the sender's memory into this rank's
    Range stored;                             // the same as copies only, where `direct` combines
  };

  struct Group {  // sends published together
    Bytes flag = 0;
    bool has_long = false;
    Range copies;     // of short ones, into the block
    Range receivers;  // in rung_
  };

  struct Watched {  // a receiver that sends nothing back
    Rank rank;
    const Outlet* outlet = nullptr;
    std::uint64_t finished = 0;  // as it was last seen
  };

  Sizes lay_out();
  void lay_group(Range messages);
  void choose_long(const std::vector<std::uint32_t>& sends);
  Range append(const Regions& source, const Regions& target);
  static ByRank<Bytes> parts(const ByRank<Places>& all);
  Bytes guessed_control_bytes(const Sizes& own) const;
  bool has_room(const ByRank<Places>& all) const;
  Offset allocate_enough(Claim& control, const ByRank<Places>& all);
  Offset lay_open(Claim& claim);
  void find_place(const ByRank<Places>& all);
  Area area_of(Rank rank, const ByRank<Bytes>& part, const ByRank<Places>& all) const;
  void find_senders(const ByRank<Places>& all);
  std::uint32_t inlet_from(Rank peer, Outlet* outlet, std::uint64_t block_mask);

  const Watched* reader_of_next_block();
  void wait_for_readers();
  void publish(std::uint32_t group);
  Offset offset_of(Buffer buffer) const;
  bool goes_through_block(const ScriptMessage& message) const;
  void run_to_block(Range copies);
  void run(Range copies, const Bases& source, const Bases& target);
  std::optional<Range> append_combining(const Regions& source, const ScriptMessage& message);
  void run_from_block(const End& end, std::byte* block);
  void fetch(std::uint32_t message) const;
  bool try_to_complete(std::uint32_t message);
  bool receive_long(const End& end, std::byte* block);
  std::optional<Bases> held_bases(const End& end, const Flag& flag);
  void run_long(Range copies, const Bases& source);
  void read_private(const End& end, const Flag& flag);

  SharedSpace& space_;
  const CopyCosts costs_;
  std::shared_ptr<const Script> script_;
  Offset own_memory_ = 0;  // scratch and staging
  Offset own_blocks_ = 0;  // in this rank's heap; 0: in control memory
  Offset control_ = 0;     // rank 0's: control memory of all ranks
  Closing* closing_ = nullptr;
  Claim control_claim_, directory_;  // until all ranks are connected
  bool is_connected_ = false;
  Blocks blocks_, turns_;
  std::byte *now_ = nullptr, *turns_now_ = nullptr;  // of this execution
  Bases bases_{};
  std::uint64_t execution_ = 0;
  std::vector<Posting> postings_;    // by message
  std::vector<End> ends_;            // by message
  std::vector<StridedCopy> copies_;  // to and from blocks; straight ones
  std::vector<Group> groups_;
  std::vector<Rank> rung_;
  std::vector<Inlet> inlets_;
  std::vector<Watched> watched_;     // outlets, in their order
  std::vector<std::uint32_t> open_;  // posted, not complete: the first open_count_
  std::size_t open_count_ = 0;
  std::vector<std::uint32_t> complete_;  // dataflow: short sends, not handed out yet
  std::size_t complete_count_ = 0;
  ByEnum<Buffer, std::pair<Bytes, Bytes>, 4> reach_{};  // what receivers of long messages read, by buffer
  std::uint32_t unpublished_;                           // the group of the sends posted since the last wait
  bool may_stream_ = false;                             // what comes in long messages may be more than a cache holds
  StreamingTrial streaming_;                            // of what is loaded from others' memory
  double trial_seconds_ = 0;                            // of this execution
  LongSince looks_{SharedSpace::between_questions};
  std::unique_ptr<NodeSteps> steps_;
};

extern template class ScriptExecutable<SharedMessages>;  // where `post` can be inlined
using SharedExecutable = ScriptExecutable<SharedMessages>;

}  // namespace quadrille
