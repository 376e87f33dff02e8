// SPDX-License-Identifier: BSD-3-Clause
// Elastic scripts: one script runs blocks of all sizes up to its capacity.
//
// All values of such a script (offsets, lengths and strides) are multiples of the capacity C, because the algorithm is homogeneous
// (Algorithm::cuts_blocks). With blocks of b bytes, each value v is v b / C. So an execution whose blocks have another size than
// those of the execution before rewrites the values in place, without allocating memory. What the program was verified for at one
// size holds at all sizes: scaling all offsets and lengths of a buffer by one positive factor keeps which bytes of which runs
// overlap or adjoin, the order of all operations, and which blocks arrive where. For the same reason runs that were merged stay
// merged.
#pragma once

#include <memory>
#include <vector>

#include "execute/script/script.hpp"

namespace quadrille {

// Scales a list of copies.
class ElasticCopies {
 public:
  // `copies`: for blocks of `capacity` bytes. Asserts that all values are multiples of it.
  ElasticCopies(const std::vector<StridedCopy>& copies, Bytes capacity);

  // Sets the values of `copies`, the list from which this was made, for blocks of `block_bytes` bytes.
  void scale(std::vector<StridedCopy>& copies, Bytes block_bytes) const;

  Bytes memory_bytes() const;

 private:
  std::vector<StridedCopy> of_byte_;  // the copies for blocks of one byte
};

// Returns value / capacity, and asserts that nothing remains.
Bytes of_byte(Bytes value, Bytes capacity);

// The script that an executable runs. If it is elastic, it is the executable's own, and its copies change with the block size. Its
// messages do not change: what an executable reads of them at each execution, it scales itself.
class ScaledScript {
 public:
  explicit ScaledScript(std::shared_ptr<const Script> script);

  const Script& operator*() const { return *script_; }
  const Script* operator->() const { return script_.get(); }

  // Only for elastic scripts.
  void scale(Bytes block_bytes) { copies_->scale(own_->copies, block_bytes); }

  Bytes memory_bytes() const { return copies_ ? 2 * copies_->memory_bytes() : 0; }

 private:
  std::shared_ptr<Script> own_;           // null if the script is not elastic
  std::shared_ptr<const Script> script_;  // `own_`, or the script that was given
  std::unique_ptr<ElasticCopies> copies_;
};

}  // namespace quadrille
