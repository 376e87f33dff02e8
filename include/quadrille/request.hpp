// SPDX-License-Identifier: BSD-3-Clause
// Executions that go on while the program does something else.
//
//   Request exchange = ialltoall(ranks, input, output);   // or plan.start(input.data(), output.data())
//   compute();
//   exchange.wait();   // now `output` is complete, and `input` may be changed
//
// Several requests may be open at a time, of one plan or of several, and may be waited for in any order. All ranks of a
// communicator start the same executions in the same order; executions of one plan follow each other, each with its own buffers.
//
// Over MPI end all requests before MPI_Finalize. One that is open over MPI messages then cannot complete any more.
//
// Progress. An execution goes on while its process is inside any call of the library, on any communicator: `test` and `wait` of
// this or another request, a blocking call, making a plan. With QUADRILLE_PROGRESS=thread in the environment, a thread of the
// process advances what has been started, too; over MPI messages it needs MPI_THREAD_MULTIPLE.
#pragma once

#include <memory>
#include <span>

namespace quadrille {

struct Started;  // an execution that has been started; internal

class Request {
 public:
  Request() noexcept;  // of nothing: it is over
  explicit Request(std::unique_ptr<Started> started) noexcept;
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;  // ends what this had been, as the destructor does
  // Waits until the execution is over, and ignores an error: call `wait` to learn of it. If the execution has failed, or while an
  // exception unwinds the stack, it does not wait but withdraws: then nothing reads or writes the buffers any more, and the ranks
  // are out of step. Those that share memory with this one throw Error{peer_lost} from all plans of the communicator; `over` makes
  // a new group over MPI. Over MPI messages ranks may wait for this one in vain.
  ~Request();

  // Advances everything that this process has started; is this execution over? Does not wait. Throws as `wait`.
  bool test();

  // Returns when the execution is over. Throws what has gone wrong in it, once: what Plan::execute throws, and Error{misuse} if it
  // is open over MPI messages after MPI_Finalize.
  void wait();

  bool is_over() const noexcept;  // without advancing anything

 private:
  void finish() noexcept;

  std::unique_ptr<Started> started_;  // null: it is over, and was waited for
  int exceptions_ = 0;                // that were unwinding the stack when it was made
};

// Waits for all of them, then throws the first error. A std::vector<Request> converts to that span.
void wait_all(std::span<Request> requests);

}  // namespace quadrille
