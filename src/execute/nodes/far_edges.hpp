// SPDX-License-Identifier: BSD-3-Clause
// The messages of an exchange between nodes, and the order in which a rank starts them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "patterns/packing_rule.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// Each transport between nodes derives a class.
class FarEdges {
 public:
  // What a message carries. Messages of one form from one rank to another arrive in the order in which they are sent.
  enum class Form : int {
    early,     // one long edge; sent without a decision of the two nodes
    single,    // one short edge, which the two nodes have decided not to pack
    packed,    // all short edges from one node to another
    straight,  // one edge of an exchange in which no edge may be packed
  };
  static constexpr int forms = 4;

  // Messages match if they have the same form and the numbers of their exchanges are equal modulo `exchanges`: a tag has no room
  // for larger numbers. Exchanges in which edges may be packed are numbered from 1. All other exchanges have numbers of their
  // own, also from 1. A rank may be any number of exchanges ahead of another rank.
  static constexpr int exchanges = 64;
  struct Kind {
    Form form;
    std::uint64_t exchange;
  };

  // A received message.
  struct Arrival {
    static constexpr Bytes too_long = -1;  // instead of `bytes`: the message is longer than the room, and lost
    std::uint32_t name;                    // the name that was given to `receive`
    Bytes bytes;
  };

  virtual ~FarEdges() = default;

  // `send` and `receive` do not wait. The memory must stay until the message is complete.
  virtual void send(Kind kind, Rank to, const std::byte* memory, Bytes bytes) = 0;
  virtual void receive(Kind kind, Rank from, std::byte* memory, Bytes room, std::uint32_t name) = 0;

  // Does not wait. Returns what has arrived since the last call; the result is valid until the next call.
  virtual std::span<const Arrival> advance() = 0;
  // True if the next `advance` does not yield the core. If false, Progress::polls_yield tells whether it yields.
  virtual bool is_quiet() const { return false; }
  // Messages that are not complete. (A message in several parts counts more than once.)
  virtual Count open_sends() const = 0;
  virtual Count open_receives() const = 0;
  bool has_open() const { return open_sends() + open_receives() > 0; }

  // Appends the names of the receives that are not complete. For ranks that have waited long.
  virtual void list_open(std::vector<std::uint32_t>& names) const = 0;
  // Returns the length of a message of this kind that has arrived without a receive of this rank. (For a message in parts: the
  // length of its first part.)
  virtual std::optional<Bytes> unexpected(Kind kind, Rank from) = 0;

  // After a failure: gives up all open messages. Afterwards no rank reads or writes their memory.
  virtual void withdraw() noexcept = 0;
  virtual Bytes memory_bytes() const = 0;
};

// The messages of edges between nodes. A rank with many sends starts only some of them (patterns/packing_rule.hpp); whenever one
// is complete, it starts the next one. The rank treats its receives in the same way.
//
// No ranks wait for each other in a circle. All messages of all ranks have one order. It compares, one after the other: the
// exchange; whether the message needs a decision (those that need none come first); the distance from sender to receiver in the
// circle of all ranks; for one pair of ranks, the order of the edges; and the sender. If a rank cannot start all its messages at
// once, it starts its sends in this order, and its receives in this order. Consider the first message in this order that is not
// complete. Its sender has completed all earlier sends, so none of them fills the window, which has room for at least one
// message. So the sender has started this message, or starts it next. The same holds for its receiver. So both ends start the
// message, and it will be complete. This is true even if ranks have windows of different sizes, or have started later messages as
// well. Packed messages are not in the queues: both leaders start them without waiting for any message. A rank puts its messages
// into the queues without waiting for any message of this exchange. Before a decision it waits only until all ranks of its node
// have entered the exchange. Before they enter, they may have to complete earlier exchanges.
//
// The order also spreads the load: at first all ranks send to their successors.
class FarQueue {
 public:
  FarQueue(std::unique_ptr<FarEdges> far, const MessageWindow& window, Rank me, Count ranks)
      : far_(std::move(far)), window_(window), me_(me), ranks_(ranks) {}

  void clear();  // called at the begin of an exchange

  // Adds a message. `start` starts the messages that were added since its last call, as far as the window allows.
  void send(FarEdges::Kind kind, Rank to, const std::byte* memory, Bytes bytes) {
    sends_.add((to - me_ + ranks_) % ranks_, {kind, to, memory, bytes});
  }
  void receive(FarEdges::Kind kind, Rank from, std::byte* memory, Bytes room, std::uint32_t name) {
    receives_.add((me_ - from + ranks_) % ranks_, {kind, from, memory, room, name});
  }
  void start();

  // Messages outside the queues. The window does not limit them.
  void send_now(FarEdges::Kind kind, Rank to, const std::byte* memory, Bytes bytes) {
    ++sends_.beside;
    far_->send(kind, to, memory, bytes);
  }
  void receive_now(FarEdges::Kind kind, Rank from, std::byte* memory, Bytes room, std::uint32_t name) {
    ++receives_.beside;
    far_->receive(kind, from, memory, room, name);
  }

  std::span<const FarEdges::Arrival> advance();
  bool has_gone_on() const { return has_gone_on_; }   // has the last `advance` started a message?
  bool has_open() const { return far_->has_open(); }  // messages wait in a queue only while others are open

  void list_open(std::vector<std::uint32_t>& names) const;  // FarEdges::list_open; appends the queued receives, too

  // Starts all receives in the queue. Returns whether there were any.
  bool start_all_receives();

  FarEdges& far() { return *far_; }
  Bytes memory_bytes() const;

 private:
  struct Send {
    FarEdges::Kind kind;
    Rank to;
    const std::byte* memory;
    Bytes bytes;
  };
  struct Receive {
    FarEdges::Kind kind;
    Rank from;
    std::byte* memory;
    Bytes bytes;
    std::uint32_t name;
  };
  template <class Message>
  struct Queue {
    std::vector<Message> messages;
    std::vector<std::uint64_t> order;    // for each message: its distance from sender to receiver, and its place in `messages`
    std::size_t next = 0, is_known = 0;  // places in `order`: the next message to start; the first one added since `start`
    Bytes bytes = 0;                     // bytes of the messages that are not started
    Count window = 0, beside = 0;        // how many messages may be open: of the queue; outside it

    void clear();
    void add(Count distance, const Message& message) {
      order.push_back(static_cast<std::uint64_t>(distance) << 32 | messages.size());
      messages.push_back(message);
      bytes += message.bytes;
    }
    bool is_empty() const { return next == order.size(); }
    void make_known(const MessageWindow& rule, Count open);
    const Message& at(std::size_t place) const { return messages[order[place] & 0xffffffff]; }
    const Message& take() {
      const Message& message = at(next++);
      bytes -= message.bytes;
      return message;
    }
  };
  bool start_some();  // returns whether it has started a message
  void start(const Send& message) { far_->send(message.kind, message.to, message.memory, message.bytes); }
  void start(const Receive& message) { far_->receive(message.kind, message.from, message.memory, message.bytes, message.name); }

  const std::unique_ptr<FarEdges> far_;
  const MessageWindow window_;
  const Rank me_;
  const Count ranks_;
  Queue<Send> sends_;
  Queue<Receive> receives_;
  bool has_gone_on_ = false;
};

}  // namespace quadrille
