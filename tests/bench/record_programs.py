"""Programs that `bench-record` measures: each has main(), which takes some tenths of a second."""
import json
import random
import re


def nbody(steps=6000):
    """Five bodies under gravity: arithmetic, few calls."""
    random.seed(1)
    bodies = [[random.random() for _ in range(7)] for _ in range(5)]
    pairs = [(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1:]]

    def advance(dt):
        for a, b in pairs:
            dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
            force = dt * (dx * dx + dy * dy + dz * dz + 0.01) ** -1.5
            for i, d in (3, dx), (4, dy), (5, dz):
                a[i] -= d * b[6] * force
                b[i] += d * a[6] * force
        for body in bodies:
            for i in range(3):
                body[i] += dt * body[i + 3]

    for _ in range(steps):
        advance(0.001)


class Task:
    """A task of an operating system that is simulated (richards)."""

    def __init__(self, name, next_task):
        self.name, self.next, self.queue, self.runs = name, next_task, [], 0

    def is_held(self):
        return not self.queue

    def take(self):
        return self.queue.pop()

    def give(self, packet):
        self.queue.append(packet)
        return self

    def run(self, scheduler):
        self.runs += 1
        scheduler.send(self, self.take())


class Scheduler:
    def __init__(self, count):
        self.tasks = []
        for number in range(count):
            self.tasks.append(Task(number, (number + 1) % count))

    def send(self, task, packet):
        packet[0] -= 1
        if packet[0] > 0:
            self.find(task.next).give(packet)

    def find(self, number):
        return self.tasks[number]

    def schedule(self):
        busy = True
        while busy:
            busy = False
            for task in self.tasks:
                if not task.is_held():
                    task.run(self)
                    busy = True


def richards(packets=20, hops=6000):
    """Methods that call small methods."""
    scheduler = Scheduler(6)
    for number in range(packets):
        scheduler.tasks[number % 6].give([hops // 4])
    scheduler.schedule()


class Variable:
    def __init__(self, value):
        self.value, self.constraints, self.stay = value, [], True


class Constraint:
    def __init__(self, variables):
        for variable in variables:
            variable.constraints.append(self)
        self.variables = variables

    def is_satisfied(self):
        return all(variable is not None for variable in self.variables)

    def execute(self):
        raise NotImplementedError


class Equal(Constraint):
    def execute(self):
        self.variables[1].value = self.variables[0].value


class Scale(Constraint):
    def execute(self):
        source, factor, target = self.variables
        target.value = source.value * factor.value % 1000003


def deltablue(length=600, rounds=60):
    """A chain of constraints that is solved again and again: virtual methods, generators."""
    chain = [Variable(i) for i in range(length)]
    factor = Variable(7)
    constraints = [Equal(chain[i:i + 2]) if i % 2 else Scale([chain[i], factor, chain[i + 1]])
                   for i in range(length - 1)]
    for number in range(rounds):
        chain[0].value = number
        for constraint in constraints:
            if constraint.is_satisfied():
                constraint.execute()


def json_texts(rounds=12):
    """The library's own Python and C."""
    data = {"cells": [{"number": i, "source": ["x = 1\n"] * 5, "metadata": {"tags": ["a", "b"]}} for i in range(300)]}
    for _ in range(rounds):
        json.loads(json.dumps(data, indent=1))


def regex(rounds=60):
    """Calls of C with a Python function for each match."""
    text = " ".join(f"name_{i}={i * 17 % 101}" for i in range(2000))
    pattern = re.compile(r"(\w+?)_(\d+)=(\d+)")
    for _ in range(rounds):
        pattern.sub(lambda match: match.group(2), text)


def stencil(size=400, steps=150):
    """NumPy, if it is installed: few calls, much time in C. Else lists."""
    try:
        import numpy
    except ImportError:
        row = [0.0] * 20000
        for _ in range(steps // 10):
            row = [0.0, *[(a + b + c) / 3 for a, b, c in zip(row, row[1:], row[2:])], 0.0]
        return
    grid = numpy.zeros((size, size))
    for _ in range(steps):
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])


PROGRAMS = [nbody, richards, deltablue, json_texts, regex, stencil]
