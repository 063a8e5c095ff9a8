"""A headless Chromium that a test tells what to do, by the DevTools protocol over two pipes."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

TIMEOUT = 120
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """LOG has the complaints of the page, and REQUESTS what it asked the network for."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="nbscorep-chromium-")
        to_browser, self.out = os.pipe()
        self.input, from_browser = os.pipe()
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu",
                   "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--disable-sync", "--no-proxy-server",
                   f"--user-data-dir={self.folder}", "--remote-debugging-pipe"]
        # It reads from 3 and writes to 4, whatever numbers the pipes have here.
        shell = ["bash", "-c", f'exec 3<&{to_browser} 4>&{from_browser} "$@"', "bash", *command]
        with open(pathlib.Path(self.folder, "stderr"), "wb") as errors:
            self.process = subprocess.Popen(
                shell, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
                stdout=errors, stderr=errors)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last, self.session = b"", 0, None
        self.log, self.requests, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        """Lets the browser end by itself: whoever is killed leaves others that still write files."""
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(TIMEOUT)
        except (EOFError, BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.input)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read_message(self, end):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError("no answer from the browser")
            data = os.read(self.input, 1 << 20)
            if not data:
                errors = pathlib.Path(self.folder, "stderr").read_text(errors="replace")
                raise EOFError("the browser has ended: " + errors[-2000:])
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def note(self, event):
        name, about = event.get("method"), event.get("params", {})
        if name == "Runtime.exceptionThrown" or name == "Log.entryAdded" or (
                name == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning")):
            self.log.append(json.dumps(about))
        elif name == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        self.events.append(name)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        end = time.monotonic() + TIMEOUT
        while True:
            answer = self.read_message(end)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path, width=1280, height=800, theme="light"):
        """Loads the file, and returns when it is loaded; its scripts have run by then."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.log, self.requests, self.events = [], [], []
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        end = time.monotonic() + TIMEOUT
        while "Page.loadEventFired" not in self.events:
            self.note(self.read_message(end))

    def value(self, expression):
        """What EXPRESSION is in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x, y, to_x):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", (x + to_x) / 2, y, button="left", buttons=1)
        self.mouse("mouseMoved", to_x, y, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, y, button="left", clickCount=1)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if name == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, **text)

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(data["data"]))

    def paper(self, path):
        data = self.call("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)
        pathlib.Path(path).write_bytes(base64.b64decode(data["data"]))
