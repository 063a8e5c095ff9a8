__import__("builtins").scorep = scorep  # where a notebook deletes all of its names, frames find it there
