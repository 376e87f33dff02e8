# What C and Fortran programs link with. The requirements of quadrille::quadrille (C++20, headers of C++ libraries) do not reach them.
#   quadrille::c         quadrille/c.h
#   quadrille::openmpi, quadrille::mpich    also quadrille/mpi_c.h and quadrille/mpi_collectives.h (mpi_face.cmake)
#   quadrille::fortran   compiles the module `quadrille` into the target that links with it; a program links with one of the others, too
add_library(quadrille_c INTERFACE)
add_library(quadrille::c ALIAS quadrille_c)
target_include_directories(quadrille_c INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(quadrille_c INTERFACE $<LINK_ONLY:quadrille>)

add_library(quadrille_fortran INTERFACE)
target_sources(quadrille_fortran INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/quadrille/quadrille.f90>)
target_link_libraries(quadrille_fortran INTERFACE quadrille_c)

foreach(name c fortran)
  set_target_properties(quadrille_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS quadrille_${name} EXPORT quadrille-targets)
endforeach()
