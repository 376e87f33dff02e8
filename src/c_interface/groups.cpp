// SPDX-License-Identifier: BSD-3-Clause
// The functions of c.h for groups.
#include "quadrille/groups.hpp"

#include "c_interface/guarded.hpp"
#include "c_interface/handles.hpp"

using namespace quadrille;
using namespace quadrille::c_interface;

namespace {

// A handle of a group that something else owns; valid during the lifetime of this object.
class LentGroup {
 public:
  explicit LentGroup(Communicator& group) : handle_(handle_of<quadrille_group>({std::shared_ptr<Communicator>(), &group})) {}
  ~LentGroup() { forget(handle_); }
  LentGroup(const LentGroup&) = delete;
  LentGroup& operator=(const LentGroup&) = delete;

  quadrille_group handle() const { return handle_; }

 private:
  const quadrille_group handle_;
};

// Returns a function that runs `body` as one rank.
auto as_rank(quadrille_body* body, void* context) {
  if (!body) throw Error(ErrorCode::misuse, "the argument 'body' is NULL; give a function");
  return [body, context](Communicator& group) {
    const LentGroup ranks(group);
    if (const int value = body(ranks.handle(), context); value != 0) throw failure_of(value);
  };
}

}  // namespace

int quadrille_launched_world(quadrille_group* ranks) {
  return guarded([&] { make_handle(ranks, "ranks", [] { return launched_world(); }); });
}

int quadrille_over_handle(const char* library, const void* handle, int64_t handle_bytes, quadrille_group* ranks) {
  return guarded([&] {
    make_handle(ranks, "ranks", [&] {
      if (!library || !handle) throw Error(ErrorCode::misuse, "the library or the handle of the communicator is NULL; give both");
      return over_mpi_handle(library, handle, static_cast<std::size_t>(handle_bytes));
    });
  });
}

int quadrille_run_threads(int64_t threads, quadrille_body* body, void* context) {
  return guarded([&] { run_threads(threads, as_rank(body, context)); });
}

int quadrille_run_launched(int64_t threads, quadrille_body* body, void* context) {
  return guarded([&] { run_launched(threads, as_rank(body, context)); });
}

int quadrille_group_rank(quadrille_group ranks, int64_t* rank) {
  return guarded([&] { result_at(rank, "rank") = object_of(ranks)->rank(); });
}

int quadrille_group_size(quadrille_group ranks, int64_t* size) {
  return guarded([&] { result_at(size, "size") = object_of(ranks)->size(); });
}

int quadrille_group_barrier(quadrille_group ranks) {
  return guarded([&] { object_of(ranks)->barrier(); });
}

int quadrille_group_abort(quadrille_group ranks, int exit_code) {
  return guarded([&] { object_of(ranks)->abort(exit_code); });
}

int quadrille_group_free(quadrille_group* ranks) {
  return guarded([&] { free_handle(ranks, "ranks"); });
}
