# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the Python module's collectives, with threads as ranks."""
import array
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock
import weakref

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)  # skipped

import quadrille as q
from every_collective import every_collective, irregular, reductions, regular


@q.algorithm("alltoall")
def shift(problem, rank):
    p, b = problem.ranks, problem.block
    at = lambda memory, peer: memory[peer * b:(peer + 1) * b]
    yield q.copy(at(q.input, rank), at(q.output, rank))
    for d in range(1, p):
        yield [q.send((rank + d) % p, at(q.input, (rank + d) % p)), q.receive((rank - d) % p, at(q.output, (rank - d) % p))]


def on_one(function):
    """Calls function(ranks) as the only rank."""
    return q.run_threads(1, function)[0]


class Collectives(unittest.TestCase):
    def test_give_what_numpy_computes(self):
        for ranks in (1, 2, 3, 4):
            q.run_threads(ranks, every_collective)

    def test_run_by_algorithms_and_policies_that_are_named(self):
        def run(ranks):
            regular(ranks, 2, "f8", policy="dataflow", executor="shared", effort="estimate")
            irregular(ranks, "f8", policy="nonblocking")
            reductions(ranks, 2, "i4", policy="nonblocking")
            return ranks.plan_alltoall(np.zeros(8), np.zeros(8), algorithm="bruck:radix=4").algorithm

        self.assertIn("radix=4", q.run_threads(4, run)[0])

    def test_run_schedules_and_algorithms_of_ones_own(self):
        s = shift(ranks=4, block=16)
        read = q.parse(s.text)[0]

        def run(ranks):
            sent, out = np.arange(8.0) + 100 * ranks.rank, np.zeros(8)
            for algorithm in (shift, s, read):
                for call in (ranks.alltoall, lambda *a, **k: ranks.ialltoall(*a, **k).wait(),
                             lambda *a, **k: ranks.plan_alltoall(*a, **k).execute()):
                    out[...] = 0
                    call(sent, out, algorithm=algorithm)
                    self.assertEqual(list(out), [100 * i + 2 * ranks.rank + j for i in range(4) for j in range(2)])
            return ranks.plan_alltoall(sent, out, algorithm=shift).algorithm

        self.assertEqual(q.run_threads(4, run), ["shift"] * 4)
        with self.assertRaisesRegex(q.Error, "does not apply|no schedule"):
            q.run_threads(2, lambda ranks: ranks.alltoall(np.zeros(2), np.zeros(2), algorithm=s))
        with self.assertRaisesRegex(q.Error, "'algorithm' is a name, a schedule or a function"):
            on_one(lambda ranks: ranks.alltoall(np.zeros(2), np.zeros(2), algorithm=7))

    def test_run_an_alltoallv_of_ones_own(self):
        @q.algorithm("alltoallv")
        def at_once(problem, rank):
            p, counts = problem.ranks, problem.counts
            sent, received = counts[rank * p:(rank + 1) * p], counts[rank::p]
            part = lambda memory, sizes, i: memory[sum(sizes[:i]):sum(sizes[:i + 1])]
            yield [q.copy(part(q.input, sent, rank), part(q.output, received, rank)),
                   *[q.send(i, part(q.input, sent, i)) for i in range(p) if i != rank and sent[i]],
                   *[q.receive(i, part(q.output, received, i)) for i in range(p) if i != rank and received[i]]]

        def run(ranks):
            p, me = ranks.size, ranks.rank
            count = lambda sender, receiver: (sender + 2 * receiver) % 3
            block = lambda sender, receiver: [100.0 * sender + 10 * receiver + i for i in range(count(sender, receiver))]
            sent, received = [count(me, i) for i in range(p)], [count(i, me) for i in range(p)]
            mine = np.array(sum([block(me, i) for i in range(p)], []))
            out, spread = np.zeros(sum(received)), np.zeros(2 * p)
            for call in (ranks.alltoallv, lambda *a, **k: ranks.plan_alltoallv(*a, **k).execute()):
                out[...] = spread[...] = 0
                call(mine, sent, out, received, algorithm=at_once)
                self.assertEqual(out.tolist(), sum([block(i, me) for i in range(p)], []))
                call(mine, sent, spread, received, receive_displacements=range(0, 2 * p, 2), algorithm=at_once)
                self.assertEqual(spread.tolist(), sum([(block(i, me) + [0.0, 0.0])[:2] for i in range(p)], []))
            for arguments, hint in [((mine, sent, out, [3] * p), "alltoallv's output has"),
                                    ((mine, sent[1:], out, received), "do not have a number for each"),
                                    ((mine, sent, np.zeros(3 * p), [2] * p), "sends .* B to rank .*, which expects 16 B")]:
                with self.assertRaisesRegex(q.Error, hint):
                    ranks.alltoallv(*arguments, algorithm=at_once)

        q.run_threads(3, run)

    def test_take_anything_with_the_buffer_protocol(self):
        def run(ranks):
            for make in (lambda values: array.array("i", values), lambda values: memoryview(array.array("i", values)),
                         lambda values: (ctypes.c_int * 4)(*values), lambda values: np.array(values, "i4").reshape(2, 2)):
                out = make([0] * 4)
                ranks.alltoall(make([1, 2, 3, 4]), out)
                self.assertEqual(np.asarray(out).ravel().tolist(), [1, 2, 3, 4])
            out = bytearray(4)
            ranks.alltoall(b"abcd", out)  # what is only read may be read-only
            self.assertEqual(out, b"abcd")
            pair = np.dtype([("value", "f8"), ("index", "i4")])
            out = np.zeros(3, pair)
            ranks.allgather(np.array([(1.5, 2), (2.5, 3), (3.5, 4)], pair), out)
            self.assertEqual(out["index"].tolist(), [2, 3, 4])
            truth = np.array([True, False])
            ranks.allreduce(q.in_place, truth, "lor")
            self.assertEqual(truth.tolist(), [True, False])

        on_one(run)

    def test_find_the_place_of_the_least_and_the_greatest(self):
        def run(ranks):
            results = []
            for value in ("f8", "f4", "i2", "i4", "i8"):
                pair = np.dtype([("value", value), ("index", "i4")], align=True)
                mine = np.array([(10 - ranks.rank, ranks.rank), (7, ranks.rank)], pair)
                least, greatest = np.zeros_like(mine), np.zeros_like(mine)
                ranks.allreduce(mine, least, "minloc")
                ranks.allreduce(mine, greatest, "maxloc")
                results.append((least.tolist(), greatest.tolist()))
            return results

        self.assertEqual(q.run_threads(3, run), [[([(8, 2), (7, 0)], [(10, 0), (7, 0)])] * 5] * 3)
        packed = np.zeros(2, [("value", "f8"), ("index", "i4")])
        with self.assertRaisesRegex(q.Error, "elements of minloc have 16 bytes, not 12; make the dtype with align=True"):
            on_one(lambda ranks: ranks.allreduce(packed, packed.copy(), "minloc"))
        with self.assertRaisesRegex(q.Error, "sum has no elements of type 'f64_i32'"):
            on_one(lambda ranks: ranks.allreduce(packed, packed.copy()))

    def test_a_barrier_has_a_plan(self):
        def run(ranks):
            plan = ranks.plan_barrier()
            plan.execute()
            plan.start().wait()

        q.run_threads(3, run)

    def test_raise_the_exceptions_of_algorithms(self):
        wrong = q.algorithm("alltoall", name="wrong")(lambda problem, rank: {}["missing"])
        for call in (lambda ranks, *buffers: ranks.alltoall(*buffers, algorithm=wrong),
                     lambda ranks, *buffers: ranks.plan_alltoall(*buffers, algorithm=wrong)):
            with self.assertRaisesRegex(KeyError, "missing"):
                q.run_threads(2, lambda ranks: call(ranks, np.zeros(2), np.zeros(2)))

    def test_plans_run_on_other_buffers(self):
        def run(ranks):
            p, me = ranks.size, ranks.rank
            plan = ranks.plan_alltoall(np.zeros(p), np.zeros(p))
            sent, out = np.arange(p) + 10.0 * me, np.zeros(p + 1)  # a longer one will do
            plan.execute(sent, out)
            self.assertEqual(out.tolist(), [10 * i + me for i in range(p)] + [0])
            request = plan.start(sent, out)
            del sent
            request.wait()
            sums = ranks.plan_allreduce(q.in_place, np.zeros(1))
            mine = np.ones(1)
            sums.execute(mine)
            self.assertEqual(mine[0], p)
            for wrong, hint in [((mine,), "executed on an input and an output or on its own, not on 1"),
                                ((np.zeros(p, "f4"), out), "'input' has elements of type float32, and the plan was made for type float64"),
                                ((np.zeros(p), out[:p - 1]), f"'output' has {p - 1} elements, and the plan was made for {p}")]:
                with self.assertRaisesRegex((q.Error, TypeError), hint):
                    plan.execute(*wrong)

        q.run_threads(3, run)

    def test_run_threads_returns_what_each_rank_returned(self):
        returned = q.run_threads(3, lambda ranks: (ranks.rank, ranks.size, ranks.transport))
        self.assertEqual(returned, [(i, 3, "threads") for i in range(3)])

    def test_other_threads_run_while_ranks_wait(self):
        seen = []

        def run(ranks):
            if ranks.rank == 0:
                while not seen:  # needs the interpreter's lock, which rank 1 must not hold while it waits
                    pass
            else:
                timer = threading.Timer(0.01, lambda: seen.append(1))
                timer.start()
            ranks.barrier()

        q.run_threads(2, run)
        self.assertEqual(seen, [1])


class Misuse(unittest.TestCase):
    def refuses(self, call, hint, kind=q.Error):
        with self.assertRaisesRegex(kind, hint) as caught:
            on_one(call)
        self.assertNotIn("\n", str(caught.exception))
        if kind is q.Error:
            self.assertEqual(caught.exception.code, "misuse")

    def test_of_buffers_is_one_sentence(self):
        good = np.zeros(4)
        read_only = np.zeros(4)
        read_only.flags.writeable = False
        big_endian = np.zeros(4, ">f8")
        for a, b, hint in [
                (good, np.zeros(4, "i4"), "the input has elements of type float64 and the output of type int32; they must be the same"),
                (good, big_endian, "the output of type float64 in another byte order"),
                (np.zeros(8)[::2], good, "'input' is not contiguous"),
                (good, np.zeros((2, 4)).T[:2].T, "'output' is not contiguous"),
                (good, np.zeros(8)[::2], "'output' is not contiguous; pass an array that is, and copy the result from it"),
                (good, read_only, "'output' is read-only"),
                (good, np.zeros(3), "alltoall's input has 4 elements and its output 3; they must be equal")]:
            self.refuses(lambda ranks: ranks.alltoall(a, b), hint)
            self.refuses(lambda ranks: ranks.ialltoall(a, b), hint)
            self.refuses(lambda ranks: ranks.plan_alltoall(a, b), hint)
        for call in (lambda ranks: ranks.alltoall([1.0] * 4, good), lambda ranks: ranks.plan_alltoall([1.0] * 4, good)):
            self.refuses(call, "'input' is an array or anything else with the buffer protocol, not list", TypeError)
        self.refuses(lambda ranks: ranks.alltoall(good, good), "overlap; give two separate buffers, or quadrille.in_place as the input")
        self.refuses(lambda ranks: ranks.plan_alltoall(good, good).execute(), "or quadrille.in_place as the input")
        self.refuses(lambda ranks: ranks.exchange([(0, np.zeros(4)[::2])], []), "'sends' is not contiguous")
        self.refuses(lambda ranks: ranks.exchange([np.zeros(4)], []), "'sends' is a list of pairs")
        for call in (lambda ranks: ranks.alltoall(good, q.in_place), lambda ranks: ranks.alltoall(q.in_place, None)):
            self.refuses(call, "'output' is an array or anything else with the buffer protocol", TypeError)
        self.refuses(lambda ranks: ranks.broadcast(None), "'buffer' is an array", TypeError)
        for dtype in ("O", [("value", "f8"), ("object", "O")]):
            objects = np.zeros(2, dtype)
            self.refuses(lambda ranks: ranks.alltoall(objects, objects), "'input' has addresses of Python objects")
        self.refuses(lambda ranks: ranks.alltoall(np.zeros(2, "M8[s]"), np.zeros(2, "M8[s]")), r"'input' has times.*array.view\('i8'\)")

    def test_of_other_arguments_is_one_sentence(self):
        a, b = np.zeros(4), np.zeros(4)
        self.refuses(lambda ranks: ranks.allreduce(a, b, "plus"), "there is no operator 'plus'")
        self.refuses(lambda ranks: ranks.allreduce(a, b, None), "an operator is a name, .* not NoneType")
        self.refuses(lambda ranks: ranks.allreduce(a, b, np.subtract), "there is no operator for numpy.subtract")
        self.refuses(lambda ranks: ranks.allreduce(a, b, sum), "an operator is a name, such as 'sum', or a ufunc of numpy")
        self.refuses(lambda ranks: ranks.allreduce(a, b, "band"), "band has no elements of type 'f64'")
        self.refuses(lambda ranks: ranks.allreduce(np.zeros(2, "f2"), np.zeros(2, "f2")), "sum has no elements of type float16; reductions take integers")
        self.refuses(lambda ranks: ranks.allreduce(np.zeros(2, bool), np.zeros(2, bool)), "sum has no elements of type bool")
        self.refuses(lambda ranks: ranks.allreduce(np.zeros(2), np.zeros(2), "matmul2"), "an element of the operator has 32")
        self.refuses(lambda ranks: ranks.broadcast(a, 7), "the root is 7")
        self.refuses(lambda ranks: ranks.broadcast(a, "first"), "'root' is a whole number, not str")
        self.refuses(lambda ranks: ranks.alltoallv(a, [4], b, [3.5]), "'receive_counts' is a list or array of integers, not list")
        self.refuses(lambda ranks: ranks.alltoallv(a, np.ones(1), b, [4]), "'send_counts' is a list or array of integers, not numpy")
        self.refuses(lambda ranks: ranks.alltoallv(a, [5], b, [4]), "send_counts.0. is 5 from element 0 on")
        self.refuses(lambda ranks: ranks.alltoallv(q.in_place, [4], b, [4]), "in place, send_counts is None")
        self.refuses(lambda ranks: ranks.alltoall(a, b, algorithm="bruk"), "did you mean 'bruck'")
        self.refuses(lambda ranks: ranks.alltoall(a, b, policy="lazy"), "no policy 'lazy'; choose blocking, nonblocking or dataflow")
        self.refuses(lambda ranks: ranks.alltoall(a), "alltoall lacks 'output'; its arguments are: input, output", TypeError)
        self.refuses(lambda ranks: ranks.alltoall(a, b, "bruck"), "alltoall takes 2 arguments by position, not 3", TypeError)
        self.refuses(lambda ranks: ranks.alltoall(a, b, output=b), "alltoall got 'output' twice", TypeError)
        self.refuses(lambda ranks: ranks.alltoall(a, b, colour=1), "alltoall has no argument 'colour'", TypeError)
        self.refuses(lambda ranks: ranks.neighbor_alltoall([0], a, b), "'neighbors' is a quadrille.Neighbors, not list")
        self.refuses(lambda ranks: ranks.neighbor_alltoall(q.Neighbors([0], [0]), q.in_place, b), "cannot be in place")
        self.refuses(lambda ranks: ranks.exchange([("first", a)], []), "'rank' is a whole number, not str")
        for too_large in ([2**63], np.array([2**63], "u8")):
            self.refuses(lambda ranks: ranks.alltoallv(a, too_large, b, [4]), "'send_counts' has a number of more than 63 bits")

    def test_of_a_plan_is_refused_on_all_ranks_which_may_go_on(self):
        def run(ranks):
            wrong = np.zeros(4, "f4" if ranks.rank == 1 else "f8")
            try:
                ranks.plan_alltoall(np.zeros(4), wrong)
            except q.Error as error:
                sentence = str(error)
            out = np.zeros(2)
            ranks.alltoall(np.arange(2.0), out)
            self.assertEqual(out.tolist(), [ranks.rank] * 2)
            return sentence

        there, here = q.run_threads(2, run)
        self.assertTrue(here.startswith("the input has elements of type float64"))
        self.assertEqual(there, "rank 1: " + here)

    def test_of_every_plan_is_refused_on_all_ranks_which_may_go_on(self):
        one = np.zeros(1)
        for wrong, right in [(lambda ranks: ranks.plan_allreduce(one), lambda ranks: ranks.plan_allreduce(one, one.copy())),
                             (lambda ranks: ranks.plan_allreduce(one, one, colour=1), lambda ranks: ranks.plan_allreduce(one, one.copy())),
                             (lambda ranks: ranks.plan_exchange([(9, one)], []), lambda ranks: ranks.plan_exchange([], [])),
                             (lambda ranks: ranks.plan_exchange(), lambda ranks: ranks.plan_exchange([], []))]:
            def run(ranks):
                with self.assertRaises((q.Error, TypeError)) as caught:
                    (wrong if ranks.rank == 1 else right)(ranks)
                ranks.barrier()
                return str(caught.exception)

            there, here = q.run_threads(2, run)
            self.assertEqual(there, "rank 1: " + here)

    def test_an_exception_of_one_rank_ends_all(self):
        others = []

        def run(ranks):
            if ranks.rank == 1:
                raise ZeroDivisionError("on purpose")
            try:
                ranks.barrier()
            except q.Error as error:
                others.append(error.code)
                raise

        with self.assertRaisesRegex(ZeroDivisionError, "on purpose"):
            q.run_threads(3, run)
        self.assertEqual(others, ["peer_lost", "peer_lost"])

    def test_an_exception_with_an_open_request_ends_all(self):
        def run(ranks):
            request = ranks.ialltoall(np.zeros(4), np.zeros(4))
            if ranks.rank == 1:
                raise ZeroDivisionError("on purpose")
            second = ranks.ialltoall(np.zeros(4), np.zeros(4))  # rank 1 does not start it
            second.wait()

        with self.assertRaises((ZeroDivisionError, q.Error)):
            q.run_threads(2, run)

    def test_nothing_is_used_after_its_group(self):
        kept = []

        def run(ranks):
            plan = ranks.plan_alltoall(np.zeros(2), np.zeros(2))
            plan.execute()
            if ranks.rank == 0:
                kept.extend([ranks, plan])

        q.run_threads(2, run)
        ranks, plan = kept
        for use in (lambda: ranks.rank, ranks.barrier, lambda: repr(ranks), plan.execute, plan.start,
                    lambda: ranks.alltoall(np.zeros(2), np.zeros(2))):
            with self.assertRaisesRegex(q.Error, "the group has ended: its ranks were threads"):
                use()
        kept.clear()
        del ranks, plan  # may be destroyed

    def test_a_request_that_is_dropped_waits(self):
        def run(ranks):
            p, me = ranks.size, ranks.rank
            out = np.zeros(p)
            ranks.ialltoall(np.arange(p) + 10.0 * me, out)  # dropped at once, on all ranks
            gc.collect()
            self.assertEqual(out.tolist(), [10 * i + me for i in range(p)])

        q.run_threads(3, run)

    def test_requests_keep_buffers_and_let_them_go(self):
        class Watched(np.ndarray):
            pass

        def run(ranks):
            arrays = [np.zeros(2).view(Watched) for _ in range(2)]
            watched = [weakref.ref(each) for each in arrays]
            grown = bytearray(2)
            requests = [ranks.ialltoall(*arrays), ranks.iallgather(b"a", grown)]
            del arrays
            self.assertTrue(all(each() is not None for each in watched))
            with self.assertRaises(BufferError):
                grown.append(1)
            ranks.barrier()
            q.wait_all(requests)
            self.assertTrue(all(each() is None for each in watched))
            grown.append(1)

        q.run_threads(2, run)

    def test_wait_all_raises_the_first_error_after_all(self):
        ended = []

        class Fake:
            def __init__(self, error):
                self.error = error

            def wait(self):
                ended.append(self)
                if self.error:
                    raise self.error

        first = q.Error("first")
        with self.assertRaises(q.Error) as caught:
            q.wait_all([Fake(None), Fake(first), Fake(q.Error("second")), Fake(None)])
        self.assertIs(caught.exception, first)
        self.assertEqual(len(ended), 4)

    def test_a_communicator_is_used_by_one_thread_at_a_time(self):
        entered = threading.Event()

        @q.algorithm("alltoall")
        def slow(problem, rank):
            entered.set()
            refused.wait(10)
            yield from shift.function(problem, rank)

        refused, sentences = threading.Event(), []

        def run(ranks):
            def intrude():
                entered.wait(10)
                try:
                    ranks.barrier()
                except q.Error as error:
                    sentences.append(str(error))
                refused.set()

            other = threading.Thread(target=intrude)
            other.start()
            ranks.alltoall(np.zeros(2), np.zeros(2), algorithm=slow)
            other.join()

        on_one(run)
        self.assertEqual(sentences, ["another thread is using this communicator; use it in one thread at a time"])

    def test_a_second_thread_is_refused_while_the_first_waits(self):
        calls = {
            "barrier": lambda ranks: ranks.barrier(),
            "allreduce": lambda ranks: ranks.allreduce(q.in_place, np.zeros(1)),
            "exchange": lambda ranks: ranks.exchange([(1 - ranks.rank, np.zeros(1))], [(1 - ranks.rank, np.zeros(1))]),
            "a plan": lambda ranks: ranks.plan_alltoall(np.zeros(2), np.zeros(2)),
            "a race": lambda ranks: q.race("alltoall", "direct", ranks=ranks, block=8, seconds=0.01),
        }
        for name, call in calls.items():
            refused, sentences = threading.Event(), []

            def use(ranks):
                try:
                    call(ranks)
                except q.Error as error:
                    sentences.append(str(error))
                    refused.set()

            def run(ranks):
                if ranks.rank == 1:
                    refused.wait(10)
                    return call(ranks)
                other = threading.Thread(target=use, args=(ranks,))
                other.start()
                use(ranks)
                other.join()

            with self.subTest(name):
                q.run_threads(2, run)
                self.assertEqual(sentences, ["another thread is using this communicator; use it in one thread at a time"])

    def test_a_second_thread_is_refused_while_a_dropped_request_waits(self):
        refused, sentences, dropping = threading.Event(), [], False

        def run(ranks):
            nonlocal dropping
            arrays = np.zeros(2), np.zeros(2)
            ranks.alltoall(*arrays)  # makes the plan, so that later calls do not wait to begin
            if ranks.rank == 1:
                refused.wait(10)
                return ranks.alltoall(*arrays)

            def intrude():
                while not dropping:
                    time.sleep(0.001)
                try:
                    ranks.barrier()
                except q.Error as error:
                    sentences.append(str(error))
                refused.set()

            other = threading.Thread(target=intrude)
            other.start()
            request = ranks.ialltoall(*arrays)
            dropping = True
            del request  # waits for rank 1; Python lets no other thread run between this line and the one before
            other.join()

        q.run_threads(2, run)
        self.assertEqual(sentences, ["another thread is using this communicator; use it in one thread at a time"])


class Interruption(unittest.TestCase):
    """Ctrl-C, and the end of the program, while ranks are threads."""
    ranks = {
        "wait for what nobody sends": "ranks.alltoallw([None] * 2, [np.zeros(2)] * 2)",
        "repeat": "while True: ranks.allreduce(q.in_place, np.ones(1))",
        "compute": "while True: np.ones(9).sum()",
        "drop a request": "ranks.iexchange([], [(1 - ranks.rank, np.zeros(2))])",
        "take no part": "time.sleep(0.01) if ranks.rank else ranks.broadcast(np.ones(1), 1)\n        while ranks.rank: time.sleep(0.01)",
        "are nested": "q.run_threads(2, lambda inner: [inner.barrier() for _ in iter(int, 1)])",
    }
    program = """
import os, signal, sys, threading, time
import numpy as np
import quadrille as q
entered = threading.Semaphore(0)
def run(ranks):
    try:
        entered.release()
        {body}
    finally:
        os.write(1, b"ended %d\\n" % ranks.rank)
def interrupt():
    for _ in range(2): entered.acquire()
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)
"""

    def result(self, ranks, end):
        program = self.program.format(body=self.ranks[ranks]) + end
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)

    def test_ends_the_ranks_whatever_they_do(self):
        end = """
threading.Thread(target=interrupt).start()
try:
    q.run_threads(2, run)
except KeyboardInterrupt:
    print("interrupted", q.run_threads(2, lambda ranks: ranks.rank))
"""
        for ranks in self.ranks:
            with self.subTest(ranks):
                result = self.result(ranks, end)
                self.assertEqual((result.stderr, result.returncode), ("", 0))
                self.assertEqual(sorted(result.stdout.splitlines()), ["ended 0", "ended 1", "interrupted [0, 1]"])

    def test_the_end_of_the_program_is_no_crash(self):
        end = """
threading.Thread(target=lambda: q.run_threads(2, run), daemon=True).start()
for _ in range(2): entered.acquire()
print("the end")
"""
        for ranks in self.ranks:
            with self.subTest(ranks):
                result = self.result(ranks, end)
                self.assertEqual((result.stderr, result.returncode), ("", 0))
                self.assertIn("the end", result.stdout)

    def test_says_which_rank_it_cannot_end(self):
        program = """
import functools, signal, time
import quadrille as q
def run(ranks):
    if ranks.rank == 1:  # both are in one call of C, so that no exception comes between them
        calls = functools.partial(signal.raise_signal, signal.SIGINT), functools.partial(time.sleep, 3)
        list(map(functools.partial.__call__, calls))
    ranks.barrier()
try:
    q.run_threads(2, run)
except KeyboardInterrupt:
    print("interrupted")
"""
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        self.assertEqual((result.stdout, result.returncode), ("interrupted\n", 0))
        self.assertIn("run_threads waits for rank 1, in a call that Python cannot interrupt", result.stderr)


class Groups(unittest.TestCase):
    def test_over_takes_communicators_of_mpi4py_only(self):
        for wrong in (None, 7, "MPI_COMM_WORLD"):
            with self.assertRaisesRegex(q.Error, "over takes a communicator of mpi4py, such as MPI.COMM_WORLD, not "):
                q.over(wrong)

    def test_over_another_mpi_is_a_sentence(self):
        class Comm:
            pass

        fake = types.SimpleNamespace(Comm=Comm, Get_library_version=lambda: "Some MPI 1.0, of 2020\nmore")
        with unittest.mock.patch.dict(sys.modules, {"mpi4py.MPI": fake}):
            hint = "mpi4py runs on 'Some MPI 1.0', and there are plug-ins for Open MPI and MPICH only"
            with self.assertRaisesRegex(q.Error, hint) as caught:
                q.over(Comm())
        self.assertEqual(caught.exception.code, "environment")

    def test_launched_world_needs_a_launcher(self):
        with self.assertRaisesRegex(q.Error, "not started by an MPI launcher"):
            q.launched_world()

    def test_threads_must_be_some_but_not_too_many(self):
        for threads, sentence in ((0, "at least one rank"), (1025, "at most 1024 ranks, not 1025"), (20000, "at most 1024 ranks"),
                                  (2**62, "at most 1024 ranks"), (2**70, "'threads'")):
            with self.assertRaisesRegex(q.Error, sentence) as caught:
                q.run_threads(threads, lambda ranks: None)
            self.assertEqual(caught.exception.code, "misuse")


class Tuning(unittest.TestCase):
    def test_gives_records_and_keeps_wisdom(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, QUADRILLE_WISDOM=folder):
            tuning = q.tune(2, ["alltoall"], ["1KiB"], seconds_per_cell=0.01, ways=2)
            again = q.run_threads(2, lambda ranks: q.tune(ranks, ["alltoall"], [1024], seconds_per_cell=0.01))[0]
            self.assertTrue(tuning.file.startswith(folder))
        self.assertEqual({(r["collective"], r["block_bytes"], r["ranks"], r["state"]) for r in tuning.records},
                         {("alltoall", 1024, 2, "measured")})
        for record in tuning.records:
            self.assertLessEqual(record["lower_s"], record["upper_s"])
        self.assertEqual(tuning.transport, "threads")
        self.assertFalse(tuning.out_of_time or tuning.wrong_data)
        self.assertEqual({r["state"] for r in again.records}, {"known"})
        with self.assertRaisesRegex(q.Error, "no collective 'alltoal'"):
            q.tune(2, ["alltoal"])


if __name__ == "__main__":
    unittest.main()
