// SPDX-License-Identifier: BSD-3-Clause
#include "plan/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/ordering.hpp"

namespace quadrille {
namespace {

// The first byte of a value is one of these constants or the length of a number, whose bytes follow, the least significant first.
constexpr std::uint8_t absent = 9;       // the way names no value
constexpr std::uint8_t text = 10;        // a word that is not in the list: its length and its letters follow
constexpr std::uint8_t first_word = 11;  // this and the following numbers: a word of Parameter::choices

class Packing {
 public:
  explicit Packing(PackedWay& way) : way_(way) {}

  bool fits() const { return fits_; }

  void add(std::uint8_t byte) {
    fits_ = fits_ && way_.length < way_.values.size();
    if (fits_) way_.values[way_.length++] = byte;
  }

  void add(const std::string& letters) {
    fits_ = fits_ && letters.size() < way_.values.size();
    if (!fits_) return;
    add(static_cast<std::uint8_t>(letters.size()));
    for (const char letter : letters) add(static_cast<std::uint8_t>(letter));
  }

  void add(Count number) {
    auto rest = static_cast<std::uint64_t>(number);
    std::uint8_t bytes = 0;
    for (std::uint64_t left = rest; left != 0; left >>= 8) ++bytes;
    add(bytes);
    for (; bytes > 0; --bytes, rest >>= 8) add(static_cast<std::uint8_t>(rest));
  }

  void add(const Parameter& parameter, const Parameters& values) {
    const auto value = values.find(std::string(parameter.name));
    if (value == values.end()) return add(absent);
    if (const auto* number = std::get_if<Count>(&value->second)) return add(*number);
    const auto& word = std::get<std::string>(value->second);
    const auto known = std::find(parameter.choices.begin(), parameter.choices.end(), word);
    if (known != parameter.choices.end()) return add(static_cast<std::uint8_t>(first_word + (known - parameter.choices.begin())));
    add(text);
    add(word);
  }

 private:
  PackedWay& way_;
  bool fits_ = true;
};

class Unpacking {
 public:
  explicit Unpacking(const PackedWay& way) : way_(way), is_good_(way.length <= way.values.size()) {}

  // Is each byte used once?
  bool is_complete() const { return is_good_ && next_ == way_.length; }

  std::uint8_t byte() {
    is_good_ = is_good_ && next_ < way_.length;
    return is_good_ ? way_.values[next_++] : 0;
  }

  std::string letters() {
    std::string word;
    for (std::uint8_t left = byte(); left > 0; --left) word += static_cast<char>(byte());
    return word;
  }

  void take(const Parameter& parameter, Parameters& values) {
    const std::uint8_t kind = byte();
    if (kind == absent) return;
    ParameterValue& value = values[std::string(parameter.name)];
    if (kind == text) {
      value = letters();
    } else if (kind >= first_word) {
      const auto word = static_cast<std::size_t>(kind - first_word);
      is_good_ = is_good_ && word < parameter.choices.size();
      if (is_good_) value = parameter.choices[word];
    } else {
      std::uint64_t number = 0;
      for (int at = 0; at < kind; ++at) number |= static_cast<std::uint64_t>(byte()) << (8 * at);
      value = static_cast<Count>(number);
    }
  }

 private:
  const PackedWay& way_;
  bool is_good_;
  std::size_t next_ = 0;
};

}  // namespace

std::string to_string(const Way& way) {
  return fmt::format("{} {}{} {}", specification(way.algorithm), name(way.policy),
                     way.buffers == 2 ? "" : fmt::format("/{}", way.buffers), name(way.executor));
}

PlanOptions plan_options_of(const Way& way, PlanOptions options) {
  options.algorithm = way.algorithm;
  options.policy = way.policy, options.executor = way.executor;
  options.buffers = way.buffers, options.keep_step = way.keep_step;
  return options;
}

std::optional<Way> way_for(const Problem& problem, Way way) {
  try {
    way.algorithm = completed(problem, std::move(way.algorithm));
    const auto* choice = std::get_if<Choice>(&way.algorithm);
    if (!choice || applies(problem, *choice)) return way;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
  }
  return std::nullopt;
}

std::optional<PackedWay> packed(const Way& way) {
  PackedWay packed{.policy = way.policy,
                   .executor = way.executor,
                   .buffers = static_cast<std::uint8_t>(way.buffers),
                   .keep_step = way.keep_step};
  Packing values(packed);
  if (const auto* vendor = std::get_if<Vendor>(&way.algorithm)) {
    packed.algorithm = PackedWay::vendor;
    values.add(vendor->algorithm);
  } else if (const auto* choice = std::get_if<Choice>(&way.algorithm)) {
    const auto all = all_algorithms();
    const auto found = std::find(all.begin(), all.end(), choice->algorithm);
    if (found == all.end()) return std::nullopt;
    packed.algorithm = static_cast<std::uint16_t>(found - all.begin());
    for (const Parameter& parameter : choice->algorithm->parameters) values.add(parameter, choice->parameters);
  } else {
    return std::nullopt;
  }
  return values.fits() ? std::optional(packed) : std::nullopt;
}

std::optional<Way> unpacked(const PackedWay& packed) {
  Way way{.policy = packed.policy, .buffers = packed.buffers, .executor = packed.executor, .keep_step = packed.keep_step};
  Unpacking values(packed);
  if (packed.algorithm == PackedWay::vendor) {
    way.algorithm = Vendor{values.letters()};
  } else {
    if (packed.algorithm >= all_algorithms().size()) return std::nullopt;
    Choice choice{all_algorithms()[packed.algorithm], {}};
    for (const Parameter& parameter : choice.algorithm->parameters) values.take(parameter, choice.parameters);
    way.algorithm = std::move(choice);
  }
  return values.is_complete() ? std::optional(way) : std::nullopt;
}

}  // namespace quadrille
