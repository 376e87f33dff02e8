// SPDX-License-Identifier: BSD-3-Clause
// The functions of c.h for groups and operators.
#include <fmt/format.h>

#include "c_interface/handles.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/operator.hpp"

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

std::shared_ptr<const Operator> operator_of_function(quadrille_combine* combine, void* context, Bytes element_bytes,
                                                     bool commutative, const char* name) {
  if (!combine) throw Error(ErrorCode::misuse, "the argument 'combine' is NULL; give a function");
  if (element_bytes < 1)
    throw Error(ErrorCode::misuse, fmt::format("'element_bytes' is {}; an element has 1 byte or more", element_bytes));
  Operator made;
  made.name = name ? name : "a function";
  made.type = fmt::format("elements of {} bytes", element_bytes);
  made.element_bytes = element_bytes;
  made.commutative = commutative;
  made.combine = on_aligned_elements(
      [combine, context](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
        if (order == OperandOrder::source_first)
          combine(source, target, target, elements, context);
        else
          combine(target, source, target, elements, context);
      },
      element_bytes);
  return std::make_shared<const Operator>(std::move(made));
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

// ---- Operators

int quadrille_built_in_operator(const char* operation, const char* type, quadrille_operator* made) {
  return guarded([&] {
    make_handle(made, "made", [&] {
      if (!operation || !type) throw Error(ErrorCode::misuse, "the name of the operator or of the type is NULL; give both");
      return built_in_operator(operation, type);
    });
  });
}

int quadrille_operator_of_function(quadrille_combine* combine, void* context, int64_t element_bytes, int commutative,
                                   const char* name, quadrille_operator* made) {
  return guarded([&] {
    make_handle(made, "made", [&] { return operator_of_function(combine, context, element_bytes, commutative != 0, name); });
  });
}

int quadrille_operator_free(quadrille_operator* operation) {
  return guarded([&] { free_handle(operation, "operation"); });
}
