// SPDX-License-Identifier: BSD-3-Clause
// How many messages a rank has under way at a time, if it has many to send or to receive. More do not make the link faster, and MPI
// libraries and networks handle each message more slowly the more are open: Open MPI 4 walks through all sends that have no buffer
// each time it makes progress, and the lists in which network adapters match messages are short.
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// A message takes its start-up and its bytes over the link's bandwidth. While a message starts, the link can move others; so it is
// full if the messages under way have as many bytes together as it moves in the time of a start-up.
struct MessageWindow {
  Bytes link_bytes = 262144;  // start-up times bandwidth, with a reserve: 50 to 80 KB on the fastest networks of machines/
  Count least = 32;           // long messages, too: those to a late rank must not hold up all others
  Count most = 256;           // short messages are limited by the processors, not by the link

  // Of so many messages with so many bytes together.
  Count under_way(Count messages, Bytes bytes) const;
};

}  // namespace quadrille
