// SPDX-License-Identifier: BSD-3-Clause
// Traces: what happened in a run of a schedule. A trace lists the messages, copies and reductions of all ranks, and says when
// they happened in one or several kinds of time: logical (the rounds), simulated by rounds, simulated by events, or executed.
// docs/trace-format.md describes the file format.
//
//   Trace trace = trace_of(make_schedule(Problem::alltoall(8, 1024), "bruck:radix=2"));  // with logical time
//   trace.messages[3].from;          // message 3 is sent by this rank
//   trace.times[0].sends[3].begin;   // and begins in this round
//   write_trace(std::cout, trace);
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

enum class MessageEnds : std::uint8_t { both, sender_only, receiver_only };

struct TracedMessage {
  Count round = 0;
  Rank from = 0, to = 0;
  Bytes bytes = 0;          // bytes that the sender reads or, if there is no sender, that the receiver writes
  bool is_control = false;  // a header, an exchange of counts, or a message of a barrier: it has no regions
  MessageEnds ends = MessageEnds::both;
  std::optional<Port> port;
  Regions read;   // at the sender
  Regions write;  // at the receiver
  // The message's position among the receives that the receiver posts in this round. 0 for all messages of a trace if all
  // receivers post in the order of the messages.
  Count receive_place = 0;
  bool operator==(const TracedMessage&) const = default;
};

// A copy or reduction within one rank.
struct TracedLocal {
  Count round = 0;
  Rank rank = 0;
  Local local;
  bool operator==(const TracedLocal&) const = default;
};

// A network, and the links that each message takes.
struct TracedNetwork {
  std::string topology;     // name of the topology
  std::vector<Count> grid;  // the sides if ranks are numbered row by row, else empty
  Count vertices = 0;       // ranks and switches
  std::vector<Link> links;  // all directed links
  std::vector<std::string> link_texts;
  std::vector<Count> hops;  // by message: the number of links that it takes
  std::vector<Count> ways;  // the numbers of these links, of all messages one after the other
  bool operator==(const TracedNetwork&) const = default;
};

enum class TimeKind : std::uint8_t { logical, rounds, events, executed };
enum class TimeUnit : std::uint8_t { round, picosecond, nanosecond };

// -1: not known, or never happened.
struct TimeInterval {
  std::int64_t begin = -1, end = -1;
  bool operator==(const TimeInterval&) const = default;
};

// Something that a rank does in a round besides messages and local operations.
struct TracedActivity {
  Rank rank = 0;
  Count round = 0;
  TimeInterval time;
  bool operator==(const TracedActivity&) const = default;
};

// When everything happened. Time 0 is when the earliest rank begins, or the zero of EventOptions::rank_begins if these are given.
struct TracedTime {
  TimeKind kind = TimeKind::logical;
  std::string title;  // one line for people
  TimeUnit unit = TimeUnit::round;
  std::int64_t end = 0;                          // when the last rank is done
  std::string policy, model, machine, executor;  // empty where they do not apply
  std::optional<std::int64_t> clock_bound;       // if ranks have several clocks: bound on the error of differences of their times
  std::vector<TimeInterval> sends, receives;     // by message: from posting to completion
  std::vector<TimeInterval> locals;              // by local operation; empty if not known in this kind of time
  std::vector<TracedActivity> waits;             // the rank could only wait for messages; ordered by rank, then begin
  std::vector<TracedActivity> packing;           // copies between buffers and staging memory; in the same order
  std::vector<TimeInterval> links;               // by entry of TracedNetwork::ways; empty if not known in this kind of time
  std::vector<std::int64_t> rank_ends;           // by rank: when it is done
  bool operator==(const TracedTime&) const = default;
};

// A violation of a rule of the verifier (verify.hpp).
struct TracedFinding {
  std::string rule, text;
  std::optional<Count> cause;  // findings with equal numbers have one cause
  std::optional<Rank> rank;
  std::string stage;
  std::optional<Count> round;
  std::optional<std::size_t> message;          // index in Trace::messages
  std::optional<std::pair<Rank, Rank>> block;  // sender and receiver of the block
  std::optional<Region> region;
  bool operator==(const TracedFinding&) const = default;
};

// A lower bound of a figure (cost.hpp).
struct TracedBound {
  std::string figure;  // "c1", "c2", "c2_shared"
  Count value = 0;
  std::string source;
  bool operator==(const TracedBound&) const = default;
};

struct Trace {
  std::string title;  // one line for people
  Problem problem;
  std::string algorithm;
  Parameters parameters;
  std::vector<Bytes> input_bytes, output_bytes, scratch_bytes;  // by rank
  std::vector<Stage> stages;
  std::map<Count, std::string> says;    // by round: what happens in it, as Schedule::says tells; rounds may be missing
  std::vector<TracedMessage> messages;  // ordered by round, then sender, then the order in which the sender posts them
  std::vector<TracedLocal> locals;      // ordered by round, then rank, then the rank's order
  std::optional<TracedNetwork> network;
  std::vector<TracedBound> bounds;
  std::vector<TracedTime> times;
  std::vector<TracedFinding> findings;
};

// What happens in one round that has a message or a local operation.
struct TracedRound {
  Count number = 0;
  Count messages = 0;  // control messages count in a barrier only
  Bytes longest = 0;   // bytes of the longest message: the round's part of C2
  Bytes bytes = 0;     // bytes of all messages
  // On a network; otherwise 0 and -1.
  Count sharing = 0;        // the most messages that share a directed link
  Bytes link_bytes = 0;     // the most bytes that a link carries
  Count busiest_link = -1;  // the number of the link that `sharing` messages use
  bool operator==(const TracedRound&) const = default;
};

// Returns the trace of a schedule with its logical time: a message of round t lasts from t to t + 1. With a topology, the trace
// has the links of each message, too. The schedule may be wrong; a message then may have only one end. Makes the programs of all
// ranks. Throws Error{too_large} if the trace does not fit in memory, and Error{misuse} if the topology has a different number of
// ranks.
Trace trace_of(const Schedule& schedule, const Topology* topology = nullptr);

// Returns the rounds in ascending order.
std::vector<TracedRound> rounds_of(const Trace& trace);

// Writes a JSON object (docs/trace-format.md) without a newline at its end.
void write_trace(std::ostream& out, const Trace& trace);

// Writes the trace for Perfetto (ui.perfetto.dev), in binary form. Each TracedTime becomes a process, with tracks for each rank
// and, if links are timed, each link. Times are shown in nanoseconds; a logical round takes a microsecond.
void write_perfetto(std::ostream& out, const Trace& trace);

// Reads one trace, or a JSON array of traces. Throws Error{malformed} with the key and what was expected there.
std::vector<Trace> parse_traces(std::string_view text);

std::string_view name(TimeKind kind);
std::string_view name(TimeUnit unit);  // "round", "ps", "ns"

}  // namespace quadrille
