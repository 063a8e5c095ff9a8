"""The magics of get_ipython(), and the functions of the package that they call.

src/lex/magics.def has the same table for magics in cells; tests/structure/magics.py compares them.
"""

# (name, kind): the function, and the text before its argument
MAGICS = {(name, "line"): (name, "") for name in """
    cd pwd timeit prun matplotlib pylab config precision pushd popd dirs dhist pycat run reset
    reset_selective xdel who_ls perfmonitor_start perfmonitor_stop perfmonitor_perfreport
    perfmonitor_enable_perfreports perfmonitor_disable_perfreports perfmonitor_plot
    perfmonitor_fast_setup perfmonitor_resources perfmonitor_help cell_history
    perfmonitor_export_cell_history perfmonitor_load_cell_history perfmonitor_export_perfdata
    perfmonitor_load_perfdata export_session import_session killbgscripts
""".split()}
MAGICS.update(((name, "line"), ("shell", f"{name} ")) for name in ("cat", "mkdir", "rmdir", "rm", "cp", "mv"))
MAGICS.update(((name, "cell"), ("script", f"{name} ")) for name in (
    "bash", "sh", "perl", "ruby", "python2", "python3", "pypy"))
MAGICS.update({
    ("sx", "line"): ("getoutput", ""),
    ("system", "line"): ("getoutput", ""),
    ("ls", "line"): ("shell", "ls -F "),
    ("ll", "line"): ("shell", "ls -F -o "),
    ("less", "line"): ("shell", "cat "),
    ("more", "line"): ("shell", "cat "),
    ("time", "line"): ("time_text", ""),
    ("timeit", "cell"): ("timeit_cell", ""),
    ("prun", "cell"): ("prun_cell", ""),
    ("script", "cell"): ("script", ""),
    ("python", "cell"): ("script", "python3 "),
    ("sx", "cell"): ("getoutput_cell", ""),
    ("system", "cell"): ("getoutput_cell", ""),
    ("writefile", "cell"): ("writefile", ""),
    ("file", "cell"): ("writefile", ""),
    ("show_cell_history", "line"): ("cell_history", ""),
})

# Magics that have no effect in batch (src/lex/magics.def).
IDLE = set("""
    marshalling_settings serializer_settings switch_serializer kernel_debug display_graph_for_last
    display_graph_for_index display_graph_for_all display_graphs_for_last display_graphs_for_index
    display_graphs_for_all display_code_for_index display_code_for_all display_code_all
    display_code_history perfmonitor_ai_review list_kernels wrap_kernel rehashx bookmark page save
    notebook gui html HTML javascript js latex markdown svg SVG pprint colors autoreload who whos history
    hist autoawait autocall automagic autosave doctest_mode logon logoff logstart logstate logstop xmode
    connect_info qtconsole edit ed pastebin debug pdb tb lsmagic magic quickref man pdef pdoc pfile pinfo
    pinfo2 psource psearch tensorboard autonotify nb_mypy pycodestyle pycodestyle_on pycodestyle_off flake8
    flake8_on flake8_off black remove_space ai
""".split())

# Extensions that are not loaded (src/ir/build/magic_meaning.c).
EXTENSIONS = set("""
    autoreload tensorboard jumper_extension nb_black lab_black jupyter_black blackcellmagic nb_mypy
    jupyternotify jupyter_ai jupyter_ai_magics google.colab.data_table pycodestyle_magic jupyter_spaces
    sympyprinting sympy.interactive.ipythonprinting vpython.vpython_jup memory_profiler line_profiler
    pyinstrument scalene viztracer memray snakeviz
""".split())

OWN = {}  # registered by the notebook: (name, kind): function of the text, the body, and the names
