# SPDX-License-Identifier: BSD-3-Clause
# The target quadrille_reference: HTML pages of the public headers, with docs/using.md as the first page, in <build>/reference/html.
# It is not part of the target `all`, and exists only if doxygen is installed.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()
set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/reference)
set(DOXYGEN_PROJECT_NAME Quadrille)
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE docs/using.md)
set(DOXYGEN_FULL_PATH_NAMES YES)
set(DOXYGEN_STRIP_FROM_PATH include)
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_EXCLUDE_SYMBOLS *_detail *_detail::*)
set(DOXYGEN_EXCLUDE_PATTERNS */*.h */*.f90)  # docs/c.md describes them, and MPI its own signatures
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)  # the first sentence
set(DOXYGEN_BUILTIN_STL_SUPPORT YES)
set(DOXYGEN_SORT_MEMBER_DOCS NO)
set(DOXYGEN_SHOW_INCLUDE_FILES NO)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
# In docs/using.md, links to files outside the reference are changed to point into the source tree, and headings get the anchors
# that links use.
set(DOXYGEN_FILTER_PATTERNS "\"*.hpp=awk -f ${PROJECT_SOURCE_DIR}/cmake/reference_filter.awk\""
    "\"*.md=sed -E -e 's,\\]\\(([a-z./_-]+)(\\)|#),](file://${PROJECT_SOURCE_DIR}/docs/\\1\\2,g' -e 's/^## (.*)$/## \\1 {#\\L\\1}/' -e ':more; s/(\\{#[^ }]*) /\\1-/; t more'\"")
doxygen_add_docs(quadrille_reference docs/using.md include/quadrille WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                 COMMENT "Making HTML pages of the public headers")
