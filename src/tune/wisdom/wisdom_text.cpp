// SPDX-License-Identifier: BSD-3-Clause
// Wisdom as the text of a file: the reader, and the writer. A record begins with one line; indented lines below it belong to it.
// Single spaces separate words. Values have keys, in a fixed order. docs/wisdom.md shows an example.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>

#include "execute/executors.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/wisdom.hpp"
#include "schedule/ordering.hpp"
#include "tune/wisdom/wisdom_checks.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille {
namespace {

constexpr std::string_view title = "quadrille-wisdom 3";  // 3 is the version of the format

std::string_view name(Combining combining) {
  static constexpr ByEnum<Combining, std::string_view, 3> names{{"any_order", "rank_order", "fixed_tree"}};
  return names[combining];
}

std::string table_text() { return fmt::format("{:016x}", table_fingerprint()); }

std::string shown(std::string_view text) { return excerpt(text, 60); }

// Reads the words of a line from left to right.
class Words {
 public:
  Words(std::string_view line, Count number, const std::string& file) : rest_(line), number_(number), file_(file) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::malformed, fmt::format("the wisdom '{}', line {}: {}", file_, number_, reason));
  }

  std::string_view word(std::string_view what) {
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    if (word.empty()) fail(fmt::format("{} is expected, not '{}'", what, shown(rest_)));
    rest_.remove_prefix(word.size());
    if (rest_.size() > 1) rest_.remove_prefix(1);
    return word;
  }

  bool has(std::string_view key) const { return rest_.starts_with(key); }  // `key` includes the '='

  std::string_view text(std::string_view key) {
    if (!has(key)) fail(fmt::format("'{}' is expected, not '{}'", key, shown(rest_)));
    rest_.remove_prefix(key.size());
    return word(fmt::format("a value behind '{}'", key));
  }

  Count whole(std::string_view key) { return read<Count>(key, "a whole number, 0 or more"); }
  int small(std::string_view key) { return read<int>(key, "a whole number, 0 or more"); }
  double number(std::string_view key) { return read<double>(key, "a number, 0 or more"); }
  double seconds(std::string_view key) { return number(key) * 1e-6; }

  // Returns the enumeration value with the given name.
  template <class Value, class Values>
  Value named(std::string_view word, const Values& values) const {
    for (const Value value : values)
      if (name(value) == word) return value;
    fail(fmt::format("there is no '{}' here", shown(word)));
  }

  // Returns the next "key=", without its value.
  std::string_view key() {
    const std::size_t length = rest_.find('=') + 1;
    if (length <= 1) fail(fmt::format("key=value is expected, not '{}'", shown(rest_)));
    return rest_.substr(0, length);
  }

  std::string_view all() const { return rest_; }

  void end() const {
    if (!rest_.empty()) fail(fmt::format("the line must end before '{}'", shown(rest_)));
  }

 private:
  template <class Value>
  Value read(std::string_view key, std::string_view what) {
    const std::string_view word = text(key);
    const auto value = number_in<Value>(word);
    const bool begins_well = word.front() >= '0' && word.front() <= '9';
    if (!value || !begins_well) fail(fmt::format("'{}{}' is not {}", key, shown(word), what));
    return *value;
  }

  std::string_view rest_;
  Count number_;
  const std::string& file_;
};

constexpr std::array policies{Policy::blocking, Policy::nonblocking, Policy::dataflow};
constexpr std::array strict_ways{Combining::rank_order, Combining::fixed_tree};  // files do not state any_order, the default

std::vector<Executor> known_executors() {
  std::vector<Executor> executors;
  for (const ExecutorRow& row : all_executors()) executors.push_back(row.executor);
  return executors;
}

template <class Structure>
void read_structure(Words& words, Structure& structure) {
  structure.ranks = words.whole("ranks=");
  structure.nodes = words.whole("nodes=");
  structure.ranks_of_node = words.whole("ranks_of_node=");
}

// Iterates over the lines of a text, without comments and empty lines.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : text_(text), file_(file) { advance(); }

  bool ended() const { return ended_; }
  bool is_indented() const { return !ended_ && line_.starts_with(indent); }

  Words next() {
    Words words(line_, number_, file_);
    if (ended_) words.fail("the file ends too early");
    advance();
    return words;
  }

  Words next_indented() {
    line_.remove_prefix(indent.size());
    return next();
  }

 private:
  static constexpr std::string_view indent = "  ";

  void advance() {
    do {
      ended_ = text_.empty();
      line_ = text_.substr(0, text_.find('\n'));
      text_.remove_prefix(std::min(line_.size() + 1, text_.size()));
      ++number_;
    } while (!ended_ && (line_.empty() || line_.front() == '#'));
  }

  std::string_view text_, line_;
  const std::string& file_;
  Count number_ = 0;
  bool ended_ = false;
};

// Returns the value of a line that consists of a key and one value, which may contain spaces: "processor AMD EPYC 7763".
std::string value_of_line(const Words& words, std::string_view key) {
  std::string_view value = words.all();
  if (!value.starts_with(key) || (value.size() > key.size() && value[key.size()] != ' '))
    words.fail(fmt::format("'{}' is expected, not '{}'", key, shown(value)));
  value.remove_prefix(std::min(value.size(), key.size() + 1));
  if (std::any_of(value.begin(), value.end(), [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }))
    words.fail("there is a control character");
  return std::string(value);
}

Fingerprint header(Lines& lines) {
  const Words first = lines.next();
  if (first.all() != title)
    first.fail(first.all().starts_with("quadrille-wisdom ")
                   ? fmt::format("this is '{}', but this version of quadrille reads '{}' only", shown(first.all()), title)
                   : fmt::format("a file of wisdom begins with '{}', not '{}'", title, shown(first.all())));
  const Words table = lines.next();
  if (const std::string own = table_text(), other = value_of_line(table, "algorithms"); other != own)
    table.fail(fmt::format("it is for the algorithms of another version of quadrille ({}, not {})", shown(other), own));
  Fingerprint machine;
  machine.processor = value_of_line(lines.next(), "processor");
  Words cores = lines.next();
  machine.cores = cores.whole("cores ");
  cores.end();
  machine.network = value_of_line(lines.next(), "network");
  machine.mpi = value_of_line(lines.next(), "mpi");
  return machine;
}

WisdomEntry entry(Words words) {
  WisdomEntry entry;
  entry.timing.median_s = words.seconds("median_us=");
  entry.timing.lower_s = words.seconds("lower_us=");
  entry.timing.upper_s = words.seconds("upper_us=");
  entry.way.executor = words.named<Executor>(words.text("executor="), known_executors());
  entry.way.policy = words.named<Policy>(words.text("policy="), policies);
  if (words.has("buffers=")) entry.way.buffers = words.small("buffers=");
  entry.way.algorithm = words.text("algorithm=");
  words.end();
  return entry;
}

WisdomRecord record(Words& words, Lines& lines) {
  WisdomRecord record;
  Situation& situation = record.situation;
  situation.collective = words.named<Collective>(words.word("a collective"), all_collectives());
  read_structure(words, situation);
  situation.block_bytes = words.whole("block_bytes=");
  if (words.has("counts=")) {
    if (words.text("counts=") != "own") words.fail("the counts are 'own', or not mentioned");
    situation.counts_known = false;
  }
  if (words.has("skew=")) situation.skew = words.whole("skew=");
  if (words.has("sparsity=")) situation.sparsity = words.whole("sparsity=");
  if (words.has("irregularity=")) situation.irregularity = words.whole("irregularity=");
  if (words.has("combining=")) situation.combining = words.named<Combining>(words.text("combining="), strict_ways);
  WisdomRace& race = record.races.emplace_back();
  race.date = words.text("date=");
  if (words.has("time=")) race.time = words.text("time=");
  race.repetitions = words.small("repetitions=");
  if (words.has("others=")) race.others = words.number("others=");
  words.end();
  while (lines.is_indented()) race.entries.push_back(entry(lines.next_indented()));
  return record;
}

ExecutorFit executor_fit(Words& words, Lines& lines) {
  ExecutorFit fit;
  fit.executor = words.named<Executor>(words.word("an executor"), known_executors());
  read_structure(words, fit);
  fit.date = words.text("date=");
  fit.error = words.number("error=");
  if (words.has("preset=")) fit.preset = words.text("preset=");
  words.end();
  while (lines.is_indented()) {
    Words line = lines.next_indented();
    const std::string_view key = line.key();
    if (!fit.coefficients.emplace(key.substr(0, key.size() - 1), line.number(key)).second)
      line.fail(fmt::format("'{}' occurs twice", shown(key)));
    line.end();
  }
  return fit;
}

VendorFit vendor_fit(Words& words, Lines& lines) {
  VendorFit fit;
  fit.collective = words.named<Collective>(words.word("a collective"), all_collectives());
  read_structure(words, fit);
  fit.date = words.text("date=");
  words.end();
  while (lines.is_indented()) {
    Words line = lines.next_indented();
    const Bytes bytes = line.whole("block_bytes=");
    fit.seconds.emplace_back(bytes, line.seconds("time_us="));
    line.end();
  }
  return fit;
}

template <class Item>
void add(std::vector<Item>& list, Item item, const Words& words) {
  if (const auto good = check_wisdom(item); !good) words.fail(good.error());
  if constexpr (std::is_same_v<Item, WisdomRecord>) item = pooled(std::move(item));
  Item* known = put_in_place(list, item);
  if (!known) return;
  if constexpr (std::is_same_v<Item, WisdomRecord>) {
    if (has_race_of(*known, item.races.front())) words.fail("this situation occurs twice, with the same date and time");
    *known = pooled(*known, item);
  } else {
    words.fail("this situation occurs twice");
  }
}

// Formats a number with four significant digits, without an exponent for large numbers.
std::string four_digits(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  if (value < 1e4) return text;
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);  // from_chars ignores the program's locale
  return fmt::format("{:.0f}", rounded);
}

std::string microseconds(double seconds) { return four_digits(seconds * 1e6); }

std::string structure_text(Count ranks, Count nodes, Count ranks_of_node) {
  return fmt::format("ranks={} nodes={} ranks_of_node={}", ranks, nodes, ranks_of_node);
}

std::string situation_text(const Situation& s) {
  std::string text =
      fmt::format("{} {} block_bytes={}", name(s.collective), structure_text(s.ranks, s.nodes, s.ranks_of_node), s.block_bytes);
  if (!s.counts_known) text += " counts=own";
  if (s.skew != 1) text += fmt::format(" skew={}", s.skew);
  if (s.sparsity != 1) text += fmt::format(" sparsity={}", s.sparsity);
  if (s.irregularity != 1) text += fmt::format(" irregularity={}", s.irregularity);
  if (s.combining != Combining::any_order) text += fmt::format(" combining={}", name(s.combining));
  return text;
}

void write(Printer& out, const WisdomRecord& record) {
  out.print("\n# speaks for {} to {} bytes, {} to {}", record.least_bytes, record.most_bytes, record.least_ranks,
            counted(record.most_ranks, "rank"));
  if (record.races.size() > 1)
    out.print("; the best of {} races is {}", record.races.size(), to_string(record.entries.front().way));
  out.print("\n");
  for (const WisdomRace& race : record.races) {
    out.print("race {} date={}", situation_text(record.situation), race.date);
    if (!race.time.empty()) out.print(" time={}", race.time);
    out.print(" repetitions={}", race.repetitions);
    if (race.others > 0) out.print(" others={}", four_digits(race.others));
    out.print("\n");
    for (const WisdomEntry& entry : race.entries) {
      out.print("  median_us={} lower_us={} upper_us={} executor={} policy={}", microseconds(entry.timing.median_s),
                microseconds(entry.timing.lower_s), microseconds(entry.timing.upper_s), name(entry.way.executor),
                name(entry.way.policy));
      if (entry.way.buffers != 2) out.print(" buffers={}", entry.way.buffers);
      out.print(" algorithm={}\n", entry.way.algorithm);
    }
  }
}

void write(Printer& out, const ExecutorFit& fit) {
  out.print("\nfit {} {} date={} error={}", name(fit.executor), structure_text(fit.ranks, fit.nodes, fit.ranks_of_node), fit.date,
            four_digits(fit.error));
  if (!fit.preset.empty()) out.print(" preset={}", fit.preset);
  out.print("\n");
  const Model& model = *find_model("max-rate");
  for (const auto& [key, value] : fit.coefficients) {
    const auto coefficient = std::find_if(model.coefficients.begin(), model.coefficients.end(),
                                          [&key = key](const Coefficient& each) { return each.key == key; });
    out.print("  {}={}\n", key, coefficient->is_whole ? fmt::format("{:.0f}", value) : four_digits(value));
  }
}

void write(Printer& out, const VendorFit& fit) {
  out.print("\nvendor {} {} date={}\n", name(fit.collective), structure_text(fit.ranks, fit.nodes, fit.ranks_of_node), fit.date);
  for (const auto& [bytes, seconds] : fit.seconds) out.print("  block_bytes={} time_us={}\n", bytes, microseconds(seconds));
}

}  // namespace

Wisdom parse_wisdom(std::string_view text, const std::string& file) {
  Lines lines(text, file);
  Wisdom wisdom;
  wisdom.machine = header(lines);
  for (;;) {
    Words words = lines.next();
    const std::string_view kind = words.word("'race', 'fit', 'vendor' or 'end'");
    if (kind == "end") {
      words.end();
      if (!lines.ended()) lines.next().fail("there is text after 'end'");
      break;
    }
    if (kind == "race")
      add(wisdom.records, record(words, lines), words);
    else if (kind == "fit")
      add(wisdom.executors, executor_fit(words, lines), words);
    else if (kind == "vendor")
      add(wisdom.vendor, vendor_fit(words, lines), words);
    else
      words.fail(fmt::format("'race', 'fit', 'vendor' or 'end' is expected, not '{}'", shown(kind)));
  }
  fit_all_ranges(wisdom.records);
  return wisdom;
}

std::string wisdom_text(const Wisdom& wisdom) {
  std::ostringstream text;
  Printer out(text);
  const Fingerprint& machine = wisdom.machine;
  out.print("{}\n# What quadrille has measured on this machine: show it by 'quadrille wisdom show'.\n", title);
  out.print("algorithms {}\nprocessor {}\ncores {}\nnetwork {}\nmpi {}\n", table_text(), machine.processor, machine.cores,
            machine.network, machine.mpi);
  for (const WisdomRecord& record : wisdom.records) write(out, record);
  for (const ExecutorFit& fit : wisdom.executors) write(out, fit);
  for (const VendorFit& fit : wisdom.vendor) write(out, fit);
  out.print("\nend\n");  // so that a truncated file is recognised
  out.flush();
  return text.str();
}

}  // namespace quadrille
