def close_descriptor():
    """Closes this file's descriptor, which children of the script would inherit."""
    for option in binding_options() if measured else [f"={program}"]:
        _, _, name = option.partition("=/dev/fd/")
        if name.isdecimal():
            os.close(int(name))


def run_instrumenter_file():
    """Runs the user's instrumenter file: the bindings use only the last one, which is this file."""
    name = "--instrumenter-file="
    files = [word[len(name):] for word in binding_options() if word.startswith(name)]
    if len(files) > 1:
        with open(files[-2]) as file:
            text = file.read()
        exec(compile(text, files[-2], "exec"), {"__name__": "__main__", "__file__": files[-2]})


def run_plainly():
    """Runs the script as `python3 script.py` does."""
    main = vars(sys.modules["__main__"])
    main["__loader__"] = type(main["__loader__"])("__main__", script)
    main["__file__"] = script
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec")
    exec(code, main)


sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))  # as by jedi, which IPython loads in kernels
watch_exceptions()
hide_values()
close_descriptor()
if measured:
    remove_temporary()
    end_well()
    run_instrumenter_file()
else:
    run_plainly()
