// SPDX-License-Identifier: BSD-3-Clause
#include "reports/race_plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "draw/geometry.hpp"
#include "draw/panel.hpp"
#include "draw/svg.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/help_text.hpp"
#include "quadrille/problem.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

constexpr double least_panel_width = 420, panel_height = 318, left = least_left_margin, right = 14;
constexpr double least_room_for_size = 40;  // room for the text of a size below the map
constexpr double key_sample = 40;           // room for the line before a name of the key
constexpr double longest_name = 390;        // room for the name of a candidate

// Returns "bruck = hypercube".
std::string joined(std::string name, const std::vector<std::string>& same) {
  for (const std::string& other : same) name += " = " + other;
  return name;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A candidate, drawn in one colour in all races.
struct Series {
  Curve curve;  // its title is the candidate's name
  bool is_vendor = false;
  std::vector<const RaceFileEntry*> entries;     // one for each race and size that has the candidate
  std::vector<std::string> same;                 // further algorithms that this curve stands for, in all races and sizes
  std::map<std::pair<Count, Bytes>, double> at;  // the median for each number of ranks and size
  int fastest = 0;                               // number of sizes at which the candidate is the fastest
  double logarithms = 0, sizes = 0;
};

class RacePlot {
 public:
  RacePlot(const std::vector<RaceFile>& races, const RacePlotForm& form) : races_(races), form_(form) {
    for (const RaceFile& race : races_)
      for (const RaceFileSize& size : race.sizes) {
        for (const RaceFileEntry& entry : size.entries)
          if (!entry.is_vendor) policies_.insert(entry.settings()), executors_.insert(entry.executor);
        sizes_[size.bytes] = size.text;
      }
    choose_series(form.curves);
  }

  std::string written() {
    const RaceFile& first = races_.front();
    std::string numbers;
    for (const RaceFile& race : races_) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", race.ranks);
    const std::string ranks = races_.size() == 1 ? counted(first.ranks, "rank") : numbers + " ranks";
    const std::string title =
        fmt::format("{} among {}{}{}", first.collective, ranks, first.transport.empty() ? "" : " over " + first.transport,
                    first.cold ? ", cold caches" : "");
    Svg picture(title);
    const double room = form_.width - margin() - right;
    double y = draw_lines(picture, 26, lines_of(title, room, 15), "text", 15);
    y = draw_lines(picture, y, lines_of(first.origin, room, 11), "faint", 11);
    std::vector<Curve> key;
    for (const Series& each : series_) {
      Curve& curve = key.emplace_back(each.curve);
      curve.title = fitted(joined(fitted(each.curve.title, longest_name), each.same), room - key_sample);
    }
    y = draw_key(picture, {margin(), y - 6}, room, key) + 8;
    for (const std::string& note : notes()) y = draw_lines(picture, y + 8, lines_of(note, room, 11), "faint", 11) - 8;
    y = draw_panels(picture, y);
    if (shows(RacePanel::winners)) y = draw_map(picture, y + 28) + 20;
    return picture.written(form_.width, y);
  }

 private:
  bool shows(RacePanel panel) const { return std::find(form_.panels.begin(), form_.panels.end(), panel) != form_.panels.end(); }

  // The left end of texts: that of the axes, or further left if there is little room.
  double margin() const { return form_.width < least_panel_width ? right : left; }

  double draw_lines(Svg& picture, double y, const std::vector<std::string>& lines, Kind kind, double size) const {
    for (const std::string& line : lines) {
      picture.text({margin(), y}, line, Anchor::start, kind, size);
      y += size + 5;
    }
    return y;
  }

  // Draws the panels of each race beside each other if there is room, and returns the y at which they end.
  double draw_panels(Svg& picture, double y) const {
    std::vector<RacePanel> panels = form_.panels;
    std::erase(panels, RacePanel::winners);
    const bool in_a_row = panels.size() == 2 && form_.width >= 2 * least_panel_width;
    const double width = in_a_row ? form_.width / 2 : form_.width;
    for (const RaceFile& race : races_)
      for (std::size_t i = 0; i < panels.size(); ++i) {
        const bool is_second = in_a_row && i == 1;
        const Box place{is_second ? width : 0, y, width, panel_height};
        if (panels[i] == RacePanel::times)
          draw_times(picture, race, place);
        else
          draw_ratios(picture, race, place);
        if (!in_a_row || is_second) y += panel_height;
      }
    return y;
  }

  std::string name_of(const RaceFileEntry& entry) const {
    if (entry.is_vendor) return "vendor";
    return entry.short_name + (policies_.size() > 1 ? " " + entry.settings() : "") +
           (executors_.size() > 1 ? " " + entry.executor : "");
  }

  // The name of a candidate with all algorithms that its curve stands for at this size.
  static std::string full_name_of(const RaceFileEntry& entry, const Series& series) {
    return joined(series.curve.title, entry.same_as_short_names.empty() ? series.same : entry.same_as_short_names);
  }

  static bool is_best(const RaceFileSize& size, const RaceFileEntry& entry) {
    return size.best && &entry == &size.entries[*size.best];
  }

  // Returns the algorithms that have the candidate's schedule wherever it was raced.
  static std::vector<std::string> same_everywhere(const Series& series) {
    std::vector<std::string> names = series.entries.front()->same_as_short_names;
    std::erase_if(names, [&](const std::string& name) {
      return std::any_of(series.entries.begin(), series.entries.end(),
                         [&](const RaceFileEntry* entry) { return !contains(entry->same_as_short_names, name); });
    });
    return names;
  }

  // Predictions list algorithms with equal schedules one by one. So candidates with equal times are drawn as one curve.
  static void join_equal(std::vector<Series>& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size();)
        if (all[i].at == all[j].at) {
          all[i].same.push_back(all[j].curve.title);
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
        } else {
          ++j;
        }
  }

  // Says what "=" means in the key, and which algorithms have equal schedules only somewhere.
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (std::any_of(series_.begin(), series_.end(), [](const Series& each) { return !each.same.empty(); }))
      notes.emplace_back(races_.front().is_predicted ? "=: the same predicted time at all sizes"
                                                     : "=: the same schedule, which was raced once");
    for (const Series& each : series_)
      for (const RaceFile& race : races_) {
        std::map<std::vector<std::string>, std::vector<std::string>> sizes;  // sizes, by algorithms with one schedule there
        for (const RaceFileSize& size : race.sizes)
          if (const RaceFileEntry* entry = entry_of(size, each)) {
            std::vector<std::string> further = entry->same_as_short_names;
            std::erase_if(further, [&](const std::string& name) { return contains(each.same, name); });
            if (!further.empty()) sizes[further].push_back(size.text);
          }
        for (const auto& [further, texts] : sizes)
          notes.push_back(fmt::format("{} ranks{}: {}", race.ranks,
                                      texts.size() < race.sizes.size() ? fmt::format(", {}", fmt::join(texts, ", ")) : "",
                                      joined(each.curve.title, further)));
      }
    return notes;
  }

  void choose_series(std::size_t curves) {
    std::vector<Series> all;
    for (const RaceFile& race : races_)
      for (const RaceFileSize& size : race.sizes)
        for (const RaceFileEntry& entry : size.entries) {
          if (!entry.checked || !entry.to_best) continue;
          const std::string name = name_of(entry);
          auto series = std::find_if(all.begin(), all.end(), [&](const Series& each) { return each.curve.title == name; });
          if (series == all.end())
            series = all.insert(series, {.curve = {.title = name, .has_intervals = true}, .is_vendor = entry.is_vendor});
          series->fastest += is_best(size, entry);
          series->logarithms += std::log(entry.to_best->median);
          ++series->sizes;
          series->entries.push_back(&entry);
          series->at[{race.ranks, size.bytes}] = entry.seconds.median;
        }
    for (Series& each : all) each.same = same_everywhere(each);
    if (races_.front().is_predicted) join_equal(all);
    std::stable_sort(all.begin(), all.end(), [](const Series& a, const Series& b) {
      if (a.is_vendor != b.is_vendor) return b.is_vendor;
      return a.fastest != b.fastest ? a.fastest > b.fastest : a.logarithms / a.sizes < b.logarithms / b.sizes;
    });
    for (Series& each : all) {
      if (!each.is_vendor && series_.size() >= curves) continue;
      each.curve.colour = each.is_vendor ? grey : series_.size();
      if (each.is_vendor) each.curve.style = CurveStyle::dashed;
      series_.push_back(std::move(each));
    }
  }

  // Returns the x value of a size. A logarithmic axis has no 0, so 0 bytes stand at 0.5.
  static double x_of(Bytes bytes) { return bytes == 0 ? 0.5 : static_cast<double>(bytes); }

  // Returns the entry of a series at a size; null if there is none whose data was right.
  const RaceFileEntry* entry_of(const RaceFileSize& size, const Series& series) const {
    for (const RaceFileEntry& entry : size.entries)
      if (entry.checked && name_of(entry) == series.curve.title) return &entry;
    return nullptr;
  }

  // Draws the figures of a race over the sizes of all races. `figure` returns a spread, or nothing; `text` formats a number.
  template <class Figure, class Text>
  void draw_figures(Svg& picture, const RaceFile& race, const Box& place, Panel panel, const Figure& figure,
                    const Text& text) const {
    Sheet sheet{.columns = {"bytes", "size"}};
    panel.log_x = panel.log_y = true;
    panel.x_label = size_label();
    panel.x_names = 1;
    for (const Series& series : series_) {
      Curve& curve = panel.curves.emplace_back(series.curve);
      curve.column = sheet.columns.size();
      curve.title.clear();  // one key serves all panels
      for (const char* column : {"", " from", " to", " in words"}) sheet.columns.push_back(series.curve.title + column);
    }
    for (const auto& [bytes, size_text] : sizes_) {
      std::vector<Cell>& row = sheet.rows.emplace_back(std::vector<Cell>{x_of(bytes), size_text});
      const auto size =
          std::find_if(race.sizes.begin(), race.sizes.end(), [wanted = bytes](const auto& each) { return each.bytes == wanted; });
      for (const Series& series : series_) {
        const RaceFileEntry* entry = size == race.sizes.end() ? nullptr : entry_of(*size, series);
        const std::optional<Spread> spread = entry ? figure(*entry) : std::nullopt;
        if (spread)
          row.insert(row.end(), {spread->median, spread->lower, spread->upper,
                                 fmt::format("{}, {}: {}", full_name_of(*entry, series), size_text, spread_text(*spread, text))});
        else
          row.resize(row.size() + 4);
      }
    }
    draw(picture, place, panel, sheet, values_of(panel, sheet));
  }

  template <class Text>
  static std::string spread_text(const Spread& spread, const Text& text) {
    if (spread.lower == spread.upper) return text(spread.median);
    return fmt::format("{} ({} .. {})", text(spread.median), text(spread.lower), text(spread.upper));
  }

  void draw_times(Svg& picture, const RaceFile& race, const Box& place) const {
    const auto round_text = [](double seconds) {
      const std::string text = seconds_text(seconds * (1 + 1e-9));  // "2.00 µs"
      const std::size_t space = text.find(' ');
      return fmt::format("{:.6g}{}", std::stod(text.substr(0, space)), text.substr(space));
    };
    draw_figures(
        picture, race, place, {.title = counted(race.ranks, "rank"), .y_label = "time of a run", .y_text = round_text},
        [](const RaceFileEntry& entry) { return std::optional(entry.seconds); },
        [](double seconds) { return seconds_text(seconds); });
  }

  static bool has_vendor(const RaceFile& race) {
    return std::any_of(race.sizes.begin(), race.sizes.end(), [](const RaceFileSize& size) {
      return std::any_of(size.entries.begin(), size.entries.end(),
                         [](const RaceFileEntry& entry) { return entry.ratio.has_value(); });
    });
  }

  void draw_ratios(Svg& picture, const RaceFile& race, const Box& place) const {
    const bool to_vendor = has_vendor(race);
    const char* what = to_vendor ? "time / vendor's time" : "time / best time";
    draw_figures(
        picture, race, place,
        {.title = fmt::format("{}{}", counted(race.ranks, "rank"), to_vendor ? " (below 1: faster)" : ""),
         .y_label = what,
         .strong_y = 1},
        [&](const RaceFileEntry& entry) { return !to_vendor        ? entry.to_best
                                                 : entry.is_vendor ? std::nullopt
                                                                   : entry.ratio; },
        [](double ratio) { return fmt::format("{:.2f}", ratio); });
  }

  // Returns the label of the axis of sizes.
  std::string size_label() const {
    const auto collective = collective_named(races_.front().collective);
    return !collective || has_blocks(*collective) ? "size of a block" : "largest count";
  }

  void draw_cell(Svg& picture, const RaceFile& race, const RaceFileSize& size, const Box& box) const {
    if (!size.best) return picture.box(box, "frame");
    const RaceFileEntry& best = size.entries[*size.best];
    const std::string name = name_of(best);
    const auto series = std::find_if(series_.begin(), series_.end(), [&](const Series& each) {
      return each.curve.title == name || (races_.front().is_predicted && contains(each.same, name));
    });
    const bool known = series != series_.end();
    const std::string figure =
        best.ratio && !best.is_vendor ? fmt::format("{:.2f}", best.ratio->median) : seconds_text(best.seconds.median);
    picture.box(
        box, known ? Kind{} : "cell", known ? curve_colour(*series->curve.colour) : "",
        fmt::format("{}, {}: {}, {}{}; {}", counted(race.ranks, "rank"), size.text,
                    known ? full_name_of(best, *series) : joined(name, best.same_as_short_names), seconds_text(best.seconds.median),
                    best.ratio ? fmt::format(", {:.2f} times the vendor's time", best.ratio->median) : "", size.conclusion));
    const Kind ink = known ? "on-colour" : "text";
    const double middle = box.x + box.width / 2, room = box.width - 2;
    picture.text(
        {middle, box.y + 17},
        fitted(best.is_vendor ? name : joined(best.short_name, best.same_as_short_names), std::min(room, longest_name), 10),
        Anchor::middle, ink, 10);
    picture.text({middle, box.y + 31}, fitted(figure, room, 10), Anchor::middle, ink, 10);
    if (size.conclusion != "fastest") picture.text({middle, box.y + 43}, fitted(size.conclusion, room, 9), Anchor::middle, ink, 9);
  }

  // Draws the map of winners from `y` down and returns the y at which it ends.
  double draw_map(Svg& picture, double y) const {
    constexpr double cell_height = 50, gap = 2;
    const double cell_width = (form_.width - left - right) / static_cast<double>(sizes_.size());
    const bool to_vendor = std::any_of(races_.begin(), races_.end(), has_vendor);
    const std::string words =
        cell_width < least_room_for_size
            ? "the fastest over ranks and sizes"
            : fmt::format("the fastest over ranks and sizes, {}", to_vendor ? "with its time / vendor's time" : "with its time");
    y = draw_lines(picture, y, lines_of(words, form_.width - margin() - right, 13), "text", 13) - 6;
    for (const RaceFile& race : races_) {
      picture.text({left - 8, y + cell_height / 2 + 4}, fmt::format("p = {}", race.ranks), Anchor::end, "faint", 11);
      double x = left;
      for (const auto& [bytes, text] : sizes_) {
        for (const RaceFileSize& size : race.sizes)
          if (size.bytes == bytes) draw_cell(picture, race, size, {x, y, cell_width - gap, cell_height - gap});
        x += cell_width;
      }
      y += cell_height;
    }
    draw_sizes(picture, {left + cell_width / 2, y + 14}, cell_width);
    return y + 14;
  }

  // Writes the sizes below the cells of the map. If cells are narrow, writes only some sizes.
  void draw_sizes(Svg& picture, Point base, double cell_width) const {
    const auto cells = static_cast<std::size_t>(std::ceil(least_room_for_size / cell_width));
    std::size_t i = 0;
    for (const auto& [bytes, text] : sizes_) {
      if (i++ % cells == 0)
        picture.text(base, fitted(text, static_cast<double>(cells) * cell_width, 10), Anchor::middle, "faint", 10);
      base.x += cell_width;
    }
  }

  const std::vector<RaceFile>& races_;
  const RacePlotForm form_;
  std::map<Bytes, std::string> sizes_;          // the sizes of all races, as texts
  std::set<std::string> policies_, executors_;  // names include these if there are several
  std::vector<Series> series_;
};

}  // namespace

std::size_t parse_curves(const std::string& text) {
  const Count number = parse_whole(text, "the number of curves", 1);
  if (number > 8) refuse(fmt::format("{} curves are too many to tell their colours apart; the limit is 8", number));
  return static_cast<std::size_t>(number);
}

std::vector<RacePanel> parse_panels(const std::vector<std::string>& names) {
  static const std::vector<std::string> known{"times", "ratios", "winners"};
  std::vector<RacePanel> panels;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) refuse_unknown("panel", name, known);
    panels.push_back(static_cast<RacePanel>(found - known.begin()));
  }
  return panels;
}

double parse_width(const std::string& text) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}, {"pt", 96 / 72.0}, {"px", 1}};
  constexpr double least = 220, most = 4000;
  for (const auto& [unit, pixels] : units) {
    if (!text.ends_with(unit)) continue;
    const auto number = number_in<double>(std::string_view(text).substr(0, text.size() - unit.size()));
    if (!number || !(*number > 0)) break;
    if (const double width = *number * pixels; width >= least && width <= most) return width;
    refuse(fmt::format("the width '{}' is not between {:.0f} and {:.0f} {}", text, std::ceil(least / pixels), most / pixels, unit));
  }
  refuse(fmt::format("'{}' is no width; write a number and its unit, such as 84mm; units are mm, cm, in, pt and px", text));
}

namespace {

std::string kind_of_times(const RaceFile& file) { return file.is_predicted ? file.origin : "of races"; }

}  // namespace

std::string race_plot(const std::vector<RaceFile>& races, const RacePlotForm& form) {
  std::vector<RaceFile> sorted = races;
  std::stable_sort(sorted.begin(), sorted.end(), [](const RaceFile& a, const RaceFile& b) { return a.ranks < b.ranks; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const RaceFile &one = sorted[i - 1], &other = sorted[i];
    if (one.collective != other.collective)
      refuse(fmt::format("one plot shows one collective; {} is of {} and {} of {}", one.file, one.collective, other.file,
                         other.collective));
    if (one.origin != other.origin)
      refuse(fmt::format("one plot shows times of one kind; {} has times {}, but {} has times {}; plot them one by one", one.file,
                         kind_of_times(one), other.file, kind_of_times(other)));
    if (one.ranks == other.ranks)
      refuse(fmt::format("both {} and {} have {}; take one file for each number of ranks", one.file, other.file,
                         counted(one.ranks, "rank")));
  }
  return RacePlot(sorted, form).written();
}

}  // namespace quadrille::command
