// SPDX-License-Identifier: BSD-3-Clause
// How entries are coded: groups of entries, each with a number of repetitions. The same function packs (Coder = Encoder) and reads
// (Coder = Decoder), so both agree.
//
// A site is predicted: it is the one that followed when the last three sites were seen before. While predictions are right, the
// prediction follows that earlier place, so a loop of any kind costs almost nothing from its second pass on. Times are coded in
// steps of 5 %, by how often they occurred after this site and its predecessor.
//
// The code of the bits is adaptive binary range coding, as in LZMA: each bit takes as little space as it was probable. Packing and
// reading must make the same calls in the same order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/hash.hpp"

namespace quadrille::recording {

// The probability that a bit is 0, in units of 2^-15. It follows the bits that were coded.
class Bit {
 public:
  std::uint32_t of_zero() const { return zero_; }
  void learn(bool bit) {
    if (bit)
      zero_ = static_cast<std::uint16_t>(zero_ - (zero_ >> 5));
    else
      zero_ = static_cast<std::uint16_t>(zero_ + ((whole - zero_) >> 5));
  }
  static constexpr int bits = 15;

 private:
  static constexpr std::uint32_t whole = 1u << bits;
  std::uint16_t zero_ = whole / 2;
};

class Encoder {
 public:
  void code(Bit& model, bool& bit) {
    const std::uint32_t bound = (range_ >> Bit::bits) * model.of_zero();
    if (bit) {
      low_ += bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    model.learn(bit);
    normalise();
  }

  // Codes the lowest bits of a number, all equally probable.
  void code_plain(std::uint32_t& number, int bits) {
    while (bits-- > 0) {
      range_ >>= 1;
      if ((number >> bits) & 1) low_ += range_;
      normalise();
    }
  }

  std::string finish() {
    for (int i = 0; i < 5; ++i) shift();
    return std::move(bytes_);
  }

 private:
  void normalise() {
    while (range_ < (1u << 24)) {
      range_ <<= 8;
      shift();
    }
  }

  // Writes the highest byte once no carry can change it any more.
  void shift() {
    if (low_ < 0xFF000000u || low_ > 0xFFFFFFFFu) {
      const auto carry = static_cast<unsigned char>(low_ >> 32);
      unsigned char byte = held_;
      for (; held_count_ > 0; --held_count_) {
        bytes_ += static_cast<char>(byte + carry);
        byte = 0xFF;
      }
      held_ = static_cast<unsigned char>(low_ >> 24);
    }
    ++held_count_;
    low_ = (low_ & 0x00FFFFFFu) << 8;
  }

  std::string bytes_;
  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFu;
  unsigned char held_ = 0;
  std::uint64_t held_count_ = 1;
};

// Accepts any bytes: behind their end there are zeros. What an Encoder has finished is never read beyond its end.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {
    for (int i = 0; i < 5; ++i) take();
  }

  bool is_beyond_end() const { return is_beyond_end_; }

  void code(Bit& model, bool& bit) {
    const std::uint32_t bound = (range_ >> Bit::bits) * model.of_zero();
    bit = code_ >= bound;
    if (bit) {
      code_ -= bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    model.learn(bit);
    normalise();
  }

  void code_plain(std::uint32_t& number, int bits) {
    number = 0;
    while (bits-- > 0) {
      range_ >>= 1;
      const bool bit = code_ >= range_;
      if (bit) code_ -= range_;
      number = number << 1 | static_cast<std::uint32_t>(bit);
      normalise();
    }
  }

 private:
  void normalise() {
    while (range_ < (1u << 24)) {
      range_ <<= 8;
      take();
    }
  }
  void take() {
    is_beyond_end_ = at_ >= bytes_.size();
    code_ = code_ << 8 | (is_beyond_end_ ? 0u : static_cast<unsigned char>(bytes_[at_++]));
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_beyond_end_ = false;
  std::uint32_t code_ = 0, range_ = 0xFFFFFFFFu;
};

// Codes numbers below 2^bits; learns which of them are probable.
template <int bits>
class Symbol {
 public:
  template <class Coder>
  void code(Coder& coder, std::uint32_t& number) {
    std::uint32_t node = 1;
    for (int i = bits - 1; i >= 0; --i) {
      bool bit = (number >> i) & 1;
      coder.code(nodes_[node], bit);
      node = node << 1 | static_cast<std::uint32_t>(bit);
    }
    number = node - (1u << bits);
  }

 private:
  std::array<Bit, (1u << bits)> nodes_;
};

inline constexpr int step_bits = 10;  // the codes are below 2^10

// Code 0 is 0 ns, code k is 1.05^(k-1) ns.
double ns_of_step(std::uint32_t code);

// The code nearest to a time, in ratio.
std::uint32_t step_of_ns(double ns);

// Rounds times so that sums stay right: the error of one time is added to the next one.
class Rounding {
 public:
  std::uint32_t step(double ns);

 private:
  double owed_ns_ = 0;
};

inline constexpr std::uint32_t longest_group = 4096, most_repetitions = 64;

struct CodedGroup {
  std::uint32_t entries = 1, repetitions = 1;
};

struct CodedEntry {
  std::uint32_t site = 0;
  std::uint32_t gap = 0, away = 0, duration = 0;  // codes of steps
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
