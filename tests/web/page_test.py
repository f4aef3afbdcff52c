#!/usr/bin/env python3
"""Uses the program in browsers, with real input:
page_test.py PAGE_FOLDER [--single FILE] [--native PROGRAM] [--browser NAME]… [--pictures FOLDER]

What is in experiments is read from the files that are saved. Nothing may be asked of another host, and nothing written to
the console as a warning. FILE is the page in one file, which is opened without a server.
The page's pictures are compared with those of the native PROGRAM.
"""
import argparse
import base64
import functools
import http.server
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from PIL import Image, ImageChops, ImageStat

from browser import Chromium, Firefox, shown

WIDTH, HEIGHT = 1280, 800
# Where things are in a window of that size.
SLIDERS = {"tokens": (229, 1, 16), "features": (272, 1, 32), "head_dim": (315, 1, 32), "heads": (358, 1, 10),
           "cross_queries": (401, 0, 10), "temperature": (549, 0.1, 5), "dropout": (592, 0, 0.9)}
SLIDER_LEFT, SLIDER_RIGHT = 22, 233
FIGURE = (640, 500)
MOST_APART = 3  # of 255, the mean of all pixels
LONGEST_FRAME_MS = 1500  # while two thousand million bytes are looked at, by a software renderer


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site:
    """The folder as a web page, for as long as `with` lasts."""

    def __init__(self, folder):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.runs = False

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.runs = True
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.runs:
            self.server.shutdown()
            self.server.server_close()
        self.runs = False


class Use:
    """The page in one browser, and what was found wrong with it."""

    def __init__(self, page, site, folder, given):
        self.page, self.site, self.folder, self.pictures = page, site, folder, given.pictures
        self.only = given.only
        self.native = given.native and os.path.abspath(given.native)
        self.wrong = []

    def expect(self, what, holds):
        if not holds:
            self.wrong.append(f"{self.page.name}: {what}")
            print("WRONG", self.wrong[-1], flush=True)

    def start(self, place="index.html"):
        # What was saved last is not unsaved any more: that is kept too.
        self.page.wait(1)
        self.page.open("about:blank")
        self.page.wait(0.3)
        self.page.open(self.site.address + place)
        self.page.wait(0.5)
        shown(self.page)
        self.page.wait(1)

    def look(self, name=None):
        """What is shown, once it is at rest."""
        path = os.path.join(self.folder, "look.png")
        last = None
        for _ in range(40):
            self.page.screenshot(path)
            now = Image.open(path).convert("RGB")
            now.load()
            if last is not None and not ImageChops.difference(last, now).getbbox():
                break
            last = now
            self.page.wait(0.15)
        if name and self.pictures:
            now.save(os.path.join(self.pictures, f"{self.page.name.lower()}-{name}.png"))
        return now

    def keys(self, *presses):
        for press in presses:
            self.page.key(*(press if isinstance(press, tuple) else (press,)))
            self.page.wait(0.15)

    def files(self, folder="/downloads"):
        return [name for name in self.page.run(f"Module.FS.readdir({json.dumps(folder)})") if not name.startswith(".")]

    def bytes_of(self, path):
        """A file of the page, once it is there."""
        script = (f"(() => {{ try {{ return btoa(Array.from(Module.FS.readFile({json.dumps(path)}), "
                  "(each) => String.fromCharCode(each)).join('')) } catch { return '' } })()")
        return base64.b64decode(self.page.wait_for(script, 15))

    def forget(self, name):
        self.page.run(f"(() => {{ try {{ Module.FS.unlink('/downloads/{name}') }} catch {{}} return 1 }})()")

    def saved(self):
        """The experiment as Save as writes it. Nothing is edited any more then."""
        for name in self.files():
            if name.endswith(".json"):
                self.forget(name)
        self.keys(("s", "Control", "Shift"))
        name = self.page.wait_for("Module.FS.readdir('/downloads').find((name) => name.endsWith('.json')) ?? ''", 15)
        return json.loads(self.bytes_of("/downloads/" + name))

    # ---- what is tested --------------------------------------------------------------------------------------------

    def sliders(self):
        before = self.saved()["params"]
        for name, (y, least, most) in SLIDERS.items():
            at = SLIDER_LEFT + (before[name] - least) / (most - least) * (SLIDER_RIGHT - SLIDER_LEFT)
            self.page.drag((at, y), (200, y))
            self.page.wait(0.2)
        self.look("sliders")
        after = self.saved()["params"]
        for name in SLIDERS:
            self.expect(f"the slider of {name} changes it: {before[name]} → {after[name]}", after[name] > before[name])
        for _ in SLIDERS:
            self.keys(("z", "Control"))
        self.expect("undo brings all of them back", self.saved()["params"] == before)

    def views(self):
        """Every view once around, and the first one again."""
        first = self.saved()["view"]["name"]
        seen = []
        last = self.look()
        for _ in range(40):
            self.keys(("PageDown", "Control"))
            now = self.look()
            name = self.saved()["view"]["name"]
            self.look(name)
            if name == first:
                break
            self.expect(f"the view {name} looks otherwise than the one before", ImageChops.difference(last, now).getbbox())
            last = now
            seen.append(name)
        self.expect(f"all views come by: {seen}", len(set(seen)) == len(seen) >= 10)

    def save_and_export(self):
        experiment = self.saved()
        self.expect("Save writes the experiment", experiment["format"] == "attnscope-experiment/1")
        for ending, first in (".svg", b"<?xml"), (".png", b"\x89PNG"):
            path = "/downloads/worked-example-flow" + ending
            self.forget("worked-example-flow" + ending)
            self.keys(("e", "Control"))
            self.look()
            self.keys(("a", "Control"))
            self.page.type("figure" + ending)
            self.keys("Enter")
            content = self.bytes_of("/downloads/figure" + ending)
            self.expect(f"{path} is exported", content.startswith(first))
            if ending == ".png":
                picture = Image.open(io.BytesIO(content)).convert("RGB")
                self.expect("the exported picture shows something", ImageStat.Stat(picture).stddev[0] > 10)
        downloads = os.path.join(self.page.folder, "downloads")
        end = time.monotonic() + 10
        wanted = {"worked-example.json", "figure.svg", "figure.png"}
        while not wanted <= set(os.listdir(downloads) if os.path.isdir(downloads) else []) and time.monotonic() < end:
            self.page.wait(0.2)
        here = set(os.listdir(downloads)) if os.path.isdir(downloads) else set()
        self.expect(f"all of them are downloaded: {sorted(here)}", wanted <= here)

    def links(self):
        self.page.drag((SLIDER_LEFT + 70, 229), (200, 229))
        experiment = self.saved()
        self.page.run("(navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }) && 1")
        self.keys(("l", "Control", "Shift"))
        link = self.page.wait_for("globalThis.copied", 10)
        self.expect("a link leads to this page", link.startswith(self.site.address + "index.html#x=1."))
        self.start(link[len(self.site.address):])
        self.look("link")
        self.expect("a link opens its experiment", self.saved() == experiment)

    def damaged_link(self):
        """What is wrong with it is said in the page, where no window is."""
        self.page.open("about:blank")
        self.page.wait(0.3)
        self.page.open(self.site.address + "index.html#x=1.AAAA")
        said = self.page.wait_for("document.getElementById('progress')?.hidden ? document.getElementById('state').textContent : ''", 60)
        self.expect(f"a damaged link is refused: {said}", "damaged" in said and not self.page.run("document.getElementById('start').hidden"))
        self.page.messages.clear()  # there too

    def lesson(self):
        self.start()
        before = self.look()
        self.keys(("l", "Alt"))
        self.keys("ArrowDown", "Enter")
        shown_lesson = self.look("lesson")
        self.expect("a lesson is shown", difference(before, shown_lesson) > 1)
        self.keys("ArrowRight")
        self.expect("and goes on", ImageChops.difference(shown_lesson, self.look("lesson-2")).getbbox())

    def model(self):
        """The first model of Read a sentence, whose weights are loaded on demand."""
        self.start()
        self.open_first_model()

    def open_first_model(self):
        self.page.click(355, 97)
        self.page.wait(0.3)
        self.page.click(360, 140)
        self.page.wait_for("document.title.includes('Worked') ? 0 : 1", 60)
        self.look("model")
        self.expect("a model is open: " + self.page.run("document.title"), self.page.run("document.title").startswith("dates"))

    def reload(self):
        self.start()
        self.page.drag((SLIDER_LEFT + 70, 229), (200, 229))
        self.page.wait(3)
        self.page.reload()
        self.page.wait(0.5)
        shown(self.page)
        picture = self.look("reload")
        self.keys("Enter")
        self.look("restored")
        experiment = self.saved()
        self.expect("edits come back after a reload", experiment["params"]["tokens"] > 10)
        return picture

    def touch_and_zoom(self):
        self.start()
        before = self.look()
        self.page.move(*FIGURE)
        self.page.wheel(-300)
        zoomed = self.look("zoomed")
        self.expect("the wheel zooms", difference(before, zoomed) > 1)
        self.keys("f")
        self.page.move(5, 795)
        self.expect("and F fits the figure again", difference(before, self.look()) < 0.1)

    def opening(self):
        if self.page.name != "Chromium":
            return  # BiDi has no file dialogs and drops
        self.start()
        path = os.path.join(self.folder, "mine.json")
        with open(path, "w") as file:
            json.dump({"format": "attnscope-experiment/1", "system": "worked-example", "params": {"tokens": 11}}, file)
        self.page.choose_files(lambda: self.keys(("o", "Control")), [path])
        self.page.wait_for("document.title.includes('mine')", 20)
        self.look("opened")
        self.expect("a file is opened through the dialog", self.saved()["params"]["tokens"] == 11)
        path = os.path.join(self.folder, "dropped.json")
        with open(path, "w") as file:
            json.dump({"format": "attnscope-experiment/1", "system": "worked-example", "params": {"tokens": 13}}, file)
        self.page.drop([path], *FIGURE)
        self.page.wait_for("document.title.includes('dropped')", 20)
        self.expect("and by dropping it", self.saved()["params"]["tokens"] == 13)
        nothing = os.path.join(self.folder, "nothing.safetensors")
        with open(nothing, "wb") as file:
            file.truncate(3_000_000_000)
        self.page.drop([nothing], *FIGURE)
        self.look("nothing")
        self.expect("3 GB of nothing are refused, and the program goes on", self.saved()["params"]["tokens"] == 13)
        large = os.path.join(self.folder, "large.safetensors")
        with open(large, "wb") as file:
            header = json.dumps({"weights": {"dtype": "F32", "shape": [2, 16384, 16384], "data_offsets": [0, 2**31]}}).encode()
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + 2**31)
        self.time_frames()
        self.page.drop([large], *FIGURE)
        self.page.wait_for("document.title.includes('large')", 60)
        self.page.wait(5)
        longest = self.page.run("longestFrame")
        self.expect(f"the window responds meanwhile: the longest frame took {longest:.0f} ms", longest < LONGEST_FRAME_MS)
        self.look("large")
        memory = self.page.run("Module.HEAP8.length")
        self.expect(f"2 GB are looked at without being in memory, which is {memory / 1e6:.0f} MB", memory < 1e9)

    def beside_native(self):
        """Pictures of the window, with letters drawn by FreeType and lines by another OpenGL."""
        if not self.native:
            return
        for view in "flow", "heads", "lines", "dot":
            experiment = {"format": "attnscope-experiment/1", "system": "worked-example", "view": {"name": view}}
            path = os.path.join(self.folder, "both.json")
            with open(path, "w") as file:
                json.dump(experiment, file)
            link = subprocess.check_output([self.native, "link", path, "--base", self.site.address + "index.html"], text=True).strip()
            self.start(link[len(self.site.address):])
            self.page.move(1275, 795)
            here = self.look("beside-" + view)
            there_path = os.path.join(self.folder, "native.png")
            home = os.path.join(self.folder, "home")
            os.makedirs(home, exist_ok=True)
            subprocess.run(
                ["xvfb-run", "-a", "-s", f"-screen 0 {WIDTH}x{HEIGHT}x24 -nolisten tcp", "sh", "-c",
                 '"$1" --theme light "$2" & sleep 4; ffmpeg -loglevel error -y -f x11grab -video_size "$3" -i "$DISPLAY" '
                 '-frames:v 1 "$4"; kill $!', "sh", self.native, path, f"{WIDTH}x{HEIGHT}", there_path],
                env=dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, LIBGL_ALWAYS_SOFTWARE="1"), check=False)
            there = Image.open(there_path).convert("RGB")
            # The title and the times in the last line differ.
            box = (0, 32, WIDTH, HEIGHT - 28)
            apart = difference(here.crop(box), there.crop(box))
            print(f"{self.page.name} {view}: {apart:.2f} of 255 from the native window")
            self.expect(f"{view} looks like the native window: {apart:.2f} of 255 apart", apart < MOST_APART)

    def time_frames(self):
        """From now on the page knows how long its longest frame took."""
        self.page.run("""(() => {
            let last = performance.now();
            globalThis.longestFrame = 0;
            if (globalThis.noteFrame) return;
            globalThis.noteFrame = (now) => {
                longestFrame = Math.max(longestFrame, now - last);
                last = now;
                requestAnimationFrame(noteFrame);
            };
            requestAnimationFrame(noteFrame);
        })()""")

    def drop_experiment(self, name, **more):
        path = os.path.join(self.folder, name + ".json")
        with open(path, "w") as file:
            json.dump({"format": "attnscope-experiment/1", "system": "worked-example", **more}, file)
        self.page.drop([path], *FIGURE)
        self.page.wait_for(f"document.title.includes('{name}')", 20)

    def long_computations(self):
        """They leave the page awake, and can be cancelled."""
        if self.page.name != "Chromium":
            return  # BiDi drops no files
        self.start()
        figure = (258, 130, 1010, 770)
        before = self.look().crop(figure)
        self.time_frames()
        self.drop_experiment("many", params={"tokens": 3000, "features": 64, "head_dim": 64, "heads": 4})
        for _ in range(60):
            self.page.wait(1)
            many = self.look("many").crop(figure)
            if difference(before, many) > 1:
                break
        longest = self.page.run("longestFrame")
        self.expect(f"the window responds while 3,000 tokens are computed: the longest frame took {longest:.0f} ms",
                    longest < LONGEST_FRAME_MS)
        self.expect("they are shown", difference(before, many) > 1)
        self.drop_experiment("measured", params={"tokens": 800, "features": 32, "head_dim": 32, "heads": 8},
                             view={"name": "metrics"})
        self.time_frames()
        before = many
        for _ in range(60):
            self.page.wait(1)
            many = self.look("measured").crop(figure)
            if difference(before, many) > 1:
                break
        longest = self.page.run("longestFrame")
        self.expect(f"and while eight heads are measured: {longest:.0f} ms", longest < LONGEST_FRAME_MS)
        print(f"  longest frame of measures: {longest:.0f} ms")
        self.time_frames()
        # Ten thousand million random numbers are thrown away before the first one that counts.
        self.drop_experiment("late", discard=10**10)
        self.page.wait(0.5)
        self.page.click(1215, 787)  # how far it is, which cancels it
        self.page.wait(0.5)
        self.expect("what is cancelled leaves the last picture", not ImageChops.difference(many, self.look("cancelled").crop(figure)).getbbox())
        longest = self.page.run("longestFrame")
        self.expect(f"and while much is thrown away: {longest:.0f} ms", longest < LONGEST_FRAME_MS)
        print(f"  longest frame: {longest:.0f} ms")

    def growth(self):
        """Random events: the memory of the program must not grow with them."""
        if self.page.name != "Chromium":
            return
        self.start()
        self.page.run("""globalThis.randomEvents = (count, seed) => new Promise((resolve) => {
            let state = seed;
            const random = (below) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % below; };
            const canvas = document.getElementById('canvas');
            // Sliders, tabs, and the figure with its options; not the buttons that open the browser's dialogs.
            const places = [[10, 205, 230, 400], [270, 40, 600, 20], [270, 140, 730, 600]];
            const act = () => {
                const [left, top, width, height] = places[random(3)];
                const at = { clientX: left + random(width), clientY: top + random(height), bubbles: true, view: window };
                const kind = random(5);
                if (kind === 0) canvas.dispatchEvent(new MouseEvent('mousedown', at));
                else if (kind === 1) canvas.dispatchEvent(new MouseEvent('mouseup', at));
                else if (kind === 2) canvas.dispatchEvent(new WheelEvent('wheel', { ...at, deltaY: random(3) * 100 - 100 }));
                else canvas.dispatchEvent(new MouseEvent('mousemove', at));
            };
            const frame = () => {
                for (let i = 0; i < 20 && count > 0; ++i, --count) act();
                if (count > 0) requestAnimationFrame(frame); else resolve(Module.HEAP8.length);
            };
            frame();
        }) && 1""")
        before = self.page.run("randomEvents(10000, 1)")
        after = self.page.run("randomEvents(20000, 2)")
        self.look("random")
        self.expect(f"20,000 random events take no memory: {before} → {after} bytes", after == before)

    def without_network(self):
        """The last: the server is gone afterwards."""
        self.start()
        self.page.wait_for("navigator.serviceWorker.ready.then((it) => Boolean(it.active))", 60)
        # Everything is kept once the models have come too.
        self.page.wait_for("caches.keys().then(async (names) => (await (await caches.open(names[0])).keys()).length > 12)", 60)
        self.site.stop()
        self.page.reload()
        self.page.wait(0.5)
        shown(self.page)
        self.look("offline")
        self.expect("the page starts without a network", self.page.run("document.title").endswith("attnscope"))

    PARTS = ("first", "sliders", "views", "save_and_export", "links", "damaged_link", "lesson", "model", "reload",
             "touch_and_zoom", "opening", "long_computations", "growth", "beside_native", "without_network")

    def everything(self):
        for name in self.PARTS:
            part = getattr(self, name)
            start = time.monotonic()
            if self.only and name not in self.only:
                continue
            try:
                part()
            except Exception:  # the others are still tested
                self.expect(f"{part.__name__}: {traceback.format_exc()}", False)
                self.look("failed-" + part.__name__)
            print(f"{self.page.name} {part.__name__}: {time.monotonic() - start:.1f} s", flush=True)
        # What the browser says about a network that is gone is not the page's.
        said = [each for each in self.page.messages if "ERR_CONNECTION_REFUSED" not in each and "NetworkError" not in each]
        self.expect(f"nothing is written to the console: {said}", not said)
        strangers = [each for each in self.page.requests
                     if not each.startswith((self.site.address, "blob:", "data:", "about:"))]
        self.expect(f"nothing is asked of another host: {strangers}", not strangers)
        return self.wrong

    # ---- on a phone ------------------------------------------------------------------------------------------------

    def tap(self, x, y, seconds=0.1):
        self.page.touches("touchStart", [(x, y)])
        self.page.wait(seconds)
        self.page.touches("touchEnd", [])
        self.page.wait(0.3)

    def draw(self, start, end):
        self.page.touches("touchStart", [start])
        for i in range(1, 13):
            self.page.touches("touchMove", [(start[0] + (end[0] - start[0]) * i / 12, start[1] + (end[1] - start[1]) * i / 12)])
            self.page.wait(0.03)
        self.page.touches("touchEnd", [])
        self.page.wait(0.3)

    def phone(self):
        """A screen of 390 × 844 and fingers. The cell is one of W_Q."""
        cell, nowhere = (97, 334), (370, 300)
        self.start()
        first = self.look("phone")
        self.tap(*cell)
        pointed = self.look("phone-tap")
        self.expect("a tap shows a cell's number", 0.5 < difference(first, pointed))
        self.tap(*nowhere)
        self.expect("and pins nothing", difference(first, self.look()) < 0.1)
        self.tap(*cell, seconds=0.8)
        self.tap(*nowhere)
        self.expect("held, a finger pins the cell", difference(first, self.look("phone-pinned")) > 1)
        self.tap(*cell, seconds=0.8)
        self.tap(*nowhere)
        self.expect("or unpins it", difference(first, self.look()) < 0.1)

        near, far = [(150, 350), (200, 400)], [(50, 280), (300, 480)]
        self.page.touches("touchStart", near[:1])
        self.page.touches("touchStart", near)
        for i in range(1, 11):
            self.page.touches("touchMove", [(a[0] + (b[0] - a[0]) * i / 10, a[1] + (b[1] - a[1]) * i / 10)
                                            for a, b in zip(near, far)])
            self.page.wait(0.03)
        self.page.touches("touchEnd", [])
        self.expect("two fingers zoom", difference(first, self.look("phone-zoomed")) > 1)

        self.start()
        self.draw((138, 700), (250, 700))
        tokens = self.saved()["params"]["tokens"]
        self.expect(f"a finger moves a slider: {tokens} tokens", tokens > 8)
        before = self.look()
        self.draw((30, 760), (30, 660))
        self.expect("and scrolls the parameters", difference(before, self.look("phone-scrolled")) > 1)
        self.expect(f"nothing is written to the console: {self.page.messages}", not self.page.messages)
        return self.wrong

    def single(self, address):
        """The page in one file: no server, no request."""
        start = time.monotonic()
        self.page.open(address)
        self.page.wait(1)
        shown(self.page)
        picture = self.look("single")
        self.expect("the page in one file shows something", ImageStat.Stat(picture).stddev[0] > 10)
        self.open_first_model()
        requests = [each for each in self.page.requests if not each.startswith(("file:", "blob:", "data:", "about:"))]
        self.expect(f"it asks nobody for anything: {requests} {self.page.messages}", not requests and not self.page.messages)
        print(f"{self.page.name} single: {time.monotonic() - start:.1f} s", flush=True)
        return self.wrong

    def first(self):
        start = time.monotonic()
        self.page.open(self.site.address + "index.html")
        self.page.wait(0.2)
        shown(self.page)
        print(f"{self.page.name}: started in {time.monotonic() - start:.1f} s")
        picture = self.look("first")
        self.expect("the first picture shows something", ImageStat.Stat(picture).stddev[0] > 10)


def difference(a, b):
    """The mean difference of two pictures, of 255."""
    return sum(ImageStat.Stat(ImageChops.difference(a, b)).mean) / 3


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("page")
    arguments.add_argument("--browser", action="append", choices=["chromium", "firefox"])
    arguments.add_argument("--pictures")
    arguments.add_argument("--single")
    arguments.add_argument("--native")
    arguments.add_argument("--only", action="append", choices=[*Use.PARTS, "phone", "single"])
    given = arguments.parse_args()
    if given.pictures:
        pathlib.Path(given.pictures).mkdir(parents=True, exist_ok=True)
    wrong = []
    for name in given.browser or ["chromium", "firefox"]:
        browser = Chromium if name == "chromium" else Firefox
        with tempfile.TemporaryDirectory() as folder, Site(given.page) as site, browser(WIDTH, HEIGHT) as page:
            wrong += Use(page, site, folder, given).everything()
        if browser is Chromium and (not given.only or "phone" in given.only):
            with tempfile.TemporaryDirectory() as folder, Site(given.page) as site, \
                    browser(390, 844, scale=2, touch=True, dark=True) as page:
                wrong += Use(page, site, folder, given).phone()
        if given.single and (not given.only or "single" in given.only):
            with tempfile.TemporaryDirectory() as folder, browser(WIDTH, HEIGHT) as page:
                wrong += Use(page, None, folder, given).single(pathlib.Path(given.single).resolve().as_uri())
    print("\n".join(wrong) if wrong else "the page works")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
