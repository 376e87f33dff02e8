// SPDX-License-Identifier: BSD-3-Clause
// Executes one script with two kinds of messages: shared memory between the ranks of a node (near), and messages of another
// transport, the template parameter Far, between nodes (far).
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "execute/script/run.hpp"
#include "execute/script/scaled_script.hpp"
#include "execute/shared/planned/messages.hpp"

namespace quadrille {

// A part of a script that is split by peers: one part for peers in shared memory, one for messages of the other transport. The
// part is a script with the messages to and from these peers, and the windows of these messages. It has no copies, and no scratch
// or staging memory.
struct ScriptPart {
  std::shared_ptr<Script> script;
  std::vector<std::uint32_t> of_whole;  // by message of the part: its index in the whole script
};

// Returns the part with the peers for which `rank_in_part` returns a rank: the peer's number in the part. Receives must not be
// fused.
ScriptPart part_of(const Script& whole, const std::function<std::optional<Rank>(Rank peer)>& rank_in_part);

// What the class of the messages between nodes must provide.
template <class M>
concept FarMessages = requires(M messages, const Bases& bases, std::uint32_t message, const CompletionStamps& completions) {
  messages.scale(Bytes{});  // as in the concept Messages
  messages.begin(bases);    // sets the buffers of the whole script; scratch and staging memory belong to the near messages
  messages.post(message);
  { messages.advance() } -> std::convertible_to<bool>;
  messages.wait();
  { messages.advance_any() } -> std::convertible_to<std::optional<std::uint32_t>>;
  { messages.wait_any() } -> std::convertible_to<std::uint32_t>;
  { messages.advance(completions) } -> std::convertible_to<bool>;  // observed executions
  messages.wait(completions);
  { messages.has_open() } -> std::convertible_to<bool>;  // are there posted messages that are not complete?
  messages.withdraw();
  { messages.memory_bytes() } -> std::convertible_to<Bytes>;
};

// A rank's script, split into messages to peers on this rank's node and messages to peers on other nodes.
struct ScriptByNode {
  // `place` gives, by rank, the rank's number within this rank's node; -1 for ranks of other nodes.
  ScriptByNode(const Script& whole, const std::vector<Rank>& place);

  struct End {  // the part that has a message of the whole script
    bool is_near = false;
    std::uint32_t index = 0;  // the message's index in that part
  };
  ScriptPart near, far;
  std::vector<End> ends;
};

std::vector<Rank> ranks_by_place(const std::vector<Rank>& place, Count ranks_of_node);

template <FarMessages Far>
class HybridMessages {
 public:
  // Collective; throws on all ranks of the node or on none. `place` is as for ScriptByNode. `make_far` makes the far messages from
  // the far part of the script.
  template <class MakeFar>
  HybridMessages(SharedSpace& node, const CopyCosts& costs, const std::vector<Rank>& place, std::shared_ptr<const Script> script,
                 MakeFar&& make_far)
      : node_(node),
        script_(std::move(script)),
        parts_(*script_, place),
        near_(node, costs, parts_.near.script),
        far_(make_far(std::shared_ptr<const Script>(parts_.far.script))),
        steps_(NodeSteps::of(node, ranks_by_place(place, node.size()), *script_)) {}

  // The concept Messages of script/run.hpp.
  const Script& script() const { return *script_; }
  NodeSteps* steps() { return steps_.get(); }
  bool can_begin() { return near_.can_begin(); }
  void wait_to_begin() { near_.wait_to_begin(); }
  void scale(Bytes block_bytes) {
    script_.scale(block_bytes);
    near_.scale(block_bytes);
    far_.scale(block_bytes);
  }
  const Bases& begin(const std::byte* input, std::byte* output) {
    const Bases& bases = near_.begin(input, output);
    far_.begin(bases);
    return bases;
  }
  void post(std::uint32_t message) {
    const ScriptByNode::End end = parts_.ends[message];
    if (end.is_near)
      near_.post(end.index);
    else
      far_.post(end.index);
  }
  bool advance() { return advance_parts(NoStamps{}, NoStamps{}); }
  bool advance(const CompletionStamps& completions) { return advance_parts(near_stamps(completions), far_stamps(completions)); }
  // While messages of both kinds are open, the rank must poll: no rank wakes it when a far message arrives. While messages of
  // only one kind are open, the rank waits in the way of this kind. In shared memory it sleeps, so that a rank that works can
  // have the core.
  void wait() { wait_for_parts(NoStamps{}, NoStamps{}); }
  void wait(const CompletionStamps& completions) { wait_for_parts(near_stamps(completions), far_stamps(completions)); }
  std::optional<std::uint32_t> advance_any() {
    if (const auto near = near_.advance_any()) return parts_.near.of_whole[*near];
    if (const auto far = far_.advance_any()) return parts_.far.of_whole[*far];
    return std::nullopt;
  }
  std::uint32_t wait_any() {
    if (!far_.has_open()) return parts_.near.of_whole[near_.wait_any()];
    if (!near_.has_open()) return parts_.far.of_whole[far_.wait_any()];
    std::optional<std::uint32_t> completed;
    node_.poll_until([&] { return (completed = advance_any()).has_value(); }, SharedSpace::Driving::as_usual);
    return *completed;
  }
  bool poll(auto&& done) { return near_.poll(done); }
  void end() { near_.end(); }
  void withdraw() {
    near_.withdraw();
    far_.withdraw();
  }
  void fail(const Error& why) noexcept { near_.fail(why); }
  Bytes memory_bytes() const {
    return near_.memory_bytes() + far_.memory_bytes() + script_.memory_bytes() + memory_bytes_of(parts_.ends);
  }

 private:
  struct NoStamps {};

  CompletionStamps near_stamps(const CompletionStamps& whole) const {
    return {whole.completed, whole.last, whole.is_long, parts_.near.of_whole.data()};
  }
  CompletionStamps far_stamps(const CompletionStamps& whole) const {
    return {whole.completed, whole.last, whole.is_long, parts_.far.of_whole.data()};
  }

  static bool advance(auto& part, const CompletionStamps& stamps) { return part.advance(stamps); }
  static bool advance(auto& part, NoStamps) { return part.advance(); }
  static void wait(auto& part, const CompletionStamps& stamps) { part.wait(stamps); }
  static void wait(auto& part, NoStamps) { part.wait(); }

  template <class Stamps>
  bool advance_parts(const Stamps& of_near, const Stamps& of_far) {
    const bool near = advance(near_, of_near), far = advance(far_, of_far);
    return near && far;
  }

  template <class Stamps>
  void wait_for_parts(const Stamps& of_near, const Stamps& of_far) {
    bool near = !near_.has_open(), far = !far_.has_open();
    if (!near && !far)
      node_.poll_until(
          [&] {
            near = advance(near_, of_near);
            far = advance(far_, of_far);
            return near || far;
          },
          SharedSpace::Driving::as_usual);
    if (!near) wait(near_, of_near);
    if (!far) wait(far_, of_far);
  }

  SharedSpace& node_;
  ScaledScript script_;
  const ScriptByNode parts_;
  SharedMessages near_;
  Far far_;
  std::unique_ptr<NodeSteps> steps_;
};

}  // namespace quadrille
