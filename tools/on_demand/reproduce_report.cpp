// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/reproduce_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "support/text.hpp"

namespace quadrille::command {
namespace {

using namespace papers;

std::string in_table(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

template <class Cells>
std::string table_line(const Cells& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string table_of(const Sheet& sheet) {
  std::string text = table_line(sheet.columns) + table_line(std::vector<std::string>(sheet.columns.size(), "---"));
  for (const auto& row : sheet.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(in_table(cell_text(cell)));
    text += table_line(cells);
  }
  return text + '\n';
}

std::string capitalised(std::string_view text) {
  std::string sentence(text);
  if (!sentence.empty()) sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

bool is_plotted(const Reproduction& reproduction, std::size_t sheet) {
  return std::any_of(reproduction.panels.begin(), reproduction.panels.end(),
                     [&](const Panel& panel) { return panel.sheet == sheet; });
}

// Limits for the documentation. Files, and the output for a single exhibit, are complete.
constexpr std::size_t longest_table = 40;  // rows
constexpr std::size_t most_listed = 12;    // most comparisons to list; of more, only those that do not hold

}  // namespace

std::string csv_name(const Made& made, std::size_t sheet) {
  const auto& sheets = made.reproduction.sheets;
  return fmt::format("{}{}{}.csv", made.exhibit->id, sheets.size() > 1 ? "-" : "", sheets.size() > 1 ? sheets[sheet].name : "");
}

std::string exhibits_text() {
  Table table({{"exhibit"}, {"what it is"}, {"source"}});
  for (const Exhibit* exhibit : all_exhibits())
    table.add({std::string(exhibit->id), std::string(exhibit->title), std::string(exhibit->source)});
  return table.text();
}

std::string verdict_text(const Made& made, bool with_comparisons) {
  std::string text =
      wrapped(fmt::format("{}: {}", made.exhibit->id, verdict_of(made.reproduction).sentence), terminal_width(), 2) + '\n';
  if (!with_comparisons) return text;
  for (const Comparison& comparison : made.reproduction.comparisons)
    text += wrapped(fmt::format("  {}: {}{}: {}", name(outcome_of(comparison)), comparison.what,
                                comparison.place.empty() ? "" : fmt::format(" [{}]", comparison.place), sentence_of(comparison)),
                    terminal_width(), 4) +
            '\n';
  return text;
}

std::string section_text(const Made& made, const std::string& folder) {
  const auto& [exhibit, reproduction] = made;
  std::string text =
      fmt::format("## {}\n\n`{}`: {}. {}.\n\n", exhibit->title, exhibit->id, exhibit->source, capitalised(exhibit->about));
  if (!reproduction.panels.empty()) text += fmt::format("![{}]({}/{}.svg)\n\n", exhibit->title, folder, exhibit->id);
  for (std::size_t i = 0; i < reproduction.sheets.size(); ++i)
    if (const Sheet& sheet = reproduction.sheets[i]; !is_plotted(reproduction, i) && sheet.rows.size() <= longest_table) {
      if (reproduction.sheets.size() > 1) text += fmt::format("`{}`:\n\n", csv_name(made, i));
      text += table_of(sheet);
    }
  const ExhibitVerdict verdict = verdict_of(reproduction);
  text += fmt::format("**{}.**\n\n", capitalised(verdict.headline));
  const bool all = reproduction.comparisons.size() <= most_listed;
  const bool places = std::any_of(reproduction.comparisons.begin(), reproduction.comparisons.end(),
                                  [](const Comparison& comparison) { return !comparison.place.empty(); });
  std::string lines;
  std::vector<std::string> findings;  // each once, with a number
  for (const Comparison& comparison : reproduction.comparisons)
    if (const Outcome outcome = outcome_of(comparison); all || outcome != Outcome::holds) {
      std::vector<std::string> cells{in_table(comparison.what)};
      if (places) cells.push_back(in_table(comparison.place));
      cells.insert(cells.end(), {std::string(name(outcome)), in_table(values_of(comparison))});
      if (const std::string finding = finding_of(comparison); !finding.empty()) {
        const auto known = std::find(findings.begin(), findings.end(), finding);
        cells.back() += fmt::format("; see {}", known - findings.begin() + 1);
        if (known == findings.end()) findings.push_back(finding);
      }
      lines += table_line(cells);
    }
  if (!lines.empty())
    text += (places ? "| compared | place | verdict | |\n| --- | --- | --- | --- |\n"
                    : "| compared | verdict | |\n| --- | --- | --- |\n") +
            lines;
  if (const std::size_t holding = verdict.counts[Outcome::holds]; !all && holding > 0 && !lines.empty())
    text += fmt::format("\nThe other {} hold.\n", holding);
  if (!findings.empty()) text += '\n';
  for (std::size_t i = 0; i < findings.size(); ++i) text += fmt::format("{}. {}.\n", i + 1, capitalised(findings[i]));
  for (const std::string& remark : reproduction.remarks) text += '\n' + remark + '\n';
  return text + '\n';
}

std::string index_line(const Made& made) {
  const ExhibitVerdict verdict = verdict_of(made.reproduction);
  std::vector<std::string> cells{std::string(made.exhibit->title), fmt::format("`{}`", made.exhibit->id),
                                 std::string(name(verdict.outcome))};
  for (const std::size_t count : verdict.counts) cells.push_back(fmt::format("{}", count));
  return table_line(cells);
}

std::string index_of(const std::string& lines) {
  std::string text = "| verdict | meaning |\n| --- | --- |\n";
  for (const VerdictLevel& level : verdict_levels)
    text += table_line(std::vector<std::string>{fmt::format("*{}*", level.name), std::string(level.meaning)});
  std::vector<std::string> columns{"what", "exhibit", "verdict"};
  for (const VerdictLevel& level : verdict_levels) columns.emplace_back(level.name);
  return text +
         "\nThe last columns say how many comparisons of an exhibit come to each verdict; its own verdict is the worst of "
         "them.\n\n" +
         table_line(columns) + table_line(std::vector<std::string>(columns.size(), "---")) + lines + '\n';
}

Json verdict_json(const Made& made) {
  const ExhibitVerdict verdict = verdict_of(made.reproduction);
  Json comparisons = Json::array();
  for (const Comparison& comparison : made.reproduction.comparisons) {
    const char* relations[] = {"equal", "at most", "at least"};
    Json entry{{"what", comparison.what},           {"paper", double{comparison.paper}},
               {"ours", double{comparison.ours}},   {"relation", relations[static_cast<int>(comparison.relation)]},
               {"tolerance", comparison.tolerance}, {"verdict", name(outcome_of(comparison))}};
    if (!comparison.place.empty()) entry["place"] = comparison.place;
    if (comparison.is_reading) entry["paper_is"] = "a reading of its words";
    if (const auto& finding = comparison.finding)
      entry["finding"] = {{"verdict", name(finding->level)},
                          {"value", double{finding->value}},
                          {"why", finding->why},
                          {"transcript_in_doubt", finding->is_transcript_in_doubt}};
    if (!comparison.aside.empty()) entry["aside"] = comparison.aside;
    if (!comparison.reason.empty()) entry["reason"] = comparison.reason;
    comparisons.push_back(std::move(entry));
  }
  return {{"id", made.exhibit->id},
          {"title", made.exhibit->title},
          {"source", made.exhibit->source},
          {"verdict", name(verdict.outcome)},
          {"explained", verdict.explained},
          {"sentence", verdict.sentence},
          {"comparisons", std::move(comparisons)}};
}

Json exhibits_json() {
  Json array = Json::array();
  for (const Exhibit* exhibit : all_exhibits())
    array.push_back({{"id", exhibit->id}, {"title", exhibit->title}, {"source", exhibit->source}, {"about", exhibit->about}});
  return array;
}

}  // namespace quadrille::command
