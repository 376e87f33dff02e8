// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/findings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <tuple>

#include "foundation/environment.hpp"
#include "foundation/hash.hpp"
#include "foundation/planted.hpp"
#include "foundation/system/file_replacement.hpp"
#include "foundation/system/files.hpp"
#include "plan/way.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint8_t keep_step_bit = 0x80;

struct FileHead {
  char magic[8] = {'q', 'u', 'a', 'd', 'l', 'r', 'n', '\n'};
  std::uint32_t version = 1, byte_order = 0x01020304;
  std::uint64_t hash = 0;  // of all that follows

  bool operator==(const FileHead&) const = default;
};
static_assert(sizeof(FileHead) == 24);

std::uint32_t low_half(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }

PackedWay packed_of(const CallFinding& finding) {
  PackedWay way{.algorithm = finding.algorithm,
                .policy = static_cast<Policy>(finding.policy),
                .executor = static_cast<Executor>(finding.executor),
                .buffers = static_cast<std::uint8_t>(finding.buffers & ~keep_step_bit),
                .keep_step = (finding.buffers & keep_step_bit) != 0,
                .length = finding.length};
  std::copy_n(finding.values.begin(), std::min<std::size_t>(finding.length, finding.values.size()), way.values.begin());
  return way;
}

// Stores the way; false if it is too long.
bool put(const Way& way, CallFinding& finding) {
  const auto one = packed(way);
  if (!one || one->algorithm >= CallFinding::exchange || one->length > finding.values.size() || one->buffers >= keep_step_bit)
    return false;
  finding.algorithm = one->algorithm;
  finding.policy = static_cast<std::uint8_t>(one->policy), finding.executor = static_cast<std::uint8_t>(one->executor);
  finding.buffers = static_cast<std::uint8_t>(one->buffers | (one->keep_step ? keep_step_bit : 0));
  finding.length = one->length;
  std::copy_n(one->values.begin(), one->length, finding.values.begin());
  return true;
}

bool is_positive(float seconds) { return std::isfinite(seconds) && seconds > 0; }

// Could this library have written it?
bool is_sound(const CallFinding& finding) {
  if (finding.function >= ours_count || finding.size_class > 63 || finding.ranks < 2 || finding.runs == 0) return false;
  if (!is_positive(finding.ours_s) || !is_positive(finding.vendors_s)) return false;
  if (!is_positive(finding.least_ratio) || !is_positive(finding.greatest_ratio)) return false;
  if (finding.length > finding.values.size() || finding.missed >= Findings::most_missed) return false;
  if (finding.algorithm == CallFinding::vendor) return true;
  if (finding.algorithm == CallFinding::exchange) return is_exchanged(static_cast<Function>(finding.function));
  return finding.buffers != 0 && way_of(finding).has_value();
}

bool is_recent(const CallFinding& finding, std::uint16_t today) {
  return finding.day <= today + 1 && finding.day + Findings::most_days >= today;  // 1: another machine's clock
}

bool is_written(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

auto identity(const CallFinding& of) {
  return std::tuple(of.machine, of.ranks, of.function, of.size_class, of.element, of.operation, of.nodes);
}

}  // namespace

bool CallFinding::is_of_same_calls(const CallFinding& other) const { return identity(*this) == identity(other); }

double CallFinding::expected_gain_s(std::uint64_t calls_so_far) const {
  if (!is_ours() || calls_so_far >= calls) return 0;
  return std::max(0.0, static_cast<double>(vendors_s) - static_cast<double>(ours_s)) * static_cast<double>(calls - calls_so_far);
}

std::optional<Way> way_of(const CallFinding& finding) {
  if (finding.algorithm >= CallFinding::exchange || finding.policy > static_cast<std::uint8_t>(Policy::dataflow) ||
      finding.executor > static_cast<std::uint8_t>(Executor::hybrid))
    return std::nullopt;
  return unpacked(packed_of(finding));
}

CallFinding calls_of(const CallKind& kind, Count ranks, std::span<const Count> nodes) {
  const Key& key = kind.key;
  CallFinding calls{.ranks = static_cast<std::uint32_t>(ranks),
                    .function = static_cast<std::uint8_t>(key.function),
                    .size_class = static_cast<std::uint8_t>(
                        key.block_bytes <= 0 ? 0 : std::bit_width(std::bit_ceil(static_cast<std::uint64_t>(key.block_bytes)))),
                    .element = static_cast<std::int16_t>(key.element)};
  if (!kind.operation_name.empty()) calls.operation = low_half(text_hash(kind.operation_name)) | 1;
  std::uint64_t hash = 1;
  for (const Count node : nodes) hash = hash_with(hash, static_cast<std::uint64_t>(node));
  if (!nodes.empty()) calls.nodes = low_half(hash) | 1;
  return calls;
}

std::optional<CallFinding> found_in(const CallKind& kind, Count ranks, std::span<const Count> nodes) {
  if (kind.calls == 0 || nodes.empty() || kind.rule == CallKind::Rule::followed || kind.is_tuned) return std::nullopt;
  CallFinding found = calls_of(kind, ranks, nodes);
  found.calls = static_cast<std::uint32_t>(std::min<std::uint64_t>(kind.calls, ~std::uint32_t{0}));
  const TrialTimes& times = kind.trials.times;
  const bool is_ours = kind.mode == CallKind::Mode::ours;
  if (times.ours_s.empty() || (!is_ours && kind.mode != CallKind::Mode::vendor)) return found;
  if (is_ours && kind.is_exchanged()) found.algorithm = CallFinding::exchange;
  if (is_ours && !kind.is_exchanged() && (!kind.way || !put(*kind.way, found))) return found;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.ours_s.size(); ++i) ratios.push_back(times.ours_s[i] / std::max(times.vendors_s[i], 1e-9));
  found.ours_s = static_cast<float>(median_of(times.ours_s)), found.vendors_s = static_cast<float>(median_of(times.vendors_s));
  found.least_ratio = static_cast<float>(*std::min_element(ratios.begin(), ratios.end()));
  found.greatest_ratio = static_cast<float>(*std::max_element(ratios.begin(), ratios.end()));
  found.runs = 1;
  return found;
}

void add_found(std::vector<CallFinding>& run, const CallFinding& found) {
  const auto same = std::find_if(run.begin(), run.end(), [&](const CallFinding& each) { return each.is_of_same_calls(found); });
  if (same == run.end()) {
    run.push_back(found);
    return;
  }
  const std::uint64_t calls = std::uint64_t{same->calls} + found.calls;
  if (found.runs > same->runs || (found.runs == same->runs && found.calls > same->calls)) *same = found;
  same->calls = static_cast<std::uint32_t>(std::min<std::uint64_t>(calls, ~std::uint32_t{0}));
}

Findings::Findings(std::vector<CallFinding> all, std::uint16_t today) : all_(std::move(all)) {
  std::erase_if(all_, [&](const CallFinding& each) { return !is_sound(each) || !is_recent(each, today); });
  std::stable_sort(all_.begin(), all_.end(), [](const CallFinding& a, const CallFinding& b) { return identity(a) < identity(b); });
  const auto is_same = [](const CallFinding& a, const CallFinding& b) { return a.is_of_same_calls(b); };
  all_.erase(std::unique(all_.begin(), all_.end(), is_same), all_.end());
  if (all_.size() <= most) return;
  // Those that the fewest runs confirmed, the longest ago, leave.
  std::vector<CallFinding> by_use = all_;
  const auto rank = [](const CallFinding& each) { return std::tuple(each.runs, each.day); };
  std::stable_sort(by_use.begin(), by_use.end(), [&](const CallFinding& a, const CallFinding& b) { return rank(a) > rank(b); });
  by_use.resize(most);
  all_ = std::move(by_use);
  std::sort(all_.begin(), all_.end(), [](const CallFinding& a, const CallFinding& b) { return identity(a) < identity(b); });
}

const CallFinding* Findings::find(const CallKind& kind, Count ranks, std::span<const Count> nodes) const {
  if (all_.empty()) return nullptr;
  const CallFinding calls = calls_of(kind, ranks, nodes);
  const CallFinding* found = nullptr;
  for (const CallFinding& each : all_) {
    const bool is_about = each.ranks == calls.ranks &&
                          (each.function == calls.function || is_planted("finding of another function")) &&
                          each.size_class == calls.size_class && each.element == calls.element && each.operation == calls.operation;
    if (!is_about || (!nodes.empty() && each.nodes != calls.nodes)) continue;
    if (!found || (each.is_ours() && !found->is_ours())) found = &each;
  }
  return found;
}

Findings Findings::of_machine(std::uint32_t machine, Count ranks) const {
  Findings some;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(some.all_),
               [&](const CallFinding& each) { return each.machine == machine && static_cast<Count>(each.ranks) <= ranks; });
  return some;
}

void Findings::merge(const std::vector<CallFinding>& run, std::uint16_t today) {
  for (CallFinding found : run) {
    const auto known =
        std::find_if(all_.begin(), all_.end(), [&](const CallFinding& each) { return each.is_of_same_calls(found); });
    const bool is_settled = found.runs > 0;
    found.day = today;
    if (known == all_.end()) {
      if (is_settled) all_.push_back(found);
    } else if (!is_settled) {
      known->calls = found.calls;
      if (++known->missed >= most_missed) all_.erase(known);
    } else if (known->is_ours() && !found.is_ours()) {
      all_.erase(known);  // refuted
    } else {
      if (known->is_ours() == found.is_ours()) found.runs = static_cast<std::uint16_t>(std::min(known->runs + 1, 0xFFFF));
      *known = found;
    }
  }
  *this = Findings(std::move(all_), today);
}

std::string Findings::bytes() const {
  const std::string_view items(reinterpret_cast<const char*>(all_.data()), all_.size() * sizeof(CallFinding));
  FileHead head;
  head.hash = words_hash(items);
  return std::string(reinterpret_cast<const char*>(&head), sizeof head).append(items);
}

Findings Findings::of_bytes(std::string_view bytes, std::uint16_t today) {
  if (bytes.size() < sizeof(FileHead) || bytes.size() > sizeof(FileHead) + most * sizeof(CallFinding)) return {};
  FileHead head, expected;
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  expected.hash = words_hash(bytes);
  if (head != expected || bytes.size() % sizeof(CallFinding) != 0) return {};
  std::vector<CallFinding> all(bytes.size() / sizeof(CallFinding));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return {std::move(all), today};
}

std::uint16_t day_now() {
  using Days = std::chrono::duration<std::int64_t, std::ratio<86400>>;
  const auto days = std::chrono::duration_cast<Days>(std::chrono::system_clock::now().time_since_epoch()).count();
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(days, 0, 0xFFFF));
}

std::string findings_file() {
  namespace fs = std::filesystem;
  const std::string wisdom = environment_value("QUADRILLE_WISDOM");
  if (wisdom == "off" || tolerated_environment_value("QUADRILLE_LEARN") == "off") return {};
  std::error_code error;
  if (wisdom.empty()) {
    const fs::path folder = user_folder("XDG_CACHE_HOME", ".cache");
    return folder.empty() ? std::string() : (folder / "quadrille" / "learned").string();
  }
  const bool is_folder = wisdom.back() == '/' || fs::is_directory(wisdom, error);
  return fs::absolute(is_folder ? fs::path(wisdom) / "learned" : fs::path(wisdom + ".learned"), error).string();
}

Findings read_findings(const std::string& file, std::uint16_t today) {
  try {
    const Descriptor opened = open_regular_file(file, "the file of findings");
    struct stat status {};
    constexpr auto longest = static_cast<off_t>(sizeof(FileHead) + Findings::most * sizeof(CallFinding));
    if (opened.number() < 0 || ::fstat(opened.number(), &status) != 0 || status.st_size > longest) return {};
    if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return {};
    std::string text;
    if (read_parts(opened.number(), [&](std::string_view part) {
          if (text.size() <= static_cast<std::size_t>(longest)) text.append(part);
        }) != 0)
      return {};
    return Findings::of_bytes(text, today);
  } catch (const Error&) {
    return {};
  }
}

bool save_findings(const std::string& file, const std::vector<CallFinding>& run, std::uint16_t today) {
  if (file.empty()) return false;
  const Findings before = read_findings(file, today);
  Findings findings = before;
  findings.merge(run, today);
  if (findings.bytes() == before.bytes()) return false;
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::filesystem::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), 0700);
  // Not brought to the disk, which can take long: a file that a crash has cut has no findings.
  FileReplacement target;
  const std::string text = findings.bytes();
  return target.aim_at(file) && target.open() && is_written(target.descriptor(), text) && target.finish() &&
         ::fchmodat(target.folder(), target.name().c_str(), 0600, 0) == 0;
}

}  // namespace quadrille::mpi_face
