# Writes a C file that contains the templates as byte arrays.
# Usage: cmake -DROOT=<templates folder> -DOUTPUT=<file.c> -DNAMES="run.sh;slurm.header" -DVERSION=0.1
#   -P embed.cmake
cmake_minimum_required(VERSION 3.25)
set(text "/* Made from templates/ by cmake/embed.cmake. */\n#include \"emit/template.h\"\n\n")
set(rows "")
set(index 0)
set(package "")
foreach(name IN LISTS NAMES)
  file(READ "${ROOT}/${name}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char file_${index}[] = {${bytes}0};\n")
  string(APPEND rows
    "\t{SLICE_INIT(\"${name}\"), {(const char *)file_${index}, sizeof file_${index} - 1}},\n")
  if(name MATCHES "^scorep_notebook/")
    string(APPEND package "${name}${hex}")
  endif()
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND text
  "\nconst struct template_file template_files[] = {\n${rows}};\n"
  "const size_t template_file_count = ${index};\n")
string(REPLACE "." "_" version "${VERSION}")
string(SHA256 digest "${package}")
string(SUBSTRING "${digest}" 0 8 digest)
string(APPEND text
  "const char runtime_package_name[] = \"scorep_notebook_${version}_${digest}\";\n")
file(WRITE "${OUTPUT}" "${text}")
