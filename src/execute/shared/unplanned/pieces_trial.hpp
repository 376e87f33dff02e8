// SPDX-License-Identifier: BSD-3-Clause
// Chooses whether the long messages of an exchange go in pieces or are copied once, where both are possible. Which takes less time
// depends on the processor, on the caches, on the other ranks, and on what else runs on the machine. So both ways are timed on the
// program's own exchanges: first by turns, later now and then. Medians are compared, so no single sample decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "quadrille/types.hpp"

namespace quadrille {

class PiecesTrial {
 public:
  // Returns whether the long messages of an exchange, which have so many bytes together, go in pieces. `expected`: about how long
  // that takes, as a multiple of the time of copying them once.
  bool begin(Bytes bytes, double expected);

  // Is the exchange to be timed? Then `end` tells how long it took.
  bool is_timed() const { return timed_ != nullptr; }
  void end(double seconds);
  void abandon() { timed_ = nullptr; }

 private:
  static constexpr std::size_t samples_each = 5;
  static constexpr unsigned calls_between_samples = 31;  // a prime, because programs repeat a few exchanges in turn
  static constexpr double hopeless = 4;      // pieces are not tried where they are expected to take so many times as long
  static constexpr double worthwhile = 0.9;  // the time in pieces that is required, as a multiple of the other

  class Samples {  // seconds per byte, of the last exchanges
   public:
    void add(double value) { values_[count_++ % samples_each] = value; }
    std::size_t count() const { return count_; }
    double median() const;

   private:
    std::array<double, samples_each> values_{};
    std::size_t count_ = 0;
  };
  struct Kind {  // exchanges whose bytes are the same but for a factor of two
    Samples once, pieces;
    std::uint64_t calls = 0;
    bool prefers_pieces = false;
  };

  std::array<Kind, 32> kinds_{};
  Kind* timed_ = nullptr;
  bool in_pieces_ = false;
  Bytes bytes_ = 0;
};

}  // namespace quadrille
