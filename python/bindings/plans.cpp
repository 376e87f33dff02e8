// SPDX-License-Identifier: BSD-3-Clause
#include "plans.hpp"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <optional>

#include "execute/agreement.hpp"
#include "guarded.hpp"
#include "known_counts.hpp"
#include "plan/calls/call_checks.hpp"
#include "quadrille/typed_plan.hpp"
#include "requests.hpp"

namespace quadrille::python {
namespace {

// A plan as Python holds it.
class HeldPlan {
 public:
  HeldPlan(std::shared_ptr<Ranks> ranks, Plan plan, Asked& asked)
      : ranks_(std::move(ranks)),
        plan_(std::move(plan)),
        in_place_(asked.in_place()),
        buffers_(kept_buffers(std::move(asked.input), std::move(asked.output))) {}
  ~HeldPlan() {
    without_lock([this] { plan_.reset(); });
  }
  HeldPlan(const HeldPlan&) = delete;
  HeldPlan& operator=(const HeldPlan&) = delete;

  const Plan& plan() const { return *plan_; }

  PyObject* execute(PyObject* const* arguments, Py_ssize_t count) {
    const Use use(*ranks_);
    if (count == 0) {
      run(use, input(), output());
    } else {
      const Others others(*this, arguments, count);
      run(use, others.input, others.output);
    }
    Py_RETURN_NONE;
  }

  PyObject* start(PyObject* const* arguments, Py_ssize_t count) {
    LentBuffers buffers = buffers_;
    Request request = [&] {
      const Use use(*ranks_);
      if (count == 0) return begin(use, input(), output());
      Others others(*this, arguments, count);
      Request begun = begin(use, others.input, others.output);
      buffers = kept_buffers(std::move(others.input), std::move(others.output));
      return begun;
    }();
    return python_request(ranks_, std::move(request), std::move(buffers));
  }

 private:
  // Buffers other than those of the plan.
  struct Others {
    Others(const HeldPlan& plan, PyObject* const* arguments, Py_ssize_t count) {
      const Py_ssize_t takes = plan.in_place_ ? 1 : 2;
      if (count != takes)
        throw py::type_error(fmt::format("this plan is executed on {} or on its own, not on {}",
                                         plan.in_place_ ? "one buffer" : "an input and an output", count));
      if (!plan.in_place_) input = plan.like(plan.input(), arguments[0], "input", LentBuffer::Use::read);
      output = plan.like(plan.output(), arguments[count - 1], plan.in_place_ ? "buffer" : "output", LentBuffer::Use::write);
    }
    LentBuffer input, output;
  };

  const LentBuffer& input() const { return buffers_->front(); }
  const LentBuffer& output() const { return buffers_->back(); }

  // Returns a buffer of the same type as the plan's, which has no fewer elements.
  LentBuffer like(const LentBuffer& own, PyObject* object, const char* argument, LentBuffer::Use use) const {
    if (object == Py_None && !own) return {};
    LentBuffer other(object, argument, use);
    if (!own) return other;
    if (!(other.type() == own.type()))
      throw Error(ErrorCode::misuse, fmt::format("'{}' has elements of type {}, and the plan was made for type {}", argument,
                                                 shown(other.type()), shown(own.type())));
    if (other.bytes() < own.bytes())
      throw Error(ErrorCode::misuse, fmt::format("'{}' has {} elements, and the plan was made for {}", argument,
                                                 other.bytes() / own.type().bytes, own.bytes() / own.type().bytes));
    return other;
  }

  void run(const Use& use, const LentBuffer& input, const LentBuffer& output) {
    use([&](Communicator&) {
      if (in_place_)
        plan_->execute_in_place(output.data());
      else
        plan_->execute(input.data(), output.data());
    });
  }

  Request begin(const Use& use, const LentBuffer& input, const LentBuffer& output) {
    return use([&](Communicator&) {
      return in_place_ ? plan_->start_in_place(output.data()) : plan_->start(input.data(), output.data());
    });
  }

  std::shared_ptr<Ranks> ranks_;
  std::optional<Plan> plan_;
  bool in_place_;
  LentBuffers buffers_;  // input and output; shared with open requests
};

PlanOptions options_of(const Asked& asked) {
  PlanOptions options{.effort = asked.options.effort,
                      .policy = asked.options.policy,
                      .executor = asked.options.executor,
                      .in_place = asked.in_place()};
  if (asked.family)
    options.algorithm = Candidate(*asked.family);
  else
    options.algorithm = std::string(asked.options.algorithm);
  return options;
}

Plan regular_plan(Communicator& group, const Asked& asked, Bytes block_bytes) {
  const CallArguments& arguments = asked.call.arguments;
  Problem problem{.collective = arguments.collective, .ranks = group.size(), .block_bytes = block_bytes, .root = arguments.root};
  PlanOptions options = options_of(asked);
  if (arguments.operation) {
    problem.element_bytes = arguments.element_bytes;
    problem.commutative = arguments.operation->commutative;
    options.operation = operator_owning(*arguments.operation, arguments.element_bytes);
  }
  return plan(group, problem, options);
}

Plan planned(Communicator& group, const Asked& asked) {
  const CallArguments& arguments = asked.call.arguments;
  if (arguments.collective == Collective::alltoallv && asked.family && !asked.in_place())
    return plan_with_all_counts(group, asked.call, options_of(asked));
  if (is_irregular(arguments.collective)) return plan_irregular(group, asked.call, options_of(asked));
  const Bytes block_bytes = made_or_thrown(group, [&] { return checked_block_bytes(arguments, group.rank(), group.size()); });
  return regular_plan(group, asked, block_bytes);
}

void no_keywords(PyObject* keywords) {
  if (keywords && PyTuple_GET_SIZE(keywords) > 0) throw py::type_error("a plan takes its buffers by position");
}

PyObject* execute_method(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return guarded([&] {
    no_keywords(keywords);
    return object_in<HeldPlan>(self).execute(arguments, count);
  });
}

PyObject* start_method(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return guarded([&] {
    no_keywords(keywords);
    return object_in<HeldPlan>(self).start(arguments, count);
  });
}

PyMethodDef methods[] = {
    {"execute", stored(execute_method), 0,
     "execute($self, input=None, output=None, /)\n--\n\nCollective. Runs the plan on the buffers with which it was made, or on "
     "others of "
     "the same type that are no shorter: an input and an output, or one buffer if it was made in place. Returns when the output is "
     "complete and the input may be changed."},
    {"start", stored(start_method), 0,
     "start($self, input=None, output=None, /)\n--\n\nAs execute, but returns a Request, which keeps the buffers alive."},
};

}  // namespace

Plan plan_of(Communicator& group, const Asked& asked) {
  if (!asked.family) return planned(group, asked);
  std::optional<Plan> made;
  with_exceptions_of_algorithms([&] { made = planned(group, asked); });
  return *std::move(made);
}

void read_on_all(const Use& use, const std::function<void()>& read) {
  std::exception_ptr wrong;
  std::string sentence;
  try {
    read();
  } catch (py::error_already_set& error) {
    wrong = std::current_exception();
    sentence = py::str(error.value());
  } catch (const std::exception& error) {
    wrong = std::current_exception();
    sentence = error.what();
  }
  try {
    use([&](Communicator& group) {
      gathered_or_thrown(group, [&] {
        if (wrong) throw Error(ErrorCode::misuse, sentence);
        return '\0';
      });
    });
  } catch (const Error&) {
    if (wrong) std::rethrow_exception(wrong);
    throw;
  }
}

PyObject* python_plan(const std::shared_ptr<Ranks>& ranks, const Form& form, const std::function<Given()>& given) {
  const Use use(*ranks);
  std::optional<Asked> asked;
  read_on_all(use, [&] { asked.emplace(form, given()); });
  Plan made = use([&](Communicator& group) { return plan_of(group, *asked); });
  return py::cast(std::make_unique<HeldPlan>(ranks, std::move(made), *asked)).release().ptr();
}

void add_plans(py::module_& module) {
  py::class_<HeldPlan> plan(
      module, "Plan", "A collective made ready to run any number of times; bound to the buffers of plan_NAME.", py::is_final());
  plan.def_property_readonly(
          "algorithm", [](const HeldPlan& held) { return held.plan().algorithm(); }, "The algorithm with all its parameters.")
      .def_property_readonly(
          "executor", [](const HeldPlan& held) { return std::string(name(held.plan().executor())); }, "mpi, shared or hybrid.")
      .def_property_readonly(
          "scratch_bytes", [](const HeldPlan& held) { return held.plan().scratch_bytes(); }, "Memory of the schedule.")
      .def_property_readonly(
          "staging_bytes", [](const HeldPlan& held) { return held.plan().staging_bytes(); }, "Memory of the executor.")
      .def("__repr__", [](const HeldPlan& held) { return fmt::format("<Plan: {}>", held.plan().algorithm()); });
  for (PyMethodDef& method : methods) add_method(plan, method);
}

}  // namespace quadrille::python
