# lib/libquadrille-heap.so defines malloc, to preload it or to link with it as quadrille::heap: large blocks come from the memory that
# processes share.
file(GLOB heap_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/heap/*.cpp)
add_library(quadrille_heap SHARED ${heap_sources})
add_library(quadrille::heap ALIAS quadrille_heap)
set_target_properties(quadrille_heap PROPERTIES OUTPUT_NAME quadrille-heap EXPORT_NAME heap VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN")
target_include_directories(quadrille_heap PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
# GCC must not take malloc and free for the functions that it knows: it would turn a call of one into another, or leave it out.
target_compile_options(quadrille_heap PRIVATE -fno-builtin)
quadrille_call_directly(quadrille_heap)
target_link_options(quadrille_heap PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/heap.map -Wl,-z,nodelete)
target_link_libraries(quadrille_heap PRIVATE $<BUILD_INTERFACE:quadrille> quadrille_settings tl::expected fmt::fmt Threads::Threads ${CMAKE_DL_LIBS}
                      INTERFACE $<LINK_ONLY:quadrille>)
# Nothing of a program names this library, so that linkers that leave out unused ones would leave it out.
target_link_options(quadrille_heap INTERFACE LINKER:--no-as-needed)
quadrille_optimise(quadrille_heap -O2)
install(TARGETS quadrille_heap EXPORT quadrille-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
