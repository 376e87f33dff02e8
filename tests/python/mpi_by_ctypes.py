# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for mpi4py.MPI on MPICH, for tests of `over`: as much of mpi4py as `over` uses. (Debian's is built for Open MPI.)"""
import ctypes
import ctypes.util
import sys
import types

library = ctypes.CDLL(ctypes.util.find_library("mpich"), ctypes.RTLD_GLOBAL)


class Comm:
    """A communicator: MPICH's handle, an int."""

    def __init__(self, number):
        self.handle = ctypes.c_int(number)

    def split(self, color, key):
        made = Comm(0)
        assert library.MPI_Comm_split(self.handle, color, key, ctypes.byref(made.handle)) == 0
        return made

    def free(self):
        assert library.MPI_Comm_free(ctypes.byref(self.handle)) == 0


def get_library_version():
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    return text.value.decode()


def flag(function):
    value = ctypes.c_int()
    function(ctypes.byref(value))
    return bool(value.value)


def stand_in():
    """Initialises MPI and returns the module, which is also imported as mpi4py.MPI from then on."""
    module = types.ModuleType("mpi4py.MPI")
    module.Comm = Comm
    module.COMM_WORLD = Comm(0x44000000)
    module.COMM_NULL = Comm(0x04000000)
    module.Get_library_version = get_library_version
    module.Is_initialized = lambda: flag(library.MPI_Initialized)
    module.Is_finalized = lambda: flag(library.MPI_Finalized)
    module._addressof = lambda comm: ctypes.addressof(comm.handle)
    module._sizeof = lambda comm: ctypes.sizeof(comm.handle)
    module.Finalize = library.MPI_Finalize
    sys.modules["mpi4py.MPI"] = module
    assert library.MPI_Init(None, None) == 0
    return module
