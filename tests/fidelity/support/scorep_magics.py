"""The magics of the Score-P kernel for a Jupyter without Score-P: what they mean for output."""
from IPython import get_ipython

WITHOUT_OUTPUT = (
    "scorep_env", "scorep_python_binding_arguments", "enable_multicellmode",
    "finalize_multicellmode", "marshalling_settings", "serializer_settings", "switch_serializer",
    "enable_vampir_launch_on_scorep_instrumented", "disable_vampir_launch", "kernel_debug")


def run_the_cell(arguments, body):
    """The cell is run where it stands, so cells of a group show their output themselves."""
    get_ipython().run_cell(body).raise_error()


def register():
    shell = get_ipython()
    for name in WITHOUT_OUTPUT:
        # IPython refuses a cell magic without a body, the Score-P kernel does not.
        shell.input_transformers_cleanup.append(without_body(f"%%{name}"))
        shell.register_magic_function(lambda arguments, body: None, "cell", name)
    shell.register_magic_function(run_the_cell, "cell", "execute_with_scorep")


def without_body(magic):
    """A transformer that empties a cell whose first line is MAGIC and which has no other."""
    def transform(lines):
        return [] if len(lines) == 1 and lines[0].split()[:1] == [magic] else lines

    return transform
