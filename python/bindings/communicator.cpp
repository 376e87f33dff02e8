// SPDX-License-Identifier: BSD-3-Clause
// The class Communicator, and the functions that make groups of ranks.
#include "communicator.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <functional>
#include <map>
#include <string>

#include "calls.hpp"
#include "edges.hpp"
#include "execute/shared/communicator.hpp"
#include "foundation/mpi_libraries.hpp"
#include "numbers.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"

namespace quadrille::python {
namespace {

using Shared = std::shared_ptr<Ranks>;

// A group that is lent to a function of the program, as which `function` runs.
py::object run_as_rank(Communicator& group, const py::function& function) {
  const auto ranks = std::make_shared<Ranks>(group);
  const struct Ending {
    ~Ending() { ranks.end(); }
    Ranks& ranks;
  } ending{*ranks};
  const py::object argument = py::cast(ranks);
  PyObject* const returned = or_standing_still([&] { return PyObject_CallOneArg(function.ptr(), argument.ptr()); });
  if (!returned) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(returned);
}

py::list run_on_threads(const py::object& threads, const py::function& function) {
  const Count count = number_of(threads.ptr(), "threads");
  std::map<Rank, py::object> results;  // the interpreter's lock guards it
  {
    const LockReleased released;
    run_threads(count, [&](Communicator& group) {
      const LockTaken lock;
      results[group.rank()] = run_as_rank(group, function);
    });
  }
  py::list by_rank;
  for (const auto& [rank, result] : results) by_rank.append(result);
  return by_rank;
}

Shared launched() {
  const LockReleased released;
  return std::make_shared<Ranks>(launched_world());
}

// The library behind mpi4py, which has a plug-in.
std::string_view library_of(const py::object& mpi) {
  const auto version = mpi.attr("Get_library_version")().cast<std::string>();
  if (const MpiLibrary* const library = library_of_version(version); library && library->has_plug_in) return library->id;
  std::string known;
  for (const MpiLibrary& each : mpi_libraries)
    if (each.has_plug_in) known += fmt::format("{}{}", known.empty() ? "" : " and ", each.title);
  throw Error(ErrorCode::environment, fmt::format("mpi4py runs on '{}', and there are plug-ins for {} only",
                                                  version.substr(0, version.find_first_of("\n\r,")), known));
}

// Returns the object of the group, which it may have already: so a use by a thread is one for all who have called `over`.
Shared one_of_group(std::unique_ptr<Communicator> group) {
  static auto* const known = new std::map<const void*, std::weak_ptr<Ranks>>;
  std::erase_if(*known, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<Ranks>& place = (*known)[&group->nodes()];  // all groups over an MPI communicator share this list
  Shared ranks = place.lock();
  if (!ranks) place = ranks = std::make_shared<Ranks>(std::move(group));
  return ranks;
}

Shared over(const py::object& communicator) {
  const py::dict modules = py::module_::import("sys").attr("modules");
  const py::object mpi = modules.contains("mpi4py.MPI") ? py::object(modules["mpi4py.MPI"]) : py::none();
  if (mpi.is_none() || !py::isinstance(communicator, mpi.attr("Comm")))
    throw Error(ErrorCode::misuse, fmt::format("over takes a communicator of mpi4py, such as MPI.COMM_WORLD, not {}",
                                               Py_TYPE(communicator.ptr())->tp_name));
  const std::string_view library = library_of(mpi);
  if (!mpi.attr("Is_initialized")().cast<bool>() || mpi.attr("Is_finalized")().cast<bool>())
    throw Error(ErrorCode::misuse, "MPI is not initialised, or finalised already; call over in between");
  const auto address = mpi.attr("_addressof")(communicator).cast<std::uintptr_t>();
  const auto bytes = mpi.attr("_sizeof")(communicator).cast<std::size_t>();
  std::unique_ptr<Communicator> group;
  without_lock([&] { group = over_mpi_handle(library, reinterpret_cast<const void*>(address), bytes); });
  return one_of_group(std::move(group));
}

// Fails a group of threads, so that its ranks stop waiting for each other.
void fail_threads(const Ranks& ranks) {
  try {
    static_cast<SharedCommunicator&>(ranks.group()).space()->fail(Error(ErrorCode::peer_lost, "run_threads was interrupted"));
  } catch (const Error&) {  // that was this rank's own
  }
}

// Raises an exception of this class in a thread as soon as it runs Python.
void raise_in_thread(unsigned long thread, const py::type& kind) { PyThreadState_SetAsyncExc(thread, kind.ptr()); }

void abort(const Ranks& ranks, int exit_code) { ranks.group().abort(exit_code); }

}  // namespace

void without_lock(const std::function<void()>& function) {
  if (!PyGILState_Check()) return function();
  const LockReleased released;
  function();
}

Ranks::~Ranks() {
  if (own_) without_lock([this] { own_.reset(); });
}

Communicator& Ranks::group() const {
  if (!group_) throw Error(ErrorCode::misuse, "the group has ended: its ranks were threads, and they have returned");
  return *group_;
}

Use::Use(Ranks& ranks) : ranks_(ranks), group_(ranks.group()) {
  if (ranks.uses_ > 0) throw Error(ErrorCode::misuse, "another thread is using this communicator; use it in one thread at a time");
  ++ranks.uses_;
}

void add_communicator(py::module_& module) {
  py::class_<Ranks, Shared> communicator(module, "Communicator",
                                         "One rank's end of a group of ranks. All ranks make the same calls in the same "
                                         "order.\n\nBuffers are anything with the buffer "
                                         "protocol, contiguous, and of one type in a call; nothing is copied. With in_place as the "
                                         "input, the result replaces the data in "
                                         "the output. iNAME(...) starts the call NAME and returns a Request. plan_NAME(...) takes "
                                         "the same arguments and returns a Plan.",
                                         py::is_final());
  communicator
      .def_property_readonly(
          "rank", [](const Ranks& ranks) { return ranks.group().rank(); }, "0 to size - 1.")
      .def_property_readonly(
          "size", [](const Ranks& ranks) { return ranks.group().size(); }, "The number of ranks.")
      .def_property_readonly(
          "transport", [](const Ranks& ranks) { return std::string(ranks.group().transport_name()); },
          "threads, shared (processes of `quadrille run`), openmpi or mpich.")
      .def_property_readonly(
          "nodes", [](const Ranks& ranks) { return ranks.group().nodes(); }, "The node of each rank; ranks of a node share memory.")
      .def("abort", &abort, py::arg("exit_code") = 1, "Ends this process, and makes the whole group fail.")
      .def("__repr__", [](const Ranks& ranks) {
        const Communicator& group = ranks.group();
        return fmt::format("<Communicator: rank {} of {}, {}>", group.rank(), group.size(), group.transport_name());
      });
  add_calls(communicator);
  add_edge_calls(communicator);
  module.def("run_ranks", &run_on_threads);
  module.def("fail_threads", &fail_threads);
  module.def("raise_in_thread", &raise_in_thread);
  module.def("launched_group", &launched);
  module.def("is_launched", [] { return choose_transport().transport != TransportKind::threads; });
  module.def("over", &over, py::arg("communicator"),
             "The group of a communicator of mpi4py, such as MPI.COMM_WORLD, under Open MPI or MPICH. Collective.");
}

}  // namespace quadrille::python
