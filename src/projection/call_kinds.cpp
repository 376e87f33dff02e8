// SPDX-License-Identifier: BSD-3-Clause
#include "projection/call_kinds.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>

namespace quadrille::projection {

CallKinds::CallKinds(const Recording& recording) {
  std::map<std::tuple<std::size_t, std::string, int>, std::uint32_t> numbers;
  for (const RecordedSite& site : recording.sites) {
    const auto bytes = static_cast<std::uint64_t>(std::max<Bytes>(site.block_bytes, 0));
    const int size_class = site.counts.empty() ? static_cast<int>(std::bit_width(bytes)) : -1;
    const auto next = static_cast<std::uint32_t>(numbers.size());
    kinds_.push_back(numbers.try_emplace({site.communicator, site.function, size_class}, next).first->second);
  }
  calls_.resize(numbers.size(), 0);
}

}  // namespace quadrille::projection
