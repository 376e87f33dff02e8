// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/pieces_trial.hpp"

#include <algorithm>
#include <bit>

#include "foundation/assert.hpp"

namespace quadrille {

double PiecesTrial::Samples::median() const {
  std::array<double, samples_each> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[samples_each / 2];
}

// All ranks choose alike in exchanges whose ranks send equally much, so that the time of a way is not that of a mixture.
bool PiecesTrial::begin(Bytes bytes, double expected) {
  timed_ = nullptr;
  if (expected > hopeless) return false;
  constexpr int least_bits = 10;  // of CopyChoice::least_once
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
  Kind& kind = kinds_[static_cast<std::size_t>(std::clamp(bits - least_bits, 0, static_cast<int>(kinds_.size()) - 1))];
  const bool is_new = kind.pieces.count() < samples_each || kind.once.count() < samples_each;
  if (!is_new && ++kind.calls % calls_between_samples != 0) return kind.prefers_pieces;
  timed_ = &kind;
  bytes_ = bytes;
  return in_pieces_ = kind.once.count() == kind.pieces.count() ? expected < 1 : kind.pieces.count() < kind.once.count();
}

void PiecesTrial::end(double seconds) {
  QUADRILLE_ASSERT(is_timed());
  Kind& kind = *timed_;
  timed_ = nullptr;
  (in_pieces_ ? kind.pieces : kind.once).add(seconds / static_cast<double>(bytes_));
  if (kind.once.count() == kind.pieces.count()) kind.prefers_pieces = kind.pieces.median() < worthwhile * kind.once.median();
}

}  // namespace quadrille
