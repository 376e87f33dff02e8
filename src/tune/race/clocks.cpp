// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/clocks.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "execute/transport.hpp"
#include "foundation/system/proc.hpp"
#include "plan/gathered.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr int ping_pongs_per_comparison = 40;

std::span<const std::byte> bytes_of(const Nanoseconds& time) { return std::as_bytes(std::span(&time, 1)); }

}  // namespace

Clock monotonic_clock() {
  std::string source = boot_id();
  std::error_code error;  // kernels before 5.6 have no time namespaces
  if (!source.empty()) source += ' ' + std::filesystem::read_symlink("/proc/self/ns/time", error).string();
  return {std::move(source), [] {
            timespec time{};
            clock_gettime(CLOCK_MONOTONIC, &time);
            return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
          }};
}

ClockOffset offset_by(std::span<const PingPong> ping_pongs) {
  const PingPong best = *std::min_element(ping_pongs.begin(), ping_pongs.end(), [](const PingPong& a, const PingPong& b) {
    return a.received - a.sent < b.received - b.sent;
  });
  const Nanoseconds half = (best.received - best.sent + 1) / 2;
  return {best.sent + half, best.sent + half - best.reference, half};
}

Nanoseconds reference_time(Nanoseconds time, const ClockOffset& before, const ClockOffset& after) {
  const auto passed = static_cast<double>(time - before.at), between = static_cast<double>(after.at - before.at);
  const double share = between > 0 ? passed / between : 0;
  return time - before.offset - std::llround(share * static_cast<double>(after.offset - before.offset));
}

Clocks::Clocks(Communicator& communicator, Clock clock) : communicator_(communicator), clock_(std::move(clock)) {
  std::array<char, 128> source{};
  const std::string own = clock_.source.empty() ? fmt::format("rank {}", communicator.rank()) : clock_.source;
  own.copy(source.data(), source.size() - 1);
  const auto sources = gathered(communicator, source);
  for (const auto& each : sources) first_of_clock_.push_back(std::find(sources.begin(), sources.end(), each) - sources.begin());
  before_.resize(sources.size());
  after_.resize(sources.size());
  if (std::any_of(first_of_clock_.begin(), first_of_clock_.end(), [](Rank first) { return first != 0; }))
    mail_ = communicator.transport().mail();
}

void Clocks::compare() {
  if (!mail_) return;
  ClockOffset mine;
  for (Rank rank = 1; rank < communicator_.size(); ++rank) {
    if (first_of_clock_[rank] != rank) continue;
    if (communicator_.rank() == 0) answer(rank);
    if (communicator_.rank() == rank) mine = ask();
  }
  const ByRank<ClockOffset> of_firsts = gathered(communicator_, mine);
  before_ = std::move(after_);
  after_.clear();
  for (const Rank first : first_of_clock_) after_.push_back(of_firsts[first]);
}

ClockOffset Clocks::ask() {
  std::array<PingPong, ping_pongs_per_comparison> ping_pongs;
  for (PingPong& each : ping_pongs) {
    each.sent = now();
    mail_->send(0, bytes_of(each.sent));
    mail_->wait_for(0);
    mail_->receive(reinterpret_cast<std::byte*>(&each.reference));
    each.received = now();
    mail_->finish_sends();
  }
  return offset_by(ping_pongs);
}

void Clocks::answer(Rank asking) {
  for (int i = 0; i < ping_pongs_per_comparison; ++i) {
    Nanoseconds theirs = 0;
    mail_->wait_for(asking);
    mail_->receive(reinterpret_cast<std::byte*>(&theirs));
    const Nanoseconds mine = now();
    mail_->send(asking, bytes_of(mine));
    mail_->finish_sends();
  }
}

Rank Clocks::first_of_clock() const { return first_of_clock_[communicator_.rank()]; }

Nanoseconds Clocks::estimated_reference(Nanoseconds time) const { return time - after_[communicator_.rank()].offset; }

Nanoseconds Clocks::reference(Nanoseconds time) const {
  const Rank rank = communicator_.rank();
  return reference_time(time, before_[rank], after_[rank]);
}

Nanoseconds Clocks::bound() const {
  Nanoseconds largest = 0, second = 0;  // among the bounds of all clocks
  for (Rank rank = 0; rank < communicator_.size(); ++rank) {
    if (first_of_clock_[rank] != rank) continue;
    const Nanoseconds own = std::max(before_[rank].bound, after_[rank].bound);
    second = std::max(second, std::min(own, largest));
    largest = std::max(largest, own);
  }
  return largest + second;
}

}  // namespace quadrille
