// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a race: one pair of input and output or, for cold caches, so many pairs that each pair has left the caches
// before it is used again.
#pragma once

#include <filesystem>
#include <memory>

#include "quadrille/execute.hpp"

namespace quadrille {

struct BufferPair {
  std::byte *input = nullptr, *output = nullptr;
};

// The pairs of one rank. All ranks use their pairs in the same order.
class BufferPairs {
 public:
  // Collective. `shared`: memory from Communicator::allocate instead of the process's private memory. `cold`: enough pairs to
  // exceed the last-level caches of each node. Throws Error{too_large} on all ranks if a node lacks the memory.
  BufferPairs(Communicator& communicator, Bytes input_bytes, Bytes output_bytes, bool shared, bool cold);

  Count count() const { return count_; }
  BufferPair pair(Count number) const;
  BufferPair next();  // returns the pairs in turn

 private:
  Bytes input_stride_, output_stride_;
  Count count_ = 1, turn_ = 0;
  std::shared_ptr<std::byte> inputs_, outputs_;
};

// The sum of all last-level caches of this machine, as listed in `cpus`; 64 MiB if none is listed.
Bytes last_level_cache_bytes(const std::filesystem::path& cpus = "/sys/devices/system/cpu");

}  // namespace quadrille
