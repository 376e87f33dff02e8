// SPDX-License-Identifier: BSD-3-Clause
#include "recording/folding.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "foundation/hash.hpp"
#include "foundation/planted.hpp"
#include "recording/call_log.hpp"
#include "recording/definitions.hpp"

namespace quadrille::recording {
namespace {

// A period is accepted only when this many entries have repeated. Otherwise the short period of an inner loop would be accepted
// before the period of the outer loop is seen.
constexpr std::size_t least_matched = 32;
constexpr std::size_t context_sites = 4;
constexpr std::size_t most_waiting = 4 * longest_group;

void add_times(Entry& sum, const Entry& more) {
  sum.gap += more.gap;
  sum.away += more.away;
  sum.duration += more.duration;
}

double square(std::uint64_t ticks) { return static_cast<double>(ticks) * static_cast<double>(ticks); }

template <class Put>
void put_variation(std::uint32_t site, const Folding::Variation& sums, const Put& put) {
  const auto deviation = [&](double squares) {
    return sums.repetitions > 1 ? static_cast<std::uint64_t>(std::sqrt(squares / (sums.repetitions - 1))) : 0;
  };
  ByteWriter to;
  for (const std::uint64_t number : {std::uint64_t{site}, deviation(sums.gap_squares), deviation(sums.duration_squares)})
    to.number(number);
  put_definition(variation_letter, to.bytes(), put);
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

// Begins a period: the last waiting entries consist of whole repetitions of it.
void Folding::begin_period() {
  const std::size_t length = candidate_, repeated = (matched_ + length) / length * length;
  QUADRILLE_ASSERT(length > 0 && length <= longest_group && repeated <= waiting_.size());
  const std::vector<Entry> entries(waiting_.end() - static_cast<std::ptrdiff_t>(repeated), waiting_.end());
  waiting_.resize(waiting_.size() - repeated);
  emit_plain(waiting_.size());
  period_.assign(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(length));
  for (Entry& each : period_) each = {each.site};
  squares_.assign(length, {0, 0});
  repetitions_ = 0;
  for (const Entry& each : entries) follow(each);
}

void Folding::follow(const Entry& entry) {
  QUADRILLE_ASSERT(partial_.size() < period_.size());
  if (entry.site == period_[partial_.size()].site) {
    partial_.push_back(entry);
    if (partial_.size() < period_.size()) return;
    for (std::size_t i = 0; i < period_.size(); ++i) {
      add_times(period_[i], partial_[i]);
      squares_[i][0] += square(partial_[i].gap), squares_[i][1] += square(partial_[i].duration);
    }
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

// Emits the sums of the period and sets them to 0. The period continues.
void Folding::emit_period() {
  if (repetitions_ == 0) return;
  std::vector<Entry> means = period_;
  const auto mean = [&](std::uint64_t sum) { return (sum + repetitions_ / 2) / repetitions_; };
  for (Entry& each : means) each = {each.site, mean(each.gap), mean(each.away), mean(each.duration)};
  const double repeated = repetitions_;
  for (std::size_t i = 0; i < period_.size(); ++i) {
    Variation& sums = variations_[period_[i].site];
    sums.repetitions += repeated;
    sums.gap_squares += std::max(0.0, squares_[i][0] - square(period_[i].gap) / repeated);
    sums.duration_squares += std::max(0.0, squares_[i][1] - square(period_[i].duration) / repeated);
    squares_[i] = {0, 0};
  }
  emit_(means, repetitions_);
  repetitions_ = 0;
  for (Entry& each : period_) each = {each.site};
}

void Folding::emit_plain(std::size_t count) {
  QUADRILLE_ASSERT(count <= waiting_.size());
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
  if (!is_planted("fold loses a rest")) waiting_.insert(waiting_.end(), partial_.begin(), partial_.end());
  partial_.clear();
  emit_plain(waiting_.size());
}

std::string folded(std::string_view units) {
  std::string definitions, entries;
  const auto put = [&](Unit unit) { entries.append(reinterpret_cast<const char*>(&unit), sizeof unit); };
  EntryCoder coder;
  std::uint64_t read = 0, written = 0;
  Folding folding([&](const std::vector<Entry>& group, std::uint32_t repetitions) {
    QUADRILLE_ASSERT(!group.empty() && group.size() <= longest_group && repetitions >= 1 && repetitions <= most_repetitions);
    written += group.size() * repetitions;
    if (is_planted("fold repeats once more") && repetitions > 1 && repetitions < most_repetitions) ++repetitions;
    if (repetitions > 1) put(unit_of(tag::group, (repetitions - 1) * longest_group + static_cast<Unit>(group.size() - 1)));
    for (const Entry& entry : group) coder.code(entry, put, repetitions > 1);
  });
  EntryReader reader(units);
  for (;;) {
    while (const auto entry = reader.next()) {
      while (coder.sites() <= entry->site) coder.add_site();
      folding.add(*entry);
      ++read;
    }
    const std::size_t begin = reader.at();
    const auto definition = reader.definition();
    if (!definition) break;
    if (is_planted("fold loses names") && definition->letter == 'n') continue;
    definitions += units.substr(begin, reader.at() - begin);
  }
  folding.finish();
  QUADRILLE_ASSERT(written == read);  // each entry stands in the folded file once
  const std::map<std::uint32_t, Folding::Variation> variations(folding.variations().begin(), folding.variations().end());
  for (const auto& [site, sums] : variations) put_variation(site, sums, put);  // to the end, after the entries
  return definitions + entries;
}

}  // namespace quadrille::recording
