// SPDX-License-Identifier: BSD-3-Clause
#include "requests.hpp"

namespace quadrille::python {

HeldRequest::~HeldRequest() {
  const Waiting waiting(*ranks_);
  without_lock([this] { request_ = Request(); });
}

template <class Function>
bool HeldRequest::finish(const Function& function) {
  if (is_finished_) return true;
  const Use use(*ranks_);
  try {
    is_finished_ = use([&](Communicator&) { return function(request_); });
  } catch (...) {
    is_finished_ = true;
    buffers_.reset();
    throw;
  }
  if (is_finished_) buffers_.reset();
  return is_finished_;
}

void HeldRequest::wait() {
  finish([](Request& request) {
    request.wait();
    return true;
  });
}

bool HeldRequest::test() {
  return finish([](Request& request) { return request.test(); });
}

PyObject* python_request(std::shared_ptr<Ranks> ranks, Request request, LentBuffers buffers) {
  return py::cast(std::make_unique<HeldRequest>(std::move(ranks), std::move(request), std::move(buffers))).release().ptr();
}

void add_requests(py::module_& module) {
  py::class_<HeldRequest>(
      module, "Request",
      "An execution that was started. It keeps its buffers alive; do not touch them before it is over. A request that "
      "is dropped waits first.",
      py::is_final())
      .def("wait", &HeldRequest::wait, "Returns when the execution is over; raises its error.")
      .def("test", &HeldRequest::test, "Advances what this process has started, without waiting. Is this execution over?")
      .def_property_readonly("is_over", &HeldRequest::is_over, "Is the execution over? Does not advance anything.");
}

}  // namespace quadrille::python
