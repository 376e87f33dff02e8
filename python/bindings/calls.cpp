// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

#include <fmt/format.h>

#include <deque>
#include <string>
#include <utility>

#include "asked.hpp"
#include "communicator.hpp"
#include "forms.hpp"
#include "guarded.hpp"
#include "plans.hpp"
#include "quadrille/neighborhood.hpp"
#include "requests.hpp"

namespace quadrille::python {
namespace {

enum class Way : std::uint8_t { call, start, plan };

const Parameters& parameters_of(std::size_t form) {
  static const auto* const all = [] {
    auto* const made = new std::vector<Parameters>;  // never destroyed, because it has Python objects
    for (const Form& each : forms) made->emplace_back(each);
    return made;
  }();
  return (*all)[form];
}

// Without a plan, an alltoallv in place has one list of blocks.
void check_in_place(const Asked& asked) {
  if (asked.in_place() && asked.call.arguments.collective == Collective::alltoallv && asked.call.send.counts.size() > 0)
    throw Error(ErrorCode::misuse,
                "in place, send_counts is None: the block from a rank replaces the block to it; plan_alltoallv takes both lists");
}

void execute(Communicator& group, const Asked& asked) {
  if (asked.neighbors) return execute_among_neighbors(group, *asked.neighbors, asked.call);
  if (asked.family) {
    Plan made = plan_of(group, asked);
    return asked.in_place() ? made.execute_in_place(asked.output.data()) : made.execute(asked.input.data(), asked.output.data());
  }
  if (is_irregular(asked.call.arguments.collective)) return execute_irregular(group, asked.call, asked.options);
  execute_call(group, asked.call.arguments, asked.options);
}

Request start(Communicator& group, const Asked& asked) {
  if (asked.neighbors) return start_among_neighbors(group, *asked.neighbors, asked.call);
  if (asked.family) {
    Plan made = plan_of(group, asked);
    return asked.in_place() ? made.start_in_place(asked.output.data()) : made.start(asked.input.data(), asked.output.data());
  }
  if (is_irregular(asked.call.arguments.collective)) return start_irregular(group, asked.call, asked.options);
  return start_call(group, asked.call.arguments, asked.options);
}

PyObject* started(const std::shared_ptr<Ranks>& ranks, const Form& form, const Given& given) {
  Asked asked(form, given);
  check_in_place(asked);
  Request request = with_group(*ranks, [&](Communicator& group) { return start(group, asked); });
  return python_request(ranks, std::move(request), kept_buffers(std::move(asked.input), std::move(asked.output)));
}

template <std::size_t form, Way way>
PyObject* method(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const auto given = [&] { return parameters_of(form).read(arguments, count, keywords); };
    if constexpr (way == Way::call) {
      const Asked asked(forms[form], given());
      check_in_place(asked);
      with_group(object_in<Ranks>(self), [&](Communicator& group) { execute(group, asked); });
      Py_RETURN_NONE;
    } else {
      const auto ranks = py::handle(self).cast<std::shared_ptr<Ranks>>();
      return way == Way::start ? started(ranks, forms[form], given()) : python_plan(ranks, forms[form], given);
    }
  });
}

// The texts and definitions of methods, which live as long as the class.
struct Definition {
  std::string name, text;
  PyMethodDef method;
};

template <std::size_t form, Way way>
void add(const py::object& to_class) {
  static auto* const definitions = new std::deque<Definition>;
  const char* const prefix = way == Way::start ? "i" : way == Way::plan ? "plan_" : "";
  const char* const meaning = way == Way::start  ? "Starts the following and returns a Request. "
                              : way == Way::plan ? "Collective. Returns a Plan of the following, bound to these buffers. "
                                                 : "";
  Definition& made = definitions->emplace_back();
  const std::string& signature = parameters_of(form).signature();
  made.name = fmt::format("{}{}", prefix, forms[form].name);
  made.text =
      fmt::format("{}($self{}{})\n--\n\n{}{}", made.name, signature.empty() ? "" : ", ", signature, meaning, forms[form].text);
  made.method = {made.name.c_str(), stored(method<form, way>), 0, made.text.c_str()};
  add_method(to_class, made.method);
}

template <std::size_t form>
void add_form(const py::object& to_class) {
  add<form, Way::call>(to_class);
  add<form, Way::start>(to_class);
  if (!forms[form].is_among_neighbors) add<form, Way::plan>(to_class);
}

template <std::size_t... form>
void add_all(const py::object& to_class, std::index_sequence<form...>) {
  (add_form<form>(to_class), ...);
}

}  // namespace

void add_calls(const py::object& to_class) { add_all(to_class, std::make_index_sequence<form_count>()); }

}  // namespace quadrille::python
