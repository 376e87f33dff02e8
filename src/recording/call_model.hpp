// SPDX-License-Identifier: BSD-3-Clause
// How entries are coded: groups of entries, each with a number of repetitions. The same function packs (Coder = Encoder) and reads
// (Coder = Decoder), so both agree.
//
// A site is predicted: it is the one that followed when the last three sites were seen before. While predictions are right, the
// prediction follows that earlier place, so a loop of any kind costs almost nothing from its second pass on. Times are coded by how
// often they occurred after this site and its predecessor.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "foundation/hash.hpp"
#include "recording/range_coder.hpp"
#include "recording/time_steps.hpp"

namespace quadrille::recording {

inline constexpr std::uint32_t longest_group = 4096, most_repetitions = 64;

struct CodedGroup {
  std::uint32_t entries = 1, repetitions = 1;
};

struct CodedEntry {
  std::uint32_t site = 0;
  std::uint32_t gap = 0, away = 0, duration = 0;  // codes of time_steps.hpp
};

// Predicts the next site from the sites so far.
class SitePrediction {
 public:
  std::uint32_t site() const { return history_[followed_ % window]; }
  bool is_trusted() const { return is_right_; }

  void learn(std::uint32_t site) {
    is_right_ = size_ > 0 && site == this->site();
    history_[size_ % window] = site;
    ++size_;
    std::uint32_t& seen = places_[context()];
    followed_ = is_right_ ? followed_ + 1 : seen;
    seen = size_;
  }

 private:
  static constexpr std::uint32_t window = 1u << 14;

  std::uint32_t context() const {
    std::uint64_t hash = 0;
    for (std::uint32_t back = 1; back <= 3; ++back) hash = hash_with(hash, history_[(size_ - back) % window]);
    return static_cast<std::uint32_t>(hash % places);
  }

  static constexpr std::uint32_t places = 1u << 12;
  std::vector<std::uint32_t> history_ = std::vector<std::uint32_t>(window);
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(places);  // by context: the entry that followed it last
  std::uint32_t size_ = 0, followed_ = 0;
  bool is_right_ = false;
};

class CallModel {
 public:
  template <class Coder>
  void code(Coder& coder, CodedGroup& group) {
    bool is_repeated = group.repetitions > 1;
    std::uint32_t entries = group.entries - 1, repetitions = group.repetitions - 1;
    coder.code_plain(entries, std::bit_width(longest_group - 1));
    coder.code(is_repeated_, is_repeated);
    if (is_repeated) coder.code_plain(repetitions, std::bit_width(most_repetitions - 1));
    group = {entries + 1, is_repeated ? repetitions + 1 : 1};
  }

  template <class Coder>
  void code(Coder& coder, CodedEntry& entry) {
    code_site(coder, entry.site);
    Times& times = times_of(entry.site);
    times.gap.code(coder, entry.gap);
    bool is_away = entry.away != 0;
    coder.code(is_away_, is_away);
    if (is_away) away_.code(coder, entry.away);
    times.duration.code(coder, entry.duration);
    last_site_ = entry.site;
  }

 private:
  struct Times {
    Symbol<step_bits> gap, duration;
  };
  static constexpr std::size_t contexts = 64;

  template <class Coder>
  void code_site(Coder& coder, std::uint32_t& site) {
    bool is_predicted = site == prediction_.site();
    coder.code(is_predicted_[prediction_.is_trusted()], is_predicted);
    if (is_predicted) {
      site = prediction_.site();
    } else {
      auto bits = static_cast<std::uint32_t>(std::bit_width(site));
      site_bits_.code(coder, bits);
      coder.code_plain(site, static_cast<int>(bits));
    }
    prediction_.learn(site);
  }

  Times& times_of(std::uint32_t site) {
    auto& times = times_[spread(std::uint64_t{last_site_} << 32 | site) >> 58];
    if (!times) times = std::make_unique<Times>();
    return *times;
  }

  SitePrediction prediction_;
  std::array<Bit, 2> is_predicted_;
  Symbol<5> site_bits_;
  Bit is_repeated_, is_away_;
  Symbol<step_bits> away_;
  std::array<std::unique_ptr<Times>, contexts> times_;
  std::uint32_t last_site_ = 0;
};

}  // namespace quadrille::recording
