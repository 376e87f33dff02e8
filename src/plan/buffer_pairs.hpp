// SPDX-License-Identifier: BSD-3-Clause
// The memory that a race runs on: one pair of input and output, or so many that each is in no cache when its turn comes.
#pragma once

#include <filesystem>
#include <memory>

#include "quadrille/execute.hpp"

namespace quadrille {

struct BufferPair {
  std::byte *input = nullptr, *output = nullptr;
};

// Of one rank. The ranks take their pairs in the same order.
class BufferPairs {
 public:
  // Collective. `shared`: from Communicator::allocate, instead of this process's own memory. `cold`: as many pairs as exceed the
  // last-level caches of each node. Throws Error{too_large} on all ranks if a node's memory does not hold them.
  BufferPairs(Communicator& communicator, Bytes input_bytes, Bytes output_bytes, bool shared, bool cold);

  Count count() const { return count_; }
  BufferPair pair(Count number) const;
  BufferPair next();  // by turns

 private:
  Bytes input_stride_, output_stride_;
  Count count_ = 1, turn_ = 0;
  std::shared_ptr<std::byte> inputs_, outputs_;
};

// All last-level caches of this machine together, as `cpus` lists them; 64 MiB where it lists none.
Bytes last_level_cache_bytes(const std::filesystem::path& cpus = "/sys/devices/system/cpu");

}  // namespace quadrille
