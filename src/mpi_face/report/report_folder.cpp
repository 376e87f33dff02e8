// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/report_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "foundation/environment.hpp"
#include "foundation/hash.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/system/file_replacement.hpp"
#include "foundation/system/files.hpp"
#include "foundation/system/proc.hpp"
#include "foundation/text/parsing.hpp"
#include "mpi_face/report/report.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

namespace fs = std::filesystem;

std::string temporary_folder() {
  const std::string told = environment_value("TMPDIR");
  return told.empty() ? "/tmp" : told;
}

std::string folder_prefix() { return fmt::format("quadrille-report-{}-", ::geteuid()); }

// Is it a folder for counters that this user has made?
bool is_own_folder(const fs::path& path, struct stat& status) {
  return path.filename().string().starts_with(folder_prefix()) && ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

// Returns the library whose launcher has a proxy of this name; null if there is none.
const MpiLibrary* library_of_proxy(std::string_view name) {
  for (const MpiLibrary& library : mpi_libraries)
    if (!library.launcher.proxy.empty() && library.launcher.proxy == name) return &library;
  return nullptr;
}

// Identifies a run under a launcher whose proxy starts all ranks of a machine: by the value of an option, such as the launcher's
// port, which is the same for the proxies of all machines.
std::string proxys_run(long number) {
  for (int depth = 0; depth < 16 && number > 1; ++depth) {
    const std::string directory = fmt::format("/proc/{}", number);
    const auto process = process_stat(directory);
    if (!process) return {};
    if (const MpiLibrary* const library = library_of_proxy(process->name)) {
      std::ifstream file(directory + "/cmdline");
      std::string word;
      while (std::getline(file, word, '\0'))
        if (word == library->launcher.proxy_option && std::getline(file, word, '\0')) return process->name + ' ' + word;
      return fmt::format("{} {} {}", process->name, number, process->started);
    }
    number = process->parent;
  }
  return {};
}

void check_private(const std::string& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw Error(ErrorCode::environment, fmt::format("'{}' is not a folder, so counters cannot be put there", folder));
  if (status.st_uid != ::geteuid() || (status.st_mode & 077) != 0)
    throw Error(ErrorCode::environment,
                fmt::format("the folder '{}' is another user's or open to others, so counters are not put there", folder));
}

std::string counters_folder(const ReportWish& wish) { return wish.file + ".counters"; }

void write_file(const std::string& path, const std::string& text) {
  if (const Result<> written = replace_file(path, text); !written)
    throw Error(ErrorCode::environment, fmt::format("the report '{}' cannot be written: {}", path, written.error()));
}

// True if the environment of the launcher says that all ranks are on this machine.
bool is_one_machine(const RunReport& report) {
  const std::string ranks = launcher_value(&MpiLauncher::local_size);
  return (ranks.empty() ? 1 : std::atoll(ranks.c_str())) == report.world_size;
}

bool has_first_rank(const RunReport& report) {
  const ReportedRank& first = report.ranks.front();
  return first.rank == 0 && first.state == RankState::ended && first.host == host_name();
}

// Returns nothing if another rank has meanwhile written the report and removed the folder: then only a part of
// the files may have been read.
std::optional<RunReport> read_if_there(const std::string& folder, std::uint64_t run) {
  const std::string places[] = {folder};
  const auto is_there = [&] { return ::access(folder.c_str(), F_OK) == 0; };
  try {
    RunReport report = read_run(places, run);
    return is_there() ? std::optional(std::move(report)) : std::nullopt;
  } catch (const Error&) {
    if (is_there()) throw;
    return std::nullopt;
  }
}

// Renames the folder first, so that it disappears for other processes in one step. A watcher's message about a hang is kept.
void remove_folder(const std::string& folder) {
  if (::access((folder + "/run.hang.txt").c_str(), F_OK) == 0) {
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
      if (!each->path().filename().string().starts_with("run.hang.")) ::unlink(each->path().c_str());
    return;
  }
  const std::string gone = fmt::format("{}.{}", folder, ::getpid());
  if (::rename(folder.c_str(), gone.c_str()) != 0) return;
  std::error_code ignored;
  fs::remove_all(gone, ignored);
}

std::ptrdiff_t ended_ranks(const RunReport& report) {
  return std::count_if(report.ranks.begin(), report.ranks.end(),
                       [](const ReportedRank& rank) { return rank.state == RankState::ended; });
}

// Writes the files. If more ranks have ended meanwhile, writes them again, because this report may have replaced a report that
// had those ranks.
void write_files(const std::string& folder, const ReportWish& wish, RunReport report, std::uint64_t run) {
  for (;;) {
    write_file(wish.file, text_of(report, {.full = wish.full}));
    write_file(json_file(wish), json_text_of(report));
    auto later = read_if_there(folder, run);
    if (!later || ended_ranks(*later) <= ended_ranks(report)) return;
    report = std::move(*later);
  }
}

// Several ranks may find the same state of the run at the same time. Returns true for only one of them, because only one process
// can create the marker file.
bool is_first_to_report(const std::string& folder, const RunReport& report) {
  const std::string path =
      fmt::format("{}/reported-{}-{}-{}", folder, report.start_unix_ns, report.ranks.size(), ended_ranks(report));
  return Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)).number() >= 0;
}

void write(const std::string& folder, const ReportWish& wish, RunReport report, std::uint64_t run) {
  if (!wish.file.empty()) return write_files(folder, wish, std::move(report), run);
  std::fputs(('\n' + text_of(report, {.full = wish.full})).c_str(), stderr);
  const bool ended_well =
      std::all_of(report.ranks.begin(), report.ranks.end(), [](const auto& rank) { return rank.state == RankState::ended; });
  if (ended_well && (report.missing_ranks == 0 || is_one_machine(report))) remove_folder(folder);
}

}  // namespace

std::optional<ReportWish> parse_report_wish(const std::string& words) {
  const std::size_t colon = words.find(':');
  const std::string kind = words.substr(0, colon);
  if (kind != "summary" && kind != "full") return std::nullopt;
  ReportWish wish{.full = kind == "full"};
  if (colon == std::string::npos) return wish;
  wish.file = words.substr(colon + 1);
  if (wish.file.empty()) return std::nullopt;
  return wish;
}

std::optional<WatchWish> parse_watch_wish(const std::string& words) {
  std::istringstream in(words);
  std::string word;
  in >> word;
  const auto seconds = number_in<double>(word);
  if (!seconds || !(*seconds >= 0.1 && *seconds <= 1e6)) return std::nullopt;
  WatchWish wish{.limit_s = *seconds};
  while (in >> word) {
    if (word == "check")
      wish.checks = true;
    else if (word == "by")
      in >> wish.watcher >> wish.run;
    else
      wish.meeting += (wish.meeting.empty() ? "" : " ") + word;
  }
  return wish;
}

std::string to_text(const WatchWish& wish) {
  return fmt::format("{}{} by {} {} {}", wish.limit_s, wish.checks ? " check" : "", wish.watcher, wish.run, wish.meeting);
}

std::uint64_t number_of_run(long process) {
  std::string words;
  const auto add = [&](const char* variable) {
    if (const std::string value = variable ? environment_value(variable) : ""; !value.empty())
      words += fmt::format("{}={} ", variable, value);
  };
  for (const MpiLibrary& library : mpi_libraries)
    for (const char* variable : library.launcher.run) add(variable);
  words += proxys_run(process);
  // In a job of Slurm, mpirun's ranks on its own machine are in another step than those on the other machines.
  if (words.empty())
    for (const char* variable : {"SLURM_JOB_ID", "SLURM_STEP_ID"}) add(variable);
  const bool is_launched = !launcher_value(&MpiLauncher::rank).empty() || !launcher_value(&MpiLauncher::other_rank).empty();
  if (words.empty() && is_launched) return 0;
  if (words.empty()) {
    const auto self = process_stat(fmt::format("/proc/{}", process));
    words = fmt::format("alone {} {}", process, self ? std::to_string(self->started) : "");
  }
  return std::max<std::uint64_t>(text_hash(words), 1);
}

std::string json_file(const ReportWish& wish) { return wish.file + ".json"; }

void check_report_folder(const ReportWish& wish) {
  const std::string folder = counters_folder(wish);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) == 0) check_private(folder);
}

std::string report_folder(const ReportWish& wish, std::uint64_t run) {
  if (!wish.file.empty()) return counters_folder(wish);
  return fmt::format("{}/{}{:016x}", temporary_folder(), folder_prefix(), run);
}

std::string make_report_folder(const ReportWish& wish, std::uint64_t run) {
  std::string folder = report_folder(wish, run);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(ErrorCode::environment,
                fmt::format("the folder '{}' for counters cannot be made: {}", folder, std::strerror(errno)));
  check_private(folder);
  return folder;
}

std::optional<std::string> latest_report_folder() {
  std::optional<std::string> latest;
  std::int64_t latest_s = 0, latest_ns = 0;
  std::error_code error;
  for (fs::directory_iterator each(temporary_folder(), error), end; !error && each != end; each.increment(error)) {
    struct stat status {};
    if (!is_own_folder(each->path(), status)) continue;
    if (latest && std::pair(status.st_mtim.tv_sec, status.st_mtim.tv_nsec) <= std::pair(latest_s, latest_ns)) continue;
    latest = each->path().string();
    latest_s = status.st_mtim.tv_sec, latest_ns = status.st_mtim.tv_nsec;
  }
  return latest;
}

void remove_old_report_folders() {
  constexpr std::time_t oldest_s = 3 * 24 * 3600;
  int left = 64;  // killed runs can leave thousands of folders, and mpirun returns only after this process
  std::error_code error;
  for (fs::directory_iterator each(temporary_folder(), error), end; !error && each != end && left > 0; each.increment(error)) {
    struct stat status {};
    if (!is_own_folder(each->path(), status)) continue;
    --left;
    if (status.st_mtim.tv_sec + oldest_s > std::time(nullptr)) continue;
    const bool may_run = std::any_of(fs::directory_iterator(each->path(), error), fs::directory_iterator(), [](const auto& file) {
      if (file.path().extension() != ".counters") return false;
      try {
        const RankRecord record = read_record(file.path().string());
        return record.is_running || words_of(record.header.host) != host_name();
      } catch (const std::exception&) {
        return false;  // it is no record of this version
      }
    });
    if (!may_run) fs::remove_all(each->path(), error);
    error.clear();
  }
}

std::string calls_path(const std::string& folder, std::uint64_t run) {
  return fmt::format("{}/{}-{:016x}.calls", folder, host_name(), run);
}

std::string record_path(const std::string& folder, Rank rank) { return fmt::format("{}/rank-{}.counters", folder, rank); }

void report_if_last(const std::string& folder, const ReportWish& wish) {
  auto report = read_if_there(folder, 0);
  if (!report) return;
  bool is_complete = report->missing_ranks == 0;
  for (const ReportedRank& rank : report->ranks) {
    if (rank.state == RankState::running && rank.host == host_name()) return;
    is_complete = is_complete && (rank.state == RankState::ended || rank.state == RankState::died);
  }
  if (!is_complete && !is_one_machine(*report)) {
    if (!has_first_rank(*report)) return;
    report->elsewhere = folder;
  }
  if (is_first_to_report(folder, *report)) write(folder, wish, std::move(*report), 0);
}

void report_collected(const std::string& folder, const ReportWish& wish, std::uint64_t run) {
  RunReport report = read_run(std::array{folder}, run);
  if (report.missing_ranks > 0) report.elsewhere = folder;
  write(folder, wish, std::move(report), run);
}

void remove_record(const std::string& folder, Rank rank) {
  const std::string record = record_path(folder, rank);
  for (const std::string& each : {record, maps_path(record), answer_path(record)}) ::unlink(each.c_str());
  ::rmdir(folder.c_str());
}

std::uint64_t new_spawned_folder(const ReportWish& wish) {
  for (std::uint64_t number = 1; number < 1'000'000; ++number) {
    if (::mkdir(counters_folder(spawned_wish(wish, number)).c_str(), 0700) == 0) return number;
    if (errno != EEXIST) break;
  }
  return 0;
}

ReportWish spawned_wish(const ReportWish& wish, std::uint64_t number) {
  return {wish.full, fmt::format("{}.spawned-{}", wish.file, number)};
}

}  // namespace quadrille::mpi_face
