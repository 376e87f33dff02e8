// SPDX-License-Identifier: BSD-3-Clause
// A session of `tune`.
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
#include "quadrille/tune.hpp"
#include "tune/race/tune_cell.hpp"
#include "tune/rules/vendor_rules.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string date_before(Count days) {
  constexpr Count most_days = 100'000;  // all dates are less than this many days old
  const std::time_t then = std::time(nullptr) - std::min(days, most_days) * 86400;
  std::tm parts{};
  ::gmtime_r(&then, &parts);
  return fmt::format("{:%Y-%m-%d}", parts);
}

// Throws Error{misuse} for options out of range. Local.
void check_options(const TuneOptions& options, Count ranks) {
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); };
  if (ranks < 2) refuse("a single rank has nothing to choose; tune two ranks or more");
  if (!(options.seconds_per_cell > 0)) refuse("the time of a cell is more than 0 seconds");
  if (options.launches < 1 || options.launches > most_races)
    refuse(fmt::format("the number of launches is from 1 to {}, because wisdom keeps no more of a cell", most_races));
  if (std::count(options.executors.begin(), options.executors.end(), Executor::automatic) > 0)
    refuse("the executors to tune are mpi, shared and hybrid; leave the list empty for all that the group has");
  if (options.ways < 1) refuse("one way at least has to race");
  if (options.days < 0) refuse(fmt::format("measurements cannot be {} days old", options.days));
}

// Returns the problem for which ways are priced; counts that no rank knows in full are replaced by alike ones
// (with_alike_counts).
Problem priced(const TuneCell& cell) {
  return cell.own_counts_only ? with_alike_counts(cell.problem, cell.situation()) : cell.problem;
}

// Returns the fastest of our own ways by this executor. The record's entries are sorted by time.
const WisdomEntry* fastest_by(Executor executor, const WisdomRecord& record) {
  const auto entry = std::find_if(record.entries.begin(), record.entries.end(),
                                  [&](const WisdomEntry& each) { return each.way.executor == executor && !each.way.is_vendor(); });
  return entry == record.entries.end() ? nullptr : &*entry;
}

template <class Fit>
bool is_of(const Fit& fit, const Situation& situation, const std::string& oldest) {
  return fit.ranks == situation.ranks && fit.nodes == situation.nodes && fit.ranks_of_node == situation.ranks_of_node &&
         fit.date >= oldest;
}

class Session {
 public:
  Session(Communicator& communicator, const TuneOptions& options)
      : communicator_(communicator), options_(options), first_(communicator.rank() == 0) {
    check_options(options, communicator.size());
    result_.transport = communicator.transport_name();
    result_.ranks = communicator.size();
    result_.cells = cells_of(options, communicator.size(), communicator.nodes());
    may_choose_.executors = options.executors.empty() ? executors_of(communicator) : options.executors;
    may_choose_.with_vendor = communicator.transport().executor() == Executor::mpi;
  }

  TuneResult run() && {
    if (options_.vendor) keep_vendors_choices();
    read();
    find_known();
    if (first_ && options_.begin) options_.begin(result_.count(CellState::open), result_.cells.size());
    if (!options_.vendor) fit();
    for (TuneCell& cell : result_.cells) {
      if (cell.state != CellState::open || is_like_another(cell) || !fits_everywhere(cell)) continue;
      if (must_stop()) break;
      measure(cell);
    }
    return std::move(result_);
  }

 private:
  // Keeps only cells for which the MPI library has several algorithms.
  void keep_vendors_choices() {
    std::string reason;
    std::erase_if(result_.cells, [&](const TuneCell& each) {
      const auto ways = vendor_ways(communicator_, each.problem);
      if (!ways && reason.empty()) reason = ways.error();
      return !ways;
    });
    if (result_.cells.empty()) throw Error(ErrorCode::misuse, reason);
  }

  // Rank 0 reads the wisdom and distributes it, because wisdom decides what is measured, and all ranks must measure the same.
  void read() {
    wisdom_.machine = fingerprint(communicator_);
    result_.file = told_by(communicator_, 0, options_.vendor ? vendor_wisdom_file(wisdom_.machine) : wisdom_file(wisdom_.machine));
    if (result_.file.empty())
      throw Error(
          ErrorCode::misuse,
          "there is no place to keep wisdom, because there is no home folder or QUADRILLE_WISDOM is off; name a file, such as "
          "QUADRILLE_WISDOM=my.wisdom");
    std::string text;
    gathered_or_thrown(communicator_, [&] {
      if (first_) text = wisdom_text(read_here());
      return '\0';
    });
    wisdom_ = parse_wisdom(told_by(communicator_, 0, text), result_.file);
    oldest_ = told_by(communicator_, 0, date_before(options_.days));
  }

  // Reads the wisdom on rank 0. If the file is wrong, all ranks end with its error.
  Wisdom read_here() const {
    try {
      save_wisdom(result_.file, Wisdom{.machine = wisdom_.machine});  // throws before measuring if it cannot be written
      return read_wisdom(result_.file, wisdom_.machine);
    } catch (const Error& error) {
      throw Error(ErrorCode::misuse, error.what());
    }
  }

  // Collective.
  void add(const Wisdom& found) {
    gathered_or_thrown(communicator_, [&] {
      try {
        if (first_) save_wisdom(result_.file, found);
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
    return options_.vendor || std::all_of(may_choose_.executors.begin(), may_choose_.executors.end(),
                                          [&](Executor executor) { return fastest_by(executor, record) != nullptr; });
  }

  std::size_t recent_races(const WisdomRecord& record) const {
    return static_cast<std::size_t>(
        std::count_if(record.races.begin(), record.races.end(), [&](const WisdomRace& race) { return race.date >= oldest_; }));
  }

  void find_known() {
    if (options_.again) return;
    for (TuneCell& each : result_.cells) {
      const WisdomRecord* record = record_of(each.situation());
      if (!record || recent_races(*record) < options_.launches || !is_complete(*record)) continue;
      each.state = CellState::known;
      each.record = *record;
    }
  }

  // Seconds for measuring an executor's costs. All cells use these costs, so measuring them may take longer than one cell. The
  // time is short if the cells' times are short.
  double fit_seconds() const { return std::min(1.0, 10 * options_.seconds_per_cell); }

  std::vector<Collective> collectives_here() const {
    std::vector<Collective> here;
    for (const TuneCell& each : result_.cells)
      if (const Collective collective = each.problem.collective; std::find(here.begin(), here.end(), collective) == here.end())
        here.push_back(collective);
    return here;
  }

  void fit() {
    const Situation here = result_.cells.front().situation();
    std::vector<Executor> executors;
    for (const Executor executor : may_choose_.executors)
      if (options_.again || std::none_of(wisdom_.executors.begin(), wisdom_.executors.end(), [&](const ExecutorFit& known_fit) {
            return known_fit.executor == executor && known_fit.preset.empty() && is_of(known_fit, here, oldest_);
          }))
        executors.push_back(executor);
    std::vector<Collective> collectives;
    for (const Collective collective : collectives_here())
      if (options_.again || std::none_of(wisdom_.vendor.begin(), wisdom_.vendor.end(), [&](const VendorFit& known_fit) {
            return known_fit.collective == collective && is_of(known_fit, here, oldest_);
          }))
        collectives.push_back(collective);
    Wisdom found{.machine = wisdom_.machine};
    if (!executors.empty()) {
      show({.work = TuneProgress::fitting_executors});
      for (const ExecutorFit& each : fit_executors(communicator_, {.executors = executors, .seconds = fit_seconds()}))
        found.add(each);
    }
    if (may_choose_.with_vendor && !collectives.empty()) {
      show({.work = TuneProgress::fitting_vendor});
      for (const VendorFit& each : fit_vendor(communicator_, collectives, fit_seconds())) found.add(each);
    }
    add(found);
  }

  // Returns true if another cell of this session has the same situation: counts of two shapes may be equal if they are small.
  bool is_like_another(TuneCell& each) const {
    const Situation situation = each.situation();
    const auto other = std::find_if(result_.cells.begin(), result_.cells.end(), [&](const TuneCell& cell) {
      return cell.state == CellState::measured && cell.record.situation == situation;
    });
    if (other == result_.cells.end()) return false;
    each.state = CellState::known;
    each.record = other->record;
    return true;
  }

  // Collective.
  bool fits_everywhere(TuneCell& each) {
    char fits = 1;
    try {
      check_memory(each.problem);
    } catch (const Error& error) {
      each.reason = error.what();
      fits = 0;
    }
    for (const char here : gathered(communicator_, fits))
      if (here == 0) each.state = CellState::left_out;
    return each.state == CellState::open;
  }

  // Collective: returns true if any rank wants to stop or the time is over.
  bool must_stop() {
    struct Word {
      int stopped = 0;
      bool out_of_time = false;
    };
    const Word mine{options_.stop ? options_.stop() : 0, first_ && options_.seconds && seconds_since(start_) > *options_.seconds};
    for (const Word& word : gathered(communicator_, mine)) {
      if (result_.stopped == 0) result_.stopped = word.stopped;
      result_.out_of_time = result_.out_of_time || word.out_of_time;
    }
    return result_.stopped != 0 || result_.out_of_time;
  }

  // Returns the fastest ways at the nearest smaller and the nearest larger size of the same collective.
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

  // Returns ways from other launches that may be the fastest in this situation, and the fastest ways by executors that this
  // session leaves out. They race again, so that they have run in all launches and their times can be compared.
  std::vector<Way> contenders(const Situation& situation) const {
    static constexpr std::size_t most = 8;
    std::vector<Way> found;
    const WisdomRecord* record = record_of(situation);
    if (!record) return found;
    for (const WisdomEntry& entry : record->entries)
      if (found.size() < most && entry.timing.lower_s <= record->entries.front().timing.median_s) found.push_back(entry.way);
    for (const Executor executor : executors_of(communicator_)) {
      if (std::find(may_choose_.executors.begin(), may_choose_.executors.end(), executor) != may_choose_.executors.end()) continue;
      if (const WisdomEntry* entry = fastest_by(executor, *record)) found.push_back(entry->way);
    }
    return found;
  }

  std::vector<Way> ways_of(const TuneCell& cell) const {
    if (options_.vendor) return *vendor_ways(communicator_, cell.problem);
    DecisionOptions by = may_choose_;
    by.own_counts_only = cell.own_counts_only;
    by.situation = cell.situation();
    std::vector<Way> known_good = fastest_nearby(*by.situation);
    for (Way& way : contenders(*by.situation)) known_good.push_back(std::move(way));
    return promising_ways(priced(cell), wisdom_, by, known_good, options_.ways);
  }

  std::optional<double> seconds_left() const {
    const std::size_t done = result_.count(CellState::measured), left = result_.count(CellState::open);
    if (done == 0) return std::nullopt;
    const double seconds = seconds_of_cells_ / static_cast<double>(done) * static_cast<double>(left);
    return options_.seconds ? std::min(seconds, std::max(0.0, *options_.seconds - seconds_since(start_))) : seconds;
  }

  void measure(TuneCell& cell) {
    const auto start = Clock::now();
    const auto show_race = [&](int repetition, int repetitions, std::size_t ways) {
      show({.cell = &cell,
            .number = result_.cells.size() - result_.count(CellState::open) + 1,
            .cells = result_.cells.size(),
            .repetition = repetition,
            .repetitions = repetitions,
            .ways = ways,
            .seconds_left = seconds_left()});
    };
    const auto take_wrong = [&](const std::string& sentence) {
      result_.wrong_data = true;
      if (options_.wrong) options_.wrong(cell, sentence);
    };
    cell.record = tune_cell(communicator_, cell.problem, ways_of(cell),
                            {.seconds = options_.seconds_per_cell,
                             .operation = cell.operation,
                             .situation = cell.situation(),
                             .progress = show_race,
                             .wrong = take_wrong});
    cell.state = CellState::measured;
    Wisdom found{.machine = wisdom_.machine};
    found.add(cell.record);
    add(found);
    cell.record = *record_of(cell.record.situation);  // includes the results of other launches
    seconds_of_cells_ += seconds_since(start);
  }

  void show(const TuneProgress& progress) const {
    if (first_ && options_.progress) options_.progress(progress);
  }

  Communicator& communicator_;
  const TuneOptions& options_;
  const bool first_;
  const Clock::time_point start_ = Clock::now();
  DecisionOptions may_choose_;
  Wisdom wisdom_;       // the same on all ranks
  std::string oldest_;  // measurements before this date are made again
  double seconds_of_cells_ = 0;
  TuneResult result_;
};

}  // namespace

std::size_t TuneResult::count(CellState state) const {
  return static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [&](const TuneCell& cell) { return cell.state == state; }));
}

TuneResult tune(Communicator& communicator, const TuneOptions& options) { return Session(communicator, options).run(); }

}  // namespace quadrille
