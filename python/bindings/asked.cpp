// SPDX-License-Identifier: BSD-3-Clause
#include "asked.hpp"

#include <fmt/format.h>

#include "foundation/text/wording.hpp"
#include "numbers.hpp"
#include "operators.hpp"
#include "quadrille/neighborhood.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::python {
namespace {

std::string_view text_of(PyObject* object, const char* argument) {
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &length) : nullptr;
  if (text) return {text, static_cast<std::size_t>(length)};
  PyErr_Clear();
  throw Error(ErrorCode::misuse, fmt::format("'{}' is text, not {}", argument, Py_TYPE(object)->tp_name));
}

// Finds which of `values` has the name that `object` holds, and stores it in `value`. Does nothing if `object` is null.
template <class Value, std::size_t size>
void set_named(Value& value, PyObject* object, const char* argument, const std::array<Value, size>& values) {
  if (!object) return;
  const std::string_view word = text_of(object, argument);
  std::array<std::string_view, size> names;
  for (std::size_t i = 0; i < size; ++i) {
    names[i] = name(values[i]);
    if (names[i] == word) {
      value = values[i];
      return;
    }
  }
  throw Error(ErrorCode::misuse, fmt::format("there is no {} '{}'; choose {}", argument, word, alternatives(names)));
}

Family family_of(PyObject* algorithm) {
  const py::handle object(algorithm);
  if (py::isinstance<Held>(object)) {
    const Schedule& schedule = object.cast<const Held&>().schedule;
    return family_of_schedules(schedule.algorithm, {schedule});
  }
  const py::object family = py::getattr(object, "family", py::none());
  if (py::isinstance<Family>(family)) return family.cast<Family>();
  throw Error(ErrorCode::misuse, fmt::format("'algorithm' is a name, a schedule or a function made by quadrille.algorithm, not {}",
                                             Py_TYPE(algorithm)->tp_name));
}

const Neighbors& neighbors_of(PyObject* object) {
  if (object && py::isinstance<Neighbors>(object)) return py::handle(object).cast<const Neighbors&>();
  throw Error(ErrorCode::misuse,
              fmt::format("'neighbors' is a quadrille.Neighbors, not {}", object ? Py_TYPE(object)->tp_name : "None"));
}

void check_same(const ElementType& input, const ElementType& output) {
  if (input == output) return;
  throw Error(ErrorCode::misuse, fmt::format("the input has elements of type {} and the output of type {}; they must be the same",
                                             shown(input), shown(output)));
}

Count elements_of(const LentBuffer& buffer, Bytes element_bytes, const char* argument) {
  if (buffer.bytes() % element_bytes == 0) return buffer.bytes() / element_bytes;
  throw Error(ErrorCode::misuse,
              fmt::format("'{}' has {} bytes, and an element of the operator has {}", argument, buffer.bytes(), element_bytes));
}

struct InPlace {};
PyObject* in_place_object = nullptr;  // the module keeps it

}  // namespace

bool is_in_place(PyObject* object) { return object == in_place_object; }

void add_in_place(py::module_& module) {
  py::class_<InPlace>(module, "InPlace",
                      "The class of in_place, which stands for the input of a call whose one buffer is the output.")
      .def("__repr__", [](const InPlace&) { return "quadrille.in_place"; });
  module.attr("in_place") = InPlace();
  in_place_object = module.attr("in_place").ptr();
}

Asked::Asked(const Form& form, const Given& given) {
  CallArguments& arguments = call.arguments;
  arguments.collective = form.collective;
  arguments.compares = false;  // QUADRILLE_CHECK=1 turns it on
  read_buffers(form, given);
  if (const ElementType& type = input ? input.type() : output.type(); input || output) arguments.element_bytes = type.bytes;
  if (is_reduction(form.collective)) {
    operation_ = operator_on(given.op(), input ? input.type() : output.type());
    arguments.operation = &operation_;
    arguments.element_bytes = operation_.element_bytes;
  }
  arguments.input = input.data();
  arguments.input_elements = elements_of(input, arguments.element_bytes, "input");
  arguments.output = output.data();
  arguments.output_elements = elements_of(output, arguments.element_bytes, "output");
  if (PyObject* const root = given[Slot::root]) arguments.root = number_of(root, "root");
  if (is_irregular(form.collective)) read_blocks(form, given);
  if (form.is_among_neighbors)
    neighbors = &neighbors_of(given[Slot::neighbors]);
  else
    read_options(given);
}

void Asked::read_buffers(const Form& form, const Given& given) {
  const auto needed = [&](Slot slot) { return given[slot] ? given[slot] : Py_None; };
  bool& in_place = call.arguments.in_place;
  if (form.collective == Collective::broadcast) {
    in_place = true;
    output = LentBuffer(needed(Slot::buffer), "buffer", LentBuffer::Use::write);
    return;
  }
  PyObject* const first = given[Slot::input];
  in_place = first && is_in_place(first);
  if (in_place && form.is_among_neighbors)
    throw Error(ErrorCode::misuse, fmt::format("{} has an input of its own, and cannot be in place", form.name));
  if (first && !in_place) input = LentBuffer(first, "input", LentBuffer::Use::read);
  if (in_place || given[Slot::output]) output = LentBuffer(needed(Slot::output), "output", LentBuffer::Use::write);
  if (input && output) check_same(input.type(), output.type());
}

void Asked::read_blocks(const Form& form, const Given& given) {
  const bool one_side_sends = form.collective == Collective::scatterv || form.collective == Collective::reduce_scatterv;
  const auto side = [&](Blocks& blocks, Slot counts, Slot displacements, const char* of_counts, const char* of_displacements,
                        std::size_t place) {
    if (PyObject* const given_counts = given[counts]) {
      numbers_[place] = numbers_of(given_counts, of_counts);
      blocks.counts = CountList(numbers_[place]);
    }
    if (PyObject* const given_places = given[displacements]) {
      numbers_[place + 1] = numbers_of(given_places, of_displacements);
      blocks.displacements = CountList(numbers_[place + 1]);
    }
  };
  side(one_side_sends ? call.send : call.receive, Slot::counts, Slot::displacements, "counts", "displacements", 0);
  if (form.collective != Collective::alltoallv) return;
  side(call.send, Slot::send_counts, Slot::send_displacements, "send_counts", "send_displacements", 0);
  side(call.receive, Slot::receive_counts, Slot::receive_displacements, "receive_counts", "receive_displacements", 2);
}

void Asked::read_options(const Given& given) {
  if (PyObject* const algorithm = given[Slot::algorithm]) {
    if (PyUnicode_Check(algorithm))
      options.algorithm = text_of(algorithm, "algorithm");
    else
      family = family_of(algorithm);
  }
  set_named(options.effort, given[Slot::effort], "effort",
            std::array{Effort::estimate, Effort::measure, Effort::exhaustive, Effort::wisdom_only});
  set_named(options.policy, given[Slot::policy], "policy", std::array{Policy::blocking, Policy::nonblocking, Policy::dataflow});
  set_named(options.executor, given[Slot::executor], "executor",
            std::array{Executor::automatic, Executor::mpi, Executor::shared, Executor::hybrid});
}

}  // namespace quadrille::python
