# Tests of the Python module under MPI. tests/mpi/CMakeLists.txt includes this file, because it has the launchers and their settings.
# Debian's mpi4py is built for Open MPI. Under MPICH a stand-in for mpi4py, mpi_by_ctypes.py, hands over the handles of the library.
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
endforeach()
