// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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

std::string bytes_text(Bytes bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, units[unit]);
}

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
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<std::size_t>(size.ws_col, 60, 132);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > 0 && column + 1 + width_of(word) > width) {
      lines += '\n' + std::string(indent, ' ');
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += width_of(word);
  }
  return lines;
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(width_of(columns_[c].heading));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string lines;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) line += (c ? "  " : "") + padded(cell(c), widths[c], columns_[c].align);
    lines += without_end(std::move(line));
  };
  add_line([&](std::size_t c) { return columns_[c].heading; });
  for (const auto& row : rows_) add_line([&](std::size_t c) { return row[c]; });
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
  scale = std::min(scale, 1.5 * slowest);  // one outlier shall not squeeze all bars; what is cut off ends in '>'
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

}  // namespace quadrille::command
