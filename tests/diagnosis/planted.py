"""Notebooks with one planted performance problem each (suite A: physics and engineering).

Each entry names its cause and the cell that a diagnosis should name first; healthy ones have no cause. The comment
above an entry gives what was measured when its cells ran one after the other in /usr/bin/python3 (2 cores, nice).
Others used the machine at that time (load 2 to 14): wall times are too long, shares and CPU times are meant.
"""


def _table_module(name, law, step):
    """A module that tabulates a property of water over pressure and temperature when it is imported."""
    return f'''"""{name} of water, tabulated over pressure (bar) and temperature (K)."""

PRESSURES = [1 + 2 * i for i in range(400)]
TEMPERATURES = [273.15 + {step} * i for i in range(3000)]


def build():
    return {{pressure: [{law} for temperature in TEMPERATURES]
            for pressure in PRESSURES}}


TABLE = build()


def lookup(pressure, temperature):
    index = min(len(TEMPERATURES) - 1, max(0, round((temperature - 273.15) / {step})))
    return TABLE[pressure][index]
'''


def _element_module(nodes, seed):
    """A module as a code generator writes it: the entries of an element's stiffness matrix, one assignment each."""
    lines = [f"# Stiffness matrix of an element with {nodes} nodes. Generated, do not edit.", "", "",
             "def stiffness(x, y, z, young, poisson):", "    k = {}"]
    value = seed
    for row in range(3 * nodes):
        for column in range(row, 3 * nodes):
            terms = []
            for _ in range(6):
                value = (value * 1103515245 + 12345) % 2147483648
                a, b = value % nodes, value // 7 % nodes
                terms.append(f"{value % 1000 / 1000} * (x[{a}] - y[{b}]) * (z[{b}] - {value % 17 / 16} * poisson)")
            lines.append(f"    k[{row}, {column}] = young / (1 + poisson) * ({' + '.join(terms)})")
    return "\n".join(lines + ["    return k", ""])


NOTEBOOKS = [
    # Import cell: 100 % of the cells' time (4.24 of 4.24 s; 2.0 to 2.6 s CPU), 264 MB.
    {
        "name": "import-steam-tables",
        "cause": "import",
        "cell": 1,
        "cells": [
            """import steam_conductivity
import steam_density
import steam_enthalpy
import steam_entropy
import steam_viscosity
import numpy as np""",
            """# One pass through a turbine stage: inlet and outlet state.
stages = [(201, 773.15), (101, 673.15), (41, 573.15), (11, 473.15), (1, 373.15)]
print("pressure  temperature  density  enthalpy  entropy  viscosity  conductivity")
for pressure, temperature in stages:
    density = steam_density.lookup(pressure, temperature)
    enthalpy = steam_enthalpy.lookup(pressure, temperature)
    entropy = steam_entropy.lookup(pressure, temperature)
    viscosity = steam_viscosity.lookup(pressure, temperature)
    conductivity = steam_conductivity.lookup(pressure, temperature)
    print(f"{pressure:8d} {temperature:12.2f} {density:8.3f} {enthalpy:9.1f} {entropy:8.3f} {viscosity:10.3e} "
          f"{conductivity:13.4f}")""",
            """enthalpies = np.array([steam_enthalpy.lookup(p, t) for p, t in stages])
mass_flow = 12.5
print("power per stage in kW:", np.round(mass_flow * -np.diff(enthalpies), 1))"""],
        "ranks": 0,
        "environment": {"PYTHONDONTWRITEBYTECODE": "1"},
        "files": {
            "steam_density.py": _table_module(
                "Density", "pressure * 1e5 / (461.5 * temperature) / (1 - 0.02 * pressure ** 0.3)", 0.25),
            "steam_enthalpy.py": _table_module(
                "Enthalpy", "1900 + 2.1 * temperature - 40 * 2.718 ** (-temperature / 500) * pressure ** 0.5", 0.25),
            "steam_viscosity.py": _table_module(
                "Viscosity", "1e-6 * (8 + 0.04 * (temperature - 273.15)) * (1 + 1e-3 * pressure ** 0.5)", 0.25),
            "steam_conductivity.py": _table_module(
                "Conductivity", "0.02 + 7e-5 * (temperature - 273.15) + 1e-3 * pressure ** 0.4", 0.25),
            "steam_entropy.py": _table_module(
                "Entropy", "6.8 + 2.1 * (temperature / 373.15 - 1) - 0.46 * pressure ** 0.2", 0.25)},
    },
    # Import cell: 88 to 92 % of the cells' time (cProfile: 99 % of it in compile), 1.6 to 1.9 s CPU, 211 MB.
    {
        "name": "import-generated-elements",
        "cause": "import",
        "cell": 2,
        "cells": [
            """import numpy as np

rng = np.random.default_rng(4)
young, poisson = 210e9, 0.3""",
            """from element_hex8 import stiffness as hex8
from element_hex20 import stiffness as hex20
from element_hex27 import stiffness as hex27
from element_tet10 import stiffness as tet10
from element_wedge15 import stiffness as wedge15""",
            """def assemble(function, nodes):
    x, y, z = rng.random((3, nodes))
    entries = function(x, y, z, young, poisson)
    matrix = np.zeros((3 * nodes, 3 * nodes))
    for (row, column), value in entries.items():
        matrix[row, column] = matrix[column, row] = value
    return matrix


for name, function, nodes in (("hex8", hex8, 8), ("hex20", hex20, 20), ("hex27", hex27, 27), ("tet10", tet10, 10),
                              ("wedge15", wedge15, 15)):
    matrix = assemble(function, nodes)
    print(f"{name:8s} {matrix.shape} norm {np.linalg.norm(matrix):.3e} trace {np.trace(matrix):.3e}")"""],
        "ranks": 0,
        "environment": {"PYTHONDONTWRITEBYTECODE": "1"},
        "files": {"element_hex8.py": _element_module(8, 11), "element_hex20.py": _element_module(20, 12),
                  "element_hex27.py": _element_module(27, 13), "element_tet10.py": _element_module(10, 14),
                  "element_wedge15.py": _element_module(15, 15)},
    },
    # Import cell: 95 to 98 % of the cells' time (1.0 to 1.1 s CPU, a font cache is built as well).
    {
        "name": "import-pandas-and-pyplot",
        "cause": "import",
        "cell": 1,
        "cells": [
            """import pandas as pd
import matplotlib.pyplot as plt""",
            r"""import io

text = "hour,pressure,flow\n" + "\n".join(f"{h},{1013 + 0.4 * (h % 7):.1f},{12 + 0.3 * (h % 5):.1f}" for h in range(48))
sensor = pd.read_csv(io.StringIO(text))
print(sensor.describe().round(2))""",
            """figure, axes = plt.subplots(figsize=(4, 3))
axes.plot(sensor["hour"], sensor["flow"])
print("lines drawn:", len(axes.lines))"""],
        "ranks": 0,
        "environment": {"MPLBACKEND": "Agg", "MPLCONFIGDIR": "matplotlib-configuration"},
        "files": {},
    },
    # cProfile: step() 100 % of cell 3, which is 83 to 96 % of the cells' time; 1.6 s CPU, 190 calls.
    {
        "name": "python-loop-heat-equation",
        "cause": "python-loop",
        "cell": 3,
        "cells": [
            """import numpy as np

n = 120
alpha = 0.2
temperature = np.zeros((n, n))
temperature[0, :] = 100.0
temperature[:, 0] = 50.0""",
            """def step(field, alpha):
    new = field.copy()
    rows, columns = field.shape
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            new[i, j] = field[i, j] + alpha * (field[i - 1, j] + field[i + 1, j] + field[i, j - 1]
                                               + field[i, j + 1] - 4 * field[i, j])
    return new""",
            """for iteration in range(190):
    temperature = step(temperature, alpha)
print(f"centre {temperature[n // 2, n // 2]:.4f}, mean {temperature.mean():.4f}")""",
            """for row in range(0, n, 30):
    print(" ".join(f"{value:7.2f}" for value in temperature[row, ::30]))"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # cProfile: accelerations() 95 to 99 % of cell 3, which is 100 % of the cells' time; 1.9 s CPU, 260 calls.
    {
        "name": "python-loop-galaxy",
        "cause": "python-loop",
        "cell": 3,
        "cells": [
            """import random

random.seed(8)
count = 220
mass = [random.uniform(0.5, 2.0) for _ in range(count)]
position = [[random.gauss(0, 1) for _ in range(3)] for _ in range(count)]
velocity = [[random.gauss(0, 0.1) for _ in range(3)] for _ in range(count)]""",
            """def accelerations(position, mass, softening):
    result = []
    for i in range(len(position)):
        xi, yi, zi = position[i]
        ax = ay = az = 0.0
        for j in range(len(position)):
            xj, yj, zj = position[j]
            dx, dy, dz = xj - xi, yj - yi, zj - zi
            weight = mass[j] * (dx * dx + dy * dy + dz * dz + softening) ** -1.5
            ax += weight * dx
            ay += weight * dy
            az += weight * dz
        result.append((ax, ay, az))
    return result


def leapfrog(position, velocity, mass, dt, steps):
    for _ in range(steps):
        for p, v, a in zip(position, velocity, accelerations(position, mass, 0.01)):
            for axis in range(3):
                v[axis] += dt * a[axis]
                p[axis] += dt * v[axis]""",
            """leapfrog(position, velocity, mass, 0.0005, 260)""",
            """kinetic = sum(0.5 * m * sum(c * c for c in v) for m, v in zip(mass, velocity))
print(f"kinetic energy {kinetic:.5f}")
print("first body at", [round(c, 4) for c in position[0]])"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # cProfile: convolve() 76 % itself (99 % with len and min), cell 3 is 81 to 90 % of the time; 2 s CPU.
    {
        "name": "python-loop-fir-filter",
        "cause": "python-loop",
        "cell": 3,
        "cells": [
            """import numpy as np

rng = np.random.default_rng(2)
rate = 8000
time = np.arange(60 * rate) / rate
signal = np.sin(2 * np.pi * 50 * time) + 0.4 * np.sin(2 * np.pi * 1900 * time)
signal += 0.1 * rng.standard_normal(time.size)""",
            """def low_pass(cutoff, taps):
    k = np.arange(taps) - (taps - 1) / 2
    return 2 * cutoff / rate * np.sinc(2 * cutoff / rate * k) * np.hamming(taps)


def convolve(samples, kernel):
    result = [0.0] * len(samples)
    for i in range(len(samples)):
        total = 0.0
        for j in range(min(len(kernel), i + 1)):
            total += kernel[j] * samples[i - j]
        result[i] = total
    return result""",
            """kernel = low_pass(300, 129)
filtered = np.array(convolve(signal.tolist(), kernel.tolist()))""",
            """power = np.abs(np.fft.rfft(filtered)) ** 2
frequency = np.fft.rfftfreq(filtered.size, 1 / rate)
print(f"strongest component at {frequency[power.argmax()]:.1f} Hz")
print(f"power above 1 kHz: {power[frequency > 1000].sum() / power.sum():.2e}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Four threads 2.2 to 2.4 s CPU, 3.4 to 3.9 s wall; the calls in turn 2.3 to 2.7 and 3.5 to 4.3 s. Cell 3: 99 %.
    {
        "name": "gil-neutron-walks",
        "cause": "gil",
        "cell": 3,
        "cells": [
            """import threading

width = 6.0
scattering = 0.7
workers = 4
histories = 650000""",
            """def transport(seed, count, tally):
    # A slab: distances from a multiplicative generator, isotropic scattering or absorption.
    state = seed
    leaked = absorbed = collisions = 0
    for _ in range(count):
        x = 0.0
        direction = 1.0
        while True:
            state = state * 48271 % 2147483647
            u = state / 2147483647
            x += direction * (1.0 - u) / (u + 0.25)
            if x < 0.0 or x > width:
                leaked += 1
                break
            collisions += 1
            state = state * 48271 % 2147483647
            if state > scattering * 2147483647:
                absorbed += 1
                break
            state = state * 48271 % 2147483647
            direction = 2.0 * state / 2147483647 - 1.0
    tally.append((leaked, absorbed, collisions))""",
            """tally = []
threads = [threading.Thread(target=transport, args=(101 + 7 * k, histories, tally)) for k in range(workers)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()""",
            """leaked, absorbed, collisions = (sum(column) for column in zip(*tally))
total = workers * histories
print(f"histories {total}: leaked {leaked / total:.4f}, absorbed {absorbed / total:.4f}")
print(f"collisions per history {collisions / total:.4f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Four threads 3.0 to 3.6 s CPU, 3.7 to 5.5 s wall; the calls in turn 2.6 to 3.7 and 4.5 to 5.2 s. Cell 3: 99 %.
    {
        "name": "gil-pendulum-scan",
        "cause": "gil",
        "cell": 3,
        "cells": [
            """import concurrent.futures

drives = [0.9 + 0.02 * k for k in range(16)]
dt = 0.002
steps = 700000""",
            """def swing(drive):
    # A damped driven pendulum (Taylor series of the sine, reduced angle), semi-implicit Euler.
    angle, rate, phase_x, phase_y = 0.2, 0.0, 1.0, 0.0
    rotations = 0
    for _ in range(steps):
        a2 = angle * angle
        sine = angle * (1 - a2 / 6 * (1 - a2 / 20 * (1 - a2 / 42 * (1 - a2 / 72))))
        rate += dt * (-0.5 * rate - sine + drive * phase_x)
        angle += dt * rate
        phase_x, phase_y = phase_x - 0.6667 * dt * phase_y, phase_y + 0.6667 * dt * phase_x
        if angle > 3.14159265:
            angle -= 6.2831853
            rotations += 1
        elif angle < -3.14159265:
            angle += 6.2831853
            rotations -= 1
    return angle, rate, rotations""",
            """with concurrent.futures.ThreadPoolExecutor(max_workers=4) as executor:
    results = list(executor.map(swing, drives))""",
            """for drive, (angle, rate, rotations) in zip(drives, results):
    print(f"drive {drive:.2f}: angle {angle:8.4f} rate {rate:8.4f} rotations {rotations:4d}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 1.6 M reads of 8 bytes, 2.97 s wall; 0.16 s with a buffer: 95 % is the small reads. Cell 3: 95 %.
    {
        "name": "small-io-sensor-records",
        "cause": "small-io",
        "cell": 3,
        "cells": [
            """import struct
import numpy as np

record = struct.Struct("<d")
count = 1600000
rng = np.random.default_rng(5)
(20.0 + rng.standard_normal(count)).astype("<f8").tofile("thermocouple.bin")""",
            """def summarise(path):
    # The running extremes of all records of a thermocouple.
    lowest, highest, readings = 1e9, -1e9, 0
    with open(path, "rb", buffering=0) as file:
        read, unpack = file.read, record.unpack
        while data := read(8):
            value = unpack(data)[0]
            if value < lowest:
                lowest = value
            elif value > highest:
                highest = value
            readings += 1
    return lowest, highest, readings""",
            """lowest, highest, readings = summarise("thermocouple.bin")
print(f"{readings} readings between {lowest:.3f} and {highest:.3f} degrees")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # cProfile: open and close 87 % of cell 3 (104000 of each), which is 97 % of the time; 2.5 s CPU.
    {
        "name": "small-io-trajectory-lines",
        "cause": "small-io",
        "cell": 3,
        "cells": [
            """bodies = [[1.0, 0.0, 0.0, 1.0], [1.5, 0.0, 0.0, 0.8], [2.0, 0.0, 0.0, 0.7], [3.0, 0.0, 0.0, 0.55]]
dt = 0.01""",
            """def record(path, step, number, x, y):
    with open(path, "a") as file:
        file.write(f"{step},{number},{x:.6f},{y:.6f}\\n")


def orbit(bodies, steps):
    # Planets around a central mass; every position goes to the trajectory.
    for step in range(steps):
        for number, body in enumerate(bodies):
            x, y, vx, vy = body
            pull = -dt * (x * x + y * y) ** -1.5
            vx, vy = vx + pull * x, vy + pull * y
            body[:] = x + dt * vx, y + dt * vy, vx, vy
            record("trajectory.csv", step, number, body[0], body[1])""",
            """orbit(bodies, 26000)""",
            """with open("trajectory.csv") as file:
    lines = file.read().splitlines()
print(len(lines), "positions")
for number, (x, y, vx, vy) in enumerate(bodies):
    print(f"body {number} at {x:.4f} {y:.4f}, energy {0.5 * (vx * vx + vy * vy) - (x * x + y * y) ** -0.5:.5f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # cProfile: open, readline and close 84 % of cell 4 (108000 of each), which is 100 % of the time; 2.1 s CPU.
    {
        "name": "small-io-calibration-lookups",
        "cause": "small-io",
        "cell": 4,
        "cells": [
            """import os

channels = 24
os.makedirs("calibration", exist_ok=True)
for channel in range(channels):
    with open(f"calibration/channel{channel:02d}.txt", "w") as file:
        file.write(f"{1 + 0.01 * channel} {-0.2 * channel}\\n")""",
            """def calibrate(channel, raw):
    with open(f"calibration/channel{channel:02d}.txt") as file:
        gain, offset = file.readline().split()
    return float(gain) * raw + float(offset)""",
            """def acquire(samples):
    # A strain gauge bridge: a slow drift in every channel.
    totals = [0.0] * channels
    for sample in range(samples):
        for channel in range(channels):
            totals[channel] += calibrate(channel, (sample * 37 + channel * 11) % 1024 / 1024)
    return [total / samples for total in totals]""",
            """means = acquire(4500)""",
            """for channel in range(0, channels, 6):
    print(f"channel {channel:2d}: mean strain {means[channel]:8.4f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 4000 fsyncs: 0.84 s on an idle disk, 11.6 s on a busy one, CPU 0.34 to 0.83 s of it. Cell 3: 88 to 98 %.
    {
        "name": "sync-io-solver-log",
        "cause": "sync-io",
        "cell": 3,
        "cells": [
            """import os
import numpy as np

n = 512
field = np.zeros(n)
field[n // 3:n // 2] = 1.0""",
            """def advance(field, courant):
    field[1:] -= courant * (field[1:] - field[:-1])


def log(file, step, field):
    file.write(f"{step} {field.sum():.8f} {field.max():.8f}\\n")
    file.flush()
    os.fsync(file.fileno())""",
            """with open("advection.log", "w") as file:
    for step in range(4000):
        advance(field, 0.05)
        log(file, step, field)""",
            """print(f"mass {field.sum():.4f}, maximum {field.max():.4f} at cell {field.argmax()}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 4000 fsyncs: 0.79 s on an idle disk, 14 s on a busy one; cProfile: fsync 99 % of cell 3, which is 99 %.
    {
        "name": "sync-io-acquisition",
        "cause": "sync-io",
        "cell": 3,
        "cells": [
            """import os
import random

random.seed(12)
sensors = ["inlet", "outlet", "wall", "ambient"]
readings = [(minute, name, round(random.gauss(300, 4), 3)) for minute in range(1000) for name in sensors]""",
            """def store(readings, path):
    # The instrument's memory is small: each reading has to survive a power cut.
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for minute, name, value in readings:
        os.write(descriptor, f"{minute:5d} {name:8s} {value:.3f}\\n".encode())
        os.fsync(descriptor)
    os.close(descriptor)""",
            """store(readings, "readings.txt")""",
            """for name in sensors:
    values = [value for _, sensor, value in readings if sensor == name]
    print(f"{name:8s} {len(values)} readings, mean {sum(values) / len(values):.2f} K")
print("bytes:", os.path.getsize("readings.txt"))"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # CPU outside MPI in cell 3: rank 0 2.25 s, rank 1 1.00 s; rank 1 is 67 % of it in Allreduce. Cell 3: 82 %.
    {
        "name": "imbalance-pair-forces",
        "cause": "load-imbalance",
        "cell": 3,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
count = 14000
rng = np.random.default_rng(17)
position = rng.random((3, count))
velocity = np.zeros((3, count))
rows = range(rank * count // size, (rank + 1) * count // size)""",
            """def forces(position, rows):
    # Newton's third law: each pair once, so row i meets the bodies after it.
    force = np.zeros_like(position)
    for i in rows:
        delta = position[:, i + 1:] - position[:, i, None]
        weight = (delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2] + 1e-3) ** -1.5
        pull = delta * weight
        force[:, i] += pull.sum(axis=1)
        force[:, i + 1:] -= pull
    return force""",
            """total = np.empty_like(position)
for step in range(4):
    comm.Allreduce(forces(position, rows), total)
    velocity += 1e-4 * total / count
    position += 1e-4 * velocity""",
            """if rank == 0:
    print(f"bodies {count}, rms velocity {np.sqrt((velocity ** 2).sum() / count):.4e}")
    print("momentum:", np.abs(velocity.sum(axis=1)).max() < 1e-9)"""],
        "ranks": 2,
        "environment": {},
        "files": {},
    },
    # CPU outside MPI in cell 3: rank 0 2.02 s, rank 1 0.33 s; rank 1 is 88 % of it in Allreduce. Cell 3: 88 %.
    {
        "name": "imbalance-energy-groups",
        "cause": "load-imbalance",
        "cell": 3,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
# Photons per energy group, a falling spectrum; the first rank has the hard groups, the other the soft ones.
spectrum = [12000, 11000, 10000, 8000, 7000, 6000, 5000, 4000]
groups = range(6) if rank == 0 else range(6, 8)
rng = np.random.default_rng(100 + rank)""",
            """def attenuate(photons, energy):
    # Depth of photons in a plate with up to six scatterings each.
    coefficient = 0.2 + 1.5 / (1 + energy)
    depth = np.zeros(photons)
    cosine = np.ones(photons)
    for _ in range(6):
        depth += cosine * rng.exponential(1 / coefficient, photons)
        cosine = np.clip(cosine + rng.normal(0, 0.3, photons), -1, 1)
    return np.histogram(depth, bins=40, range=(0, 20))[0].astype(float)""",
            """dose = np.zeros(40)
for batch in range(160):
    local = np.zeros(40)
    for group in groups:
        local += attenuate(spectrum[group], group)
    summed = np.zeros(40)
    comm.Allreduce(local, summed)
    dose += summed""",
            """if rank == 0:
    for k in range(0, 40, 8):
        print(f"depth {k / 2:5.1f} cm: {dose[k] / dose.sum():.5f}")"""],
        "ranks": 2,
        "environment": {},
        "files": {},
    },
    # CPU outside MPI in cell 3: rank 0 0.42 s, rank 1 1.33 s; rank 0 is 87 % of it in Sendrecv. Cell 3: 86 %.
    {
        "name": "imbalance-refined-wall",
        "cause": "load-imbalance",
        "cell": 3,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
# The wall's neighbourhood has the fine grid and belongs to the last rank.
columns = 512
rows = 420 if rank == size - 1 else 105
field = np.full((rows + 2, columns), 20.0)
if rank == size - 1:
    field[-1] = 100.0
up, down = (rank - 1 if rank else MPI.PROC_NULL), (rank + 1 if rank < size - 1 else MPI.PROC_NULL)""",
            """def exchange(field):
    comm.Sendrecv(field[1], dest=up, recvbuf=field[-1], source=down)
    comm.Sendrecv(field[-2], dest=down, recvbuf=field[0], source=up)


def relax(field, scratch):
    inner = field[1:-1, 1:-1]
    np.add(field[:-2, 1:-1], field[2:, 1:-1], out=scratch)
    scratch += field[1:-1, :-2]
    scratch += field[1:-1, 2:]
    scratch *= 0.25
    inner -= scratch
    change = max(inner.max(), -inner.min())
    inner[:] = scratch
    return change""",
            """scratch = np.empty((rows, columns - 2))
for iteration in range(2000):
    exchange(field)
    change = relax(field, scratch)""",
            """largest = comm.reduce(change, op=MPI.MAX)
mean = comm.gather(field[1:-1].mean())
if rank == 0:
    print(f"largest change {largest:.3e}; means", [round(value, 3) for value in mean])"""],
        "ranks": 2,
        "environment": {},
        "files": {},
    },
    # Rank 1: bcast 100 % of cell 3, which is 82 to 90 % of the cells' time; rank 0 computes 2.1 s CPU.
    {
        "name": "serial-rank-reference-spectrum",
        "cause": "serial-rank",
        "cell": 3,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
length = 4096
rng = np.random.default_rng(30 + rank)""",
            """def spectrum(signal):
    return np.abs(np.fft.rfft(signal * np.hanning(signal.size))) ** 2


def reference(averages):
    # The microphone's noise floor, averaged over many windows.
    generator = np.random.default_rng(1)
    total = np.zeros(length // 2 + 1)
    for _ in range(averages):
        noise = generator.standard_normal(length)
        total += spectrum(0.01 * np.convolve(noise, [0.2, 0.5, 0.2], mode="same"))
    return total / averages""",
            """floor = reference(22000) if rank == 0 else None
floor = comm.bcast(floor)""",
            """time = np.arange(length) / 48000
best = 0.0
for trial in range(600):
    signal = np.sin(2 * np.pi * (400 + 100 * rank + trial) * time) + 0.01 * rng.standard_normal(length)
    best = max(best, (spectrum(signal) / floor).max())
ratios = comm.gather(best)
if rank == 0:
    print("signal to noise in dB:", [round(10 * np.log10(ratio), 1) for ratio in ratios])"""],
        "ranks": 2,
        "environment": {},
        "files": {},
    },
    # Rank 1: Barrier 100 % of cell 4, which is 73 to 82 % of the cells' time; rank 0 computes 1.9 to 2.1 s CPU.
    {
        "name": "serial-rank-flow-statistics",
        "cause": "serial-rank",
        "cell": 4,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
n = 384""",
            """def vortices(rows, columns, offset):
    y, x = np.mgrid[offset:offset + rows, 0:columns] * (2 * np.pi / columns)
    field = np.zeros((rows, columns))
    for mode in range(1, 13):
        field += np.sin(mode * x + mode * mode) * np.cos(mode * y - mode) / mode
    return field


def structure_function(field, largest):
    return np.array([sum(((np.roll(field, lag, axis=axis) - field) ** 2).mean() for axis in (0, 1))
                     for lag in range(1, largest)])""",
            """part = vortices(n // size, n, rank * n // size)
parts = comm.gather(part)""",
            """if rank == 0:
    field = np.concatenate(parts)
    curves = []
    for power in range(1, 17):
        curves.append(structure_function(np.sign(field) * np.abs(field) ** power, n))
comm.Barrier()""",
            """if rank == 0:
    for power, curve in enumerate(curves, 1):
        print(f"order {power}: maximum {curve.max():9.4f} at lag {curve.argmax() + 1}")"""],
        "ranks": 2,
        "environment": {},
        "files": {},
    },
    # 532480 Sendrecv of 8 bytes in each rank: 78 % of cell 3 in both ranks, which is 84 to 96 % of the time.
    {
        "name": "small-messages-halo-points",
        "cause": "small-messages",
        "cell": 3,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
rows, columns = 14, 1024
field = 20 + rank + np.zeros((rows + 2, columns))
up, down = (rank - 1) % size, (rank + 1) % size""",
            """def exchange(field):
    # The halo rows, point after point.
    for column in range(columns):
        comm.Sendrecv(field[1, column:column + 1], dest=up, recvbuf=field[-1, column:column + 1], source=down)
        comm.Sendrecv(field[-2, column:column + 1], dest=down, recvbuf=field[0, column:column + 1], source=up)


def diffuse(field):
    field[1:-1, 1:-1] += 0.2 * (field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]
                                - 4 * field[1:-1, 1:-1])""",
            """for step in range(260):
    exchange(field)
    diffuse(field)""",
            """total = comm.reduce(field[1:-1].sum())
if rank == 0:
    print(f"total heat {total:.4f}")"""],
        "ranks": 2,
        "environment": {},
        "files": {},
    },
    # 360000 messages of two numbers: rank 0 70 % of cell 4 in recv, rank 1 73 % in send. Cell 4: 79 to 88 %.
    {
        "name": "small-messages-particle-gather",
        "cause": "small-messages",
        "cell": 4,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
particles = 120000
rng = np.random.default_rng(60 + rank)""",
            """# Free flight with a few kicks.
position = rng.random((particles, 2))
velocity = rng.standard_normal((particles, 2))
for kick in range(20):
    velocity += 0.05 * rng.standard_normal((particles, 2))
    position += 0.01 * velocity""",
            """def collect(position):
    # Every particle goes to rank 0, which keeps a list of all.
    if rank:
        for x, y in position.tolist():
            comm.send((x, y), dest=0)
        return None
    everything = position.tolist()
    for source in range(1, size):
        for _ in range(particles):
            everything.append(comm.recv(source=source))
    return np.array(everything)""",
            """everything = None
for snapshot in range(3):
    everything = collect(position)
    position += 0.01 * velocity""",
            """if rank == 0:
    print(f"{len(everything)} particles, centre", np.round(everything.mean(axis=0), 4))"""],
        "ranks": 2,
        "environment": {},
        "files": {},
    },
    # 16 processes on 2 cores: 11.5 runnable on average (median 14, at most 17). Cell 3: 95 to 97 %.
    {
        "name": "oversubscription-plate-processes",
        "cause": "oversubscription",
        "cell": 3,
        "cells": [
            """import multiprocessing
import numpy as np

workers = 16
loads = np.linspace(0.5, 2.0, workers)""",
            """def deflection(load, queue):
    # A clamped plate under a load: damped iteration of the wave equation in place.
    n = 192
    field, speed = np.zeros((n, n)), np.zeros((n, n))
    scratch = np.empty((n - 2, n - 2))
    for _ in range(1600):
        np.add(field[:-2, 1:-1], field[2:, 1:-1], out=scratch)
        scratch += field[1:-1, :-2]
        scratch += field[1:-1, 2:]
        scratch -= 4 * field[1:-1, 1:-1]
        speed *= 0.999
        speed[1:-1, 1:-1] += 0.2 * scratch + 1e-4 * load
        field += speed
    queue.put((load, field[n // 2, n // 2]))""",
            """queue = multiprocessing.Queue()
processes = [multiprocessing.Process(target=deflection, args=(load, queue)) for load in loads]
for process in processes:
    process.start()
results = sorted(queue.get() for _ in processes)
for process in processes:
    process.join()""",
            """for load, value in results[::5]:
    print(f"load {load:.2f}: deflection {value:.5f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 16 threads on 2 cores: 7.5 to 9.2 runnable on average, 4.4 s CPU, system time 8 %. Cell 3: 94 %.
    {
        "name": "oversubscription-radar-threads",
        "cause": "oversubscription",
        "cell": 3,
        "cells": [
            """import os
from concurrent.futures import ThreadPoolExecutor
import numpy as np

threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
samples = 1 << 16
pulses = 48""",
            """def compress(number):
    # One pulse: chirp and window, evaluated in place for each range gate.
    rng = np.random.default_rng(number)
    signal = rng.standard_normal(samples)
    phase, result = np.empty(samples), np.zeros(samples)
    for gate in range(480):
        np.multiply(signal, 0.01 * gate, out=phase)
        np.sin(phase, out=phase)
        np.multiply(phase, phase, out=phase)
        np.exp(phase, out=phase)
        np.add(result, phase, out=result)
    return result.mean()""",
            """with ThreadPoolExecutor(threads) as executor:
    echoes = list(executor.map(compress, range(pulses)))""",
            """print(f"{len(echoes)} pulses, mean echo {np.mean(echoes):.5f}, spread {np.std(echoes):.5f}")"""],
        "ranks": 0,
        "environment": {"OMP_NUM_THREADS": "16"},
        "files": {},
    },
    # 2 ranks of 8 threads on 2 cores: 8.4 to 10 runnable on average (at most 17). Cell 3: 62 to 84 %.
    {
        "name": "oversubscription-ranks-and-threads",
        "cause": "oversubscription",
        "cell": 3,
        "cells": [
            """import os
from concurrent.futures import ThreadPoolExecutor
from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
blocks = 24""",
            """def lattice_sum(block):
    # Screened potential of a block of ions at the sample points.
    points = np.linspace(0, 1, 1 << 15)
    distance, total = np.empty_like(points), np.zeros_like(points)
    for ion in range(500):
        np.subtract(points, (block * 500 + ion) / (500 * blocks * size), out=distance)
        np.abs(distance, out=distance)
        distance += 1e-3
        np.multiply(distance, -8.0, out=distance)
        np.exp(distance, out=distance)
        np.sqrt(distance, out=distance)
        total += distance
    return total""",
            """with ThreadPoolExecutor(threads) as executor:
    local = sum(executor.map(lattice_sum, range(rank * blocks, (rank + 1) * blocks)))
potential = np.empty_like(local)
comm.Allreduce(local, potential)""",
            """if rank == 0:
    print(f"potential between {potential.min():.4f} and {potential.max():.4f}")"""],
        "ranks": 2,
        "environment": {"OMP_NUM_THREADS": "8"},
        "files": {},
    },
    # Memory after the cells 3 to 9: 70, 108, 144, 181, 218, 254, 291 MB (30 MB before); 2.1 s CPU in all.
    {
        "name": "leak-wave-snapshots",
        "cause": "leak",
        "cell": None,
        "cells": [
            """import numpy as np

n = 400
wave, before = np.zeros((n, n)), np.zeros((n, n))
history = []


def source(step):
    return np.sin(0.2 * step)""",
            """def run(first, last, keep):
    # The wave equation with a source in the middle; snapshots for the film.
    global wave, before
    scratch = np.empty((n - 2, n - 2))
    for step in range(first, last):
        np.multiply(wave[1:-1, 1:-1], -4, out=scratch)
        scratch += wave[:-2, 1:-1]
        scratch += wave[2:, 1:-1]
        scratch += wave[1:-1, :-2]
        scratch += wave[1:-1, 2:]
        before *= -1
        before += 2 * wave
        before[1:-1, 1:-1] += 0.25 * scratch
        wave, before = before, wave
        wave[n // 2, n // 2] += source(step)
        if step % keep == 0:
            history.append(wave.copy())
    print(f"step {last}: energy {(wave ** 2).sum():.4f}")""",
            "run(0, 210, 7)",
            "run(210, 420, 7)",
            "run(420, 630, 7)",
            "run(630, 840, 7)",
            "run(840, 1050, 7)",
            "run(1050, 1260, 7)",
            "run(1260, 1470, 7)",
            """print("amplitude at the end:", np.abs(history[-1]).max().round(4))"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Memory after the cells 3 to 9: 72, 103, 132, 161, 190, 219, 248 MB (30 MB before); 2.2 s CPU in all.
    {
        "name": "leak-vibration-cache",
        "cause": "leak",
        "cell": None,
        "cells": [
            """import numpy as np

rate = 20000
cache = {}""",
            """def spectrogram(seed, window, hop):
    # Amplitudes of a bearing's vibration: one row for each window.
    rng = np.random.default_rng(seed)
    time = np.arange(12 * rate) / rate
    signal = np.sin(2 * np.pi * (50 + seed) * time) + rng.standard_normal(time.size)
    shape = np.hanning(window)
    rows = []
    for k in range(0, time.size - window, hop):
        part = signal[k:k + window]
        rows.append(np.abs(np.fft.rfft(part * shape)) + np.abs(np.fft.rfft(part * shape * shape))
                    + np.abs(np.fft.rfft(part * np.sqrt(shape))))
    return np.array(rows)


def analyse(bearing):
    for window in (1024, 2048):
        cache[bearing, window] = spectrogram(bearing, window, 96)
    peaks = [cache[bearing, window].mean(axis=0)[20 * window // 1024:].max() for window in (1024, 2048)]
    print(f"bearing {bearing}: peaks {peaks[0]:.3f} {peaks[1]:.3f}")""",
            "analyse(1)",
            "analyse(2)",
            "analyse(3)",
            "analyse(4)",
            "analyse(5)",
            "analyse(6)",
            "analyse(7)"],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Cell 3: 3.17 s wall, 0.01 s CPU, 100 % of the time in sleep.
    {
        "name": "waiting-furnace-controller",
        "cause": "waiting",
        "cell": 3,
        "cells": [
            """import time
import math

setpoint = 650.0
log = []""",
            """class Furnace:
    # Stands for the serial line: the furnace answers when its next reading is due.
    def __init__(self):
        self.started = time.monotonic()

    def temperature(self):
        elapsed = time.monotonic() - self.started
        return 20 + (setpoint - 20) * (1 - math.exp(-elapsed * 1.6))


def heat(furnace, tolerance):
    while True:
        value = furnace.temperature()
        log.append(value)
        if setpoint - value < tolerance:
            return value
        time.sleep(0.05)""",
            """reached = heat(Furnace(), 4.0)
print(f"reached {reached:.1f} degrees after {len(log)} readings")""",
            """rates = [20 * (b - a) for a, b in zip(log, log[1:])]
print(f"steepest rise {max(rates):.0f} K/s, last {rates[-1]:.0f} K/s")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Cell 3: 2.2 to 2.9 s wall, 0.00 s CPU (1.6 s in three children), 99 % of the time.
    {
        "name": "waiting-external-truss-solver",
        "cause": "waiting",
        "cell": 3,
        "cells": [
            """import json
import subprocess
import sys

spans = [6.0, 8.0, 10.0]""",
            """def solve(span):
    with open("truss.json", "w") as file:
        json.dump({"span": span, "bars": 24, "load": 12.5}, file)
    subprocess.run([sys.executable, "truss_solver.py", "truss.json", "result.json"], check=True)
    with open("result.json") as file:
        return json.load(file)""",
            """results = [solve(span) for span in spans]""",
            """for span, result in zip(spans, results):
    print(f"span {span:4.1f} m: deflection {result['deflection']:.4f} mm after {result['iterations']} iterations")"""],
        "ranks": 0,
        "environment": {},
        "files": {"truss_solver.py": '''"""Relaxes the joints of a truss: truss_solver.py INPUT OUTPUT."""
import json
import sys

with open(sys.argv[1]) as file:
    model = json.load(file)
bars, span, load = model["bars"], model["span"], model["load"]
stiffness = [40.0 / span * (1 + 0.01 * k) for k in range(bars + 1)]
joint = [0.0] * (bars + 1)
iterations = 0
change = 1.0
while change > 1e-9:
    change = 0.0
    for k in range(1, bars):
        a, b = stiffness[k - 1], stiffness[k]
        value = (a * joint[k - 1] + b * joint[k + 1] + load / bars) / (a + b)
        change = max(change, abs(value - joint[k]))
        joint[k] = value
    iterations += 1
    if iterations < 60000:
        change = 1.0
with open(sys.argv[2], "w") as file:
    json.dump({"deflection": max(joint), "iterations": iterations}, file)
'''},
    },
    # Pool 3.2 to 5.5 s wall and 3.2 to 4.6 s CPU, map() 0.005 s: more than 99 % is overhead. Cell 3: 98 %.
    {
        "name": "process-pool-beam-sections",
        "cause": "process-pool",
        "cell": 3,
        "cells": [
            """import concurrent.futures

sections = [(0.1 + 0.0001 * k, 0.2 + 0.0002 * (k % 97)) for k in range(18000)]""",
            """def inertia(section):
    width, height = section
    return width * height ** 3 / 12


def deflection(second_moment, span=4.0, load=2500.0, modulus=210e9):
    return 5 * load * span ** 4 / (384 * modulus * second_moment)""",
            """with concurrent.futures.ProcessPoolExecutor(2) as executor:
    moments = list(executor.map(inertia, sections))""",
            """deflections = [deflection(moment) for moment in moments]
print(f"{len(moments)} sections, deflection from {min(deflections):.3e} to {max(deflections):.3e} m")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Pool 2.4 to 2.9 s wall and 2.0 to 3.3 s CPU, map() 0.3 s: 90 % is overhead. Cell 3: 87 %.
    {
        "name": "process-pool-infrared-frames",
        "cause": "process-pool",
        "cell": 3,
        "cells": [
            """import multiprocessing
import numpy as np

rng = np.random.default_rng(21)
video = rng.integers(0, 4096, (60, 256, 240)).astype(np.float64)""",
            """def correct(frame):
    # Offset and gain of the infrared camera.
    return 0.98 * frame - 12.0""",
            """with multiprocessing.Pool(2) as pool:
    for sweep in range(18):
        video = np.array(pool.map(correct, video, chunksize=1))""",
            """print(f"mean {video.mean():.3f}, extremes {video.min():.2f} {video.max():.2f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Pools 3.6 to 9.3 s wall and 3.8 to 6.0 s CPU, the loop 0.005 s: more than 99 % is overhead. Cell 3: 99 %.
    {
        "name": "process-pool-per-time-step",
        "cause": "process-pool",
        "cell": 3,
        "cells": [
            """import multiprocessing
import random

random.seed(33)
particles = [(random.random(), random.gauss(0, 1)) for _ in range(400)]
dt = 0.01""",
            """def drift(particle):
    position, speed = particle
    speed -= dt * (position - 0.5)
    position += dt * speed
    return position, speed


def energy(particles):
    return sum(0.5 * speed ** 2 + 0.5 * (position - 0.5) ** 2 for position, speed in particles)""",
            """for step in range(40):
    with multiprocessing.Pool(2) as pool:
        particles = pool.map(drift, particles)""",
            """print(f"energy per particle {energy(particles) / len(particles):.5f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 23.4 M calls in 1.9 s; cProfile 6.9 s (3.6 times), a hook of sys.setprofile 6.4 s (3.4 times). Cell 3: 100 %.
    {
        "name": "overhead-line-integral",
        "cause": "measurement-overhead",
        "cell": 3,
        "cells": [
            """import math

radius, current = 0.05, 2.0""",
            """def square(x):
    return x * x


def clamp(x):
    return x if x > 1e-12 else 1e-12


def field_on_axis(heights, parts):
    # Biot-Savart for a slightly elliptic coil, summed over its parts.
    result = []
    for z in heights:
        total = 0.0
        for k in range(parts):
            bend = (radius + 1e-6 * k) * (1 - 2e-7 * k)
            r2 = clamp(bend * bend + square(z))
            total += radius * radius * bend / (r2 * r2 * (1 + 3e-7 * k))
        result.append(2e-7 * math.pi * current * total / parts)
    return result""",
            """field = field_on_axis([0.002 * k for k in range(90)], 130000)""",
            """for k in range(0, 90, 15):
    print(f"z {0.002 * k:.3f} m: {field[k]:.4e} T")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 28.3 M calls in 2.1 s; cProfile 6.6 s (3.2 times), a hook of sys.setprofile 5.7 s (2.7 times). Cell 4: 99 %.
    {
        "name": "overhead-percolation",
        "cause": "measurement-overhead",
        "cell": 4,
        "cells": [
            """import random

random.seed(77)
n = 420
trials = 5""",
            """def site(row, column):
    return row * n + column


def is_open(grid, index):
    return grid[index]


def root(parent, index):
    while parent[index] != index:
        index = parent[index]
    return index""",
            """def percolates(probability):
    grid = [random.random() < probability for _ in range(n * n)]
    parent = list(range(n * n))
    for row in range(n):
        for column in range(n):
            here = site(row, column)
            if not is_open(grid, here):
                continue
            if column and is_open(grid, site(row, column - 1)):
                parent[here] = root(parent, site(row, column - 1))
            if row and is_open(grid, site(row - 1, column)):
                above = root(parent, site(row - 1, column))
                left = root(parent, here)
                parent[max(above, left)] = min(above, left)
                parent[here] = min(above, left)
    top = {root(parent, site(0, column)) for column in range(n) if is_open(grid, site(0, column))}
    bottom = {root(parent, site(n - 1, column)) for column in range(n) if is_open(grid, site(n - 1, column))}
    return bool(top & bottom)""",
            """hits = {}
for probability in (0.52, 0.56, 0.6, 0.64):
    hits[probability] = sum(percolates(probability) for _ in range(trials))""",
            """for probability, count in hits.items():
    print(f"p {probability:.2f}: {count} of {trials} percolate")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 251000 faults, 3.4 s (1.7 s of it booked as system time); 0.01 s with the array kept: 99 % is first touch.
    {
        "name": "page-faults-detector-events",
        "cause": "page-faults",
        "cell": 3,
        "cells": [
            """import numpy as np

rng = np.random.default_rng(90)
rows, columns, hits = 2400, 2400, 30000""",
            """def event(number):
    # One readout of the pixel detector: charges of the hits, then the hottest pixel.
    frame = np.zeros((rows, columns))
    row = rng.integers(0, rows, hits)
    column = rng.integers(0, columns, hits)
    frame[row, column] = number % 17 + 1
    return frame[row[:1000], column[:1000]].max()""",
            """hottest = [event(number) for number in range(24)]""",
            """print(f"{len(hottest)} events, hottest pixel {max(hottest):.0f}, mean {np.mean(hottest):.3f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # 221000 faults, 3.0 s (1.6 s of it booked as system time); 0.004 s with the buffer kept: 99 % is first touch.
    {
        "name": "page-faults-ultrasonic-scan",
        "cause": "page-faults",
        "cell": 3,
        "cells": [
            """import random

random.seed(44)
size = 48 << 20
gate = 2048""",
            """def scan(line):
    # The digitiser's buffer for one line; an echo every gate.
    buffer = bytearray(size)
    echoes = size // gate
    buffer[::gate] = bytes([line % 200 + 20]) * echoes
    return sum(buffer[position * gate] for position in random.sample(range(echoes), 50)) / 50""",
            """amplitudes = [scan(line) for line in range(18)]""",
            """for line in range(0, 18, 6):
    print(f"line {line:3d}: amplitude {amplitudes[line]:.1f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # zlib.compress 100 % of cell 3 (cProfile), which is 79 % of the time; one thread, CPU to wall 1.00.
    {
        "name": "idle-cores-archive-fields",
        "cause": "idle-cores",
        "cell": 3,
        "cells": [
            """import zlib
import numpy as np

rng = np.random.default_rng(15)
x = np.linspace(0, 8 * np.pi, 500)
fields = [(np.sin(x + 0.1 * k)[:, None] * np.cos(x) + 0.01 * rng.standard_normal((500, 500))).astype(np.float32)
          for k in range(50)]""",
            """def archive(field):
    return zlib.compress(field.tobytes(), 6)


def ratio(fields, packed):
    return sum(field.nbytes for field in fields) / sum(len(data) for data in packed)""",
            """packed = [archive(field) for field in fields]
print(f"{len(packed)} fields, compression {ratio(fields, packed):.2f}")""",
            """restored = np.frombuffer(zlib.decompress(packed[7]), dtype=np.float32).reshape(500, 500)
print("restored:", np.array_equal(restored, fields[7]))"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # sha3_256 96 % of cell 3 (cProfile), which is 85 % of the time; one thread, CPU to wall 1.00.
    {
        "name": "idle-cores-checksums",
        "cause": "idle-cores",
        "cell": 3,
        "cells": [
            """import hashlib
import numpy as np

# Raw channels of a shaker test, 24 bit in 32.
time = np.arange(4000000, dtype=np.int32)
channels = {f"accelerometer-{k}": (time * (2 * k + 3) % 16777213).tobytes() for k in range(3)}""",
            """def fingerprint(data, rounds):
    # The archive's rule: a chain of digests over the whole channel.
    digest = b""
    for _ in range(rounds):
        digest = hashlib.sha3_256(digest + data).digest()
    return digest.hex()""",
            """fingerprints = {name: fingerprint(data, 22) for name, data in channels.items()}""",
            """for name, value in fingerprints.items():
    print(name, value[:24])"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Peak 338 MB in cell 3, 30 MB before it and 31 MB after it; cell 3 is 25 to 34 % of the time.
    {
        "name": "memory-peak-distance-matrix",
        "cause": "memory-peak",
        "cell": 3,
        "cells": [
            """import numpy as np

rng = np.random.default_rng(3)
atoms = rng.random((2400, 3))
box = 1.0""",
            """def nearest(atoms):
    delta = atoms[:, None, :] - atoms[None, :, :]
    delta -= box * np.round(delta)
    distance = np.sqrt((delta ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    return distance.min(axis=1)


def cell_counts(atoms, cells):
    index = np.floor(atoms * cells).astype(int) % cells
    return np.bincount(index @ [cells * cells, cells, 1], minlength=cells ** 3)""",
            """gaps = nearest(atoms)
print(f"nearest neighbours: mean {gaps.mean():.5f}, smallest {gaps.min():.5f}")""",
            """# Density fluctuations while the atoms diffuse.
fluctuation = []
for step in range(9000):
    atoms = (atoms + 0.002 * rng.standard_normal(atoms.shape)) % box
    fluctuation.append(cell_counts(atoms, 8).std())
print(f"fluctuation {np.mean(fluctuation):.4f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Peak 247 MB in cell 3, 35 MB before it and 48 MB after it; cell 3 is 29 to 36 % of the time.
    {
        "name": "memory-peak-strain-file",
        "cause": "memory-peak",
        "cell": 3,
        "cells": [
            """import numpy as np

rng = np.random.default_rng(6)
with open("strain.txt", "w") as file:
    for block in range(24):
        values = rng.integers(1000, 9999, 50000)
        file.write(" ".join(map(str, values.tolist())) + "\\n")""",
            """def load(path):
    with open(path) as file:
        words = file.read().split()
    values = [int(word) for word in words]
    pairs = list(zip(words, values))
    return np.array([value for _, value in pairs[::240]], dtype=float)""",
            """strain = load("strain.txt")
print(strain.size, "samples, mean", strain.mean().round(2))""",
            """# Rainflow-like damage: turning points of the filtered signal for many filters.
damage = []
for width in range(2, 1000):
    smooth = np.convolve(strain, np.ones(width) / width, mode="valid")
    turning = smooth[1:-1][(smooth[1:-1] - smooth[:-2]) * (smooth[2:] - smooth[1:-1]) < 0]
    damage.append((np.abs(np.diff(turning)) ** 3).sum())
print(f"damage from {min(damage):.3e} to {max(damage):.3e}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # CPU outside MPI in cell 3: 1.63 and 1.52 s in the ranks; 3 and 0 % of it in Allreduce.
    {
        "name": "healthy-ranks-wave",
        "cause": None,
        "cell": None,
        "cells": [
            """from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
n = 360
members = range(rank, 8, size)
y, x = np.mgrid[0:n, 0:n]""",
            """def start(member):
    # A pulse whose width is the member's parameter.
    return np.exp(-((y - 180.0) ** 2 + (x - 180.0) ** 2) / (400 + 100 * member))


def step(wave, before, scratch):
    np.multiply(wave[1:-1, 1:-1], -4, out=scratch)
    scratch += wave[:-2, 1:-1]
    scratch += wave[2:, 1:-1]
    scratch += wave[1:-1, :-2]
    scratch += wave[1:-1, 2:]
    scratch *= 0.25
    scratch += wave[1:-1, 1:-1]
    scratch += wave[1:-1, 1:-1]
    before *= -1
    before[1:-1, 1:-1] += scratch""",
            """scratch = np.empty((n - 2, n - 2))
profiles = np.zeros(n)
for member in members:
    wave = start(member)
    before = wave.copy()
    for iteration in range(800):
        step(wave, before, scratch)
        wave, before = before, wave
    profiles += wave[n // 2]
mean = np.zeros(n)
comm.Allreduce(profiles, mean)""",
            """if rank == 0:
    print(f"mean profile: {mean[n // 2] / 8:.5f} in the middle, largest {np.abs(mean).max() / 8:.5f}")"""],
        "ranks": 2,
        "environment": {"OMP_NUM_THREADS": "1"},
        "files": {},
    },
    # Two threads, 1.87 runnable on average, 3.9 s CPU; cell 3 is 96 % of the time.
    {
        "name": "healthy-two-threads-antenna",
        "cause": None,
        "cell": None,
        "cells": [
            """import os
from concurrent.futures import ThreadPoolExecutor
import numpy as np

threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
angles = np.linspace(-1.5, 1.5, 1 << 15)
directions = np.sin(angles)""",
            """def pattern(frequency):
    # Array factor of 1000 elements half a wavelength apart.
    phase, real = np.empty_like(directions), np.zeros_like(directions)
    for element in range(1000):
        np.multiply(directions, 3.14159 * element * frequency, out=phase)
        np.cos(phase, out=phase)
        np.add(real, phase, out=real)
    return np.abs(real).max(), np.abs(real).mean()""",
            """with ThreadPoolExecutor(threads) as executor:
    results = list(executor.map(pattern, np.linspace(0.5, 1.5, 100)))""",
            """print(f"{len(results)} frequencies, highest lobe {max(a for a, _ in results):.3f}")
print(f"average level {np.mean([b for _, b in results]):.4f}")"""],
        "ranks": 0,
        "environment": {"OMP_NUM_THREADS": "2"},
        "files": {},
    },
    # Pieces of 8 MB, two threads, 2.5 s CPU in cell 3 (82 % of the time), 0.3 to 0.5 s to write the file.
    {
        "name": "healthy-seismogram-pieces",
        "cause": None,
        "cell": None,
        "cells": [
            """import os
from concurrent.futures import ThreadPoolExecutor
import numpy as np

piece = 1 << 20
pieces = 12
base = np.random.default_rng(70).standard_normal(piece)
with open("seismogram.bin", "wb") as file:
    for k in range(pieces):
        file.write((base * (1 + 0.1 * k)).data)""",
            """def envelope(samples):
    # Logarithmic level of the short-time spectra for windows of several shapes.
    windows = [np.hanning(4096) ** exponent for exponent in range(1, 29)]
    levels = []
    for block in samples.reshape(-1, 4096):
        levels.append([np.log1p(np.abs(np.fft.rfft(block * window)) ** 2).mean() for window in windows])
    return np.array(levels)""",
            """levels = []
buffers = [np.empty(piece), np.empty(piece)]
with open("seismogram.bin", "rb") as file, ThreadPoolExecutor(2) as executor:
    for k in range(0, pieces, 2):
        for buffer in buffers:
            file.readinto(buffer)
        levels.extend(executor.map(envelope, buffers))""",
            """os.remove("seismogram.bin")
means = [level.mean() for level in levels]
print(f"{len(means)} pieces, level from {min(means):.3f} to {max(means):.3f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Eight tasks of 0.6 s for two processes, 4.8 s CPU in the children and 0.1 s in the parent.
    {
        "name": "healthy-pool-coarse-orbits",
        "cause": None,
        "cell": None,
        "cells": [
            """import multiprocessing
import numpy as np

ensembles = list(range(8))""",
            """def evolve(seed):
    # Test particles around a central mass; one ensemble for each task.
    rng = np.random.default_rng(seed)
    position = rng.normal(0, 1, (2, 8000))
    velocity = np.array([-position[1], position[0]])
    acceleration = np.empty_like(position)
    for _ in range(18000):
        weight = position[0] * position[0]
        weight += position[1] * position[1]
        weight += 0.05
        weight *= np.sqrt(weight)
        np.divide(position, weight, out=acceleration)
        acceleration *= 0.002
        velocity -= acceleration
        np.multiply(velocity, 0.002, out=acceleration)
        position += acceleration
    return float(np.hypot(*position).mean()), float(np.hypot(*velocity).mean())""",
            """with multiprocessing.Pool(2) as pool:
    results = pool.map(evolve, ensembles, chunksize=1)""",
            """for seed, (radius, speed) in zip(ensembles, results):
    print(f"ensemble {seed}: mean radius {radius:.4f}, mean speed {speed:.4f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Less than 0.01 s.
    {
        "name": "healthy-short-resistor-table",
        "cause": None,
        "cell": None,
        "cells": [
            """resistors = {"R1": 220.0, "R2": 470.0, "R3": 1000.0, "R4": 4700.0}
voltage = 12.0""",
            """def row(name, resistance):
    current = voltage / resistance
    return f"{name:5s} {resistance:8.0f} {1000 * current:10.2f} {1000 * voltage * current:10.1f}\"""",
            """print("name       ohm         mA         mW")
for name, resistance in resistors.items():
    print(row(name, resistance))
print(f"parallel {1 / sum(1 / r for r in resistors.values()):.2f} ohm")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Cell 3: 77 % of the time, 2.3 s CPU (19000 faults, 0.4 s system time), the imports 21 %.
    {
        "name": "healthy-pandas-wind-tunnel",
        "cause": None,
        "cell": None,
        "cells": [
            """import itertools
import numpy as np
import pandas as pd""",
            """def campaign(rows, seed):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((rows, 4))
    gust = 0.2 * noise[:, 2] * noise[:, 3]
    return pd.DataFrame({
        "probe": rng.integers(0, 48, rows), "run": rng.integers(0, 200, rows), "block": rng.integers(0, 12, rows),
        "operator": rng.integers(0, 5, rows), "nozzle": rng.integers(0, 8, rows), "mount": rng.integers(0, 3, rows),
        "speed": 35 + 4 * noise[:, 0] + gust, "pressure": 101325 + 300 * noise[:, 1]})


def summarise(data, first, second):
    return data.groupby([first, second])[["speed", "dynamic", "pressure"]].agg(["mean", "std", "median", "max"])""",
            """data = campaign(900000, 64)
data["dynamic"] = 0.5 * 1.2 * data["speed"] ** 2
tables = {}
for first, second in itertools.combinations(["probe", "run", "block", "operator", "nozzle", "mount"], 2):
    tables[first, second] = summarise(data, first, second)""",
            """for (first, second), table in tables.items():
    print(f"{first:9s} {second:9s} {len(table):6d} groups, dynamic pressure {table['dynamic', 'mean'].mean():.3f} Pa")
print(tables["block", "mount"].head(3).round(2))"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Two threads, 1.91 runnable on average, 4.2 s CPU, system time 2 %; cell 3 is 99 % of the time.
    {
        "name": "healthy-two-threads-archive",
        "cause": None,
        "cell": None,
        "cells": [
            """import hashlib
import zlib
from concurrent.futures import ThreadPoolExecutor
import random

random.seed(91)
records = [bytes(random.choices(range(0, 256, 4), k=4096)) * 256 for _ in range(6)]""",
            """def pack(data):
    # One voltage record of the oscilloscope: compressed at three levels, the smallest is kept, with its digest.
    packed = min((zlib.compress(data, level) for level in (1, 6, 9)), key=len)
    digest = hashlib.sha3_512(data * 8).hexdigest()
    return len(packed), hashlib.pbkdf2_hmac("sha256", packed, digest.encode(), 220000).hex()""",
            """with ThreadPoolExecutor(2) as executor:
    results = list(executor.map(pack, records * 7))""",
            """for size, digest in results[:6]:
    print(f"{size:8d} bytes {digest[:32]}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
    # Cell 3 is 96 % of the time, 2.6 s CPU; no function of the four has more than half of it.
    {
        "name": "healthy-plain-plasma-script",
        "cause": None,
        "cell": None,
        "cells": [
            """import numpy as np

rng = np.random.default_rng(55)
cells, particles = 256, 12000
position = rng.random(particles) * cells
velocity = rng.normal(0, 0.5, particles)""",
            """def deposit(position):
    # Charge density on the grid, linear weights.
    left = position.astype(int)
    right_share = position - left
    density = np.bincount(left % cells, 1 - right_share, cells) + np.bincount((left + 1) % cells, right_share, cells)
    return density * cells / particles - 1


def field(density):
    # Poisson's equation by several damped sweeps from the spectral solution.
    wave = 2 * np.pi * np.fft.rfftfreq(cells)
    wave[0] = 1
    electric = density
    for _ in range(8):
        electric = np.fft.irfft(-1j * np.fft.rfft(density) / wave * np.exp(-wave ** 2), cells)
    return electric


def push(position, velocity, electric, dt):
    left = position.astype(int)
    right_share = position - left
    force = electric[left % cells] * (1 - right_share) + electric[(left + 1) % cells] * right_share
    velocity = velocity + dt * force
    return (position + dt * velocity) % cells, velocity


def distribution(velocity):
    counts, _ = np.histogram(velocity, bins=64, range=(-4, 4))
    return counts / counts.sum()""",
            """energies, shapes = [], []
for step in range(4500):
    density = deposit(position)
    electric = field(density)
    position, velocity = push(position, velocity, electric, 0.05)
    shapes.append(distribution(velocity))
    energies.append((electric ** 2).sum() + (velocity ** 2).mean())""",
            """shapes = np.array(shapes)
print(f"energy from {min(energies):.4f} to {max(energies):.4f}")
print(f"change of the distribution {np.abs(shapes[-1] - shapes[0]).sum():.4f}")"""],
        "ranks": 0,
        "environment": {},
        "files": {},
    },
]
