// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/hash.hpp"
#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/call_model.hpp"

namespace quadrille::recording {
namespace {

// A period is taken once so many entries have repeated, so that the period of an outer loop wins over a short one in it.
constexpr std::size_t least_matched = 32;
constexpr std::size_t context_sites = 4;
constexpr std::size_t most_waiting = 4 * longest_group;

void add_times(Entry& sum, const Entry& more) {
  sum.gap_ns += more.gap_ns;
  sum.away_ns += more.away_ns;
  sum.duration_ns += more.duration_ns;
}

}  // namespace

std::uint64_t Folding::context() const {
  std::uint64_t hash = 1;
  for (std::size_t i = waiting_.size() - context_sites; i < waiting_.size(); ++i) hash = hash_with(hash, waiting_[i].site);
  return hash;
}

void Folding::add(const Entry& entry) {
  if (period_.empty())
    search(entry);
  else
    follow(entry);
}

void Folding::search(const Entry& entry) {
  waiting_.push_back(entry);
  const std::size_t size = waiting_.size();
  if (candidate_ > 0 && waiting_[size - 1 - candidate_].site == entry.site) {
    ++matched_;
  } else {
    candidate_ = matched_ = 0;
  }
  if (size >= context_sites) {
    std::size_t& last = seen_[context()];
    if (candidate_ == 0 && last > 0 && size - last <= longest_group) {
      candidate_ = size - last;
      while (matched_ + candidate_ < size && waiting_[size - 1 - matched_].site == waiting_[size - 1 - matched_ - candidate_].site)
        ++matched_;
    }
    last = size;
  }
  if (candidate_ > 0 && matched_ >= std::max(candidate_, least_matched)) return begin_period();
  if (size >= most_waiting) emit_plain(size / 2);
}

// The last entries are whole repetitions.
void Folding::begin_period() {
  const std::size_t length = candidate_, repeated = (matched_ + length) / length * length;
  const std::vector<Entry> entries(waiting_.end() - static_cast<std::ptrdiff_t>(repeated), waiting_.end());
  waiting_.resize(waiting_.size() - repeated);
  emit_plain(waiting_.size());
  period_.assign(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(length));
  for (Entry& each : period_) each = {each.site};
  repetitions_ = 0;
  for (const Entry& each : entries) follow(each);
}

void Folding::follow(const Entry& entry) {
  if (entry.site == period_[partial_.size()].site) {
    partial_.push_back(entry);
    if (partial_.size() < period_.size()) return;
    for (std::size_t i = 0; i < period_.size(); ++i) add_times(period_[i], partial_[i]);
    partial_.clear();
    if (++repetitions_ == most_repetitions) emit_period();
    return;
  }
  emit_period();
  period_.clear();
  std::vector<Entry> rest;
  rest.swap(partial_);
  for (const Entry& each : rest) add(each);
  add(entry);
}

// The period goes on: only its sums begin anew.
void Folding::emit_period() {
  if (repetitions_ == 0) return;
  std::vector<Entry> means = period_;
  for (Entry& each : means) each.gap_ns /= repetitions_, each.away_ns /= repetitions_, each.duration_ns /= repetitions_;
  emit_(means, repetitions_);
  repetitions_ = 0;
  for (Entry& each : period_) each = {each.site};
}

void Folding::emit_plain(std::size_t count) {
  for (std::size_t from = 0; from < count; from += longest_group) {
    const auto begin = waiting_.begin() + static_cast<std::ptrdiff_t>(from);
    emit_({begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(longest_group, count - from))}, 1);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  seen_.clear();
  candidate_ = matched_ = 0;
}

void Folding::finish() {
  emit_period();
  period_.clear();
  waiting_.insert(waiting_.end(), partial_.begin(), partial_.end());
  partial_.clear();
  emit_plain(waiting_.size());
}

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

namespace quadrille {

using recording::CodedEntry;
using recording::CodedGroup;
using recording::ns_of_step;

namespace {

// So many entries are decoded at a time: readers go from rank to rank, and each time the tables of that rank's decoder have to come
// into the caches.
constexpr std::size_t decoded_together = 64;

}  // namespace

struct RecordedCalls::State {
  const RecordedRank& rank;
  recording::Decoder decoder;
  recording::CallModel model;
  Count left;                                                             // entries to come
  std::vector<RecordedCall> group;                                        // entries that repeat
  std::uint32_t entry = 0, entries = 0, repetition = 0, repetitions = 0;  // of the present group

  std::vector<RecordedCall> ahead;  // decoded entries
  std::size_t taken = 0;            // of these

  explicit State(const RecordedRank& of) : rank(of), decoder(of.packed), left(of.calls) {}

  void decode_ahead() {
    ahead.clear();
    taken = 0;
    while (left > 0 && ahead.size() < decoded_together) ahead.push_back(next());
  }

  RecordedCall next() {
    if (entry == entries && ++repetition < repetitions) entry = 0;
    if (entry == entries) begin_group();
    --left;
    const std::uint32_t at = entry++;
    if (repetition > 0) return group[at];
    const RecordedCall call = decoded();
    if (repetitions > 1) group.push_back(call);
    return call;
  }

  void begin_group() {
    CodedGroup coded;
    model.code(decoder, coded);
    entry = repetition = 0;
    entries = coded.entries, repetitions = coded.repetitions;
    group.clear();
    if (Count{entries} * repetitions > left) fail();
  }

  RecordedCall decoded() {
    CodedEntry coded;
    model.code(decoder, coded);
    if (coded.site >= rank.sites.size() || decoder.is_beyond_end()) fail();
    return {rank.sites[coded.site], ns_of_step(coded.gap) * 1e-9, ns_of_step(coded.away) * 1e-9, ns_of_step(coded.duration) * 1e-9};
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorCode::malformed, fmt::format("the recording of rank {} is damaged: its entries cannot be read", rank.rank));
  }
};

RecordedCalls::RecordedCalls(const RecordedRank& rank) : state_(std::make_unique<State>(rank)) {}
RecordedCalls::~RecordedCalls() = default;
RecordedCalls::RecordedCalls(RecordedCalls&&) noexcept = default;
RecordedCalls& RecordedCalls::operator=(RecordedCalls&&) noexcept = default;

std::optional<RecordedCall> RecordedCalls::next() {
  State& state = *state_;
  if (state.taken == state.ahead.size()) state.decode_ahead();
  if (state.ahead.empty()) return std::nullopt;
  return state.ahead[state.taken++];
}

}  // namespace quadrille
