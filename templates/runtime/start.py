def close_descriptor():
    """This file's, which what the script starts would have open, too."""
    for option in binding_options() if measured else [f"={program}"]:
        _, _, name = option.partition("=/dev/fd/")
        if name.isdecimal():
            os.close(int(name))


def run_instrumenter_file():
    """That of the user's: the bindings take the last one only, which is this one."""
    name = "--instrumenter-file="
    files = [word[len(name):] for word in binding_options() if word.startswith(name)]
    if len(files) > 1:
        with open(files[-2]) as file:
            text = file.read()
        exec(compile(text, files[-2], "exec"), {"__name__": "__main__", "__file__": files[-2]})


def run_plainly():
    """As `python3 script.py` does."""
    main = vars(sys.modules["__main__"])
    main["__loader__"] = type(main["__loader__"])("__main__", script)
    main["__file__"] = script
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec")
    exec(code, main)


sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))  # jedi's, which IPython loads in kernels
watch_exceptions()
hide_values()
close_descriptor()
if measured:
    remove_temporary()
    end_well()
    run_instrumenter_file()
else:
    run_plainly()
