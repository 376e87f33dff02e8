# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the Python module."""
import ast
import copy
import inspect
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

import quadrille as q

try:
    import numpy
except ImportError:
    numpy = None


def shift(problem, rank):
    p, b = problem.ranks, problem.block
    at = lambda memory, peer: memory[peer * b:(peer + 1) * b]
    yield q.copy(at(q.input, rank), at(q.output, rank))
    for d in range(1, p):
        yield [q.send((rank + d) % p, at(q.input, (rank + d) % p)), q.receive((rank - d) % p, at(q.output, (rank - d) % p))]


mine = q.algorithm("alltoall")(shift)


class Schedules(unittest.TestCase):
    def test_every_algorithm_is_made_and_right(self):
        made = 0
        for record in q.algorithms():
            self.assertTrue(record["summary"] and record["picture"], record)
            if record["collective"].endswith("v"):
                sizes = {"counts": [24, 0, 8, 16] * (4 if record["collective"] == "alltoallv" else 1)}
            else:
                sizes = {} if record["collective"] == "barrier" else {"block": 64}
            make = getattr(q, record["collective"])
            try:
                s = make(record["name"], ranks=4, **sizes)
            except q.Error as error:
                self.assertIn("does not apply", str(error))
                continue
            made += 1
            self.assertTrue(s.verify(), s)
            self.assertEqual(s.problem.collective, record["collective"])
        self.assertGreater(made, 60)

    def test_sizes_are_bytes_or_text(self):
        self.assertEqual(q.alltoall("bruck", ranks=3, block="1.5KiB"), q.alltoall("bruck", ranks=3, block=1536))
        self.assertEqual(q.allgatherv(ranks=2, counts=["1KiB", 3]).problem.counts, [1024, 3])

    def test_names_of_mpi_are_answered(self):
        for name, meant in [("bcast", "broadcast"), ("Ialltoall", "alltoall"), ("reduce_scatter_block", "reduce_scatter")]:
            with self.assertRaisesRegex(AttributeError, f"no attribute '{name}'; did you mean '{meant}'"):
                getattr(q, name)
        with self.assertRaisesRegex(AttributeError, "no attribute 'gossip'$"):
            getattr(q, "gossip")

    def test_what_is_wrong_is_one_sentence(self):
        for call, hint in [(lambda: q.alltoall("bruk", ranks=3, block=8), "did you mean 'bruck'"),
                           (lambda: q.alltoall("bruck:radix=99", ranks=3, block=8), "radix"),
                           (lambda: q.alltoall("vendor", ranks=3, block=8), "vendor has no schedule"),
                           (lambda: q.alltoall(ranks=3), "needs the size of a block"),
                           (lambda: q.alltoallv(ranks=3, block=8), "has no blocks"),
                           (lambda: q.alltoallv(ranks=3), "needs counts"),
                           (lambda: q.alltoall(ranks=3, counts=[1]), "has no counts"),
                           (lambda: q.alltoall(ranks=3, block="8 potatoes"), "potatoes"),
                           (lambda: q.alltoall(ranks=0, block=8), "ranks"),
                           (lambda: q.schedule("alltoal", ranks=3, block=8), "alltoall"),
                           (lambda: q.algorithms("alltoal"), "did you mean 'alltoall'"),
                           (lambda: q.schedule("MPI_Bcast", ranks=3, block=8), "did you mean 'broadcast'"),
                           (lambda: q.algorithm("bcast")(shift), "did you mean 'broadcast'"),
                           (lambda: q.alltoall("xor", ranks=3, block=8), "does not apply"),
                           (lambda: q.parse("nothing"), ""),
                           (lambda: q.read("/no/such/file"), "cannot read '/no/such/file'"),
                           (lambda: q.alltoall(ranks=3, block=8).price("no-such-machine"), "no-such-machine"),
                           (lambda: q.alltoall(ranks=3, block=8).price("hdr", model="none"), "no model 'none'"),
                           (lambda: q.alltoall(ranks=3, block=8).simulate("torus:2x2"), "4 ranks, not 3"),
                           (lambda: q.alltoall(ranks=3, block=8).draw("photo"), "no picture 'photo'"),
                           (lambda: q.alltoall(ranks=3, block=8).draw("links"), "needs a network")]:
            with self.assertRaises(q.Error) as caught:
                call()
            self.assertIn(hint, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
            self.assertIn(caught.exception.code, ("misuse", "malformed", "environment"))

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_figures_and_messages_agree(self):
        s = q.alltoall("ring", ranks=5, block=24)
        m = s.messages
        self.assertEqual(m.dtype.names, ("round", "from", "to", "bytes", "control"))
        self.assertEqual(len(numpy.unique(m["round"])), s.figures.c1)
        longest = [m["bytes"][m["round"] == number].max() for number in numpy.unique(m["round"])]
        self.assertEqual(sum(longest), s.figures.c2)
        self.assertEqual(max(m["bytes"][m["from"] == rank].sum() for rank in range(5)), s.figures.traffic_out)
        self.assertEqual(s.figures.record["c2"], s.figures.c2)
        self.assertEqual(len(q.alltoall("ring", ranks=1, block=24).messages), 0)
        self.assertTrue(q.barrier(ranks=4).messages["control"].all())

    def test_text_json_and_pickles_come_back(self):
        for s in [q.alltoall("bruck:radix=3", ranks=7, block=8), q.alltoallv(ranks=3, counts=range(9)), q.allreduce(ranks=4, block=64),
                  q.broadcast(ranks=3, block=8, root=2), mine(ranks=4, block=8), q.barrier(ranks=3)]:
            self.assertEqual(q.parse(s.text), [s])
            self.assertEqual(q.parse(s.json), [s])
            self.assertNotEqual(q.parse(s.json), [q.alltoall("direct", ranks=7, block=8)])
            self.assertTrue(q.parse(s.json)[0].verify())
            self.assertEqual(pickle.loads(pickle.dumps(s)), s)
            self.assertEqual(copy.deepcopy(s), s)
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "one.sched"
                file.write_text(s.text)
                self.assertEqual(q.read(file), s)
                file.write_text(s.text + s.text)
                self.assertEqual(q.read_all(str(file)), [s, s])
                with self.assertRaisesRegex(ValueError, "has 2 schedules"):
                    q.read(file)

    def test_different_schedules_are_not_equal(self):
        s = q.alltoall("bruck", ranks=4, block=8)
        for other in [q.alltoall("bruck", ranks=4, block=16), q.alltoall("bruck", ranks=5, block=8), q.alltoall("ring", ranks=4, block=8),
                      q.parse(s.text.replace("send to 1", "send to 2", 1))[0], "bruck", None]:
            self.assertNotEqual(s, other)

    def test_estimates_agree_with_each_other(self):
        s = q.alltoall("shift", ranks=16, block="1KiB", grid=[4, 4])
        price = s.price("sp2", model="linear")
        self.assertAlmostEqual(price.blocking_s, s.simulate(machine="sp2", model="linear").seconds)
        self.assertAlmostEqual(sum(term["seconds"] for term in price.terms), price.seconds)
        simulation = s.simulate("torus:4x4", machine="paragon")
        self.assertEqual(len(simulation.rounds), s.figures.c1)
        self.assertGreater(max(r["sharing"] for r in simulation.rounds), 1)
        self.assertAlmostEqual(simulation.rounds[-1]["end_s"], simulation.seconds)

    def test_pictures_and_pages(self):
        s = q.alltoall("bruck", ranks=4, block=8)
        for picture in ("space-time", "blocks", "traffic"):
            self.assertTrue(s.draw(picture).startswith("<svg"))
        self.assertTrue(s.draw("links", topology="torus:2x2").startswith("<svg"))
        self.assertEqual(s._repr_svg_(), s.draw())
        self.assertIsNone(q.alltoall("bruck", ranks=100_000, block=8)._repr_svg_())
        page = s.view()
        self.assertIn("quadrille-trace/1", page.html)
        self.assertIn("<iframe", page._repr_html_())
        self.assertNotIn('"', page._repr_html_().split('srcdoc="')[1].split('"></iframe>')[0])
        with self.assertRaises(q.Error):
            page.save("/no/such/folder/page.html")

    def test_wrong_schedules_are_reported_with_their_cause(self):
        s = q.alltoall("shift", ranks=4, block=8)
        wrong = q.parse(s.text.replace("send to 1", "send to 2", 1))[0]
        report = wrong.verify()
        self.assertFalse(report)
        self.assertTrue(report.causes)
        self.assertEqual(len(report.findings), str(report).count("\n") - len(report.causes))
        self.assertIn(report.findings[0].rule, ("unmatched-message", "repeated-message", "delivery"))
        for call in (wrong.check, lambda: wrong.price("hdr"), lambda: wrong.simulate()):
            with self.assertRaises(q.ScheduleError) as caught:
                call()
            self.assertEqual(str(caught.exception), str(report))
        self.assertTrue(wrong.draw().startswith("<svg"))
        self.assertFalse(q.alltoall("direct", ranks=4, block=8).verify(ports=1))

    def test_explain_agrees_with_the_command_by_its_price(self):
        told = q.explain("alltoall", machine="hdr", ranks=64, block="1KiB")
        best = min(way["predicted_s"] for way in told.ways if way["predicted_s"] is not None)
        self.assertLessEqual(told.ways[0]["predicted_s"], 1.5 * best)
        self.assertEqual(told.ways[0]["rejected"], "")
        self.assertTrue(told.reason)
        price = q.alltoall(told.ways[0]["algorithm"], ranks=64, block="1KiB").price("hdr")
        self.assertEqual(price.seconds, told.ways[0]["predicted_s"])
        self.assertIn("on hdr, one node, by max-rate", repr(price))


    def test_compares_algorithms_of_ones_own(self):
        record = q.explain("alltoall", mine, machine="hdr", ranks=8, block="1KiB").families[0]
        self.assertEqual((record["algorithm"], record["reason"]), ("shift", ""))
        self.assertGreater(record["predicted_s"], 0)
        self.assertGreater(record["ratio"], 0)
        wrong = q.algorithm("alltoall", name="silent")(lambda problem, rank: iter([None]))
        with self.assertRaisesRegex(q.ScheduleError, "silent"):
            q.explain("alltoall", wrong, machine="hdr", ranks=8, block="1KiB")
        with self.assertRaisesRegex(TypeError, "algorithms of your own"):
            q.explain("alltoall", "bruck", machine="hdr", ranks=8, block="1KiB")


class Algorithms(unittest.TestCase):
    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_has_the_messages_of_the_same_algorithm_in_the_table(self):
        for ranks in range(1, 9):
            s = mine(ranks=ranks, block=24)
            s.check()
            theirs = q.alltoall("shift", ranks=ranks, block=24)
            ends = lambda schedule: sorted(zip(*(schedule.messages[name] for name in ("from", "to", "bytes"))))
            self.assertEqual(ends(s), ends(theirs))
        self.assertEqual(mine.check(ranks=range(1, 17), block=8), list(range(1, 17)))

    def test_is_made_one_program_at_a_time_and_once(self):
        asked = []

        @q.algorithm("alltoall", name="counted")
        def counted(problem, rank):
            asked.append(rank)
            yield from shift(problem, rank)

        s = counted(ranks=4, block=8)
        self.assertEqual(s.algorithm, "counted")
        self.assertEqual(asked, [0])
        s.check()
        s.figures
        s.text
        self.assertEqual(sorted(asked), [0, 1, 2, 3])

    def test_combines_with_scratch_stages_and_idle_rounds(self):
        @q.algorithm("reduce")
        def linear(problem, rank):
            b = slice(0, problem.block)
            yield "send to the root"
            for source in range(problem.ranks):
                if source == problem.root:
                    yield q.copy(q.input[b], q.output[b]) if rank == source else None
                elif rank == source:
                    yield q.send(problem.root, q.input[b])
                elif rank == problem.root:
                    yield [q.receive(source, [q.scratch[0:8], q.scratch[8:problem.block]])]
                else:
                    yield
            yield "combine"
            yield

        s = linear(ranks=1, block=16)
        s.check()
        self.assertIn("stage combine first 1 rounds 1", s.text.replace('"', ""))
        self.assertFalse(linear(ranks=3, block=16).verify(), "it forgets to combine")
        self.assertEqual(linear(ranks=3, block=16).figures.scratch, 16)

        @q.algorithm("allreduce")
        def in_order(problem, rank):
            b, p = slice(0, problem.block), problem.ranks
            yield q.copy(q.input[b], q.output[b])
            for source in range(1, p):
                yield [q.send(0, q.input[b])] if rank == source else [q.receive(source, q.scratch[b])] if rank == 0 else None
                yield q.combine(q.scratch[b], q.output[b], source_first=False) if rank == 0 else None
            yield [q.send(peer, q.output[b]) for peer in range(1, p)] if rank == 0 else q.receive(0, q.output[b])

        self.assertEqual(in_order.check(ranks=range(1, 9), block=16), list(range(1, 9)))

    def test_is_raced_with_its_data_checked(self):
        race = q.race("alltoall", mine, "bruck", "xor", ranks=3, block=64, repetitions=2, seconds=0.02)
        self.assertEqual([entry["algorithm"] for entry in race.entries], ["own/shift", "bruck"])  # the table has a shift, too
        for entry in race.entries:
            self.assertTrue(entry["right"])
            self.assertGreater(entry["median_s"], 0)
        self.assertEqual([entry["algorithm"] for entry in race.left_out], ["xor"])
        self.assertIn("power of two", race.left_out[0]["reason"])
        sums = q.race("allreduce", "recursive-doubling", ranks=2, block=64, repetitions=2, seconds=0.02, op="max", type="f32")
        self.assertTrue(sums.entries[0]["right"])

        @q.algorithm("alltoall")
        def silent(problem, rank):
            yield

        with self.assertRaisesRegex(q.Error, "the schedule of silent is wrong: "):
            q.race("alltoall", silent, ranks=2, block=64, repetitions=2, seconds=0.02)
        with self.assertRaisesRegex(q.Error, "ZeroDivisionError"):
            q.race("alltoall", q.algorithm("alltoall", name="broken")(lambda problem, rank: [] if rank == 0 else 1 / 0), ranks=2, block=64,
                   repetitions=2, seconds=0.02)

    def test_are_raced_over_sizes_in_any_group(self):
        arguments = {"block": [64, "1KiB"], "repetitions": 2, "seconds": 0.02}
        there = q.race("alltoall", mine, "xor", ranks=3, **arguments)
        here = q.run_threads(3, lambda ranks: q.race("alltoall", mine, "xor", ranks=ranks, **arguments))
        for race in (there, *here):
            self.assertEqual([(entry["algorithm"], entry["block_bytes"]) for entry in race.entries],
                             [("own/shift", 64), ("own/shift", 1024)])
            self.assertEqual([each["block_bytes"] for each in race.left_out], [64, 1024])
            self.assertRegex(race.conclusion, "^64 B: .*; 1024 B: ")
            self.assertRegex(repr(race), "^<Race: 64 B: .*, own/shift .* s; 1024 B: .*, own/shift .* s>$")

    def test_that_does_not_apply_says_why(self):
        @q.algorithm("alltoall")
        def even(problem, rank):
            if problem.ranks % 2:
                raise q.DoesNotApply("the number of ranks is odd")
            yield from shift(problem, rank)

        self.assertEqual(even.check(ranks=range(1, 9), block=8), [2, 4, 6, 8])
        with self.assertRaisesRegex(q.DoesNotApply, "even does not apply: the number of ranks is odd"):
            even(ranks=3, block=8)
        with self.assertRaisesRegex(q.DoesNotApply, "it is an algorithm of alltoall"):
            q.allgather(even, ranks=4, block=8)

    def test_mistakes_are_exceptions(self):
        def raises(function, kind, hint):
            with self.assertRaisesRegex(kind, hint):
                q.algorithm("alltoall")(function)(ranks=3, block=8).check()

        def yields(*items):
            return lambda problem, rank: iter(items)

        raises(lambda problem, rank: None, q.Error, "yields nothing")
        raises(yields(7), TypeError, "yields lists of send, receive, copy and combine, not 7")
        raises(yields([7]), TypeError, "a round has send, receive, copy and combine, not 7")
        raises(yields([q.send(0, q.input[0:8])]), q.Error, "must not send to itself")
        raises(lambda problem, rank: 1 / 0, ZeroDivisionError, "")
        raises(lambda problem, rank: iter([None] * rank), q.ScheduleError, "stage")  # ranks disagree about the rounds
        self.assertEqual(repr(q.output[8:24]), "output[8:24]")
        self.assertEqual(repr(q.send(1, q.input[8:24])), "send to 1 input[8:24]")
        for wrong, hint in [(lambda: q.input[0.0:8], r"input\[begin:end\] takes whole numbers of bytes, not 0.0"),
                            (lambda: q.input[0], r"write input\[begin:end\], in bytes"),
                            (lambda: q.send(1.0, q.input[0:8]), "a rank is a whole number, not 1.0"),
                            (lambda: q.receive(1, 8), r"a region is memory\[begin:end\], .* not 8"),
                            (lambda: q.copy(q.input[0:8], [7]), "or a list of them, not 7"),
                            (lambda: q.alltoall(block=4), "alltoall needs the number of ranks, such as ranks=8"),
                            (lambda: q.alltoall(ranks=4, blok=4), "alltoall has no argument 'blok'"),
                            (lambda: q.alltoall(ranks="4", block=4), "alltoall has an argument of a wrong type: ranks='4'")]:
            with self.assertRaisesRegex(TypeError, hint) as caught:
                wrong()
            self.assertNotIn("_quadrille", str(caught.exception))
        for wrong in (lambda: q.input[8], lambda: q.input[8:4], lambda: q.input[-4:8], lambda: q.input[0:], lambda: q.input[0:8:2]):
            with self.assertRaises((IndexError, TypeError)):
                wrong()
        with self.assertRaisesRegex(q.Error, "no collective 'alltoal'"):
            q.algorithm("alltoal")(shift)

    def test_works_in_threads(self):
        failures = []

        def work():
            try:
                for ranks in (2, 5, 8):
                    mine(ranks=ranks, block=8).check()
            except Exception as error:  # reported by the main thread
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Records(unittest.TestCase):
    def test_of_findings_and_figures(self):
        silent = q.algorithm("alltoall", name="silent")(lambda problem, rank: iter([None]))
        report = silent(ranks=2, block=8).verify()
        self.assertEqual(len(report.records), len(report.findings))
        for record, finding in zip(report.records, report.findings):
            self.assertEqual({name: record[name] for name in ("rule", "rank", "stage", "round", "message")},
                             {name: getattr(finding, name) for name in ("rule", "rank", "stage", "round", "message")})
            if finding.region:
                self.assertEqual((record["memory"], record["offset"], record["length"]),
                                 (finding.region.memory, finding.region.offset, finding.region.length))
        figures = mine(ranks=4, block=8).figures
        self.assertEqual(figures, mine(ranks=4, block=8).figures)
        self.assertNotEqual(figures, mine(ranks=4, block=16).figures)
        self.assertEqual(figures.record["traffic_out"], 24)

    def test_of_files_named_by_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.sched"
            file.write_text(mine(ranks=2, block=8).text)
            self.assertEqual(q.read_all(file), [q.read(file)])


class Module(unittest.TestCase):
    def test_has_no_objects_without_a_value(self):
        for name in q.__all__:
            each = getattr(q, name)
            if isinstance(each, type) and each.__module__ == "quadrille._quadrille":
                with self.assertRaises(TypeError):
                    each.__new__(each)
                with self.assertRaises(TypeError):
                    type("Own", (each,), {})

    def test_says_what_every_attribute_is(self):
        for name in q.__all__:
            each = getattr(q, name)
            if isinstance(each, type) and each.__module__ == "quadrille._quadrille":
                for attribute, value in vars(each).items():
                    if not attribute.startswith("_"):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{attribute}")

    def test_imports_neither_numpy_nor_pandas(self):
        code = "import sys, quadrille; print([m for m in ('numpy', 'pandas') if m in sys.modules])"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, "[]\n")

    def test_another_version_is_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "quadrille"
            package.mkdir()
            ours = pathlib.Path(q.__file__).parent
            for file in ours.iterdir():
                if file.suffix == ".so":
                    os.symlink(file, package / file.name)
            text = (ours / "__init__.py").read_text()
            (package / "__init__.py").write_text(text.replace(f'__version__ = "{q.__version__}"', '__version__ = "9.9.9"'))
            ran = subprocess.run([sys.executable, "-c", "import quadrille"], capture_output=True, text=True,
                                 env={**os.environ, "PYTHONPATH": folder})
            self.assertIn("ImportError: this is quadrille 9.9.9 for Python, its module was built for " + q.__version__, ran.stderr)

    def test_another_python_is_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "quadrille"
            package.mkdir()
            (package / "__init__.py").write_text((pathlib.Path(q.__file__).parent / "__init__.py").read_text())
            environment = {**os.environ, "PYTHONPATH": folder}
            run = lambda: subprocess.run([sys.executable, "-c", "import quadrille"], capture_output=True, text=True, env=environment).stderr
            self.assertIn("ImportError: quadrille's module is not in ", run())  # there is no module at all
            (package / "_quadrille.cpython-37m-x86_64-linux-gnu.so").write_text("")
            self.assertIn("quadrille's module was built for another one: _quadrille.cpython-37m", run())

    def test_stubs_name_what_the_module_has(self):
        tree = ast.parse((pathlib.Path(q.__file__).parent / "__init__.pyi").read_text())
        named = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        variables = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        has = {name for name in q.__all__ if name != "annotations"}
        self.assertEqual(set(named) | variables, has)
        for name, node in named.items():
            if isinstance(node, ast.ClassDef) and not issubclass(getattr(q, name), Exception):
                stub = {each.name for each in node.body if isinstance(each, ast.FunctionDef)} | {
                    each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
                stub = {each for each in stub if not each.startswith("__")}
                real = {each for each in dir(getattr(q, name)) if not each.startswith("__") and not each.startswith("_pybind")}
                if name != "Algorithm":  # its attributes are set by its constructor
                    self.assertEqual(stub, real, name)

    def test_stubs_and_methods_take_the_same_arguments(self):
        tree = ast.parse((pathlib.Path(q.__file__).parent / "__init__.pyi").read_text())
        communicator, = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Communicator"]
        compared = 0
        for node in communicator.body:
            real = getattr(q.Communicator, node.name, None) if isinstance(node, ast.FunctionDef) else None
            if type(real).__name__ == "method_descriptor":  # those of pybind11 have no signature
                stub = [each.arg for each in node.args.args + node.args.kwonlyargs]
                self.assertEqual(stub, list(inspect.signature(real).parameters), node.name)
                compared += 1
        self.assertEqual(compared, 16 * 3 + 4 * 2)

    def test_stubs_and_help_name_each_parameter_of_a_schedule(self):
        tree = ast.parse((pathlib.Path(q.__file__).parent / "__init__.pyi").read_text())
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        for name in q.collectives():
            stub = [each.arg for each in functions[name].args.args + functions[name].args.kwonlyargs]
            self.assertEqual(stub, ["algorithm", *q._problem_arguments])
            self.assertEqual(stub, list(inspect.signature(getattr(q, name)).parameters))
        self.assertNotIn("os", dir(q))

    def test_wrong_arguments_are_told_in_a_sentence(self):
        made = q.alltoall(ranks=2, block=8)
        for wrong, part in [(lambda: q.combine(q.input[0:8]), "call combine(source: object, target: object"),
                            (lambda: q.parse([0] * 1000), "call parse(text: str), not with ([0, 0"),
                            (lambda: q.Neighbors(), "call Neighbors(sources"), (lambda: made.price(), "machine: str")]:
            with self.assertRaises(TypeError) as raised:
                wrong()
            self.assertIn(part, str(raised.exception))
            self.assertLess(len(str(raised.exception)), 420)
            self.assertNotIn("\n", str(raised.exception))

    def test_names_are_documented(self):
        for name in q.__all__:
            self.assertTrue(getattr(q, name).__doc__, name)
        for kind in (q.Communicator, q.Plan, q.Request, q.Exchange):
            for name in dir(kind):
                if not name.startswith("_"):
                    self.assertTrue(getattr(kind, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
