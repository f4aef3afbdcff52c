"""A browser without a screen, driven as a user would: Chromium through its DevTools protocol, Firefox through WebDriver BiDi.

    with Chromium(width, height) as page:
        page.open(url)
        page.move(x, y); page.press(); page.release()
        page.key("F11")
        page.screenshot("picture.png")

`page.messages` has what the page wrote to the console as a warning or an error, `page.requests` the addresses that it
asked for. Coordinates are CSS pixels of the page.
"""
import base64
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

import websocket

# What WebDriver calls keys that are no characters, and DevTools' numbers of them.
KEYS = {
    "Enter": ("\ue007", 13), "Escape": ("\ue00c", 27), "Tab": ("\ue004", 9), "Backspace": ("\ue003", 8),
    "ArrowLeft": ("\ue012", 37), "ArrowUp": ("\ue013", 38), "ArrowRight": ("\ue014", 39), "ArrowDown": ("\ue015", 40),
    "PageUp": ("\ue00e", 33), "PageDown": ("\ue00f", 34),
    "F1": ("\ue031", 112), "F11": ("\ue03b", 122), " ": (" ", 32),
}
MODIFIERS = {"Alt": ("\ue00a", 1, 18), "Control": ("\ue009", 2, 17), "Shift": ("\ue008", 8, 16)}


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """What both browsers have in common: a process, a socket with numbered questions, and events."""

    name = ""
    wait_seconds = 120

    def __init__(self, width=1280, height=800, scale=1, touch=False, dark=False):
        self.width, self.height, self.scale, self.touch, self.dark = width, height, scale, touch, dark
        self.messages, self.requests, self.downloads = [], [], {}
        self.at = (0, 0)
        self.folder = tempfile.mkdtemp(prefix="attnscope-browser-")
        self.process = self.socket = None
        self.number = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.socket:
            self.socket.close()
        for how in signal.SIGTERM, signal.SIGKILL:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
                break
        shutil.rmtree(self.folder, ignore_errors=True)

    def launch(self, command):
        log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True,
                                        env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1"))

    def ask(self, method, **parameters):
        """The answer to one question; events that come before it are noted."""
        self.number += 1
        number = self.number
        self.socket.send(json.dumps(self.question(number, method, parameters)))
        end = time.monotonic() + self.wait_seconds
        while time.monotonic() < end:
            self.socket.settimeout(max(0.1, end - time.monotonic()))
            message = json.loads(self.socket.recv())
            if message.get("id") != number:
                self.note(message)
                continue
            if "error" in message:
                raise RuntimeError(f"{method}: {message['error']} {message.get('message', '')}")
            return message["result"]
        raise TimeoutError(method)

    def question(self, number, method, parameters):
        return {"id": number, "method": method, "params": parameters}

    def wait(self, seconds):
        """Lets time pass, and notes what happens meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                self.note(json.loads(self.socket.recv()))
            except websocket.WebSocketTimeoutException:
                return

    def wait_for(self, script, seconds=60):
        """Waits until a JavaScript expression is true; returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            self.wait(0.05)
        raise TimeoutError(f"still not true after {seconds} s: {script}")

    def type(self, text):
        for character in text:
            self.key(character, hold=0.02)

    def drag(self, start, end, steps=8):
        self.move(*start)
        self.press()
        for i in range(1, steps + 1):
            self.move(start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps)
            self.wait(0.03)
        self.release()

    def click(self, x, y):
        self.move(x, y)
        self.wait(0.1)
        self.press()
        self.wait(0.06)
        self.release()
        self.wait(0.1)


class Chromium(Browser):
    name = "Chromium"

    def start(self):
        self.launch([
            "chromium", "--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--remote-allow-origins=*",
            f"--user-data-dir={self.folder}/profile", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
            "--disable-background-networking", "--disable-component-update", "--no-first-run", "about:blank"])
        port_file = os.path.join(self.folder, "profile", "DevToolsActivePort")
        end = time.monotonic() + self.wait_seconds
        while not os.path.exists(port_file) or not open(port_file).read().strip():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Chromium does not start: " + open(os.path.join(self.folder, "log")).read()[-2000:])
            time.sleep(0.1)
        port = open(port_file).read().split()[0]
        targets = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list"))
        address = next(each["webSocketDebuggerUrl"] for each in targets if each["type"] == "page")
        self.socket = websocket.create_connection(address, max_size=None, suppress_origin=True)
        for domain in "Page", "Runtime", "Network", "Log":
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=self.width, height=self.height,
                 deviceScaleFactor=self.scale, mobile=self.touch)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=self.touch)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}])
        self.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.folder + "/downloads")

    def note(self, message):
        method, of = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
            self.messages.append(" ".join(str(each.get("value", each.get("description"))) for each in of["args"]))
        elif method == "Runtime.exceptionThrown":
            details = of["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
            self.messages.append(of["entry"]["text"] + " " + of["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])

    def open(self, url):
        self.ask("Page.navigate", url=url)

    def reload(self):
        self.ask("Page.reload")

    def run(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def mouse(self, kind, **more):
        x, y = self.at
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.at = (x, y)
        self.mouse("mouseMoved")

    def press(self, button="left"):
        self.mouse("mousePressed", button=button, clickCount=1)

    def release(self, button="left"):
        self.mouse("mouseReleased", button=button, clickCount=1)

    def wheel(self, down):
        self.mouse("mouseWheel", deltaX=0, deltaY=down)

    def touches(self, kind, points):
        """kind: touchStart, touchMove, touchEnd (then without points) or touchCancel."""
        self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def key(self, key, *modifiers, hold=0.06):
        flags = 0
        for each in modifiers:
            flags |= MODIFIERS[each][1]
            self.send_key("rawKeyDown", each, each + "Left", MODIFIERS[each][2], flags)
        number = KEYS[key][1] if key in KEYS else {".": 190, "-": 189}.get(key, ord(key.upper()))
        code = key if len(key) > 1 else "Space" if key == " " else "Key" + key.upper() if key.isalpha() else ""
        typed = {"text": key} if len(key) == 1 and not flags & 3 else {}
        self.send_key("keyDown" if typed else "rawKeyDown", key, code, number, flags, **typed)
        self.wait(hold)
        self.send_key("keyUp", key, code, number, flags)
        for each in modifiers:
            flags &= ~MODIFIERS[each][1]
            self.send_key("keyUp", each, each + "Left", MODIFIERS[each][2], flags)

    def send_key(self, kind, key, code, number, flags, **more):
        self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number, modifiers=flags, **more)

    def choose_files(self, open_dialog, files):
        """Carries out `open_dialog`, and answers the file dialog that it opens."""
        self.ask("Page.setInterceptFileChooserDialog", enabled=True)
        opened = []
        note = self.note
        def watch(message):
            if message.get("method") == "Page.fileChooserOpened":
                opened.append(message["params"]["backendNodeId"])
            note(message)
        self.note = watch
        open_dialog()
        end = time.monotonic() + 20
        while not opened and time.monotonic() < end:
            self.wait(0.05)
        self.note = note
        if not opened:
            raise TimeoutError("no file dialog was opened")
        self.ask("DOM.setFileInputFiles", files=files, backendNodeId=opened[0])
        self.ask("Page.setInterceptFileChooserDialog", enabled=False)

    def drop(self, files, x, y):
        data = {"items": [], "files": files, "dragOperationsMask": 1}
        for kind in "dragEnter", "dragOver", "drop":
            self.ask("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))


class Firefox(Browser):
    name = "Firefox"

    def start(self):
        profile = os.path.join(self.folder, "profile")
        os.makedirs(profile)
        with open(os.path.join(profile, "user.js"), "w") as file:
            for name, value in {
                "browser.download.dir": self.folder + "/downloads", "browser.download.folderList": 2,
                "browser.download.useDownloadDir": True, "browser.download.alwaysOpenPanel": False,
                "webgl.force-enabled": True, "webgl.disable-fail-if-major-performance-caveat": True,
                "ui.systemUsesDarkTheme": 1 if self.dark else 0, "layout.css.devPixelsPerPx": str(self.scale),
                "layout.css.prefers-color-scheme.content-override": 0 if self.dark else 1,
                "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
                "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
                "browser.shell.checkDefaultBrowser": False, "remote.active-protocols": 1,
            }.items():
                file.write(f'user_pref("{name}", {json.dumps(value)});\n')
        port = free_port()
        # Headless, it has no WebGL.
        self.launch(["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24 -nolisten tcp", "firefox-esr", "--no-remote", "--profile", profile, f"--remote-debugging-port={port}",
                     f"--width={self.width}", f"--height={self.height}", "about:blank"])
        end = time.monotonic() + self.wait_seconds
        while True:
            try:
                self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}/session", max_size=None, suppress_origin=True)
                break
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError("Firefox does not start: " + open(os.path.join(self.folder, "log")).read()[-2000:])
                time.sleep(0.2)
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("browsingContext.setViewport", context=self.context, viewport={"width": self.width, "height": self.height})

    def note(self, message):
        method, of = message.get("method"), message.get("params", {})
        if method == "log.entryAdded" and of["level"] in ("error", "warn"):
            self.messages.append(of.get("text") or "")
        elif method == "network.beforeRequestSent":
            self.requests.append(of["request"]["url"])

    def open(self, url):
        self.ask("browsingContext.navigate", context=self.context, url=url, wait="none")

    def reload(self):
        self.ask("browsingContext.reload", context=self.context, wait="none")

    def run(self, script):
        # As text: BiDi's own description of values is another one than JSON's.
        answer = self.ask("script.evaluate", expression=f"(async () => JSON.stringify((await ({script})) ?? null))()",
                          target={"context": self.context}, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def act(self, source, kind, actions, **more):
        self.ask("input.performActions", context=self.context, actions=[{"type": kind, "id": source, "actions": actions, **more}])

    def move(self, x, y):
        self.at = (x, y)
        self.act("mouse", "pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}])

    def press(self, button="left"):
        self.act("mouse", "pointer", [{"type": "pointerDown", "button": 0 if button == "left" else 2}])

    def release(self, button="left"):
        self.act("mouse", "pointer", [{"type": "pointerUp", "button": 0 if button == "left" else 2}])

    def wheel(self, down):
        x, y = self.at
        self.act("wheel", "wheel", [{"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": down}])

    def key(self, key, *modifiers, hold=0.06):
        value = KEYS[key][0] if key in KEYS else key
        down = [{"type": "keyDown", "value": MODIFIERS[each][0]} for each in modifiers]
        up = [{"type": "keyUp", "value": MODIFIERS[each][0]} for each in modifiers]
        self.act("keyboard", "key", [*down, {"type": "keyDown", "value": value},
                                     {"type": "pause", "duration": round(hold * 1000)}, {"type": "keyUp", "value": value}, *up])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("browsingContext.captureScreenshot", context=self.context)["data"]))


def shown(page):
    """Waits until the program has started; raises what the page says if it has not."""
    page.wait_for("document.getElementById('start')?.hidden || document.getElementById('progress')?.hidden", 180)
    if not page.run("document.getElementById('start').hidden"):
        raise RuntimeError(page.run("document.getElementById('state').textContent"))
