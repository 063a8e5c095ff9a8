"""Notebooks with a planted cause, suite B: life sciences, texts, economics, images, graphs.

Each one has one performance problem that dominates it, or none (cause None). The line above a dict tells what was
measured with its cells run as a script on 2 cores, which others used too: so seconds are processor time (children's
included) if no other is named, and shares are of the wall time, from cProfile or the times of cells.
"""
# Where a new page takes 14 us, as in some virtual machines, fresh arrays slow two healthy ones down (by four times):
# `report` says so, rightly. What it advises makes them healthy there, too.
KEEP = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "1073741824"}

NOTEBOOKS = []

# ---- import ----------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 2.4 s, the cell with the import 99 % (module bodies of alignkit.triplets 69 %, neighbours 31 %).
    {"name": "import-scoring-tables",
     "cause": "import",
     "cell": 1,
     "cells": ["""\
import random

import alignkit
""", """\
rng = random.Random(11)
PEPTIDES = ["".join(rng.choices(alignkit.RESIDUES, k=12)) for _ in range(200)]
print(PEPTIDES[:3])
""", """\
def self_score(peptide):
    return sum(alignkit.TRIPLETS[peptide[i:i + 3]] for i in range(len(peptide) - 2))


scores = sorted((self_score(peptide), peptide) for peptide in PEPTIDES)
for score, peptide in scores[-5:]:
    print(f"{score:6d}  {peptide}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {"alignkit/__init__.py": '''\
"""Scores of short peptides."""
from alignkit.residues import RESIDUES
from alignkit.neighbours import NEIGHBOURS
from alignkit.triplets import TRIPLETS

__all__ = ["NEIGHBOURS", "RESIDUES", "TRIPLETS"]
''', "alignkit/residues.py": '''\
"""Residues, with hydropathy times ten."""
HYDROPATHY = {"A": 18, "R": -45, "N": -35, "D": -35, "C": 25, "Q": -35, "E": -35, "G": -4, "H": -32, "I": 45,
              "L": 38, "K": -39, "M": 19, "F": 28, "P": -16, "S": -8, "T": -7, "W": -9, "Y": -13, "V": 42}
RESIDUES = "".join(HYDROPATHY)
PAIRS = {a + b: 50 - abs(HYDROPATHY[a] - HYDROPATHY[b]) for a in RESIDUES for b in RESIDUES}
''', "alignkit/triplets.py": '''\
"""The score of each triplet against itself and all that differ in one place."""
import itertools

from alignkit.residues import PAIRS, RESIDUES

TRIPLETS = {}
for a, b, c in itertools.product(RESIDUES, repeat=3):
    best = 0
    for x in RESIDUES:
        for y in RESIDUES:
            for weight in (1, 2):
                score = weight * PAIRS[a + x] + PAIRS[b + y] + PAIRS[c + x]
                if score > best:
                    best = score
    TRIPLETS[a + b + c] = best
''', "alignkit/neighbours.py": '''\
"""Words of three residues within a distance."""
from alignkit.residues import PAIRS, RESIDUES

NEIGHBOURS = {}
for a in RESIDUES:
    for b in RESIDUES:
        near = []
        for x in RESIDUES:
            for y in RESIDUES:
                for z in RESIDUES:
                    if PAIRS[a + x] + PAIRS[b + y] + PAIRS[a + z] > 120:
                        near.append(x + y + z)
        NEIGHBOURS[a + b] = near
'''}},
]

NOTEBOOKS += [
    # 0.7 s, wall 0.7 s, the cell with the import 98 %.
    {"name": "import-household-table",
     "cause": "import",
     "cell": 1,
     "cells": ["""\
import pandas as pd
""", """\
households = pd.DataFrame({
    "region": ["north", "south", "east", "west", "north", "south"],
    "income": [31500, 28400, 40200, 36100, 29900, 33300],
    "persons": [2, 4, 1, 3, 5, 2],
})
households["per_person"] = households["income"] / households["persons"]
""", """\
print(households.to_string(index=False))
print(households["per_person"].median())
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 1.9 s, the cell with the import 99 % (module bodies of english, french and german a third each).
    {"name": "import-language-profiles",
     "cause": "import",
     "cell": 2,
     "cells": ["""\
SENTENCES = ["the cat sat on the mat and looked at the moon",
             "der hund lief durch den wald und sah den mond",
             "le chat dort sur le lit et regarde la lune"]
""", """\
import langprofile
from langprofile.guess import guess
""", """\
for sentence in SENTENCES:
    print(guess(sentence), "-", sentence)
print(len(langprofile.BIGRAMS), "pairs of letters known")
"""],
     "ranks": 0,
     "environment": {},
     "files": {"langprofile/__init__.py": '''\
"""Profiles of languages: how often pairs of letters occur."""
from langprofile import english, french, german

PROFILES = {"en": english.PROFILE, "fr": french.PROFILE, "de": german.PROFILE}
BIGRAMS = sorted(set().union(*PROFILES.values()))
''', "langprofile/guess.py": '''\
"""Which language a sentence is in."""
from langprofile import PROFILES


def guess(sentence):
    def likeness(language):
        profile = PROFILES[language]
        return sum(profile.get(sentence[i:i + 2], 0) for i in range(len(sentence) - 1))
    return max(PROFILES, key=likeness)
''', **{f"langprofile/{name}.py": f'''\
"""The profile, from words and their ranks (Zipf's law)."""
WORDS = "{words}".split()
PROFILE = {{}}
for rank in range(1, 220001):
    word = WORDS[rank % len(WORDS)]
    weight = 1 / rank
    for i in range(len(word) - 1):
        for repeat in range(4):
            pair = word[i:i + 2]
            PROFILE[pair] = PROFILE.get(pair, 0) + weight / (repeat + 1)
total = sum(PROFILE.values())
PROFILE = {{pair: value / total for pair, value in PROFILE.items()}}
''' for name, words in (("english", "the and that have with this from they which their would there thought through"),
                        ("french", "les des une dans pour que qui avec vous nous tout mais leurs regarde"),
                        ("german", "der die und das nicht mit sich auf durch einen werden sah schon noch"))}}},
]

# ---- python-loop -----------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 2.1 s, gc_windows 98 %, and it calls nothing but range and append.
    {"name": "loop-gc-skew",
     "cause": "python-loop",
     "cell": 3,
     "cells": ["""\
import random

rng = random.Random(5)
BASES = b"A" * 78 + b"C" * 52 + b"G" * 53 + b"T" * 73
GENOME = rng.randbytes(650_000).translate(BASES).decode()
print(len(GENOME), "bases")
""", """\
WINDOW, STEP = 2_000, 25


def gc_windows(genome):
    shares = []
    for start in range(0, len(genome) - WINDOW, STEP):
        hits = 0
        for position in range(start, start + WINDOW):
            base = genome[position]
            if base == "G" or base == "C":
                hits += 1
        shares.append(hits / WINDOW)
    return shares
""", """\
shares = gc_windows(GENOME)
""", """\
print(f"GC content {min(shares):.3f} to {max(shares):.3f}, mean {sum(shares) / len(shares):.4f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 1.8 s, blur 91 to 94 %.
    {"name": "loop-image-blur",
     "cause": "python-loop",
     "cell": 3,
     "cells": ["""\
import numpy as np

rng = np.random.default_rng(3)
HEIGHT, WIDTH = 720, 960
image = rng.integers(0, 256, (HEIGHT, WIDTH)).astype(float)
image[100:300, 200:400] += 80
""", """\
def blur(picture):
    height, width = picture.shape
    result = picture.copy()
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            total = 0.0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    total += picture[y + dy, x + dx]
            result[y, x] = total / 9
    return result
""", """\
smooth = blur(blur(image))
""", """\
edges = np.abs(np.diff(smooth, axis=1)) > 12
print("edge pixels:", int(edges.sum()), "mean brightness:", round(float(smooth.mean()), 2))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 2.2 s, gini 95 %.
    {"name": "loop-gini-incomes",
     "cause": "python-loop",
     "cell": 3,
     "cells": ["""\
import numpy as np

rng = np.random.default_rng(17)
PERSONS = 6_500
incomes = rng.lognormal(10.2, 0.7, PERSONS).round(2).tolist()
""", """\
def gini(values):
    difference = 0.0
    for one in values:
        for other in values:
            if one > other:
                difference += one - other
            else:
                difference += other - one
    return difference / (2 * len(values) ** 2 * (sum(values) / len(values)))
""", """\
before = gini(incomes)
after = gini([income - 0.35 * max(0.0, income - 12_000) for income in incomes])
""", """\
print(f"Gini coefficient before tax {before:.4f}, after tax {after:.4f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- gil -------------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 2.4 s, wall 2.6 s, the cell with 4 threads 95 %; without threads 2.0 s, wall 2.0 s.
    {"name": "gil-kmer-spectra",
     "cause": "gil",
     "cell": 3,
     "cells": ["""\
import random
from concurrent.futures import ThreadPoolExecutor

rng = random.Random(23)
BASES = b"ACGT" * 64
CONTIGS = [rng.randbytes(1_800_000).translate(BASES).decode() for _ in range(4)]
K = 6
""", """\
def spectrum(contig):
    counts = {}
    for i in range(len(contig) - K + 1):
        word = contig[i:i + K]
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def entropy_like(counts):
    total = sum(counts.values())
    return 1 - sum((count / total) ** 2 for count in counts.values())
""", """\
with ThreadPoolExecutor(max_workers=4) as pool:
    spectra = list(pool.map(spectrum, CONTIGS * 2))
""", """\
for number, counts in enumerate(spectra[:len(CONTIGS)]):
    print(f"contig {number}: {len(counts)} words, diversity {entropy_like(counts):.6f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 2.3 s, wall 2.4 s, the cell with 6 threads 99 %; with one thread 2.2 s.
    {"name": "gil-edit-distances",
     "cause": "gil",
     "cell": 3,
     "cells": ["""\
import concurrent.futures
import random

rng = random.Random(31)
LETTERS = "abcdefghijklmnoprstuvw"
TITLES = ["".join(rng.choices(LETTERS, k=rng.randint(220, 260))) for _ in range(18)]
""", """\
def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            best = corner if x == y else corner + 1
            corner = row[j]
            if corner + 1 < best:
                best = corner + 1
            if row[j - 1] + 1 < best:
                best = row[j - 1] + 1
            row[j] = best
    return row[-1]
""", """\
pairs = [(i, j) for i in range(len(TITLES)) for j in range(i)] * 3
with concurrent.futures.ThreadPoolExecutor(6, thread_name_prefix="compare") as pool:
    jobs = {pool.submit(distance, TITLES[i], TITLES[j]): (i, j) for i, j in pairs}
    found = {jobs[job]: job.result() for job in concurrent.futures.as_completed(jobs)}
""", """\
closest = min(found, key=found.get)
print("closest titles:", closest, "with", found[closest], "changes")
print("mean distance:", round(sum(found.values()) / len(found), 2))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- small-io --------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 2.8 s, open and close 84 % (160,000 of each), the cell 98 %.
    {"name": "small-io-request-log",
     "cause": "small-io",
     "cell": 3,
     "cells": ["""\
import random

rng = random.Random(41)
STATUS = rng.choices(["200", "304", "404", "500"], weights=(80, 10, 8, 2), k=160_000)
HOSTS = [f"10.0.{rng.randrange(4)}.{rng.randrange(250)}" for _ in range(300)]
""", """\
def split_log(hosts, statuses):
    for number, status in enumerate(statuses):
        host = hosts[number % len(hosts)]
        with open(f"status-{status}.log", "ab") as log:
            log.write(f"{number} {host} GET /page/{number % 97} {status}\\n".encode())
""", """\
split_log(HOSTS, STATUS)
""", """\
import collections
import glob

for name in sorted(glob.glob("status-*.log")):
    with open(name, encoding="utf-8") as log:
        hosts = collections.Counter(line.split(" ", 2)[1] for line in log)
    print(name, sum(hosts.values()), "requests, most from", hosts.most_common(1)[0])
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 2.9 s, os.pread of one byte 76 % (1,500,000 times), the cell 99 %.
    {"name": "small-io-read-genome-index",
     "cause": "small-io",
     "cell": 3,
     "cells": ["""\
import os
import random

rng = random.Random(43)
READS, WIDTH = 150_000, 64
with open("reads.bin", "wb") as store:
    for _ in range(READS // 1000):
        store.write(bytes(rng.choices(b"ACGT", k=1000)) * WIDTH)
""", """\
def first_bases(path, reads):
    counts = dict.fromkeys(b"ACGT", 0)
    handle = os.open(path, os.O_RDONLY)
    try:
        for number in range(reads):
            for shift in range(0, 40, 4):
                counts[os.pread(handle, 1, number * WIDTH + shift)[0]] += 1
    finally:
        os.close(handle)
    return counts
""", """\
counts = first_bases("reads.bin", READS)
""", """\
total = sum(counts.values())
for base, count in counts.items():
    print(chr(base), f"{count / total:.4f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 1.7 s, open and close 79 % (60,000 of each), both cells 99 %.
    {"name": "small-io-survey-answers",
     "cause": "small-io",
     "cell": None,
     "cells": ["""\
import os
import random

rng = random.Random(47)
PERSONS, DISTRICTS = 45_000, 900
os.makedirs("answers", exist_ok=True)
choices = rng.choices("12345", k=3 * PERSONS)
""", """\
for person in range(PERSONS):
    answers = choices[3 * person:3 * person + 3]
    with open(f"answers/district-{person % DISTRICTS:03d}.csv", "a", encoding="ascii") as sheet:
        sheet.write(f"{person},{','.join(answers)}\\n")
""", """\
def answers_of(person):
    with open(f"answers/district-{person % DISTRICTS:03d}.csv", "rb", buffering=256) as sheet:
        for line in sheet:
            if line.startswith(b"%d," % person):
                return line.decode().rstrip().split(",")
    return None


table = [answers_of(person) for person in range(0, PERSONS, 3)]
""", """\
scores = [int(row[1]) + int(row[2]) + int(row[3]) for row in table]
print(len(table), "answers, mean score", round(sum(scores) / len(scores), 3))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- sync-io ---------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # os.fsync 99 % of the wall time (2,520 times, 0.5 to 3 ms each).
    {"name": "sync-io-epidemic-journal",
     "cause": "sync-io",
     "cell": 3,
     "cells": ["""\
import os

BETA, GAMMA, DAYS = 0.31, 0.12, 420
""", """\
def outbreak(days, journal, susceptible=0.999, infected=0.001):
    for step in range(days * 6):
        new, well = BETA * susceptible * infected / 6, GAMMA * infected / 6
        susceptible, infected = susceptible - new, infected + new - well
        os.write(journal, f"{step},{susceptible:.8f},{infected:.8f}\\n".encode())
        os.fsync(journal)
    return infected
""", """\
journal = os.open("outbreak.csv", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
left = outbreak(DAYS, journal)
os.close(journal)
""", """\
with open("outbreak.csv", encoding="ascii") as table:
    peak = max(float(line.rsplit(",", 1)[1]) for line in table)
print(f"peak {peak:.4f}, infected at the end {left:.6f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # os.fsync 96 % of the wall time (2,500 times, 0.6 to 4 ms each).
    {"name": "sync-io-county-checkpoints",
     "cause": "sync-io",
     "cell": 3,
     "cells": ["""\
import json
import os
import random

rng = random.Random(53)
COUNTIES = {f"county-{i:03d}": [1500 + i + 400 * rng.random() for _ in range(60)] for i in range(2_500)}
""", """\
def checkpoint(state, target):
    target.seek(0)
    json.dump(state, target)
    target.truncate()
    target.flush()
    os.fsync(target.fileno())
""", """\
with open("state.json", "w", encoding="utf-8") as target:
    for number, (county, rents) in enumerate(COUNTIES.items()):
        rents.sort()
        checkpoint({"county": county, "median": rents[len(rents) // 2], "number": number}, target)
""", """\
with open("state.json", encoding="utf-8") as saved:
    print(json.load(saved))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- load-imbalance --------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # rank 1 computes 5.0 times as long as rank 0, which is in allreduce for 80 % of the cell.
    {"name": "imbalance-protein-lengths",
     "cause": "load-imbalance",
     "cell": 3,
     "cells": ["""\
from mpi4py import MPI
import numpy as np

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
rng = np.random.default_rng(61)
lengths = np.sort(rng.gamma(0.7, 2_400, 36).astype(int) + 120)
proteins = [rng.integers(0, 20, length) for length in lengths]
query = rng.integers(0, 20, 4_000)
""", """\
def best_overlap(protein):
    best = 0.0
    for part in np.array_split(protein, len(protein) // 50):
        scores = np.where(part[:, None] == query[None, :], 5.0, -4.0)
        for shift in range(1, 4):
            scores[:, shift:] += 0.5 * scores[:, :-shift]
            np.maximum(scores, -4.0 - shift, out=scores)
        best = max(best, float(scores.max()))
    return best


per_rank = len(proteins) // size
mine = proteins[rank * per_rank:(rank + 1) * per_rank]
""", """\
best = max(best_overlap(protein) for protein in mine)
overall = world.allreduce(best, op=MPI.MAX)
""", """\
if rank == 0:
    print(f"best score {overall:.2f} among {len(proteins)} proteins")
"""],
     "ranks": 2,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # rank 1 computes 9 times as long as rank 0, which is in Allreduce for 89 % of the cell.
    {"name": "imbalance-image-regions",
     "cause": "load-imbalance",
     "cell": 3,
     "cells": ["""\
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
me = comm.Get_rank()
rng = np.random.default_rng(67)
scene = rng.random((768, 768)) * np.linspace(0, 1, 768)[:, None]
STEPS = 40
""", """\
def denoise(region, rounds):
    for _ in range(rounds):
        region = 0.5 * region + 0.125 * (np.roll(region, 1, 0) + np.roll(region, -1, 0)
                                         + np.roll(region, 1, 1) + np.roll(region, -1, 1))
    return region


# Brighter regions have more noise to take away.
region = np.array_split(scene, comm.Get_size())[me]
rounds = int(36 * region.mean() ** 1.5) + 1
""", """\
total = np.zeros(1)
for step in range(STEPS):
    region = denoise(region, rounds)
    comm.Allreduce(np.array([region.sum()]), total)
""", """\
shares = comm.gather(round(float(region.sum()), 1))
if me == 0:
    print("brightness", round(float(total[0]), 1), "by regions", shares)
"""],
     "ranks": 2,
     "environment": {},
     "files": {}},
]

# ---- serial-rank -----------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # rank 1 is in Bcast for 99 % of the cell, which is 87 % of the run.
    {"name": "serial-rank-road-distances",
     "cause": "serial-rank",
     "cell": 2,
     "cells": ["""\
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
TOWNS, DEPOTS = 1_100, 24
""", """\
def road_network(towns):
    rng = np.random.default_rng(71)
    roads = np.full((towns, towns), np.inf)
    for town in range(towns):
        near = rng.integers(0, towns, 5)
        roads[town, near] = roads[near, town] = rng.uniform(2, 30, 5)
    np.fill_diagonal(roads, 0)
    return roads


distances = np.empty((TOWNS, TOWNS))
if world.rank == 0:
    distances = road_network(TOWNS)
    for over in range(TOWNS):
        np.minimum(distances, distances[:, over, None] + distances[over], out=distances)
world.Bcast(distances)
""", """\
rng = np.random.default_rng(73 + world.rank)
plans = [rng.choice(TOWNS, DEPOTS, replace=False) for _ in range(40)]
costs = [float(distances[plan].min(axis=0).mean()) for plan in plans]
best = world.allreduce(min(costs), op=MPI.MIN)
""", """\
if world.rank == 0:
    print(f"{DEPOTS} depots, mean way {best:.2f} km")
"""],
     "ranks": 2,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # rank 1 is in scatter for 99 % of the cell, which is 92 % of the run.
    {"name": "serial-rank-word-table",
     "cause": "serial-rank",
     "cell": 3,
     "cells": ["""\
import collections
import random
import re

from mpi4py import MPI

comm = MPI.COMM_WORLD
""", """\
def corpus(words=420_000):
    rng = random.Random(79)
    stems = ["".join(rng.choices("aeioulnrst", k=rng.randint(3, 9))) for _ in range(9_000)]
    weights = [1 / (i + 8) for i in range(len(stems))]
    return " ".join(rng.choices(stems, weights, k=words))


text = corpus() if comm.rank == 0 else None
""", """\
shares = None
if comm.rank == 0:
    words = collections.Counter(re.findall(r"[a-z]{4,}", text * 5))
    endings = collections.Counter(re.findall(r"(?:[aeiou][lnrst]+|[lnrst][aeiou]+)\\b", text * 2))
    table = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    shares = [(table[i::comm.size], dict(endings)) for i in range(comm.size)]
mine, endings = comm.scatter(shares)
""", """\
frequent = [word for word, count in mine if count > 300]
total = comm.reduce(len(frequent))
if comm.rank == 0:
    print(total, "frequent words,", len(endings), "endings")
"""],
     "ranks": 2,
     "environment": {},
     "files": {}},
]

# ---- small-messages --------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 350,001 messages; recv 90 %, send 95 % of the cell, which is 80 % of rank 1's run and 62 % of rank 0's.
    {"name": "small-messages-road-edges",
     "cause": "small-messages",
     "cell": 3,
     "cells": ["""\
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
""", """\
def make_edges(number):
    rng = np.random.default_rng(83)
    starts, ends = rng.integers(0, 20_000, (2, number)).tolist()
    return list(zip(starts, ends, rng.integers(1, 90, number).tolist()))


edges = make_edges(350_000) if comm.rank == 0 else []
""", """\
if comm.rank == 0:
    for edge in edges:
        comm.send(edge, dest=1)
    comm.send(None, dest=1)
else:
    while True:
        edge = comm.recv(source=0)
        if edge is None:
            break
        edges.append(edge)
""", """\
half = sum(length for one, other, length in edges if one % comm.size == comm.rank)
total = comm.reduce(half)
if comm.rank == 0:
    print(len(edges), "roads, length", total)
"""],
     "ranks": 2,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 300,000 Sendrecv of one number, 93 % of the cell, which is 81 % of the run.
    {"name": "small-messages-commuters",
     "cause": "small-messages",
     "cell": 3,
     "cells": ["""\
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
DISTRICTS, DAYS = 2_500, 120
rng = np.random.default_rng(89 + comm.rank)
infected = rng.random(DISTRICTS) * 0.01
""", """\
def exchange(mine):
    other = np.empty_like(mine)
    partner = 1 - comm.rank
    for district in range(DISTRICTS):
        comm.Sendrecv(mine[district:district + 1], partner, recvbuf=other[district:district + 1], source=partner)
    return other
""", """\
for day in range(DAYS):
    commuters = exchange(infected)
    infected += 0.22 * infected * (1 - infected) - 0.1 * infected + 0.02 * (commuters - infected)
""", """\
mean = comm.allreduce(float(infected.mean())) / comm.size
if comm.rank == 0:
    print(f"infected after {DAYS} days: {mean:.5f}")
"""],
     "ranks": 2,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 114,000 allreduce of one number, 90 % of the cell, which is 86 % of the run.
    {"name": "small-messages-word-totals",
     "cause": "small-messages",
     "cell": 3,
     "cells": ["""\
import collections
import random

from mpi4py import MPI

comm = MPI.COMM_WORLD
VOCABULARY = [f"w{i:05d}" for i in range(60_000)]
""", """\
rng = random.Random(97 + comm.rank)
counts = collections.Counter(rng.choices(VOCABULARY, k=120_000))
""", """\
totals = {}
for word in VOCABULARY:
    totals[word] = comm.allreduce(counts[word])
    if totals[word] > 1:
        totals[word] = max(totals[word], comm.allreduce(counts[word], op=MPI.MAX))
""", """\
if comm.rank == 0:
    frequent = sorted(totals, key=totals.get, reverse=True)[:5]
    print([(word, totals[word]) for word in frequent], sum(totals.values()))
"""],
     "ranks": 2,
     "environment": {},
     "files": {}},
]

# ---- oversubscription ------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 4.7 s in 20 processes at once on 2 cores, the cell 96 %; as fast with 2 at a time.
    {"name": "oversubscription-tile-workers",
     "cause": "oversubscription",
     "cell": 3,
     "cells": ["""\
import multiprocessing

import numpy as np

TILES = 20
""", """\
def soften(first, last, results):
    rng = np.random.default_rng(101 + first)
    image = rng.random((last - first + 60, 130))
    for _ in range(2_200):
        mean = 0.25 * (np.roll(image, 1, 0) + np.roll(image, -1, 0) + np.roll(image, 1, 1) + np.roll(image, -1, 1))
        image = np.clip(image + 0.6 * (mean - image), 0, 1)
    results.put((first, float(image.std())))
""", """\
results = multiprocessing.SimpleQueue()
workers = [multiprocessing.Process(target=soften, args=(tile * 60, tile * 60 + 60, results)) for tile in range(TILES)]
for worker in workers:
    worker.start()
contrast = dict(results.get() for _ in workers)
for worker in workers:
    worker.join()
""", """\
for first in sorted(contrast)[:4]:
    print(f"rows from {first:4d}: contrast {contrast[first]:.4f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 5.8 s in 24 threads on 2 cores, the cell 98 %; 5.4 s with 2 threads.
    {"name": "oversubscription-archive-threads",
     "cause": "oversubscription",
     "cell": 3,
     "cells": ["""\
import random
import zlib
from concurrent.futures import ThreadPoolExecutor

rng = random.Random(103)
READS = [bytes(rng.choices(b"ACGT", k=50_000)) * 3 + bytes(rng.choices(b"ACGTN", k=90_000)) for _ in range(8)]
THREADS = 24
""", """\
def archive(number):
    packer = zlib.compressobj(6)
    size = 0
    for reads in READS[number % 8:] + READS[:number % 8]:
        size += len(packer.compress(reads)) + len(packer.flush(zlib.Z_FULL_FLUSH))
    return size
""", """\
with ThreadPoolExecutor(THREADS) as pool:
    sizes = list(pool.map(archive, range(THREADS)))
""", """\
print(f"{len(sizes)} archives, {sum(sizes) / 1e6:.1f} MB, raw {len(READS) * len(READS[0]) * THREADS / 1e6:.1f} MB")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 2.5 s in each of 2 ranks, 10 threads each on 2 cores, the cell 85 %.
    {"name": "oversubscription-rank-threads",
     "cause": "oversubscription",
     "cell": 3,
     "cells": ["""\
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
THREADS = int(os.environ["OMP_NUM_THREADS"])
SAMPLES = 80
""", """\
def simulate(seed):
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10.0, 0.8, 120_000)
    for _ in range(12):
        income *= rng.normal(1.02, 0.04, income.size)
    return np.quantile(income, [0.1, 0.5, 0.9])
""", """\
with ThreadPoolExecutor(THREADS) as pool:
    quantiles = np.array(list(pool.map(simulate, range(comm.rank * SAMPLES, (comm.rank + 1) * SAMPLES))))
""", """\
sums = comm.reduce(quantiles.sum(axis=0))
if comm.rank == 0:
    print("income at 10, 50 and 90 percent:", (sums / SAMPLES / comm.size).round())
"""],
     "ranks": 2,
     "environment": {"OMP_NUM_THREADS": "10"},
     "files": {}},
]

# ---- leak ------------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # resident after the cells: 42, 86, 140, 183, 226, 269, 313, 356 MB; 88 % of it are kept results.
    {"name": "leak-image-versions",
     "cause": "leak",
     "cell": None,
     "cells": ["""\
import functools

import numpy as np

rng = np.random.default_rng(107)
image = rng.random((1500, 1800), dtype=np.float32)
""", """\
@functools.lru_cache(maxsize=None)
def filtered(gain, rounds):
    layers = np.empty((4, *image.shape), np.float32)
    picture, change = layers[0], layers[1]
    picture[:] = image
    for _ in range(rounds):
        np.subtract(picture, 0.5, out=change)
        change *= picture
        change *= gain / 12
        picture += change
        np.clip(picture, 0, 1, out=picture)
    np.sqrt(picture, out=layers[1])
    np.power(picture, 1.7, out=layers[2])
    np.subtract(1, picture, out=layers[3])
    return layers


print("contrast 0.1:", filtered(0.1, 48)[0].std())
""", """\
print("contrast 0.2:", filtered(0.2, 48)[0].std())
""", """\
print("contrast 0.3:", filtered(0.3, 48)[0].std())
""", """\
print("contrast 0.4:", filtered(0.4, 48)[0].std())
""", """\
print("contrast 0.5:", filtered(0.5, 48)[0].std())
""", """\
print("contrast 0.6:", filtered(0.6, 48)[0].std())
""", """\
print("contrast 0.7:", filtered(0.7, 48)[0].std())
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # resident after the cells: 64 (imports), 104, 205, 234, 263, 291, 320, 349, 378 MB.
    {"name": "leak-survey-waves",
     "cause": "leak",
     "cell": None,
     "cells": ["""\
import numpy as np
import pandas as pd


class Wave:
    known = []

    def __init__(self, year, persons=600_000):
        rng = np.random.default_rng(year)
        self.year = year
        self.table = pd.DataFrame({"age": rng.integers(18, 90, persons), "income": rng.gamma(2.0, 14_000.0, persons),
                                   "region": rng.integers(0, 16, persons), "weight": rng.random(persons),
                                   "rent": rng.gamma(3.0, 250.0, persons), "hours": rng.normal(36, 6, persons)})
        Wave.known.append(self)

    def mean_income(self):
        rng, means = np.random.default_rng(self.year), []
        income, weight = self.table["income"].to_numpy(), self.table["weight"].to_numpy()
        draw = np.empty(len(income))
        for _ in range(60):
            rng.random(out=draw)
            draw *= weight
            means.append(np.dot(draw, income) / draw.sum())
        return float(np.mean(means))
""", """\
wave = Wave(2016)
print(wave.year, round(wave.mean_income()))
""", """\
wave = Wave(2017)
print(wave.year, round(wave.mean_income()))
""", """\
wave = Wave(2018)
print(wave.year, round(wave.mean_income()))
""", """\
wave = Wave(2019)
print(wave.year, round(wave.mean_income()))
""", """\
wave = Wave(2020)
print(wave.year, round(wave.mean_income()))
""", """\
wave = Wave(2021)
print(wave.year, round(wave.mean_income()))
""", """\
wave = Wave(2022)
print(wave.year, round(wave.mean_income()))
""", """\
wave = Wave(2023)
print(wave.year, round(wave.mean_income()))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- waiting ---------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 0.1 s of its own, waits 99 % of the wall time for a child that computes 2.6 s.
    {"name": "waiting-external-aligner",
     "cause": "waiting",
     "cell": 2,
     "cells": ["""\
import random
import subprocess
import sys

rng = random.Random(109)
with open("reads.fa", "w", encoding="ascii") as fasta:
    for number in range(1_100):
        fasta.write(f">read{number}\\n{''.join(rng.choices('ACGT', k=90))}\\n")
""", """\
finished = subprocess.run([sys.executable, "aligner.py", "reads.fa"], stdout=subprocess.PIPE, encoding="ascii",
                          check=True)
""", """\
rows = [line.split("\\t") for line in finished.stdout.splitlines()]
lengths = sorted(int(row[1]) for row in rows)
print(len(rows), "reads aligned, median score", lengths[len(lengths) // 2])
"""],
     "ranks": 0,
     "environment": {},
     "files": {"aligner.py": '''\
"""Scores of reads against a reference, one line for each."""
import sys

REFERENCE = "ACGTTGCAAGCTTAGGCTAACGTTAGCCATGACCGTA"

with open(sys.argv[1], encoding="ascii") as fasta:
    reads = [line.rstrip() for line in fasta if not line.startswith(">")]
for number, read in enumerate(reads):
    best = 0
    row = [0] * (len(REFERENCE) + 1)
    for base in read * 2:
        corner = 0
        for i, other in enumerate(REFERENCE, 1):
            score = max(0, corner + (2 if base == other else -1), row[i] - 2, row[i - 1] - 2)
            corner, row[i] = row[i], score
            best = max(best, score)
    print(f"read{number}\\t{best}")
'''}},
]

NOTEBOOKS += [
    # 0.1 s, wall 2.9 s, waits 99 % of it in Queue.get.
    {"name": "waiting-sensor-queue",
     "cause": "waiting",
     "cell": 3,
     "cells": ["""\
import queue
import statistics
import threading

FRAMES = queue.Queue(maxsize=4)
ready = threading.Event()
""", """\
def camera(frames, number):
    for frame in range(number):
        ready.wait(0.16)
        frames.put([(frame * 31 + pixel * 17) % 251 for pixel in range(4_000)])
    frames.put(None)


threading.Thread(target=camera, args=(FRAMES, 18), daemon=True).start()
""", """\
brightness = []
while (frame := FRAMES.get()) is not None:
    brightness.append(statistics.fmean(frame))
""", """\
print(len(brightness), "frames, brightness", round(min(brightness), 3), "to", round(max(brightness), 3))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 0.1 s, wall 2.4 s, waits 99 % of it in the socket's recv_into.
    {"name": "waiting-route-service",
     "cause": "waiting",
     "cell": 3,
     "cells": ["""\
import json
import select
import socket
import threading

TOWNS = ["Aachen", "Bonn", "Celle", "Dresden", "Essen", "Fulda", "Gera", "Halle", "Ilmenau", "Jena"]
""", """\
def serve(peer):
    pause, _ = socket.socketpair()
    with peer, peer.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            start, end = json.loads(line)
            select.select([pause], [], [], 0.24)
            print(json.dumps({"start": start, "end": end, "km": 40 + 11 * (len(start) * len(end) % 17)}),
                  file=lines, flush=True)


def route(lines, start, end):
    print(json.dumps([start, end]), file=lines, flush=True)
    return json.loads(lines.readline())


client, server = socket.socketpair()
threading.Thread(target=serve, args=(server,), daemon=True).start()
""", """\
with client, client.makefile("rw", encoding="utf-8") as lines:
    legs = [route(lines, *leg) for leg in zip(TOWNS, TOWNS[1:] + TOWNS[:1])]
""", """\
print(" - ".join(leg["start"] for leg in legs), sum(leg["km"] for leg in legs), "km")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- process-pool ----------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # wall 3.4 s, without a pool 0.2 s: the pool is 93 %.
    {"name": "pool-sentence-lengths",
     "cause": "process-pool",
     "cell": 3,
     "cells": ["""\
import random
from concurrent.futures import ProcessPoolExecutor

rng = random.Random(113)
WORDS = ["".join(rng.choices("aeilnorst", k=rng.randint(2, 10))) for _ in range(500)]
SENTENCES = [" ".join(rng.choices(WORDS, k=rng.randint(5, 20))) for _ in range(14_000)]
""", """\
def words_in(sentence):
    return sentence.count(" ") + 1
""", """\
with ProcessPoolExecutor(2) as pool:
    lengths = list(pool.map(words_in, SENTENCES))
""", """\
print("sentences:", len(lengths), "words:", sum(lengths), "longest:", max(lengths))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # wall 2.1 s, without a pool 0.7 s: the pool is 68 % (of the cell 90 %).
    {"name": "pool-image-shares",
     "cause": "process-pool",
     "cell": 3,
     "cells": ["""\
import multiprocessing

import numpy as np

rng = np.random.default_rng(127)
SLICES = [rng.random((100, 125)) for _ in range(400)]
""", """\
def dark_share(picture, threshold):
    return float((picture[::10] < threshold).mean())
""", """\
shares = []
with multiprocessing.Pool(2) as pool:
    for threshold in (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9):
        jobs = [pool.apply_async(dark_share, (part, threshold)) for part in SLICES]
        shares.append(sum(job.get() for job in jobs) / len(jobs))
""", """\
print([round(share, 4) for share in shares])
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- measurement-overhead --------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # cell of 1.3 s with 36,500,000 calls, 7.3 s below cProfile: 5.5 times, the cell 81 %.
    {"name": "overhead-road-components",
     "cause": "measurement-overhead",
     "cell": 3,
     "cells": ["""\
import numpy as np

rng = np.random.default_rng(131)
CROSSINGS, ISLAND = 6_000, 30
starts = rng.integers(0, CROSSINGS, 300_000)
roads = list(zip(starts.tolist(), (starts // ISLAND * ISLAND + rng.integers(0, ISLAND, len(starts))).tolist()))
""", """\
def above(crossing):
    return parents[crossing]


def root(crossing):
    while (upper := above(crossing)) != crossing:
        crossing = upper
    return crossing


def connected(one, other):
    return root(one) == root(other)
""", """\
islands = []
for closed in range(16):
    parents = list(range(CROSSINGS))
    for one, other in roads[closed::2]:
        if not connected(one, other):
            parents[root(one)] = root(other)
    islands.append(sum(map(int.__eq__, parents, range(CROSSINGS))))
""", """\
print(islands, "parts of the road network are not connected")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # cell of 1.7 s with 40,000,000 calls, 7.3 s below cProfile: 4.2 times, the cell 99 %.
    {"name": "overhead-strand-folds",
     "cause": "measurement-overhead",
     "cell": 3,
     "cells": ["""\
import random

rng = random.Random(137)
STRAND = rng.randbytes(1_000_000).translate(b"ACGT" * 64).decode()
PAIRED = {"A": "T", "T": "A", "C": "G", "G": "C"}
""", """\
def complement(base):
    return PAIRED[base]


def bind(base, other):
    return complement(base) == other


def stem_pairs(strand, loop):
    pairs = 0
    for base, other in zip(strand, strand[loop::-1]):
        if bind(base, other):
            pairs += 1
    return pairs
""", """\
folds = {loop: stem_pairs(STRAND, loop) for loop in range(len(STRAND) - 20, len(STRAND))}
""", """\
best = max(folds, key=folds.get)
print("best fold at", best, "with", folds[best], "pairs")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- page-faults -----------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 4.8 s with 216,000 faults, 0.6 s with one array used again: first touch is 87 %.
    {"name": "page-faults-sparse-counts",
     "cause": "page-faults",
     "cell": 3,
     "cells": ["""\
import numpy as np

K = 12
rng = np.random.default_rng(139)
reads = rng.integers(0, 4, (14, 40_000))
POWERS = 4 ** np.arange(K)
""", """\
def word_table(read):
    words = np.convolve(read, POWERS, mode="valid")
    table = np.zeros(4 ** K, dtype=np.float32)
    table[words] = 1
    return words, table


def repeats(read):
    words, table = word_table(read)
    return len(words) - int(table[np.unique(words)].sum())
""", """\
found = [repeats(read) for read in reads]
""", """\
print("words that repeat:", sum(found), "at most", max(found), "in a read")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 4.1 s with 241,000 faults, 0.4 s with one bytearray used again: first touch is 91 %.
    {"name": "page-faults-video-frames",
     "cause": "page-faults",
     "cell": 3,
     "cells": ["""\
import random

rng = random.Random(149)
WIDTH, HEIGHT = 7_680, 6_400
noise = rng.randbytes(WIDTH)
""", """\
def frame(number):
    pixels = bytearray(WIDTH * HEIGHT)
    for row in range(0, WIDTH * HEIGHT, WIDTH):
        pixels[row + number:row + number + 40] = noise[:40]
        pixels[row + 4_096:row + 4_136] = noise[40:80]
    return pixels


def bright(pixels):
    return sum(pixels[WIDTH // 2 + row * WIDTH] > 127 for row in range(0, HEIGHT, 64))
""", """\
counts = [bright(frame(number)) for number in range(20)]
""", """\
print(len(counts), "frames,", sum(counts), "bright points")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- idle-cores ------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 2.6 s on one thread, lzma and bz2 91 %, the cell 96 %.
    {"name": "idle-cores-pack-genomes",
     "cause": "idle-cores",
     "cell": 2,
     "cells": ["""\
import bz2
import lzma
import random

rng = random.Random(151)
BASES = b"ACGT" * 64
GENOMES = {f"strain {name}": rng.randbytes(1_800_000).translate(BASES) for name in "ABCDEF"}
""", """\
packed = {name: len(lzma.compress(genome, preset=2)) for name, genome in GENOMES.items()}
lighter = {name: len(bz2.compress(genome)) for name, genome in GENOMES.items()}
""", """\
for name, genome in GENOMES.items():
    print(f"{name}: {8 * packed[name] / len(genome):.3f} or {8 * lighter[name] / len(genome):.3f} bits for each base")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 2.2 s on one thread, re.findall 64 to 85 %, the cell 64 to 85 %.
    {"name": "idle-cores-log-patterns",
     "cause": "idle-cores",
     "cell": 3,
     "cells": ["""\
import random
import re

rng = random.Random(157)
PARTS = ["GET /map/{}", "POST /login", "timeout after {} ms", "user {} left", "error: {} of 7 disks", "retry in {} s"]
lines = [f"2026-03-{1 + i % 28:02d} {part.format(i % 977)}" for i, part in enumerate(rng.choices(PARTS, k=400_000))]
log = "\\n".join(lines)
""", """\
PATTERNS = {"slow": r"timeout\\D+([5-9]\\d\\d) ms", "page": r"(?:GET|POST) /(\\w+)/?(\\d*[13579])\\b",
            "disk": r"error:? .*?([3-6])+ .*?disks?$", "user": r"\\w+ (\\d+[02468]) (?:left|came|stays)",
            "day": r"^(\\d+)-(\\d+)-(?:0[1-9]|1\\d|2[0-4]) (?:\\w+ )+in \\d+"}
""", """\
hits = {name: len(re.findall(pattern, log, re.MULTILINE)) for name, pattern in PATTERNS.items()}
endings = len(re.findall(r"(?:[a-z]+ ?)+\\d+(?: ms| s)?$", log, re.MULTILINE))
doubles = sum(len(re.findall(rf"^.*?{digit}.*{digit}\\D*$", log, re.MULTILINE)) for digit in (1, 4, 7))
""", """\
print(hits, endings, doubles)
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- memory-peak -----------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # peak 353 MB within the cell, 33 MB after each cell.
    {"name": "memory-peak-town-distances",
     "cause": "memory-peak",
     "cell": 3,
     "cells": ["""\
import numpy as np

rng = np.random.default_rng(163)
towns = rng.uniform(0, 800, (3_700, 2))
""", """\
def order_by_density(points, cells=40):
    index = (points // (800 / cells)).astype(int)
    counts = np.bincount(index[:, 0] * cells + index[:, 1], minlength=cells * cells)
    return np.argsort(-counts[index[:, 0] * cells + index[:, 1]], kind="stable")


ranking = np.zeros(len(towns))
for _ in range(2_500):
    ranking += order_by_density((towns + rng.normal(0, 3, towns.shape)).clip(0, 799)) / 2_500
""", """\
apart = np.sqrt(((towns[:, None, :] - towns[None, :, :]) ** 2).sum(axis=2))
np.fill_diagonal(apart, np.inf)
nearest = apart.min(axis=1)
del apart
""", """\
moves = [float(nearest[rng.permutation(len(nearest))[:500]].sum()) for _ in range(12_000)]
print(f"nearest town {nearest.mean():.3f} km away, first ranks {ranking[:3].round(1)}, sample {np.std(moves):.2f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # peak 350 MB within the cell, 39 to 63 MB after each cell.
    {"name": "memory-peak-join-survey",
     "cause": "memory-peak",
     "cell": 3,
     "cells": ["""\
import collections
import operator
import random

import numpy as np

persons = [(i, "ABCD"[i * i % 7 % 4], i % 9 + 1) for i in range(30_000)]
visits = np.random.default_rng(167).integers(0, len(persons), 2_000_000, dtype=np.uint16)
""", """\
def rough_trips(rounds=24):
    lengths = np.zeros(9)
    for _ in range(rounds):
        np.random.default_rng(rounds).shuffle(visits)
        lengths += np.bincount(visits % 9, minlength=9) / len(visits)
    return lengths / rounds


households = rough_trips()
""", """\
joined = list(zip(visits.tolist(), map(persons.__getitem__, visits.tolist())))
by_town = collections.Counter(map(operator.itemgetter(1), map(operator.itemgetter(1), joined)))
del joined
""", """\
regulars = np.bincount(np.sort(visits), minlength=len(persons))
print({town: round(count / len(visits), 4) for town, count in sorted(by_town.items())})
print(households.round(4), "most visits:", regulars.max(), random.Random(1).choice(persons))
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

# ---- healthy ---------------------------------------------------------------------------------------------------------

NOTEBOOKS += [
    # 1.7 s in each rank, imports 0.3 s, both compute as long as each other.
    {"name": "healthy-epidemic-patches",
     "cause": None,
     "cell": None,
     "cells": ["""\
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rng = np.random.default_rng(173 + comm.rank)
""", """\
def spread(s, i, days, beta=0.3, gamma=0.1):
    new = np.empty_like(s)
    for _ in range(days):
        np.multiply(s, i, out=new)
        new *= beta
        s -= new
        i *= 1 - gamma
        i += new
    return s, i


susceptible = rng.uniform(0.97, 1, 60_000)
infected = 1 - susceptible
""", """\
peak = 0.0
total = np.empty(1)
for week in range(260):
    susceptible, infected = spread(susceptible, infected, 90)
    comm.Allreduce(np.array([infected.sum()]), total)
    peak = max(peak, total[0] / comm.size / len(infected))
""", """\
left = comm.reduce(float(susceptible.mean()))
if comm.rank == 0:
    print(f"peak {peak:.4f}, never infected {left / comm.size:.4f}")
"""],
     "ranks": 2,
     "environment": {"OMP_NUM_THREADS": "1"},
     "files": {}},
]

NOTEBOOKS += [
    # 2.6 s in two threads, 93 % in numpy's ufuncs without the GIL.
    {"name": "healthy-image-spectra",
     "cause": None,
     "cell": None,
     "cells": ["""\
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

THREADS = len(os.sched_getaffinity(0))
rng = np.random.default_rng(179)
plates = [rng.random((300, 320)) for _ in range(2 * THREADS)]
""", """\
def texture(plate):
    work, grain = plate.copy(), np.empty_like(plate)
    for _ in range(1_800):
        np.power(work, 1.01, out=grain)
        np.subtract(plate, grain, out=work)
        np.abs(work, out=work)
        np.sqrt(work, out=work)
    return float(work.mean())
""", """\
with ThreadPoolExecutor(THREADS) as pool:
    textures = list(pool.map(texture, plates))
""", """\
print("texture of the plates:", [round(value, 4) for value in textures[:4]])
"""],
     "ranks": 0,
     "environment": {"OMP_NUM_THREADS": "1"},
     "files": {}},
]

NOTEBOOKS += [
    # 1.7 s; reads 120 MB four times by 1 MB, 3 % of the time, the rest is numpy.
    {"name": "healthy-genome-file",
     "cause": None,
     "cell": None,
     "cells": ["""\
import numpy as np

rng = np.random.default_rng(181)
BASES = np.frombuffer(b"ACGT", np.uint8)
piece = BASES[rng.integers(0, 4, 4_000_000, dtype=np.uint8)].tobytes()
with open("chromosome.txt", "wb") as target:
    for part in range(30):
        target.write(piece)
""", """\
def words(path, length, piece=1 << 20):
    counts, buffer = np.zeros(4 ** length, int), bytearray(piece)
    values = np.zeros(256, np.uint16)
    values[BASES] = np.arange(4)
    with open(path, "rb", buffering=0) as source:
        while size := source.readinto(buffer):
            codes = values[np.frombuffer(buffer, np.uint8, size)]
            key = codes[:size - length + 1].copy()
            for shift in range(1, length):
                key *= 4
                key += codes[shift:size - length + 1 + shift]
            counts += np.bincount(key, minlength=len(counts))
    return counts / counts.sum()
""", """\
tables = [words("chromosome.txt", length) for length in (1, 2, 3, 4)]
""", """\
for length, table in enumerate(tables, 1):
    print(f"words of {length}: {table.min():.6f} to {table.max():.6f}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 4.7 s in two processes, 0.3 s in the parent.
    {"name": "healthy-income-bootstrap",
     "cause": None,
     "cell": None,
     "cells": ["""\
import multiprocessing

import numpy as np

rng = np.random.default_rng(191)
incomes = rng.lognormal(10.3, 0.6, 40_000)
""", """\
def bootstrap(seed, rounds=400):
    own = np.random.default_rng(seed)
    medians = [np.median(incomes[own.integers(0, len(incomes), len(incomes))]) for _ in range(rounds)]
    return np.percentile(medians, [2.5, 97.5])
""", """\
with multiprocessing.Pool(2) as pool:
    bounds = pool.map(bootstrap, [1, 2, 3, 4], chunksize=2)
""", """\
low, high = np.mean(bounds, axis=0)
print(f"median income {np.median(incomes):.0f}, between {low:.0f} and {high:.0f}")
"""],
     "ranks": 0,
     "environment": KEEP,
     "files": {}},
]

NOTEBOOKS += [
    # 0.1 s, prints 11 lines.
    {"name": "healthy-codon-table",
     "cause": None,
     "cell": None,
     "cells": ["""\
import collections

SEQUENCE = "ATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAG" * 12
""", """\
def codons(sequence):
    return collections.Counter(sequence[i:i + 3] for i in range(0, len(sequence) - 2, 3))


usage = codons(SEQUENCE)
""", """\
for codon, count in sorted(usage.items()):
    print(f"{codon} {count:4d} {'#' * (count // 4)}")
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 3.3 s, pandas and numpy; three cells with 34, 12 and 50 %.
    {"name": "healthy-rent-groups",
     "cause": None,
     "cell": None,
     "cells": ["""\
import numpy as np
import pandas as pd

rng = np.random.default_rng(193)
ROWS = 1_500_000
rents = pd.DataFrame({"city": rng.integers(0, 300, ROWS), "rooms": rng.integers(1, 6, ROWS),
                      "rent": rng.gamma(4.0, 180.0, ROWS), "year": rng.integers(2010, 2026, ROWS)})
""", """\
medians = rents.groupby(["city", "rooms"])["rent"].median().unstack()
spread = rents.groupby(["year", "rooms"])["rent"].agg(["mean", "std", "median"])
""", """\
ranks = rents.sort_values(["city", "rent"]).groupby("city")["rent"].quantile([0.1, 0.9]).unstack()
ranks["ratio"] = ranks[0.9] / ranks[0.1]
""", """\
print(medians.head(3).round(1))
print(spread.tail(3).round(1))
print(ranks.nlargest(3, "ratio").round(2))
"""],
     "ranks": 0,
     "environment": KEEP,
     "files": {}},
]

NOTEBOOKS += [
    # 3.5 s in two threads, 97 % in blake2b without the GIL.
    {"name": "healthy-fingerprints",
     "cause": None,
     "cell": None,
     "cells": ["""\
import hashlib
import random
import threading

rng = random.Random(197)
DOCUMENTS = [rng.randbytes(1 << 20) for _ in range(16)]
""", """\
def fingerprint(documents, results):
    for number, text in documents:
        state = hashlib.blake2b(digest_size=16)
        for _ in range(200):
            state.update(text)
        results[number] = state.hexdigest()


numbered = list(enumerate(DOCUMENTS))
results = {}
""", """\
helper = threading.Thread(target=fingerprint, args=(numbered[1::2], results))
helper.start()
fingerprint(numbered[::2], results)
helper.join()
""", """\
print(len(set(results.values())), "different documents, the first is", results[0])
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]

NOTEBOOKS += [
    # 1.9 s, no function above 31 % (str.split 26 to 30 %, findall 15 %, textwrap 16 %).
    {"name": "healthy-text-statistics",
     "cause": None,
     "cell": None,
     "cells": ["""\
import collections
import random
import re
import textwrap


def write_text(words=260_000):
    rng = random.Random(199)
    stems = ["".join(rng.choices("aeilmnorstu", k=rng.randint(2, 11))) for _ in range(6_000)]
    return " ".join(rng.choices(stems, k=words))


text = write_text() * 5
""", """\
def frequencies(text):
    return collections.Counter(text.split()).most_common(20)


def rhymes(text):
    return collections.Counter(re.findall(r"[aeiou][^aeiou ]*(?= )", text)).most_common(5)


def lines(text):
    return textwrap.wrap(text[:3_000_000], 72)


def alphabet(text):
    return sorted(set(text.split()), key=lambda word: (word[-1], len(word), word))
""", """\
common = frequencies(text)
endings = rhymes(text)
""", """\
page = lines(text)
words = alphabet(text)
""", """\
print(common[:3], endings[:3], len(page), "lines", words[:3])
"""],
     "ranks": 0,
     "environment": {},
     "files": {}},
]
