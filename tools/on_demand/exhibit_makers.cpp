// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/exhibit_makers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace quadrille::command {

using papers::Reproduction;

ExhibitMakers::ExhibitMakers(std::vector<const papers::Exhibit*> exhibits, ProgressLine& progress)
    : exhibits_(std::move(exhibits)), progress_(progress), places_(exhibits_.size()) {
  const std::size_t most = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), exhibits_.size());
  try {
    while (threads_.size() < most) threads_.emplace_back([this] { make_until_none_is_left(); });
    // no thread could be started (limits of processes or addresses); take() then makes the exhibit itself
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
  // ProgressLine shows only the exhibit that take() waits for, although others are made meanwhile.
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

}  // namespace quadrille::command
