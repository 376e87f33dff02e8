// SPDX-License-Identifier: BSD-3-Clause
// Runs a script among ranks that share memory. A message is a copy. layout.hpp and connect.hpp have decided all places.
//
// Short messages are copied twice, as in an eager protocol: the sender copies them into its area and goes on; the receiver copies
// them out. Before a sender writes to a block again, it must know that all readers have finished the earlier execution with that
// block. A reader that also sends messages to this sender shows it by its later messages (flag.hpp). Any other reader writes its
// progress into an Outlet from time to time.
//
// Long messages are copied once, as in a rendezvous protocol: the receiver copies directly from the sender's buffer, and the
// sender waits until this copy is complete (loan.hpp). The receiver uses loads if the buffer is in shared memory (threads' memory,
// plans' scratch and staging memory, memory of `allocate`), and process_vm_readv otherwise. Its sender packs a strided
// message first, unless the receivers can load all memory. If the system forbids process_vm_readv, a long message in private
// memory is copied twice, like a short one.
#pragma once

#include <optional>

#include "execute/script/copies.hpp"
#include "execute/script/run.hpp"
#include "execute/shared/planned/connect.hpp"
#include "execute/shared/planned/node_steps.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class SharedMessages {
  using Clock = std::chrono::steady_clock;

 public:
  // Collective. Throws on all ranks or on none, as Connector::connect.
  SharedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script);

  // Local, for ranks that are connected. Not for scripts with PlanOptions::keep_step.
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
  const Bases& begin(const std::byte* input, std::byte* output);
  void post(std::uint32_t message);
  bool advance();
  void wait();
  bool advance(CompletionStamps completions);
  void wait(const CompletionStamps& completions);
  std::optional<std::uint32_t> advance_any();
  std::uint32_t wait_any();
  template <class Done>
  bool poll(Done&& done) {
    const auto whom = [&] { return open_.count > 0 ? script_->messages[open_[0]].peer : SharedSpace::anybody; };
    return space_.poll(done, whom, looks_);
  }
  void end();
  void withdraw();
  void fail(const Error& why) noexcept;
  Bytes memory_bytes() const;

  bool has_open() const { return open_.count > 0 || unpublished_ != none || complete_.count > 0; }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  using Receive = Connection::Receive;

  struct MessageList {  // has room for all messages of the script, so that adding one never allocates
    std::vector<std::uint32_t> room;
    std::size_t count = 0;

    std::uint32_t& operator[](std::size_t place) { return room[place]; }
    void add(std::uint32_t message) { room[count++] = message; }
  };

  const Connection::Watched* reader_of_next_block();
  void wait_for_readers();
  void publish(std::uint32_t group);
  Offset offset_of(Buffer buffer) const;
  bool goes_through_block(const ScriptMessage& message) const;
  void run_to_block(IndexRange copies);
  void run(IndexRange copies, const Bases& source, const Bases& target);
  void fetch(std::uint32_t message) const;
  Turn& own_turn(std::uint32_t send) const { return *reinterpret_cast<Turn*>(turns_now_ + layout_.places[send].turn); }
  bool try_to_complete(std::uint32_t message);
  template <class Seen>
  bool complete_open(Seen&& seen);
  bool receive_long(const Receive& receive, std::byte* block);
  std::optional<Bases> held_bases(const Receive& receive, const GroupHead& head);
  void run_long(IndexRange copies, const Bases& source);
  void read_private(const Receive& receive, const GroupHead& head);

  SharedSpace& space_;
  const std::shared_ptr<const Script> script_;
  const AreaLayout layout_;
  Connection connection_;
  std::unique_ptr<NodeSteps> steps_;

  std::uint64_t execution_ = 0;
  Bases bases_;
  std::byte *now_ = nullptr, *turns_now_ = nullptr;  // the block and the turns of this execution
  MessageList open_;                                 // posted and not complete
  MessageList complete_;                             // dataflow: complete short sends that advance_any has not returned yet
  std::uint32_t unpublished_ = none;                 // the group of the sends posted since the last wait
  StreamingTrial streaming_;                         // compares stores past the caches with ordinary ones
  double trial_seconds_ = 0;                         // seconds of long copies in this execution
  LongSince looks_{SharedSpace::between_questions};
};

// Instantiated in messages.cpp, where `post` is inlined.
extern template class ScriptExecutable<SharedMessages>;
extern template class ScriptExecutable<SharedMessages, Observer>;
using SharedExecutable = ScriptExecutable<SharedMessages>;

}  // namespace quadrille
