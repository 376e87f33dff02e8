// SPDX-License-Identifier: BSD-3-Clause
// Algorithms written in Python, as families of schedules.
#include "quadrille/candidate.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>

#include "bindings.hpp"
#include "operations.hpp"
#include "quadrille/error.hpp"

namespace quadrille::python {
namespace {

// A Python object that C++ may copy and destroy without the interpreter's lock.
std::shared_ptr<const py::object> kept(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* own) {
            const LockTaken lock;
            delete own;
          }};
}

// Where to keep an exception of an algorithm in this thread; null: nowhere.
thread_local std::exception_ptr* kept_exception = nullptr;

// The programs of one problem. Each is made once, because verifying and counting ask for them again.
class Programs {
 public:
  Programs(std::shared_ptr<const py::object> function, std::string name, Problem problem)
      : function_(std::move(function)), name_(std::move(name)), problem_(std::move(problem)) {}

  Program program(Rank rank) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = made_.find(rank); found != made_.end()) return found->second;
    }
    Program made = make(rank);
    const std::lock_guard lock(mutex_);
    return made_.emplace(rank, std::move(made)).first->second;
  }

 private:
  Program make(Rank rank) const {
    const LockTaken lock;
    try {
      return yielded_by(rank);
    } catch (const py::error_already_set&) {
      if (kept_exception) *kept_exception = std::current_exception();
      throw;
    }
  }

  Program yielded_by(Rank rank) const {
    const py::object yielded = (*function_)(problem_, rank);
    if (!py::isinstance<py::iterable>(yielded))
      throw Error(ErrorCode::misuse, fmt::format("{} yields nothing; an algorithm yields the rounds of a rank", name_));
    return program_of(yielded, rank);
  }

  const std::shared_ptr<const py::object> function_;
  const std::string name_;
  const Problem problem_;
  std::mutex mutex_;
  std::map<Rank, Program> made_;
};

// Makes the program of rank 0 at once, because the function raises DoesNotApply only when it runs.
Result<Schedule> schedule_for(const Problem& problem, const std::shared_ptr<const py::object>& function, const std::string& name) {
  const auto programs = std::make_shared<Programs>(function, name, problem);
  try {
    programs->program(0);
  } catch (py::error_already_set& error) {
    const LockTaken lock;
    if (!error.matches(py::module_::import("quadrille").attr("DoesNotApply"))) throw;
    return cannot(py::str(error.value()).cast<std::string>());
  }
  Schedule schedule{.problem = problem};
  schedule.program = [programs](Rank rank) { return programs->program(rank); };
  return schedule;
}

Family made_family(const std::string& collective, const std::string& name, py::function function) {
  return {name,
          [of = collective_of(collective), name, function = kept(std::move(function))](const Problem& problem) -> Result<Schedule> {
            if (problem.collective != of) return cannot(fmt::format("it is an algorithm of {}", quadrille::name(of)));
            return schedule_for(problem, function, name);
          }};
}

}  // namespace

void with_exceptions_of_algorithms(const std::function<void()>& function) {
  std::exception_ptr exception;
  kept_exception = &exception;
  try {
    function();
  } catch (const Error&) {
    kept_exception = nullptr;
    if (exception) std::rethrow_exception(exception);
    throw;
  } catch (...) {
    kept_exception = nullptr;
    throw;
  }
  kept_exception = nullptr;
}

void add_family(py::module_& module) {
  py::class_<Family>(module, "Family", "An algorithm written in Python: it maps a problem to a schedule.")
      .def(py::init(&made_family), py::arg("collective"), py::arg("name"), py::arg("function"))
      .def_property_readonly("name", &Family::name);
}

}  // namespace quadrille::python
