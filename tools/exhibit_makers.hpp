// SPDX-License-Identifier: BSD-3-Clause
// Exhibits are pure and do not depend on each other, so they are made at the same time, on as many threads as there are processors.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "reproduce/exhibit.hpp"
#include "talk.hpp"

namespace quadrille::command {

class ExhibitMakers {
 public:
  // `progress` outlives this.
  ExhibitMakers(std::vector<const reproduce::Exhibit*> exhibits, Progress& progress);
  ~ExhibitMakers();  // waits for exhibits that are being made; others are not begun
  ExhibitMakers(const ExhibitMakers&) = delete;
  ExhibitMakers& operator=(const ExhibitMakers&) = delete;

  // Waits until the exhibit with this number is made; each can be taken once. Throws what making it threw.
  reproduce::Reproduction take(std::size_t number);

 private:
  struct Place {
    std::optional<reproduce::Reproduction> made;
    std::exception_ptr error;
    std::string doing;
  };

  void make_until_none_is_left();
  bool make_next();  // false where none is left
  bool is_finished(std::size_t number) const { return places_[number].made || places_[number].error; }

  const std::vector<const reproduce::Exhibit*> exhibits_;
  Progress& progress_;
  std::mutex mutex_;  // of all that follows but the threads
  std::condition_variable changed_;
  std::vector<Place> places_;
  std::size_t next_ = 0;
  std::optional<std::size_t> awaited_;
  std::vector<std::thread> threads_;
};

}  // namespace quadrille::command
