// SPDX-License-Identifier: BSD-3-Clause
// Messages whose length the receiver does not know in advance. Between two ranks they arrive in the order of sending. They never
// match messages of scripts.
#pragma once

#include <span>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

class Mail {
 public:
  virtual ~Mail() = default;

  // Starts a send. The bytes must not change until `finish_sends`.
  virtual void send(Rank to, std::span<const std::byte> bytes) = 0;
  virtual void finish_sends() = 0;  // waits for all started sends

  // Waits for the next message from that rank and returns its length in bytes. `receive` then copies it to memory of that length.
  virtual Bytes wait_for(Rank from) = 0;
  virtual void receive(std::byte* into) = 0;
};

}  // namespace quadrille
