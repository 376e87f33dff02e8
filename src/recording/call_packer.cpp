// SPDX-License-Identifier: BSD-3-Clause
#include "recording/call_packer.hpp"

namespace quadrille::recording {

void CallPacker::add(const Entry& entry) {
  if (folds_) return folding_.add(entry);
  group_.push_back(entry);
  if (group_.size() < longest_group) return;
  put(group_, 1);
  group_.clear();
}

std::string CallPacker::finish() {
  if (folds_) folding_.finish();
  if (!group_.empty()) put(group_, 1);
  return encoder_.finish();
}

void CallPacker::put(const std::vector<Entry>& entries, std::uint32_t repetitions) {
  CodedGroup group{static_cast<std::uint32_t>(entries.size()), repetitions};
  model_.code(encoder_, group);
  for (const Entry& entry : entries) {
    if (entry.site >= rounding_.size()) rounding_.resize(entry.site + 1);
    SiteRounding& rounding = rounding_[entry.site];
    CodedEntry coded{entry.site, rounding.gap.step(entry.gap_ns), 0, rounding.duration.step(entry.duration_ns)};
    if (entry.away_ns > 0) coded.away = rounding.away.step(entry.away_ns);
    model_.code(encoder_, coded);
  }
}

}  // namespace quadrille::recording
