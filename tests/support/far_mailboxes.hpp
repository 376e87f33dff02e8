// SPDX-License-Identifier: BSD-3-Clause
// Threads as ranks of several nodes: each node has a shared space of its own, and messages between nodes go through mailboxes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "execute/nodes/nodes_exchange.hpp"
#include "execute/shared/communicator.hpp"
#include "execute/threads/threads.hpp"

namespace quadrille::testing {

// All messages between nodes. A message is read when it is received, and arrives only after some looks for it.
class FarMailboxes {
 public:
  struct Message {
    const std::byte* memory;
    Bytes bytes;
    int looks_missing;  // until it arrives
    std::vector<std::byte> copy;
    std::shared_ptr<std::atomic<bool>> is_taken;
  };
  // `buffers`: messages are copied when they are sent, so that a sender need not wait.
  explicit FarMailboxes(bool buffers = false) : buffers_(buffers) {}

  using Key = std::tuple<int, std::uint64_t, Rank, Rank>;  // form, exchange, sender, receiver

  void put(const Key& key, const std::byte* memory, Bytes bytes, int looks_missing, std::shared_ptr<std::atomic<bool>> is_taken) {
    const std::scoped_lock lock(mutex_);
    *is_taken = buffers_;
    Message& message = boxes_[key].emplace_back(Message{memory, bytes, looks_missing, {}, std::move(is_taken)});
    if (buffers_) message.copy.assign(memory, memory + bytes), message.memory = message.copy.data();
    ++counts_[std::get<0>(key)];
  }
  // Copies the first message of the box into `memory` if it fits. Returns its length, or -1 if there is none yet.
  Bytes take(const Key& key, std::byte* memory, Bytes room) {
    const std::scoped_lock lock(mutex_);
    auto& box = boxes_[key];
    if (box.empty() || box.front().looks_missing-- > 0) return -1;
    const Message message = std::move(box.front());
    box.pop_front();
    if (message.bytes <= room) std::memcpy(memory, message.memory, index(message.bytes));
    message.is_taken->store(true, std::memory_order_release);
    return message.bytes;
  }
  std::optional<Bytes> first(const Key& key) {  // the length of the first message of the box
    const std::scoped_lock lock(mutex_);
    ++probes_;
    const auto& box = boxes_[key];
    return box.empty() ? std::nullopt : std::optional(box.front().bytes);
  }
  // A rank has failed. Launchers of MPI then end all ranks; here they throw when they next look for messages.
  void fail() { has_failed_ = true; }
  bool has_failed() const { return has_failed_; }
  long count(FarEdges::Form form) {  // of messages so far
    const std::scoped_lock lock(mutex_);
    return counts_[static_cast<int>(form)];
  }
  long probes() {  // how often ranks have looked for a message of another form
    const std::scoped_lock lock(mutex_);
    return probes_;
  }

 private:
  const bool buffers_;
  std::mutex mutex_;
  std::map<Key, std::deque<Message>> boxes_;
  std::map<int, long> counts_;
  long probes_ = 0;
  std::atomic<bool> has_failed_{false};
};

class MailboxEdges final : public FarEdges {
 public:
  MailboxEdges(FarMailboxes& boxes, Rank me) : boxes_(boxes), me_(me) {}

  void send(Kind kind, Rank to, const std::byte* memory, Bytes bytes) override {
    sends_.push_back(std::make_shared<std::atomic<bool>>(false));
    looks_ = (looks_ * 7 + 3) % 11;
    boxes_.put(key(kind, me_, to), memory, bytes, looks_, sends_.back());
  }
  void receive(Kind kind, Rank from, std::byte* memory, Bytes room, std::uint32_t name) override {
    receives_.push_back({key(kind, from, me_), memory, room, name});
  }
  std::span<const Arrival> advance() override {
    if (boxes_.has_failed()) throw Error(ErrorCode::peer_lost, "a rank of another node has failed");
    arrivals_.clear();
    std::erase_if(sends_, [](const auto& is_taken) { return is_taken->load(std::memory_order_acquire); });
    std::erase_if(receives_, [this, waits = std::vector<FarMailboxes::Key>{}](const Receive& each) mutable {
      if (std::find(waits.begin(), waits.end(), each.key) != waits.end()) return false;
      const Bytes bytes = boxes_.take(each.key, each.memory, each.room);
      if (bytes < 0) waits.push_back(each.key);
      if (bytes >= 0) arrivals_.push_back({each.name, bytes > each.room ? Arrival::too_long : bytes});
      return bytes >= 0;
    });
    return arrivals_;
  }
  // As over MPI, so that the tests run both kinds of waiting.
  bool is_quiet() const override {
    const auto is_packed = [](const Receive& each) { return std::get<0>(each.key) == static_cast<int>(Form::packed); };
    return std::any_of(receives_.begin(), receives_.end(), is_packed);
  }
  Count open_sends() const override { return quadrille::size(sends_); }
  Count open_receives() const override { return quadrille::size(receives_); }
  void list_open(std::vector<std::uint32_t>& names) const override {
    for (const Receive& each : receives_) names.push_back(each.name);
  }
  std::optional<Bytes> unexpected(Kind kind, Rank from) override {
    const auto wanted = key(kind, from, me_);
    const bool is_expected =
        std::any_of(receives_.begin(), receives_.end(), [&](const Receive& each) { return each.key == wanted; });
    return is_expected ? std::nullopt : boxes_.first(wanted);
  }
  void withdraw() noexcept override {
    boxes_.fail();
    sends_.clear(), receives_.clear();
  }
  Bytes memory_bytes() const override { return 0; }

 private:
  struct Receive {
    FarMailboxes::Key key;
    std::byte* memory;
    Bytes room;
    std::uint32_t name;
  };
  static FarMailboxes::Key key(Kind kind, Rank from, Rank to) {
    return {static_cast<int>(kind.form), kind.exchange % exchanges, from, to};
  }

  FarMailboxes& boxes_;
  const Rank me_;
  int looks_ = 0;
  std::vector<std::shared_ptr<std::atomic<bool>>> sends_;
  std::vector<Receive> receives_;
  std::vector<Arrival> arrivals_;
};

// Returns the node of each rank, for nodes with so many ranks each. `is_cyclic`: neighbouring ranks are on different nodes.
inline ByRank<Count> nodes_of_ranks(const ByRank<Count>& ranks_of_node, bool is_cyclic) {
  ByRank<Count> nodes;
  for (Count node = 0; node < quadrille::size(ranks_of_node); ++node) nodes.insert(nodes.end(), index(ranks_of_node[node]), node);
  if (!is_cyclic) return nodes;
  ByRank<Count> left = ranks_of_node;
  Count node = 0;
  for (Count& each : nodes) {
    while (left[node] == 0) node = (node + 1) % quadrille::size(ranks_of_node);
    --left[node];
    each = node;
    node = (node + 1) % quadrille::size(ranks_of_node);
  }
  return nodes;
}

// Runs `body(Communicator&)` as threads on these nodes.
inline void run_as_nodes(const ByRank<Count>& ranks_of_node, bool is_cyclic, const PackingRule& rule, FarMailboxes& boxes,
                         const std::function<void(Communicator&)>& body, const MessageWindow& window = {}) {
  class NodesCommunicator final : public SharedCommunicator {
   public:
    using SharedCommunicator::SharedCommunicator;
    std::function<std::unique_ptr<Executable>()> make;
    ByRank<Count> nodes_of;
    const std::vector<Count>& nodes() const override { return nodes_of; }
    std::unique_ptr<Executable> prepare_exchange() override { return make(); }
  };
  const ByRank<Count> nodes = nodes_of_ranks(ranks_of_node, is_cyclic);
  ByRank<ByRank<std::shared_ptr<SharedSpace>>> spaces;
  for (const Count ranks : ranks_of_node) spaces.push_back(spaces_of_threads(ranks));
  run_as_threads(quadrille::size(nodes), [&](Communicator& ranks) {
    const NodeMap map(nodes, ranks.rank());
    const auto& space = spaces[map.own()][map.place_of(ranks.rank())];
    NodesCommunicator communicator(dynamic_cast<SharedCommunicator&>(ranks).space(), "threads");
    communicator.nodes_of = nodes;
    communicator.make = [&] {
      return std::make_unique<NodesExchange>(space, CopyCosts{}, map, rule, std::make_unique<MailboxEdges>(boxes, ranks.rank()),
                                             window);
    };
    body(communicator);
    space->leave();
  });
}

}  // namespace quadrille::testing
