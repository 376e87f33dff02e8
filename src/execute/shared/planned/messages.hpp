// SPDX-License-Identifier: BSD-3-Clause
// Runs a script among ranks that share memory. A message is a copy. layout.hpp and connect.hpp decide all places when the plan is
// made.
//
// Short messages are copied twice, as in an eager protocol: the sender copies them into its area and goes on; the receiver copies
// them out. Before a sender writes to a block again, it must know that all readers have finished the earlier execution with that
// block. If a reader also sends messages to this sender, the reader's later messages show this (flag.hpp). Any other reader
// writes its progress into a ProgressCounter from time to time.
//
// Long messages are copied once, as in a rendezvous protocol: the receiver copies directly from the sender's buffer, and the
// sender waits until this copy is complete (loan.hpp). The receiver uses loads if the buffer is in shared memory (threads' memory,
// plans' scratch and staging memory, memory of `allocate`), and process_vm_readv otherwise. The sender of a strided message packs
// it first, unless the receivers can load all memory. If the system forbids process_vm_readv, a long message in private memory is
// copied twice, like a short one.
//
// If the plan keeps step, a window with messages to other nodes begins when such messages of the node in earlier rounds are
// complete (NodeSteps).
//
// What runs in each execution is marked [[gnu::hot]], so that the linker places it side by side. With many ranks on a core, the TLB
// is empty after a context switch, and each page of code is a miss.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "execute/script/copies.hpp"
#include "execute/script/run.hpp"
#include "execute/script/scaled_script.hpp"
#include "execute/shared/planned/connect.hpp"
#include "execute/shared/planned/dense_windows.hpp"
#include "execute/shared/planned/elastic_connection.hpp"
#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/wait/space.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// Implements PlanOptions::keep_step: a rank starts a round's messages to and from other nodes only when all such messages of its
// node in earlier rounds are complete. So a node never has more of these messages in flight than one round of the schedule gives
// it. In a schedule for nodes with one port ([sanders2002hierarchical], single-ported model) that is one message. A counter in
// the node's shared memory counts the rounds that its ranks have completed.
class NodeSteps {
 public:
  // Returns null unless the script keeps step (Script::nodes).
  static std::unique_ptr<NodeSteps> of(SharedSpace& space, const std::vector<Rank>& members, const Script& script) {
    return script.nodes.empty() ? nullptr : std::make_unique<NodeSteps>(space, members, script);
  }

  // Collective among the ranks that share `space`; `members` gives their numbers in the group, and Script::nodes their nodes.
  // Throws on all of these ranks or on none: Error{misuse} if ranks of one node do not share memory, Error{too_large}.
  NodeSteps(SharedSpace& space, const std::vector<Rank>& members, const Script& script);
  ~NodeSteps();
  NodeSteps(const NodeSteps&) = delete;
  NodeSteps& operator=(const NodeSteps&) = delete;

  // May this rank post the messages of a window? If one of them goes to or comes from another node, the node's earlier rounds
  // must be complete. `wait_to_enter` waits until the rank may.
  bool may_enter(std::size_t window) const {
    // The acquire pairs with the release in leave(): the effects of the counted messages are visible, too.
    return needed_[window] == none || counter_->through.load(std::memory_order_acquire) >= before_ + needed_[window];
  }
  void wait_to_enter(std::size_t window) {
    space_.poll_until([&] { return may_enter(window); }, SharedSpace::Driving::no);
  }
  // Called when all messages of the window are complete.
  void leave(std::size_t window) {
    // Releases the effects of this rank's messages to may_enter(). Also acquires the effects of the messages of ranks that added
    // to the sum earlier. So a rank that reads the sum sees the effects of all counted messages.
    if (needed_[window] != none) counter_->through.fetch_add(1, std::memory_order_acq_rel);
  }
  // Called when the execution is complete.
  void end() { before_ += total_; }

 private:
  // Shared by the ranks of a node; lies in control memory of the node's first rank.
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> through{0};  // rounds with messages to other nodes, completed so far by all ranks in all executions
    Closing closing;                        // tells when the plan's memory may be released
  };

  SharedSpace& space_;
  Offset own_ = 0;  // the counter; set at the first rank of the node only
  Counter* counter_ = nullptr;
  Count mates_ = 0;                       // the number of ranks of the node
  std::uint64_t before_ = 0, total_ = 0;  // counts of Counter::through: of all earlier executions; of one execution
  static constexpr std::uint64_t none = static_cast<std::uint64_t>(-1);
  std::vector<std::uint64_t> needed_;  // by window: how many rounds the node must have completed; `none`: it need not wait
};

class SharedMessages {
  using Clock = std::chrono::steady_clock;

 public:
  // Collective. Throws on all ranks or on none, as Connector::connect.
  SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script);

  // Local, for ranks that are connected. Scripts with PlanOptions::keep_step are not allowed.
  SharedMessages(SharedSpace& space, std::shared_ptr<const Script> script, Connected connected);
  SharedMessages(const SharedMessages&) = delete;
  SharedMessages& operator=(const SharedMessages&) = delete;

  // The concept Messages of script/run.hpp.
  const Script& script() const { return *script_; }
  NodeSteps* steps() { return steps_.get(); }
  bool can_begin() { return connection_.watched.empty() || !reader_of_next_block(); }
  void wait_to_begin() {
    if (!can_begin()) wait_for_readers();
  }
  void scale(Bytes block_bytes) {
    script_.scale(block_bytes);
    elastic_->scale(layout_, connection_, block_bytes);
    dense_.take_sizes(connection_);
  }
  [[gnu::hot]] const Bases& begin(const std::byte* input, std::byte* output);
  [[gnu::hot]] void post(std::uint32_t message);
  [[gnu::hot]] void post_window(std::size_t window);
  [[gnu::hot]] bool advance();
  [[gnu::hot]] void wait();
  bool advance(CompletionStamps completions);
  void wait(const CompletionStamps& completions);
  std::optional<std::uint32_t> advance_any();
  std::uint32_t wait_any();
  template <class Done>
  bool poll(Done&& done) {
    return space_.poll(
        done, [&] { return has_open() ? awaited() : SharedSpace::anybody; }, looks_);
  }
  [[gnu::hot]] void end();
  void withdraw();
  void fail(const Error& why) noexcept;
  Bytes memory_bytes() const;

  bool has_open() const { return open_.count > 0 || unpublished_ != none || complete_.count > 0 || dense_next_ < dense_last_; }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  using Receive = Connection::Receive;

  struct MessageList {  // has room for all messages of the script, so that adding one never allocates
    std::vector<std::uint32_t> room;
    std::size_t count = 0;

    std::uint32_t& operator[](std::size_t place) { return room[place]; }
    void add(std::uint32_t message) { room[count++] = message; }
  };

  [[gnu::hot]] const Connection::Watched* reader_of_next_block();
  void wait_for_readers();
  [[gnu::hot]] void publish(std::uint32_t group);
  Offset offset_of(Buffer buffer) const;
  bool goes_through_block(const ScriptMessage& message) const;
  [[gnu::hot]] void run_to_block(const SendAreaLayout::Group& group, IndexRange copies);
  [[gnu::hot]] void run(IndexRange copies, const Bases& source, const Bases& target);
  [[gnu::hot]] void fetch(std::uint32_t message) const;
  Acknowledgement& own_ack(std::uint32_t send) const {
    return *reinterpret_cast<Acknowledgement*>(acks_now_ + layout_.places[send].ack);
  }
  [[gnu::hot]] bool try_to_complete(std::uint32_t message);
  [[gnu::hot]] bool advance_dense();
  Rank awaited() { return script_->messages[open_.count > 0 ? open_[0] : dense_.receive(dense_next_).message].peer; }
  template <class Seen>
  bool complete_open(Seen&& seen);
  bool receive_long(const Receive& receive, std::byte* block);
  std::optional<Bases> held_bases(const Receive& receive, const GroupHead& head);
  void run_long(IndexRange copies, const Bases& source);
  void read_private(const Receive& receive, const GroupHead& head);

  SharedSpace& space_;
  ScaledScript script_;
  SendAreaLayout layout_;
  Connection connection_;
  DenseWindows dense_;
  const std::unique_ptr<const ElasticConnection> elastic_;  // null unless the script is elastic
  std::unique_ptr<NodeSteps> steps_;

  std::uint64_t execution_ = 0;
  Bases bases_;
  std::byte *now_ = nullptr, *acks_now_ = nullptr;  // the block and the acks of this execution
  MessageList open_;                                // messages that are posted and not complete
  MessageList complete_;                            // dataflow: complete short sends that advance_any has not returned yet
  std::uint32_t dense_next_ = 0, dense_last_ = 0;   // the receives of a dense window that are not complete
  std::uint32_t unpublished_ = none;                // the group of the sends posted since the last wait
  StreamingTrial streaming_;
  double trial_seconds_ = 0;  // seconds of long copies in this execution
  LongSince looks_{SharedSpace::between_questions};
};

// Instantiated in messages.cpp, where `post` is inlined.
extern template class ScriptExecutable<SharedMessages>;
extern template class ScriptExecutable<SharedMessages, Observer>;
using SharedExecutable = ScriptExecutable<SharedMessages>;

}  // namespace quadrille
