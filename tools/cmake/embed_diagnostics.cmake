# Writes the pages of docs/diagnostics as one C file (solver/base/diag_pages.h).
#
#   cmake -DINPUT=docs/diagnostics -DOUTPUT=diag_pages.c \
#         -P tools/cmake/embed_diagnostics.cmake
#
# In CMake:
#   file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/diagnostics/*.md)
#   add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/diag_pages.c
#     COMMAND ${CMAKE_COMMAND}
#       -DINPUT=${PROJECT_SOURCE_DIR}/docs/diagnostics
#       -DOUTPUT=${PROJECT_BINARY_DIR}/diag_pages.c
#       -P ${PROJECT_SOURCE_DIR}/tools/cmake/embed_diagnostics.cmake
#     DEPENDS ${pages} tools/cmake/embed_diagnostics.cmake)
# and compile diag_pages.c into the library with solver/ as an include root.
#
# A page is the file CODE.md, CODE a letter E, W or N and four digits; other
# files of the folder are left out. Bytes are written as numbers, so a page
# may hold anything but a NUL.

cmake_minimum_required(VERSION 3.25)

if(NOT DEFINED INPUT OR NOT DEFINED OUTPUT)
  message(FATAL_ERROR "embed_diagnostics: give -DINPUT=folder -DOUTPUT=file.c")
endif()

file(GLOB pages "${INPUT}/*.md")
list(SORT pages)
set(arrays "")
set(table "")
set(count 0)
foreach(page IN LISTS pages)
  get_filename_component(code "${page}" NAME_WE)
  if(NOT code MATCHES "^[EWN][0-9][0-9][0-9][0-9]$")
    continue()
  endif()
  file(READ "${page}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REPEAT "0x..," 12 dozen)
  string(REGEX REPLACE "(${dozen})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays
    "static const unsigned char page_${code}[] = {\n${bytes}0};\n\n")
  string(APPEND table "    {\"${code}\", page_${code}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE "${OUTPUT}.new"
  "/* Made from docs/diagnostics; do not edit. */\n"
  "#include \"base/diag_pages.h\"\n\n"
  "${arrays}"
  "const diag_page diag_pages[] = {\n${table}    {NULL, NULL},\n};\n\n"
  "const size_t diag_page_count = ${count};\n")
# the file is touched even where nothing changed: its time is what the build
# compares with the pages
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
