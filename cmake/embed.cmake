# Writes a C file that contains the templates as byte arrays.
# Usage: cmake -DROOT=<templates folder> -DOUTPUT=<file.c> -DNAMES="run.sh;slurm.header" -DVERSION=0.1
#   -P embed.cmake
cmake_minimum_required(VERSION 3.25)
set(text "/* Made from templates/ by cmake/embed.cmake. */\n#include \"emit/template.h\"\n#include \"report/page.h\"\n\n")
set(rows "")
set(index 0)
set(package "")
macro(embed name hex)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char file_${index}[] = {${bytes}0};\n")
  string(APPEND rows
    "\t{SLICE_INIT(\"${name}\"), {(const char *)file_${index}, sizeof file_${index} - 1}},\n")
  math(EXPR index "${index} + 1")
endmacro()
foreach(name IN LISTS NAMES)
  if(name MATCHES "^report/.*\\.js$") # a part of the page's script
    continue()
  endif()
  file(READ "${ROOT}/${name}" hex HEX)
  embed("${name}" "${hex}")
  if(name MATCHES "^scorep_notebook/")
    string(APPEND package "${name}${hex}")
  endif()
endforeach()
# The script of the report's page in one; its last part begins when all others are there. A page names
# the digests of its script and style.
set(script "")
foreach(part data curves format panels draw charts tables nodes pointer measured lanes icicle main)
  file(READ "${ROOT}/report/${part}.js" content)
  string(APPEND script "${content}")
endforeach()
file(WRITE "${OUTPUT}.js" "${script}")
file(READ "${OUTPUT}.js" hex HEX)
embed(report/page.js "${hex}")
macro(define_digest name path)
  file(SHA256 "${path}" digest)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${digest}")
  string(APPEND text "const unsigned char ${name}[PAGE_DIGEST] = {${bytes}};\n")
endmacro()
define_digest(page_script_digest "${OUTPUT}.js")
define_digest(page_style_digest "${ROOT}/report/page.css")
string(APPEND text
  "\nconst struct template_file template_files[] = {\n${rows}};\n"
  "const size_t template_file_count = ${index};\n")
string(REPLACE "." "_" version "${VERSION}")
string(SHA256 digest "${package}")
string(SUBSTRING "${digest}" 0 8 digest)
string(APPEND text
  "const char runtime_package_name[] = \"scorep_notebook_${version}_${digest}\";\n")
file(WRITE "${OUTPUT}" "${text}")
