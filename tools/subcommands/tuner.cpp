// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/tuner.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "plan/gathered.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/race.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"
#include "tune/race/tune_cell.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string date_before(Count days) {
  const std::time_t then = std::time(nullptr) - days * 86400;
  std::tm parts{};
  ::gmtime_r(&then, &parts);
  return fmt::format("{:%Y-%m-%d}", parts);
}

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

// Returns the fastest of our own ways by this executor. The record's entries are sorted by time.
const WisdomEntry* fastest_by(Executor executor, const WisdomRecord& record) {
  const auto entry = std::find_if(record.entries.begin(), record.entries.end(), [&](const WisdomEntry& each) {
    return each.way.executor == executor && !names_vendor(each.way.algorithm);
  });
  return entry == record.entries.end() ? nullptr : &*entry;
}

template <class Fit>
bool is_of(const Fit& fit, const Situation& situation, const std::string& oldest) {
  return fit.ranks == situation.ranks && fit.nodes == situation.nodes && fit.ranks_of_node == situation.ranks_of_node &&
         fit.date >= oldest;
}

class Tuner {
 public:
  Tuner(Communicator& communicator, const TuneRequest& request, const TuneTalk& talk)
      : communicator_(communicator), request_(request), talk_(talk), first_(communicator.rank() == 0) {
    outcome_.transport = communicator.transport_name();
    outcome_.ranks = communicator.size();
    const bool is_from_run = !request.wanted.empty();
    for (Cell& cell : is_from_run ? make_cells(request.wanted, communicator.size(), communicator.nodes())
                                  : make_grid(request.collectives, request.sizes, communicator.size(), communicator.nodes()))
      outcome_.cells.push_back({.cell = std::move(cell)});
    options_.executors = request.executors.empty() ? executors_of(communicator) : request.executors;
    options_.with_vendor = communicator.transport().executor() == Executor::mpi;
  }

  TuneOutcome run() && {
    if (request_.vendor) keep_vendors_choices();
    read();
    find_known();
    if (first_) say_what_is_to_do();
    if (!request_.vendor) fit();
    for (TunedCell& each : outcome_.cells) {
      if (each.state != CellState::open || is_like_another(each) || !fits_everywhere(each)) continue;
      if (must_stop()) break;
      measure(each);
    }
    return std::move(outcome_);
  }

 private:
  // Keeps only cells for which the MPI library has several algorithms.
  void keep_vendors_choices() {
    std::string reason;
    std::erase_if(outcome_.cells, [&](const TunedCell& each) {
      const auto ways = vendor_ways(communicator_, each.cell.problem);
      if (!ways && reason.empty()) reason = ways.error();
      return !ways;
    });
    if (outcome_.cells.empty()) throw Error(ErrorCode::misuse, reason);
  }

  // Rank 0 reads the wisdom and distributes it, because all ranks must measure the same, and wisdom decides what they measure.
  void read() {
    wisdom_.machine = fingerprint(communicator_);
    outcome_.file = told_by(communicator_, 0, request_.vendor ? vendor_wisdom_file(wisdom_.machine) : wisdom_file(wisdom_.machine));
    if (outcome_.file.empty())
      throw Error(
          ErrorCode::misuse,
          "there is no place to keep wisdom, because there is no home folder or QUADRILLE_WISDOM is off; name a file, such as "
          "QUADRILLE_WISDOM=my.wisdom");
    std::string text;
    gathered_or_thrown(communicator_, [&] {
      if (first_) text = wisdom_text(read_here());
      return '\0';
    });
    wisdom_ = parse_wisdom(told_by(communicator_, 0, text), outcome_.file);
    oldest_ = told_by(communicator_, 0, date_before(request_.days));
  }

  // Reads the wisdom on rank 0. If the file is wrong, all ranks end with its error.
  Wisdom read_here() const {
    try {
      save_wisdom(outcome_.file, Wisdom{.machine = wisdom_.machine});  // throws now, rather than later, if it cannot be written
      return read_wisdom(outcome_.file, wisdom_.machine);
    } catch (const Error& error) {
      throw Error(ErrorCode::misuse, error.what());
    }
  }

  // Collective.
  void add(const Wisdom& found) {
    gathered_or_thrown(communicator_, [&] {
      try {
        if (first_) save_wisdom(outcome_.file, found);
      } catch (const Error& error) {
        throw Error(ErrorCode::misuse, error.what());
      }
      return '\0';
    });
    wisdom_.merge(found);
  }

  const WisdomRecord* record_of(const Situation& situation) const {
    const auto record = std::find_if(wisdom_.records.begin(), wisdom_.records.end(),
                                     [&](const WisdomRecord& known) { return known.situation == situation; });
    return record == wisdom_.records.end() ? nullptr : &*record;
  }

  // Returns true if every executor of this session has raced.
  bool is_complete(const WisdomRecord& record) const {
    return request_.vendor || std::all_of(options_.executors.begin(), options_.executors.end(),
                                          [&](Executor executor) { return fastest_by(executor, record) != nullptr; });
  }

  std::size_t recent_races(const WisdomRecord& record) const {
    return static_cast<std::size_t>(
        std::count_if(record.races.begin(), record.races.end(), [&](const WisdomRace& race) { return race.date >= oldest_; }));
  }

  void find_known() {
    if (request_.again) return;
    for (TunedCell& each : outcome_.cells) {
      const WisdomRecord* record = record_of(each.cell.situation());
      if (!record || recent_races(*record) < request_.launches || !is_complete(*record)) continue;
      each.state = CellState::known;
      each.record = *record;
    }
  }

  void say_what_is_to_do() const {
    const std::size_t open = outcome_.count(CellState::open);
    if (open < 2) return;
    const double seconds = static_cast<double>(open) * request_.seconds_per_cell;
    talk_.remark(fmt::format("{} of {} cells are to be measured: about {} at {:g} s each, more where calls are slow{}", open,
                             outcome_.cells.size(), time_left(seconds), request_.seconds_per_cell,
                             request_.seconds && *request_.seconds < seconds ? "; --time stops earlier" : ""));
  }

  // Time to measure an executor's costs. All cells use these costs, so measuring them may take longer than one cell. If cells are
  // short, it is short, too.
  double fit_seconds() const { return std::min(1.0, 10 * request_.seconds_per_cell); }

  std::vector<Collective> collectives_here() const {
    std::vector<Collective> here;
    for (const TunedCell& each : outcome_.cells)
      if (const Collective collective = each.cell.problem.collective; std::find(here.begin(), here.end(), collective) == here.end())
        here.push_back(collective);
    return here;
  }

  void fit() {
    const Situation here = outcome_.cells.front().cell.situation();
    std::vector<Executor> executors;
    for (const Executor executor : options_.executors)
      if (request_.again || std::none_of(wisdom_.executors.begin(), wisdom_.executors.end(), [&](const ExecutorFit& known_fit) {
            return known_fit.executor == executor && known_fit.preset.empty() && is_of(known_fit, here, oldest_);
          }))
        executors.push_back(executor);
    std::vector<Collective> collectives;
    for (const Collective collective : collectives_here())
      if (request_.again || std::none_of(wisdom_.vendor.begin(), wisdom_.vendor.end(), [&](const VendorFit& known_fit) {
            return known_fit.collective == collective && is_of(known_fit, here, oldest_);
          }))
        collectives.push_back(collective);
    Wisdom found{.machine = wisdom_.machine};
    if (!executors.empty()) {
      show("measuring what messages and copies take");
      for (const ExecutorFit& each : fit_executors(communicator_, {.executors = executors, .seconds = fit_seconds()}))
        found.add(each);
    }
    if (options_.with_vendor && !collectives.empty()) {
      show("timing the MPI library's own collectives");
      for (const VendorFit& each : fit_vendor(communicator_, collectives, fit_seconds())) found.add(each);
    }
    add(found);
  }

  // Returns true if another cell of this session has the same situation: counts of two shapes may be equal if they are small.
  bool is_like_another(TunedCell& each) const {
    const Situation situation = each.cell.situation();
    const auto other = std::find_if(outcome_.cells.begin(), outcome_.cells.end(), [&](const TunedCell& cell) {
      return cell.state == CellState::measured && cell.record.situation == situation;
    });
    if (other == outcome_.cells.end()) return false;
    each.state = CellState::known;
    each.record = other->record;
    return true;
  }

  // Collective.
  bool fits_everywhere(TunedCell& each) {
    char fits = 1;
    try {
      check_memory(each.cell.problem);
    } catch (const Error& error) {
      each.reason = error.what();
      fits = 0;
    }
    for (const char here : gathered(communicator_, fits))
      if (here == 0) each.state = CellState::left_out;
    return each.state == CellState::open;
  }

  // Collective: returns true if any rank has received a signal or the time is over.
  bool must_stop() {
    struct Word {
      int signal = 0;
      bool out_of_time = false;
    };
    const Word mine{StopSignal::caught(), first_ && request_.seconds && seconds_since(start_) > *request_.seconds};
    for (const Word& word : gathered(communicator_, mine)) {
      if (outcome_.signal == 0) outcome_.signal = word.signal;
      outcome_.out_of_time = outcome_.out_of_time || word.out_of_time;
    }
    return outcome_.signal != 0 || outcome_.out_of_time;
  }

  // Returns the fastest ways of the nearest sizes of the same collective, below and above.
  std::vector<Way> fastest_nearby(const Situation& situation) const {
    const WisdomRecord *below = nullptr, *above = nullptr;
    for (const WisdomRecord& record : wisdom_.records) {
      Situation same = situation;
      same.block_bytes = record.situation.block_bytes;
      if (same != record.situation || record.entries.empty()) continue;
      if (same.block_bytes < situation.block_bytes && (!below || same.block_bytes > below->situation.block_bytes)) below = &record;
      if (same.block_bytes > situation.block_bytes && (!above || same.block_bytes < above->situation.block_bytes)) above = &record;
    }
    std::vector<Way> found;
    for (const WisdomRecord* record : {below, above})
      if (record) found.push_back(record->entries.front().way);
    return found;
  }

  // Returns ways from other launches: those that may be the fastest in this situation, and the fastest by executors that this
  // session leaves out. Racing them again makes them comparable, because they have run in all launches.
  std::vector<Way> contenders(const Situation& situation) const {
    static constexpr std::size_t most = 8;
    std::vector<Way> found;
    const WisdomRecord* record = record_of(situation);
    if (!record) return found;
    for (const WisdomEntry& entry : record->entries)
      if (found.size() < most && entry.timing.lower_s <= record->entries.front().timing.median_s) found.push_back(entry.way);
    for (const Executor executor : executors_of(communicator_)) {
      if (std::find(options_.executors.begin(), options_.executors.end(), executor) != options_.executors.end()) continue;
      if (const WisdomEntry* entry = fastest_by(executor, *record)) found.push_back(entry->way);
    }
    return found;
  }

  std::vector<Way> ways_of(const Cell& cell) const {
    if (request_.vendor) return *vendor_ways(communicator_, cell.problem);
    DecisionOptions by = options_;
    by.own_counts_only = cell.own_counts_only;
    by.situation = cell.situation();
    std::vector<Way> known_good = fastest_nearby(*by.situation);
    for (Way& way : contenders(*by.situation)) known_good.push_back(std::move(way));
    return promising_ways(cell.priced(), wisdom_, by, known_good, request_.ways);
  }

  // Returns the progress line: "alltoallv spike of 4 KiB, cell 12 of 144: repetition 4 of 15 of 5 ways; about 3 min left".
  std::string doing(const Cell& cell, int repetition, int repetitions, std::size_t ways) const {
    const std::size_t done = outcome_.count(CellState::measured), left = outcome_.count(CellState::open);
    std::string text =
        fmt::format("{}, cell {} of {}: repetition {} of {} of {} way{}", cell.text(), outcome_.cells.size() - left + 1,
                    outcome_.cells.size(), repetition + 1, repetitions, ways, ways == 1 ? "" : "s");
    if (done > 0) text += fmt::format("; about {} left", time_left(seconds_left(done, left)));
    return text;
  }

  double seconds_left(std::size_t done, std::size_t left) const {
    const double seconds = seconds_of_cells_ / static_cast<double>(done) * static_cast<double>(left);
    return request_.seconds ? std::min(seconds, std::max(0.0, *request_.seconds - seconds_since(start_))) : seconds;
  }

  void measure(TunedCell& each) {
    const auto start = Clock::now();
    const Cell& cell = each.cell;
    const TuneOptions options{.seconds = request_.seconds_per_cell,
                              .operation = cell.operation,
                              .situation = cell.situation(),
                              .progress = [&](int repetition, int repetitions,
                                              std::size_t ways) { talk_.show(doing(cell, repetition, repetitions, ways)); },
                              .wrong =
                                  [&](const std::string& sentence) {
                                    outcome_.wrong_data = true;
                                    talk_.remark(fmt::format("wrong data: {}: {}", cell.text(), sentence));
                                  }};
    each.record = tune_cell(communicator_, cell.problem, ways_of(cell), options);
    each.state = CellState::measured;
    Wisdom found{.machine = wisdom_.machine};
    found.add(each.record);
    add(found);
    each.record = *record_of(each.record.situation);  // includes the results of other launches
    seconds_of_cells_ += seconds_since(start);
  }

  void show(const std::string& doing) const {
    if (first_) talk_.show(doing);
  }

  Communicator& communicator_;
  const TuneRequest& request_;
  const TuneTalk& talk_;
  const bool first_;
  const Clock::time_point start_ = Clock::now();
  DecisionOptions options_;
  Wisdom wisdom_;       // the same on all ranks
  std::string oldest_;  // measurements before this date are made again
  double seconds_of_cells_ = 0;
  TuneOutcome outcome_;
};

}  // namespace

std::size_t TuneOutcome::count(CellState state) const {
  return static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [&](const TunedCell& each) { return each.state == state; }));
}

TuneOutcome tune(Communicator& communicator, const TuneRequest& request, const TuneTalk& talk) {
  return Tuner(communicator, request, talk).run();
}

}  // namespace quadrille::command
