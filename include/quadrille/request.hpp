// SPDX-License-Identifier: BSD-3-Clause
// Requests: executions that run while the program computes something else.
//
//   Request exchange = ialltoall(ranks, input, output);   // or plan.start(input.data(), output.data())
//   compute();
//   exchange.wait();   // now `output` is complete, and `input` may be changed
//
// Several requests may be open at the same time, of one plan or of several, and may be waited for in any order. All ranks of a
// communicator must start the same executions in the same order. Executions of one plan run one after the other, each with its own
// buffers.
//
// Over MPI, complete all requests before MPI_Finalize. A request that uses MPI messages never completes after that.
//
// Progress. An execution advances whenever its process is inside any call of the library, on any communicator: `test` or `wait` on
// this or another request, a blocking call, or making a plan. With QUADRILLE_PROGRESS=thread in the environment, a thread of the
// process advances started executions, too; over MPI messages this needs MPI_THREAD_MULTIPLE.
#pragma once

#include <memory>
#include <span>

namespace quadrille {

struct Started;  // an execution that has been started; internal

class Request {
 public:
  Request() noexcept;  // an empty request, which is over
  explicit Request(std::unique_ptr<Started> started) noexcept;
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;  // first finishes the request that this object holds, as the destructor does
  // Waits until the execution is over and ignores its error; call `wait` to get the error. If the execution has failed, or an
  // exception is unwinding the stack, the destructor does not wait but withdraws this rank from the execution. From then on
  // nothing reads or writes the buffers, but the other ranks still expect this rank to take part. Ranks that share memory with
  // this rank throw Error{peer_lost} from all plans of the communicator; over MPI, `over` then makes a new group. Ranks that
  // exchange MPI messages with this rank may wait for ever.
  ~Request();

  // Advances everything that this process has started, without waiting. Returns true if this execution is over. Throws as `wait`.
  bool test();

  // Returns when the execution is over. Throws its error once: an error of Plan::execute, or Error{misuse} if the request is still
  // open over MPI messages after MPI_Finalize.
  void wait();

  bool is_over() const noexcept;  // does not advance anything

 private:
  void finish() noexcept;

  std::unique_ptr<Started> started_;  // null: the execution is over and was waited for
  int exceptions_ = 0;                // number of exceptions that were unwinding the stack when this object was made
};

// Waits for all requests, then throws the first error. A std::vector<Request> converts to the argument.
void wait_all(std::span<Request> requests);

}  // namespace quadrille
