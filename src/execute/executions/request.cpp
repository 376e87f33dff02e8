// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/request.hpp"

#include <exception>
#include <utility>

#include "execute/executions/execution.hpp"

namespace quadrille {

Request start(const std::shared_ptr<Execution>& execution, const Arguments& arguments, std::shared_ptr<const void> kept,
              std::function<void()> last_step) {
  auto started = std::make_unique<Started>();
  started->execution = execution;
  started->arguments = arguments;
  started->kept = std::move(kept);
  started->last_step = std::move(last_step);
  execution->start(*started);
  return Request(std::move(started));
}

Request::Request() noexcept = default;

Request::Request(std::unique_ptr<Started> started) noexcept
    : started_(std::move(started)), exceptions_(std::uncaught_exceptions()) {}

Request::Request(Request&& other) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
  if (this == &other) return *this;
  finish();
  started_ = std::move(other.started_);
  exceptions_ = other.exceptions_;
  return *this;
}

Request::~Request() { finish(); }

void Request::finish() noexcept {
  if (!started_) return;
  if (std::uncaught_exceptions() > exceptions_) started_->execution->withdraw(*started_);
  try {
    wait();
  } catch (...) {  // a caller who needs the error calls wait()
  }
}

bool Request::test() {
  if (!started_) return true;
  if (!started_->execution->test(*started_)) return false;
  wait();
  return true;
}

void Request::wait() {
  if (const auto started = std::exchange(started_, nullptr)) started->execution->wait(*started);
}

bool Request::is_over() const noexcept { return !started_ || started_->is_over.load(std::memory_order_acquire); }

void wait_all(std::span<Request> requests) {
  std::exception_ptr first;
  for (Request& request : requests) try {
      request.wait();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

}  // namespace quadrille
