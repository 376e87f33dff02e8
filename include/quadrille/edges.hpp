// SPDX-License-Identifier: BSD-3-Clause
// The edges of an exchange (exchange.hpp): what one rank sends to whom, and what it receives from whom.
#pragma once

#include <cstddef>
#include <span>

#include "quadrille/types.hpp"

namespace quadrille {

// What one rank sends and receives in one exchange. Memory may be null where `bytes` is 0: such an edge moves nothing.
struct Edges {
  static constexpr Count most = Count{1} << 20;  // the most sends that a rank lists, and the most receives

  struct Send {
    Rank to;
    const std::byte* memory;
    Bytes bytes;
  };
  struct Receive {
    Rank from;
    std::byte* memory;
    Bytes bytes;
  };
  std::span<const Send> sends;
  std::span<const Receive> receives;
  // Between nodes: may short edges of several ranks go in one message? If so, a rank also waits for ranks of its node
  // (exchange.hpp). Must be equal on all ranks.
  bool may_pack = true;
};

}  // namespace quadrille
