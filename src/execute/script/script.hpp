// SPDX-License-Identifier: BSD-3-Clause
// A script: one rank's program compiled for one policy and transport. The strides of its copies and the regions of its messages are
// final, and staging (which messages are packed, and where) is decided. Transports run scripts and know no algorithm.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "execute/script/copies.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

struct IndexRange {
  std::uint32_t first = 0, last = 0;
  std::uint32_t size() const { return last - first; }
};

struct ScriptMessage {
  Rank peer = 0;
  Bytes bytes = 0;
  bool is_send = false;
  Count round = 0;            // the round of the schedule
  std::uint32_t ordinal = 0;  // its number among the messages to (or from) this peer; both ends match messages by this number
  bool overwritten = false;   // a send whose source a receive of its window overwrites, so the transport copies it when posted
  Regions regions;            // the memory that is read or written; staging memory if the message is packed
  // A receive fused with its reduction: the transport combines the arriving bytes directly into `reduced_into`. If it cannot
  // combine them, it stores the bytes in `regions` and then runs `reduction`.
  Regions reduced_into;
  Effect effect = Effect::overwrite;
  IndexRange reduction;
};

// Policies blocking and nonblocking run window by window: they run the copies before, post all messages, wait for all of them,
// and run the copies after. Fused receives complete in the order in which they are posted.
struct Window {
  IndexRange copies_before, messages, copies_after;
  Count first_round = 0, last_round = 0;  // rounds of the schedule
};

// Policy dataflow runs a graph of tasks: a task starts when all its predecessors are complete. A task is a list of copies, or one
// message.
struct Task {
  static constexpr std::uint32_t no_message = static_cast<std::uint32_t>(-1);
  IndexRange copies;                         // the copies of a copy task
  std::uint32_t message = no_message;        // the message of a message task
  IndexRange after_start, after_completion;  // ranges of Script::successors: tasks that wait for this task's start, or completion
  bool collects = false;                     // a copy task that unpacks received data
  Count round = 0;                           // of a copy task: the round of the schedule
  std::int32_t local = -1;                   // of a copy task: index of the local operation in the round; -1: it packs or unpacks
};

class ExecutionRecord;  // execution_record.hpp

struct Script {
  Rank rank = 0;
  Count ranks = 1;
  Policy policy = Policy::blocking;
  Bytes longest_message = 0;  // the longest message; a transport with a limit splits longer messages
  // Of an elastic script: the largest block that it runs, for which all its values hold. All values are multiples of it, and an
  // execution with smaller blocks scales them (scaled_script.hpp). 0: the script runs blocks of one size.
  Bytes capacity = 0;
  Bytes scratch_bytes = 0;
  Bytes staging_bytes = 0;
  std::shared_ptr<const Operator> operation;  // the reduction operator; null if nothing is reduced
  std::vector<Count> nodes;                   // the node of each rank if PlanOptions::keep_step is set, else empty
  std::vector<StridedCopy> copies;
  std::vector<ScriptMessage> messages;
  std::vector<Window> windows;              // blocking, nonblocking
  std::vector<Task> tasks;                  // dataflow
  std::vector<std::uint32_t> successors;    // dataflow
  std::vector<std::uint32_t> predecessors;  // dataflow: the number of predecessors of each task
  std::shared_ptr<ExecutionRecord> record;  // if set, executions write their times to it
};

struct ScriptOptions {
  Policy policy = Policy::blocking;
  int buffers = 2;                // dataflow: the number of staging areas; rounds alternate between them
  bool strided_messages = false;  // the transport moves lists of regions without packing
  // The longest message to this peer that the transport copies out completely when it is posted. Such a message may be strided,
  // and its memory may be overwritten as soon as it is posted. -1: no message.
  std::function<Bytes(Rank peer)> buffered_bytes = [](Rank) { return Bytes{-1}; };
  bool fuses = false;  // the transport can combine received bytes directly instead of storing them first
  Bytes longest_message = Bytes{1} << 30;
  std::shared_ptr<const Operator> operation;  // required if the program reduces
  std::vector<Count> nodes;                   // as in Script
  Bytes capacity = 0;                         // as in Script
};

// Compiles one rank's program.
Script make_script(const Program& program, Count ranks, const ScriptOptions& options);

// What a script promises to the transport that runs it. Transports look up and copy without further tests, so a script that
// breaks a promise would write wrong bytes. Two functions assert the promises when a plan is made; executions assert nothing.
//
// Asserts that the script is consistent in itself:
// - a message goes to a rank of the group and has as many bytes as its regions, and as the target of its fused reduction
// - windows list all messages, in order; a later window has later rounds, so no rank waits for ever (ordering.hpp)
// - each message has one task, and each task counts as predecessors all tasks that name it as their successor
// - copies and messages stay within scratch and staging memory
void check_contract(const Script& script);

// Asserts that copies and messages stay within the user's buffers: within these ranges of offsets, [first, last).
using Offsets = std::pair<Bytes, Bytes>;
void check_user_buffers(const Script& script, Offsets input, Offsets output);

}  // namespace quadrille
