// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/wait/copy_choice.hpp"

#include <algorithm>
#include <bit>

namespace quadrille {

// Computing a cost takes a logarithm, which is too slow for each exchange.
CopyChoice::CopyChoice(const CopyCosts& costs)
    : longest_twice_(costs.longest_twice()),
      wait_s_(costs.wait),
      piece_s_(costs.twice_s(piece_bytes)),
      once_s_(costs.once_s(CopyCosts::sizes.back()) * static_cast<double>(piece_bytes) /
              static_cast<double>(CopyCosts::sizes.back())) {
  for (std::size_t power = 0; power < 63; ++power) {
    const Bytes bytes = Bytes{1} << power;
    out_less_s_[power] = costs.saved(bytes, false);
    in_s_[power] = costs.saved(bytes, true) - out_less_s_[power];
  }
}

double CopyChoice::at(const Table& table, Bytes bytes) {
  const auto power = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)) - 1);
  const double part = static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << power) - 1;
  return table[power] + part * (table[power + 1] - table[power]);
}

// Loading a message takes the same time as copying it out of the area.
double CopyChoice::saved_s(Bytes bytes, Count receivers, bool is_loaded) const {
  return at(in_s_, bytes) + (is_loaded ? 0 : static_cast<double>(receivers) * at(out_less_s_, bytes));
}

// Sets the way of a message as if copying once paid, and returns what that saves.
double CopyChoice::saved_by(CopiedMessage& message, bool in_pieces) const {
  if (message.bytes < least_once) return 0;
  const bool is_long = message.bytes > longest_twice_;
  if (!message.is_loaded && (!message.is_readable || (is_long && in_pieces))) {
    if (is_long) message.way = CopyWay::pieces;
    return 0;
  }
  const double saved = saved_s(message.bytes, message.receivers, message.is_loaded);
  if (is_long || saved > 0) message.way = CopyWay::once;
  return std::max(saved, 0.0);
}

// In two waits, until a piece is taken and until the sender knows it, a piece of each message moves that is not complete.
double CopyChoice::pieces_by_once(const LongMessages& messages) const {
  const double together = static_cast<double>(messages.bytes) / static_cast<double>(messages.longest);
  return (piece_s_ + 2 * wait_s_ / together) / once_s_;
}

}  // namespace quadrille
