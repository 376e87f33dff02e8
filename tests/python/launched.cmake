# Tests of the Python module under MPI. tests/mpi/CMakeLists.txt includes this file, because it has the launchers and their settings.
# Debian's mpi4py is built for Open MPI. Under MPICH a stand-in for mpi4py, mpi_by_ctypes.py, hands over the handles of the library;
# scripts/mpi4py_mpich.sh, which ./check --long runs, builds the real one.
include(${CMAKE_CURRENT_LIST_DIR}/interpreter.cmake)
foreach(mpi ${quadrille_mpi_libraries})
  if(NOT MPIRUN_${mpi})
    continue()
  endif()
  foreach(ranks 1 2 3 4)
    quadrille_mpi_environment(environment ${mpi} ${ranks})
    set(way handles)
    if(mpi STREQUAL openmpi)
      set(way mpi4py)
    endif()
    add_test(NAME python.${way}.${mpi}.${ranks} COMMAND ${MPIRUN_${mpi}} -n ${ranks} ${python} ${CMAKE_CURRENT_LIST_DIR}/launched.py ${way})
    set_tests_properties(python.${way}.${mpi}.${ranks} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS ${ranks} SKIP_REGULAR_EXPRESSION
                         "skipped:" ENVIRONMENT "${environment};${python_environment}")
  endforeach()
  quadrille_mpi_environment(environment ${mpi} 2)
  add_test(NAME python.world.${mpi} COMMAND ${MPIRUN_${mpi}} -n 2 ${python} ${CMAKE_CURRENT_LIST_DIR}/launched.py world)
  set_tests_properties(python.world.${mpi} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS 2 SKIP_REGULAR_EXPRESSION "skipped:" ENVIRONMENT
                       "${environment};${python_environment}")
  # An exception of one rank ends all. Without this the other ranks would wait for ever.
  add_test(NAME python.exception.${mpi} COMMAND ${MPIRUN_${mpi}} -n 2 ${python} ${CMAKE_CURRENT_LIST_DIR}/launched.py exception)
  set_tests_properties(python.exception.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2 SKIP_REGULAR_EXPRESSION "skipped:"
                       PASS_REGULAR_EXPRESSION "ZeroDivisionError: on purpose" ENVIRONMENT "${environment};${python_environment}")
endforeach()

# A short run of the benchmark.
if(QUADRILLE_BENCH AND TARGET quadrille_uses_openmpi AND MPIRUN_openmpi)
  quadrille_mpi_environment(environment openmpi 2)
  add_test(NAME bench.python_calls COMMAND ${MPIRUN_openmpi} -n 2 ${python} ${PROJECT_SOURCE_DIR}/bench/python_calls.py
           $<TARGET_FILE:python_calls> 20 1 16)
  set_tests_properties(bench.python_calls PROPERTIES LABELS bench TIMEOUT 60 PROCESSORS 2 SKIP_REGULAR_EXPRESSION "No module named"
                       PASS_REGULAR_EXPRESSION "\n +128 +[0-9]" ENVIRONMENT "${environment};${python_environment}")
endif()
