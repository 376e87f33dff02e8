// SPDX-License-Identifier: BSD-3-Clause
// The functions of c.h that use plans: what a plan tells, executions, requests.
#include <fmt/format.h>

#include <exception>
#include <span>
#include <utility>

#include "c_interface/handles.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/request.hpp"

using namespace quadrille;
using namespace quadrille::c_interface;

namespace {

int started(quadrille_request* address, auto&& start) {
  return guarded([&] { make_handle(address, "request", [&] { return std::make_shared<Request>(start()); }); });
}

// Calls `finish`, which returns whether the execution is over. If so, or if it throws, the request is freed.
bool is_over_after(quadrille_request& handle, bool (*finish)(Request&)) {
  if (!handle) return true;
  const std::shared_ptr<Request> request = object_of(handle);
  try {
    if (!finish(*request)) return false;
  } catch (...) {
    forget(std::exchange(handle, nullptr));
    throw;
  }
  forget(std::exchange(handle, nullptr));
  return true;
}

bool is_over_after_waiting(quadrille_request& handle) {
  return is_over_after(handle, [](Request& request) {
    request.wait();
    return true;
  });
}

void wait_for_all(std::span<quadrille_request> requests) {
  std::exception_ptr first;
  for (quadrille_request& request : requests) try {
      is_over_after_waiting(request);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

}  // namespace

int quadrille_plan_algorithm(quadrille_plan plan, const char** algorithm) {
  return guarded([&] { result_at(algorithm, "algorithm") = object_of(plan)->algorithm().c_str(); });
}

int quadrille_plan_free(quadrille_plan* plan) {
  return guarded([&] { free_handle(plan, "plan"); });
}

int quadrille_execute(quadrille_plan plan, const void* input, void* output) {
  return guarded([&] { object_of(plan)->execute(input, output); });
}

int quadrille_execute_in_place(quadrille_plan plan, void* buffer) {
  return guarded([&] { object_of(plan)->execute_in_place(buffer); });
}

int quadrille_start(quadrille_plan plan, const void* input, void* output, quadrille_request* request) {
  return started(request, [&] { return object_of(plan)->start(input, output); });
}

int quadrille_start_in_place(quadrille_plan plan, void* buffer, quadrille_request* request) {
  return started(request, [&] { return object_of(plan)->start_in_place(buffer); });
}

int quadrille_test(quadrille_request* request, int* is_over) {
  return guarded([&] {
    int& over = result_at(is_over, "is_over");
    over = 0;
    over = is_over_after(result_at(request, "request"), [](Request& each) { return each.test(); }) ? 1 : 0;
  });
}

int quadrille_wait(quadrille_request* request) {
  return guarded([&] { is_over_after_waiting(result_at(request, "request")); });
}

int quadrille_wait_all(int64_t count, quadrille_request* requests) {
  return guarded([&] {
    if (count < 0) throw Error(ErrorCode::misuse, fmt::format("'count' is {}; there are 0 requests or more", count));
    if (count > 0) wait_for_all({&result_at(requests, "requests"), static_cast<std::size_t>(count)});
  });
}
