// SPDX-License-Identifier: BSD-3-Clause
// Makes exhibits in parallel, on as many threads as there are processors. They can be made in any order, because an exhibit does
// not depend on others and has no side effects.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "papers/exhibit.hpp"
#include "support/talk.hpp"

namespace quadrille::command {

class ExhibitMakers {
 public:
  // `progress` must outlive this object.
  ExhibitMakers(std::vector<const papers::Exhibit*> exhibits, ProgressLine& progress);
  ~ExhibitMakers();  // waits for the exhibits being made; does not begin others
  ExhibitMakers(const ExhibitMakers&) = delete;
  ExhibitMakers& operator=(const ExhibitMakers&) = delete;

  // Waits until the exhibit with this number is made and returns it; each can be taken once. Rethrows an error that occurred while
  // making it.
  papers::Reproduction take(std::size_t number);

 private:
  struct Place {
    std::optional<papers::Reproduction> made;
    std::exception_ptr error;
    std::string doing;
  };

  void make_until_none_is_left();
  bool make_next();  // returns false if none is left
  bool is_finished(std::size_t number) const { return places_[number].made || places_[number].error; }

  const std::vector<const papers::Exhibit*> exhibits_;
  ProgressLine& progress_;
  std::mutex mutex_;  // protects all members below except the threads
  std::condition_variable changed_;
  std::vector<Place> places_;
  std::size_t next_ = 0;
  std::optional<std::size_t> awaited_;
  std::vector<std::thread> threads_;
};

}  // namespace quadrille::command
