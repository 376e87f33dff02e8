// SPDX-License-Identifier: BSD-3-Clause
// Simulating a schedule on a machine, which need not be at hand. By rounds: one after the other, each as long as a model says; that
// is the schedule's price, told round by round.
//
//   const Schedule schedule = make_schedule(Problem::alltoall(64, 1024), "bruck:radix=8");
//   simulate_rounds(schedule, *find_model("linear"), find_machine("sp1")).end;  // picoseconds
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "quadrille/model.hpp"
#include "quadrille/picoseconds.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

struct SimulatedRound {
  Count number = 0;
  Picoseconds begin = 0, end = 0;  // of its first message and its last
  Count sharing = 0;               // messages over its busiest link, where links are counted
  Bytes link_bytes = 0;            // the most that a link carries
  Link busiest_link;               // that so many share; none where that is 0
};

struct SimulatedStage {
  std::string name;
  Picoseconds begin = 0, end = 0;      // what is done ahead of its first round included
  std::vector<SimulatedRound> rounds;  // those with a message, ascending; none where the model tells no rounds apart
};

struct Simulation {
  Picoseconds end = 0;  // when the last rank is through
  std::vector<SimulatedStage> stages;
};

// Round by round; `end` is Price::blocking of the same workload, to the picosecond. Counts by the representatives of a stated
// symmetry, so that a million ranks take no longer than ten; links are loaded by the images of the representatives' messages.
// Throws like `workload` and `price_of`.
Simulation simulate_rounds(const Schedule& schedule, const Model& model, const Coefficients& coefficients,
                           const WorkloadOptions& options = {});
Simulation simulate_rounds(const Schedule& schedule, const Model& model, const MachineCosts& machine,
                           const WorkloadOptions& options = {});

// What a message takes, by itself: LogGP [alexandrov1995] with several ports. A rank that sends is busy for `overhead`; `latency`
// later the message begins to arrive, `per_byte` for each of its bytes, and its receiver is busy for `overhead`.
struct MessageTimes {
  Picoseconds overhead = 0;            // o
  Picoseconds latency = 0;             // L
  Picoseconds gap = 0;                 // g, from one message of a port to its next
  ByteTime per_byte;                   // G
  bool is_first_byte_included = true;  // in the overhead: LogGP counts further bytes
  Count ports = 1;  // messages that leave a rank, and as many that come to it, at a time; overheads do not overlap
};

// Of the models loggp and linear; the start-up of the latter is both the latency and the gap. Throws Error{misuse} for other
// models, and where the machine is not known by the model.
MessageTimes message_times(const Model& model, const MachineCosts& machine);
MessageTimes message_times(const Model& model, const Coefficients& coefficients);

// One end of a message: from when its rank begins to send it until its last byte has left, or to receive it until it is there.
struct MessageEnd {
  Rank rank = 0;
  bool sends = false;
  Count round = 0;
  Picoseconds begin = 0, end = 0;
};

struct EventOptions {
  Policy policy = Policy::blocking;
  bool barriers = false;               // after each round, of all ranks
  const Topology* topology = nullptr;  // with queues at its links
  // What goes wrong, drawn from the seed; nothing by default.
  std::uint64_t seed = 1;
  Count late_ranks = 0;     // so many begin late
  Picoseconds late_by = 0;  // by so much
  Count slow_links = 0;     // so many links take
  double slowness = 1;      // so many times as long for a byte
  double jitter = 0;        // each overhead and latency is longer, by up to this share, from 0 to 1
  // Told now and then how many messages have arrived, of how many; the first time when all programs are made.
  std::function<void(Count arrived, Count messages)> progress = {};
  std::function<void(const MessageEnd&)> message_end = {};  // told of both ends of each message, in no order of time
};

struct EventSimulation : Simulation {
  std::vector<Picoseconds> rank_ends;  // when each rank is through
  Count messages = 0;                  // of all ranks, control messages among them
};

// Message by message; docs/simulation.md says by which rules. Without links and with a barrier after each round it is
// simulate_rounds of the same model exactly, where ranks have no more messages each way in a round than ports, and the gap is no
// longer than a message takes; without barriers it takes no longer. Makes one program at a time and holds 100 to 200 bytes a
// message. Rounds overlap, so they and stages go from their first message's begin to their last one's end; links are not counted.
// Throws Error{misuse} where ends of messages do not meet (`verify` says where), or an option is out of range, and Error{too_large}
// from 2^32 events or 2^63 picoseconds on, and beyond the memory there is, before that is taken.
EventSimulation simulate_events(const Schedule& schedule, const MessageTimes& times, const EventOptions& options = {});

}  // namespace quadrille
