// SPDX-License-Identifier: BSD-3-Clause
// Runs quadrille reproduce: makes exhibits (tables and figures of papers) again from our schedules, with a verdict on each, as
// text, as JSON and for the documentation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "draw/panel.hpp"
#include "options/arguments.hpp"
#include "papers/exhibit.hpp"
#include "quadrille/error.hpp"
#include "subcommands/on_demand.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

using namespace papers;

// Makes exhibits in parallel, on as many threads as there are processors. Their order does not matter: an exhibit does not depend
// on others and has no side effects.
class ExhibitMakers {
 public:
  // `progress` must outlive this object.
  ExhibitMakers(std::vector<const Exhibit*> exhibits, ProgressLine& progress);
  ~ExhibitMakers();  // waits for the exhibits that are being made; begins no more
  ExhibitMakers(const ExhibitMakers&) = delete;
  ExhibitMakers& operator=(const ExhibitMakers&) = delete;

  // Waits until the exhibit with this number is made, and returns it. Each exhibit can be taken once. If making it failed,
  // rethrows the error.
  Reproduction take(std::size_t number);

 private:
  struct Place {
    std::optional<Reproduction> made;
    std::exception_ptr error;
    std::string doing;
  };

  void make_until_none_is_left();
  bool make_next();  // returns false if none is left
  bool is_finished(std::size_t number) const { return places_[number].made || places_[number].error; }

  const std::vector<const Exhibit*> exhibits_;
  ProgressLine& progress_;
  std::mutex mutex_;  // protects all members below except the threads
  std::condition_variable changed_;
  std::vector<Place> places_;
  std::size_t next_ = 0;
  std::optional<std::size_t> awaited_;
  std::vector<std::thread> threads_;
};

// An exhibit, with what was made again.
struct Made {
  const Exhibit* exhibit = nullptr;
  Reproduction reproduction;
};

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
constexpr std::size_t most_listed = 12;    // of more comparisons than these, only those that do not hold are listed

ExhibitMakers::ExhibitMakers(std::vector<const Exhibit*> exhibits, ProgressLine& progress)
    : exhibits_(std::move(exhibits)), progress_(progress), places_(exhibits_.size()) {
  const std::size_t most = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), exhibits_.size());
  try {
    while (threads_.size() < most) threads_.emplace_back([this] { make_until_none_is_left(); });
    // no thread could be started (limits of processes or addresses); in this case take() makes the exhibit itself
  } catch (const std::system_error&) {}
}

ExhibitMakers::~ExhibitMakers() {
  {
    const std::lock_guard lock(mutex_);
    next_ = exhibits_.size();
  }
  for (std::thread& thread : threads_) thread.join();
}

void ExhibitMakers::make_until_none_is_left() {
  while (make_next()) {}
}

bool ExhibitMakers::make_next() {
  std::unique_lock lock(mutex_);
  if (next_ == exhibits_.size()) return false;
  const std::size_t number = next_++;
  Place& place = places_[number];
  const std::string name = fmt::format("{} ({} of {})", exhibits_[number]->id, number + 1, exhibits_.size());
  // ProgressLine shows only the exhibit for which take() waits; other exhibits are made at the same time.
  const auto show = [&](std::string line) {
    place.doing = std::move(line);
    if (awaited_ == number) progress_.show(place.doing);
  };
  show(name);
  lock.unlock();
  std::optional<Reproduction> made;
  std::exception_ptr error;
  try {
    made = exhibits_[number]->make({.progress = [&](std::string_view line) {
      const std::lock_guard shown(mutex_);
      show(fmt::format("{}: {}", name, line));
    }});
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  place.made = std::move(made);
  place.error = error;
  changed_.notify_all();
  return true;
}

Reproduction ExhibitMakers::take(std::size_t number) {
  std::unique_lock lock(mutex_);
  awaited_ = number;
  progress_.show(places_[number].doing);
  if (threads_.empty()) {
    lock.unlock();
    while (next_ <= number) make_next();
    lock.lock();
  }
  changed_.wait(lock, [&] { return is_finished(number); });
  awaited_.reset();
  if (places_[number].error) std::rethrow_exception(places_[number].error);
  return *std::exchange(places_[number].made, std::nullopt);
}

// Returns the file name of a sheet: "bruck1997-fig4.csv", or "bruck1997-fig4-a.csv" if there are several.
std::string csv_name(const Made& made, std::size_t sheet) {
  const auto& sheets = made.reproduction.sheets;
  return fmt::format("{}{}{}.csv", made.exhibit->id, sheets.size() > 1 ? "-" : "", sheets.size() > 1 ? sheets[sheet].name : "");
}

std::string exhibits_text() {
  Table table("exhibit|what it is|source");
  for (const Exhibit& exhibit : all_exhibits())
    table.add({std::string(exhibit.id), std::string(exhibit.title), std::string(exhibit.source)});
  return table.text();
}

// Returns the verdict in one line, and with comparisons a line for each of them.
std::string verdict_text(const Made& made, bool with_comparisons) {
  std::string text = paragraph(fmt::format("{}: {}", made.exhibit->id, verdict_of(made.reproduction).sentence));
  if (!with_comparisons) return text;
  for (const Comparison& comparison : made.reproduction.comparisons)
    text += paragraph(fmt::format("  {}: {}{}: {}", name(outcome_of(comparison)), comparison.what,
                                  comparison.place.empty() ? "" : fmt::format(" [{}]", comparison.place), sentence_of(comparison)),
                      4);
  return text;
}

// Returns Markdown; pictures are in `folder`.
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
  std::vector<std::string> findings;  // the findings, each once, with a number
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

// Returns the exhibit's row of the Markdown index.
std::string index_line(const Made& made) {
  const ExhibitVerdict verdict = verdict_of(made.reproduction);
  std::vector<std::string> cells{std::string(made.exhibit->title), fmt::format("`{}`", made.exhibit->id),
                                 std::string(name(verdict.outcome))};
  for (const std::size_t count : verdict.counts) cells.push_back(fmt::format("{}", count));
  return table_line(cells);
}

// Returns the Markdown index with these rows.
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
    if (const auto& open = comparison.open) entry["open"] = {{"least", double{open->least}}, {"most", double{open->most}}};
    if (comparison.is_reading) entry["paper_is"] = "a reading of its words";
    if (const auto& finding = comparison.finding)
      entry["finding"] = {{"verdict", name(finding->level)},
                          {"value", finding->value ? Json(double{*finding->value}) : Json()},
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
  return array_of(all_exhibits(), [](const Exhibit& exhibit) { return MEMBERS_OF(exhibit, id, title, source, about); });
}

std::vector<const Exhibit*> chosen(const std::vector<std::string>& ids) {
  std::vector<std::string> known{"all"};
  for (const Exhibit& exhibit : all_exhibits()) known.emplace_back(exhibit.id);
  std::vector<const Exhibit*> exhibits;
  for (const std::string& id : ids) {
    if (id == "all")
      for (const Exhibit& exhibit : all_exhibits()) exhibits.push_back(&exhibit);
    else if (const Exhibit* exhibit = find_exhibit(id))
      exhibits.push_back(exhibit);
    else
      refuse_unknown("exhibit", id, known);
  }
  return exhibits;
}

void make_folder(const std::string& folder) {
  if (folder.empty()) refuse("--output needs the name of a folder");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw Error(ErrorCode::environment, fmt::format("cannot make the folder '{}': {}", folder, error.message()));
}

void write(const Made& made, const std::filesystem::path& folder) {
  const auto& [exhibit, reproduction] = made;
  for (std::size_t i = 0; i < reproduction.sheets.size(); ++i)
    Output((folder / csv_name(made, i)).string()).finish(csv_of(reproduction.sheets[i]));
  if (reproduction.panels.empty()) return;
  const std::string note = "Verdict: " + verdict_of(reproduction).headline;
  Output((folder / fmt::format("{}.svg", exhibit->id)).string())
      .finish(draw_plot(std::string(exhibit->title), note, {reproduction.sheets.begin(), reproduction.sheets.end()},
                        {reproduction.panels.begin(), reproduction.panels.end()}));
}

}  // namespace

int run_reproduce(const ReproduceArguments& options) {
  if (options.json && options.markdown) refuse("--json and --markdown exclude each other");
  if (options.list) {
    if (!options.ids.empty()) refuse("--list takes no exhibit: it lists them all");
    Output(options.folder).finish(options.json ? document_text("reproduce", exhibits_json()) : exhibits_text());
    return good;
  }
  if (options.ids.empty()) refuse("name an exhibit, or all: quadrille reproduce all -o DIR; --list lists them");
  const auto exhibits = chosen(options.ids);
  if (options.folder) make_folder(*options.folder);
  const bool several = exhibits.size() > 1;
  Json array = Json::array();
  std::string index, sections;
  bool explained = true;
  Output output;
  ProgressLine progress;
  ExhibitMakers makers(exhibits, progress);
  for (std::size_t number = 0; number < exhibits.size(); ++number) {
    const Made made{exhibits[number], makers.take(number)};
    if (options.folder) write(made, *options.folder);
    progress.clear();
    explained = explained && verdict_of(made.reproduction).explained;
    if (options.json) {
      array.push_back(verdict_json(made));
    } else if (options.markdown) {
      index += index_line(made);
      sections += section_text(made, "reproduction");
    } else {
      output.stream() << verdict_text(made, !several) << std::flush;
    }
  }
  if (options.json)
    output.finish(document_text("reproduce", several ? array : array[0]));
  else
    output.finish(options.markdown ? (several ? index_of(index) : "") + sections : "");
  return explained ? good : with_findings;
}

}  // namespace quadrille::command
