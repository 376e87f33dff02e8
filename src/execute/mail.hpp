// SPDX-License-Identifier: BSD-3-Clause
// Messages of which the receiver does not know the length beforehand. Between two ranks they arrive in the order in which they were
// sent; those of scripts are apart.
#pragma once

#include <span>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

class Mail {
 public:
  virtual ~Mail() = default;

  // Starts it; the bytes must stay as they are until `finish_sends`.
  virtual void send(Rank to, std::span<const std::byte> bytes) = 0;
  virtual void finish_sends() = 0;  // waits for all that were started

  // Waits for the next message of that rank and returns how long it is; `receive` then takes it, to so many bytes of memory.
  virtual Bytes wait_for(Rank from) = 0;
  virtual void receive(std::byte* into) = 0;
};

}  // namespace quadrille
