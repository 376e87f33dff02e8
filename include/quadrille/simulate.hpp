// SPDX-License-Identifier: BSD-3-Clause
// Simulates a schedule on a machine. The machine need not exist or be available. There are two simulators. simulate_rounds runs
// one round after the other. A cost model gives the time of each round, so the end of the simulation is the schedule's price.
// simulate_events simulates every message.
//
//   const Schedule schedule = make_schedule(Problem::alltoall(64, 1024), "bruck:radix=8");
//   simulate_rounds(schedule, *find_model("linear"), find_machine("sp1")).end;  // picoseconds
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quadrille/model.hpp"
#include "quadrille/picoseconds.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/trace.hpp"

namespace quadrille {

struct SimulatedRound {
  Count number = 0;
  Picoseconds begin = 0, end = 0;  // begin of its first message and end of its last message
  Count sharing = 0;               // messages that share its busiest link, if links are counted
  Bytes link_bytes = 0;            // the most bytes that any link carries
  Link busiest_link;               // the link that `sharing` messages use; none if `sharing` is 0
};

struct SimulatedStage {
  std::string name;
  Picoseconds begin = 0, end = 0;      // includes the work before its first round
  std::vector<SimulatedRound> rounds;  // rounds with a message, in ascending order; none if the model does not price single rounds
};

struct Simulation {
  Picoseconds end = 0;  // when the last rank is done
  std::vector<SimulatedStage> stages;
};

// Simulates round by round. `end` equals Price::blocking of the same workload exactly. If the schedule states a
// symmetry, only the representatives' programs are made, so a million ranks take no more time than ten; the load of links is
// counted from the images of the representatives' messages. Throws like `workload` and `price_of`.
Simulation simulate_rounds(const Schedule& schedule, const Model& model, const Coefficients& coefficients,
                           const WorkloadOptions& options = {});
Simulation simulate_rounds(const Schedule& schedule, const Model& model, const MachineCosts& machine,
                           const WorkloadOptions& options = {});

// One end of a message. For a send: the time from the start of sending until the last byte has left. For a receive:
// from the start of receiving until the message is complete. With resources (model.hpp) a receive starts when the first
// byte enters the input port or, if the processor does all the work, when the processor begins to receive the message.
struct MessageEnd {
  Rank rank = 0;
  bool sends = false;
  Count round = 0;
  Picoseconds begin = 0, end = 0;
  Rank sender = 0;   // sender of the message
  Count number = 0;  // the message is the number-th (from 0) that its sender posts
};

// A message on a link, from the time when its first byte enters the link until the link is free again.
struct LinkUse {
  Rank sender = 0;
  Count number = 0;     // as in MessageEnd
  std::size_t hop = 0;  // index of the link on the message's way
  Picoseconds begin = 0, end = 0;
};

// How messages pass the links of a network. With cut_through, a message that waits for a link is stored in a switch and blocks no
// other link. With wormhole, a waiting message keeps the links that it has.
enum class Switching : std::uint8_t { cut_through, wormhole };

struct EventOptions {
  Policy policy = Policy::blocking;
  bool barriers = false;               // adds a barrier of all ranks after each round
  const Topology* topology = nullptr;  // if given, messages queue at its links
  Switching switching = Switching::cut_through;
  Count channels = 2;                         // virtual channels of each link, with wormhole: 1 or 2
  std::vector<Picoseconds> rank_begins = {};  // when each rank starts; empty: all ranks start at 0
  // Disturbances, drawn at random from the seed. There are none by default.
  std::uint64_t seed = 1;
  Count late_ranks = 0;     // number of ranks that start late
  Picoseconds late_by = 0;  // by how much they start later
  Count slow_links = 0;     // number of slow links
  double slowness = 1;      // factor by which slow links need longer for each byte
  double jitter = 0;        // from 0 to 1: each overhead and latency grows by a random share of itself, at most by this share
  // Called from time to time with the number of messages that have arrived and the number of all messages; first when all
  // programs have been made.
  std::function<void(Count arrived, Count messages)> progress = {};
  std::function<void(const MessageEnd&)> message_end = {};  // called for both ends of each message, in no particular order
  std::function<void(const LinkUse&)> link_use = {};        // with a topology: called for each link of each message
};

struct EventSimulation : Simulation {
  std::vector<Picoseconds> rank_begins;  // when each rank starts
  std::vector<Picoseconds> rank_ends;    // when each rank is done
  Count messages = 0;                    // messages of all ranks, including control messages
  Count link_waits = 0;                  // with links: how often a message has waited at a link
};

// Simulates message by message; docs/simulation.md states the rules. The result is the same as that of
// simulate_rounds with the same model if three conditions hold: links are not simulated and each round ends with a
// barrier; no rank sends or receives more messages in a round than it has ports; the gap is no longer than a message
// takes. Without barriers the simulation ends at the same time or earlier. If `times` has resources, each rank has one port, and
// links are refused.
//
// Makes one program at a time and holds 100 to 200 bytes per message. Because rounds overlap, a round or stage lasts
// from the begin of its first message to the end of its last; links are not counted. Throws Error{misuse} if a
// message has no matching other end (`verify` says where), if an option is out of range, or if messages wait for each
// other's links in a circle. Throws Error{too_large} if there are 2^32 events or more, if a time reaches 2^63 picoseconds, or if
// the machine has too little memory, which is checked before any is allocated.
EventSimulation simulate_events(const Schedule& schedule, const MessageTimes& times, const EventOptions& options = {});

// Returns the time of a trace (trace.hpp) of the same schedule. A message lasts as long as its round, or as its stage if the
// model does not price single rounds. The caller fills in the model and the machine.
TracedTime time_by_rounds(const Trace& trace, const Simulation& simulation);

// Simulates by events, and returns the time of a trace of the same schedule. If `options` have a topology, the trace must have it,
// too. Between its start and its end, a rank counts as waiting whenever it has no message in flight. Throws like simulate_events.
TracedTime time_by_events(const Trace& trace, const Schedule& schedule, const MessageTimes& times,
                          const EventOptions& options = {});

// ---- When ranks leave
//
// When ranks leave a collective, if they enter it at different times. Rank i leaves when, for each rank j for which it waits,
// directly or through others, a certain time has passed since rank j entered:
//
//   exit[i] = max over j of (entry[j] + delay(i, j))
//
// The formula is exact for a schedule whose messages are sent through one port and do not share links, because each time in such
// a simulation follows from earlier times by adding constants and taking maxima. It does not hold for calls that overlap, because
// they share ports and links.
//
//   const ExitDelays delays = exit_delays(make_schedule(Problem::alltoall(8, 1024), "bruck"), times);
//   std::vector<double> exits(8);
//   delays.exits(entries, exits);  // seconds

class ExitDelays {
 public:
  // delays[j * p + i] is delay(i, j) in seconds: the time from the entry of rank j to the exit of rank i. It is -infinity if rank i
  // does not wait for rank j.
  ExitDelays(Count ranks, std::vector<double> delays);

  Count ranks() const { return ranks_; }
  std::optional<double> delay(Rank exits, Rank enters) const;  // nothing if rank `exits` does not wait for rank `enters`

  // The time of the call if all ranks enter at the same time: the largest delay.
  double together() const { return together_; }

  // Returns these delays times `factor`, for example to make the delays of a simulation agree with another price of the same
  // call.
  ExitDelays scaled(double factor) const;

  // Sets `exits` to the times when ranks leave, if they enter at `entries`. Both have one time per rank, in seconds. Takes p^2
  // additions.
  void exits(std::span<const double> entries, std::span<double> exits) const;

 private:
  Count ranks_;
  std::vector<double> delays_;
  double together_;
};

struct ExitDelayOptions {
  Policy policy = Policy::blocking;
  // At most this many ranks, spread over all ranks, are simulated as the late rank, one after the other. For any other late rank
  // the delays are those of the nearest simulated rank below it, with all ranks shifted by the distance of the two. With a
  // symmetry, one rank of each orbit is simulated, and the result has no such error.
  Count most_simulations = 256;
  // Fewer ranks are simulated, but at least four, if all simulations together would have more messages than this.
  Count most_messages = Count{1} << 40;
};

// Simulates the schedule by events once for each rank that is late. Throws like simulate_events.
ExitDelays exit_delays(const Schedule& schedule, const MessageTimes& times, const ExitDelayOptions& options = {});

}  // namespace quadrille
