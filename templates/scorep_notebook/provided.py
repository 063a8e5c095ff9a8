"""Features of Jupyter that a script takes before its first cell, because its notebook uses them."""


def provide(feature, names):
    """Gives FEATURE to the script with the globals NAMES."""
    if feature == "event_loop":
        from .asynchronous import use_event_loop
        use_event_loop()
    elif feature == "first_generation":
        from .bindings_0 import first_generation
        first_generation()
    elif feature == "folders":
        from .folders import VISITED
        names["_dh"] = VISITED
    elif feature == "ipython_display":
        from .ipython_display import join_ipython
        join_ipython()
    elif feature == "kept_names":
        from .namespace import keep_names
        keep_names(names)
    elif feature == "outputs":
        from .outputs import keep_values
        keep_values(names)
    else:
        raise ValueError(f"unknown feature {feature!r}")
