"""%perfmonitor_help and %perfmonitor_resources."""
import os
import subprocess

from .jumper import jumper_magic, say, state
from .jumper_reports import sampled_state


def gpu_lines():
    """Names and memory of GPUs, as printed by nvidia-smi."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []


@jumper_magic()
def perfmonitor_resources(asked, names):
    session, gb = state.imported, 1 << 30
    node = sampled_state(session)  # its memory limit is that of the job
    cpus = sorted(os.sched_getaffinity(0))
    count, cpus = len(cpus), str(cpus)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if session is not None:
        count, cpus = node.get("cpus", 0), node.get("cpu_list", "")
        memory = node.get("memory_total", 0)
        say(f"Resources of the imported session {session.name}")
    memory = node.get("memory_limit") or memory
    gpus = [f"{gpu.get('name', 'GPU')}, {gpu['memory'] / gb:.2f} GB"
            for gpu in node.get("gpus", ())]
    if session is None:
        gpus = gpus or gpu_lines()
    say(f"CPUs: {count}\n  CPU affinity: {cpus}\nMemory: {memory / gb:.2f} GB\n"
        f"GPUs: {len(gpus)}")
    for number, line in enumerate(gpus):
        say(f"  GPU {number}: {line}")


@jumper_magic()
def perfmonitor_help(asked, names):
    for line in (
            "perfmonitor_start [SECONDS]: begin to sample",
            "perfmonitor_stop: end the sampling",
            "perfmonitor_perfreport [--cell RANGE] [--level LEVEL] [--text]: report",
            "perfmonitor_enable_perfreports [--level LEVEL] [--interval SECONDS] [--text]: report "
            "after each cell",
            "perfmonitor_disable_perfreports: no longer report after each cell",
            "perfmonitor_plot [--metrics LIST] [--cell RANGE] [--level LEVEL] [--save-jpeg FILE] "
            "[--pickle FILE]: plot, an SVG file, and these",
            "perfmonitor_resources: processors, memory, GPUs",
            "perfmonitor_export_perfdata [--file FILE] [--name VARIABLE] [--level LEVEL]: samples",
            "perfmonitor_load_perfdata FILE: samples, as a DataFrame",
            "perfmonitor_export_cell_history [--file FILE] [--name VARIABLE]: cells",
            "perfmonitor_load_cell_history FILE: cells",
            "perfmonitor_fast_setup: sample each second, report after each cell",
            "cell_history, show_cell_history: table of the cells that have run",
            "export_session [FOLDER | FILE.zip], import_session PATH: all of it",
            "Levels: process, user, system, slurm.",
            "Metrics: cpu, cpu_all, mem, io, gpu, gpu_all, or one of theirs, with commas.",
            "Ranges: 5, 2:8, :5, 3:, -2:, and :, of cells as JUmPER counts them."):
        say(line)
