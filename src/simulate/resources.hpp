// SPDX-License-Identifier: BSD-3-Clause
// The event-driven simulator of the flat machine [liu2002, section 2]. Each rank has a processor, an engine for direct memory
// access (DMA), an output port and an input port, and each of these serves one message at a time, first come, first served. A
// message takes, one after the other:
//   1. the sender's processor, which composes it;
//   2. the sender's processor for the sender's start-up;
//   3. the sender's DMA engine, which copies it to the network interface;
//   4. the sender's output port and the receiver's input port together. The output port waits for the input port, so messages
//      for one rank that meet delay their senders [liu2002, figure 3];
//   5. the receiver's DMA engine;
//   6. the receiver's processor for the receiver's start-up.
// The send is complete after 4. A rank begins 5 when it has posted the receive; messages that arrive before wait in the interface.
// If sends and receives become ready at the same time, sends go first.
//   Under the policy `blocking`, the processor does all the work of its rank except that of the input port, and does not leave a
// message between 1 and 4, or between 5 and 6. The same holds under all policies if the machine overlaps nothing.
#pragma once

#include "quadrille/simulate.hpp"

namespace quadrille {

EventSimulation simulate_resources(const Schedule& schedule, const ResourceTimes& times, const EventOptions& options);

}  // namespace quadrille
