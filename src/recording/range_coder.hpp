// SPDX-License-Identifier: BSD-3-Clause
// Adaptive binary range coding, as in LZMA: each bit takes as little space as it was probable. Packing and reading must make the
// same calls in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace quadrille::recording
