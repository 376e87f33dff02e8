// SPDX-License-Identifier: BSD-3-Clause
// A program made ready to run: copies with their strides worked out, messages with their place in memory, staging
// decided, and the order of everything under one policy. Transports run scripts; they know no algorithm.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "execute/copies.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

struct Range {
  std::uint32_t first = 0, last = 0;
  std::uint32_t size() const { return last - first; }
};

struct ScriptMessage {
  Rank peer = 0;
  Bytes bytes = 0;
  bool is_send = false;
  Count round = 0;            // of the schedule
  std::uint32_t ordinal = 0;  // among the messages to (or from) this peer: how both ends find each other
  bool overwritten = false;   // a buffered send whose memory is written again while it would be under way
  Regions regions;            // where it is read or written, staging included
  // A fused receive is combined with `reduced_into`, straight from where it comes or, where that cannot be, by `reduction` once it
  // is in its regions.
  Regions reduced_into;
  Effect effect = Effect::overwrite;
  Range reduction;
};

// blocking, nonblocking: do the copies, post the messages, wait for all, do the copies after. Fused receives end in the order in
// which they are posted.
struct Window {
  Range copies_before, messages, copies_after;
};

// dataflow: a task starts when all its predecessors are through; a send or receive task is through when complete.
struct Task {
  static constexpr std::uint32_t no_message = static_cast<std::uint32_t>(-1);
  Range copies;                         // of a copy task
  std::uint32_t message = no_message;   // of a message task
  Range after_start, after_completion;  // in Script::successors: tasks that wait for either
  bool collects = false;                // of a copy task: unpacks what has come
};

struct Script {
  Rank rank = 0;
  Count ranks = 1;
  Policy policy = Policy::blocking;
  Bytes longest_message = 0;  // longer ones are cut into parts by transports that have such a limit
  Bytes scratch_bytes = 0;
  Bytes staging_bytes = 0;
  std::shared_ptr<const Operator> operation;  // reductions
  std::vector<Count> nodes;                   // of each rank, if the ranks of a node are to keep step; policy blocking
  std::vector<StridedCopy> copies;
  std::vector<ScriptMessage> messages;
  std::vector<Window> windows;              // blocking, nonblocking
  std::vector<Task> tasks;                  // dataflow
  std::vector<std::uint32_t> successors;    // dataflow
  std::vector<std::uint32_t> predecessors;  // dataflow: how many each task has
};

struct ScriptOptions {
  Policy policy = Policy::blocking;
  int buffers = 2;                // dataflow: staging areas, used by rounds in turn
  bool strided_messages = false;  // the transport moves lists of regions without staging
  // Messages with this peer of up to so many bytes have left their memory when they are posted, from whatever regions; -1: none.
  std::function<Bytes(Rank peer)> buffered_bytes = [](Rank) { return Bytes{-1}; };
  bool fuses = false;  // the transport can combine what it receives, instead of storing it for a reduction that follows
  Bytes longest_message = Bytes{1} << 30;
  std::shared_ptr<const Operator> operation;  // programs that reduce need one
  std::vector<Count> nodes;                   // as in Script
};

Script make_script(const Program& program, Count ranks, const ScriptOptions& options);

}  // namespace quadrille
