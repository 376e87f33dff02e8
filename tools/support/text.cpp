// SPDX-License-Identifier: BSD-3-Clause
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <variant>

#include "foundation/environment.hpp"
#include "foundation/text/parsing.hpp"
#include "quadrille/race.hpp"

namespace quadrille::command {
namespace {

std::string repeated(std::string_view symbol, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += symbol;
  return text;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return align == Align::left ? text + space : space + text;
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string seconds_text(double seconds) {
  constexpr std::array<std::pair<double, std::string_view>, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  for (const auto& [size, unit] : units)
    if (seconds >= size || size == units.back().first) {
      const double value = seconds / size;
      return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
    }
  return {};
}

std::string seconds_text(double seconds, double clock_bound) {
  const double share = clock_bound / seconds;
  return seconds_text(seconds) + (share > tolerated_clock_error ? fmt::format(" ± {:.0f} %", 100 * share) : "");
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::size_t terminal_width() {
  std::size_t columns = number_in<std::size_t>(environment_value("COLUMNS")).value_or(0);
  winsize size{};
  if (columns == 0) columns = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  return columns == 0 ? 100 : std::clamp<std::size_t>(columns, 40, 132);  // longer lines are hard to read
}

std::string listed(std::vector<std::string> words) {
  if (words.empty()) return {};
  const std::string last = std::move(words.back());
  words.pop_back();
  return words.empty() ? last : fmt::format("{} and {}", fmt::join(words, ", "), last);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t begin) {
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  std::string lines(text.substr(0, spaces));
  text.remove_prefix(spaces);
  std::size_t column = begin + spaces;
  for (bool first_of_line = true; !text.empty(); first_of_line = false) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!first_of_line && column + 1 + width_of(word) > width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first_of_line) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += width_of(word);
  }
  return lines;
}

std::string paragraph(std::string_view text, std::size_t indent) { return wrapped(text, terminal_width(), indent) + '\n'; }

std::vector<Column> headings(std::string_view text) {
  std::vector<Column> columns;
  for (std::string_view heading : split(text, '|')) {
    const Align align = heading.starts_with('>') ? Align::right : Align::left;
    columns.push_back({std::string(heading.substr(align == Align::right ? 1 : 0)), align});
  }
  return columns;
}

std::vector<ByteUnit> Table::units() const {
  std::vector<ByteUnit> units(columns_.size());
  for (std::size_t begin = 0, end = 0; begin < columns_.size(); begin = end) {
    std::vector<Bytes> sizes;
    do {
      for (const auto& row : rows_) sizes.insert(sizes.end(), row[end].sizes.begin(), row[end].sizes.end());
    } while (++end < columns_.size() && columns_[end].same_unit);
    std::fill(units.begin() + static_cast<std::ptrdiff_t>(begin), units.begin() + static_cast<std::ptrdiff_t>(end),
              common_unit(sizes));
  }
  return units;
}

std::string Table::text() const {
  const std::vector<ByteUnit> units = this->units();
  const auto cell_text = [&](const std::vector<TableCell>& row, std::size_t c) {
    std::vector<std::string> sizes;
    for (const Bytes bytes : row[c].sizes) sizes.push_back(bytes_text(bytes, units[c]));
    return sizes.empty() ? row[c].text : fmt::format("{}", fmt::join(sizes, ".."));
  };
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(width_of(columns_[c].heading));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width_of(cell_text(row, c)));
  }
  std::string lines;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) line += (c ? "  " : "") + padded(cell(c), widths[c], columns_[c].align);
    lines += without_end(std::move(line));
  };
  add_line([&](std::size_t c) { return columns_[c].heading; });
  for (const auto& row : rows_) add_line([&](std::size_t c) { return cell_text(row, c); });
  return lines;
}

std::string bar_chart(const std::vector<Bar>& bars, std::size_t width) {
  std::size_t label_width = 0;
  double slowest = 0, scale = 0;
  for (const Bar& bar : bars) {
    label_width = std::max(label_width, width_of(bar.label));
    slowest = std::max(slowest, bar.median);
    scale = std::max(scale, bar.most);
  }
  scale = std::min(scale, 1.5 * slowest);  // one outlier must not squeeze all bars; a bar that is cut off ends in '>'
  if (scale <= 0) return {};
  constexpr std::size_t time_width = 8;
  const std::size_t room = std::max<std::size_t>(20, width - std::min(width, label_width + time_width + 4));
  const auto place = [&](double seconds) {
    return static_cast<std::size_t>(std::lround(std::min(1.0, seconds / scale) * static_cast<double>(room - 1)));
  };
  std::string lines;
  for (const Bar& bar : bars) {
    const std::size_t least = place(bar.least), median = std::max(least, place(bar.median)),
                      most = std::max(median, place(bar.most));
    std::string line =
        padded(bar.label, label_width, Align::left) + "  " + padded(seconds_text(bar.median), time_width, Align::right) + "  ";
    line += repeated("█", least) + repeated("▒", median - least) + "┃" + repeated("░", most - median);
    if (bar.most > scale) line += ">";
    lines += line + '\n';
  }
  return lines;
}

std::string to_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

std::string document_text(std::string_view subcommand, const Json& results) {
  const Json head{{"format", fmt::format("quadrille-{}/1", subcommand)}};
  if (results.is_object()) return to_text(joined(head, results));
  return to_text(array_of(results, [&](const Json& result) { return joined(head, result); }));
}

Json to_json(const ParameterValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json to_json(const Parameters& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters) object[name] = to_json(value);
  return object;
}

}  // namespace quadrille::command
