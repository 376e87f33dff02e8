// SPDX-License-Identifier: BSD-3-Clause
// A request as Python holds it: it keeps the buffers of the execution until that is over.
#pragma once

#include <memory>
#include <vector>

#include "buffers.hpp"
#include "communicator.hpp"
#include "quadrille/request.hpp"

namespace quadrille::python {

// The buffers of an execution. The last owner needs the interpreter's lock.
using LentBuffers = std::shared_ptr<std::vector<LentBuffer>>;

template <class... Each>
LentBuffers kept_buffers(Each&&... buffers) {
  const auto all = std::make_shared<std::vector<LentBuffer>>();
  (all->push_back(std::forward<Each>(buffers)), ...);
  return all;
}

class HeldRequest {
 public:
  HeldRequest(std::shared_ptr<Ranks> ranks, Request request, LentBuffers buffers)
      : ranks_(std::move(ranks)), request_(std::move(request)), buffers_(std::move(buffers)) {}
  ~HeldRequest();  // waits, as that of Request does
  HeldRequest(const HeldRequest&) = delete;
  HeldRequest& operator=(const HeldRequest&) = delete;

  void wait();
  bool test();
  bool is_over() const { return is_finished_ || request_.is_over(); }

 private:
  // Calls a function of the request that returns whether the execution is over. If it is, or by an error, lets go of the buffers.
  template <class Function>
  bool finish(const Function& function);

  std::shared_ptr<Ranks> ranks_;
  Request request_;
  LentBuffers buffers_;
  bool is_finished_ = false;  // it is over, and its error was thrown
};

// Returns a new Python object.
PyObject* python_request(std::shared_ptr<Ranks> ranks, Request request, LentBuffers buffers);

}  // namespace quadrille::python
