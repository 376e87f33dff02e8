// SPDX-License-Identifier: BSD-3-Clause
// The places of an elastic script's messages in shared memory, for any block size (scaled_script.hpp). Each rank scales its own
// lists before an execution with another block size. Executions with different sizes may be in flight, because each has a block of
// its own, and the places of blocks, heads and acks do not depend on the size.
#pragma once

#include <vector>

#include "execute/script/scaled_script.hpp"
#include "execute/shared/planned/connect.hpp"
#include "execute/shared/planned/layout.hpp"

namespace quadrille {

class ElasticConnection {
 public:
  // `layout` and `connection`: for blocks of `capacity` bytes.
  ElasticConnection(const SendAreaLayout& layout, const Connection& connection, Bytes capacity);

  // Sets all values that depend on the block size. No execution is under way at this rank.
  void scale(SendAreaLayout& layout, Connection& connection, Bytes block_bytes) const;

  Bytes memory_bytes() const;

 private:
  struct OfByte {  // of a receive, for blocks of one byte; `payload` counts from Receive::first_payload
    std::uint32_t message;
    std::uint32_t length;
    Bytes payload, target;
  };

  const ElasticCopies sent_, received_;
  std::vector<OfByte> receives_;
  ByEnum<Buffer, std::pair<Bytes, Bytes>, 4> lent_;
};

}  // namespace quadrille
