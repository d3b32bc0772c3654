"""Tests pages of the time machine in a real browser against the command."""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata

from playwright.sync_api import sync_playwright

COMMAND = os.path.abspath(".build/release/eventlog")
FOLDER = tempfile.mkdtemp()
failures = []


def check(found, expected, what):
    if found != expected:
        failures.append(what)
        print(f"FAILED {what}\n  expected {str(expected)[:400]}\n  found    {str(found)[:400]}")


def run(*words, log=None, allow=(0,)):
    environment = {**os.environ, "NO_COLOR": "1"}
    if log:
        environment["EVENTLOG"] = log
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, env=environment)
    assert done.returncode in allow, (words, done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def answer(*words, log):
    """Returns the command's answer from JSON, or None if it refuses."""
    out, _, code = run(*words, "--format", "json", log=log, allow=(0, 1, 64))
    return json.loads(out) if code == 0 else None


class Page:
    """A page in the browser, which records its network requests and errors."""

    def __init__(self, browser, path, where="", **view):
        self.context = browser.new_context(**view)
        self.context.set_offline(True)
        self.page = self.context.new_page()
        self.requests, self.errors, self.dialogs = [], [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.on("console", lambda said: said.type in ("error", "warning")
                     and self.errors.append(said.text))
        self.started = time.time()
        self.page.goto(f"file://{path}{where}")
        self.page.wait_for_selector("body[data-shown], #damage:not([hidden])", timeout=120_000)

    def settle(self):
        """Waits until the page shows the state in its address."""
        for _ in range(3000):
            shown, where = self.page.evaluate(
                "[document.body.dataset.shown, location.hash]")
            if shown == where and not self.page.inner_text("#busy"):
                return
            time.sleep(0.02)
        raise TimeoutError(f"{shown} is not {where}")

    def ask(self, question, /, **members):
        return self.page.evaluate(
            "([name, members]) => eventlog.ask(name, members).catch((e) => ({error: e.message}))",
            [question, members])

    def text(self, selector):
        return self.page.inner_text(selector)

    def press(self, key):
        self.page.keyboard.press(key)
        self.settle()

    def click(self, selector):
        self.page.click(selector)
        self.settle()

    def watch(self, path):
        self.page.fill("#path", path)
        self.page.press("#path", "Enter")
        self.settle()

    def close(self, what):
        check(self.dialogs, [], f"{what}: no dialog")
        check(self.errors, [], f"{what}: no error in the console")
        outside = [url for url in self.requests if not re.match(r"(file|blob):", url)]
        check(outside, [], f"{what}: no request leaves the page")
        check(len([url for url in self.requests if url.startswith("file:")]), 1,
              f"{what}: one file is read")
        self.context.close()


def made(log, name, *options):
    path = f"{FOLDER}/{re.sub('[^a-z0-9.-]', '', name)}.html"
    run("page", "--out", path, "--name", name, *options, log=log)
    return path


def same_answers(browser, log, name, count):
    """Compares the answers of the page and of the command at random revisions."""
    page = Page(browser, made(log, name))
    draw = random.Random(21)
    head = page.ask("head")["seq"]
    users = page.ask("people")["users"]
    quoted = lambda user: user if re.fullmatch(r"[\w-]+", user) else f'"{user}"'
    kinds = ["followers/{}.count", "followers/{}", "following/{}", "friends/{}.count", "profile/{}",
             "profile/{}.bio", "notifications/{}", "workouts/{}", "search/{}"]
    compared = 0
    for _ in range(count):
        at = draw.randint(1, head)
        user = draw.choice(users)
        path = draw.choice(kinds).format(quoted(user))
        for words, question in [
            (("project", "followers", "--limit", 0, "--as-of", at),
             ("project", {"name": "followers", "at": at})),
            (("project", "profiles", "--limit", 0, "--as-of", at),
             ("project", {"name": "profiles", "at": at})),
            (("project", "feed", "--user", user, "--limit", 0, "--as-of", at),
             ("project", {"name": "feed", "user": user, "at": at})),
            (("why", path, "--as-of", at, "--limit", 0), ("why", {"path": path, "at": at})),
            (("blame", path, "--as-of", at, "--limit", 0), ("blame", {"path": path, "at": at})),
            (("history", path, "--as-of", at, "--limit", 0), ("history", {"path": path, "at": at})),
            (("show", at, path), ("facts", {"path": path, "at": at})),
            (("diff", f"{max(0, at - draw.randint(0, 60))}..{at}", "--limit", 0), None),
        ]:
            if question is None:
                first = int(words[1].split("..")[0])
                question = ("diff", {"from": first, "to": at})
            expected = answer(*words, log=log)
            found = page.ask(question[0], **question[1]).get("rows")
            if expected is None:
                # For an empty answer the command prints a message; the page answers without rows.
                check(not found, True, f"{name}: {words}")
            else:
                check(found, expected, f"{name}: {words}")
            compared += 1
        for query, given in [("GetProfile", {"user": user}), ("GetFeed", {}), ("GetFriends", {})]:
            viewer = draw.choice(users)
            out, err, code = run(
                "do", query, *[f"{key}={value}" for key, value in given.items()], "--as", viewer,
                "--as-of", at, "--format", "json", log=log, allow=(0, 1, 64))
            found = page.ask("query", do=query, at=at, **{"as": viewer, "with": given})
            if code == 0:
                check(found.get("result"), json.loads(out), f"{name}: {query} {given} {viewer} {at}")
            else:
                check(found.get("refused") in err or "GetProfile" in err, True,
                      f"{name}: {query} {given} {viewer} {at}: {err}")
            compared += 1
    # The watched value as the page shows it, selected by the address.
    user = users[0]
    path = f"followers/{quoted(user)}.count"
    for _ in range(min(10, count)):
        at = draw.randint(1, head)
        page.page.evaluate("(hash) => { location.hash = hash; }", f"#r={at}&path={path}")
        page.settle()
        value = page.ask("facts", path=path, at=at)["value"]
        check(page.text("#watched"), "none" if value is None else str(value), f"{name}: {path} {at}")
    page.close(name)
    return compared


def mysteries(browser):
    folder = "eventlogs/mysteries"
    # The drifting count: why is it six, if the log has eleven follows?
    page = Page(browser, made(f"{folder}/drifting-count", "drifting"))
    page.watch("followers/ada.count")
    check(page.text("#watched"), "6", "drifting: the number")
    page.click("#tab-why")
    roles = [row.split("\t")[0] for row in page.text("#about tbody").split("\n") if row.strip()]
    check([roles.count(role) for role in ("counts", "undone", "undoes", "nothing")], [6, 3, 3, 2],
          "drifting: why")
    page.page.focus("#scrubber")
    page.press("p")
    check(page.text("#watched"), "6", "drifting: the last change")
    page.press("p")
    check(page.text("#event-title ~ div h3"), "65 AccountDeleted", "drifting: an account deleted")
    page.close("drifting")
    # The lost friendship.
    page = Page(browser, made(f"{folder}/lost-friendship", "lost"))
    page.watch("relationship/noor/tess == friends")
    check(page.text("#watched"), "false", "lost: no friends")
    page.page.focus("#scrubber")
    page.press("p")
    check(page.text("#event-title ~ div h3"), "54 FriendRequested", "lost: the event")
    page.page.click("#event-body >> text=relationship/noor/tess")
    page.settle()
    check(page.text("#watched"), "requestSent", "lost: what it became")
    page.close("lost")
    # The stolen handle.
    page = Page(browser, made(f"{folder}/stolen-handle", "stolen"))
    page.watch("handle/wren")
    check(page.text("#watched"), "jon", "stolen: the holder")
    page.page.click("#about >> text=29")
    page.settle()
    check(page.text("#watched"), "none", "stolen: given up")
    check("marla" in page.text("#event-body"), True, "stolen: by Marla")
    page.press("n")
    check(page.text("#event-title ~ div h3"), "30 ProfileEdited", "stolen: taken")
    page.close("stolen")


HOSTILE = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)",
    "\u202e\u2066evil\u2069", "\U0001F1F3\U0001F1F1" * 280, "\U0001F469\u200D\U0001F680" * 40,
    "a\u0301" * 300, "--><b>x</b><!--", "'\"><svg/onload=alert(1)>", "{{7*7}} ${7*7} %s\u0000",
]


def hostile(browser):
    """No text of a log runs as code, leaves its element or causes a request."""
    lines = []
    for number, text in enumerate(HOSTILE):
        user = f"u{number}"
        lines.append({"type": "ProfileCreated", "v": 2, "actor": user, "data": {
            "user": user, "handle": f"<b>{number}", "displayName": text, "isPublic": True}})
        lines.append({"type": "ProfileEdited", "actor": user, "data": {"user": user, "bio": text}})
        lines.append({"type": "WorkoutShared", "actor": user, "data": {
            "workout": f"w{number}", "owner": user, "date": "2026-01-01T00:00:00Z",
            "isErgTest": False, "localID": f"l{number}", "workoutType": "x", "totalTime": "00:10.0",
            "totalDistance": 5_000_000_000, "averageSplit": "00:10.0", "text": text}})
        lines.append({"type": "CommentPosted", "actor": user, "data": {
            "comment": f"c{number}", "workout": f"w{number}", "user": user, "text": text}})
    lines.append({"type": "ProfileEdited", "actor": "u0", "data": {"user": "u0", "bio": "x" * 1_000_000}})
    for number in range(1, len(HOSTILE)):
        lines.append({"type": "UserFollowed", "actor": "u0", "data": {
            "follower": "u0", "followee": f"u{number}"}})
    path = f"{FOLDER}/hostile.jsonl"
    with open(path, "w") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    log = f"{FOLDER}/hostile"
    run("init", "--log", log)
    run("import", path, "--log", log)
    page = Page(browser, made(log, HOSTILE[0] + HOSTILE[3]), "#r=3&who=u0")
    for at in list(range(1, len(lines) + 1)):
        page.page.evaluate("(hash) => { location.hash = hash; }", f"#r={at}&who=u{at % 10}&path=profile/u{at % 10}.bio")
        page.settle()
    page.page.fill("#text", "alert")
    page.page.press("#text", "Enter")
    page.page.wait_for_selector("#found table")
    wide = page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check(wide, True, "hostile: nothing is wider than the window")
    scripts = page.page.evaluate("document.querySelectorAll('img, iframe, object, main script').length")
    check(scripts, 0, "hostile: no element comes from a text")
    page.close("hostile")


def members(browser):
    """People and items may have the names of members that every object of JavaScript has."""
    names = ["constructor", "toString", "__proto__", "hasOwnProperty"]
    lines = [{"type": "ProfileCreated", "v": 2, "actor": name, "data": {
        "user": name, "handle": name, "isPublic": True}} for name in names]
    for name in names:
        for other in names:
            if name != other:
                lines.append({"type": "UserFollowed", "actor": name, "data": {
                    "follower": name, "followee": other}})
        lines.append({"type": "WorkoutShared", "v": 2, "actor": name, "data": {
            "workout": name, "owner": name, "date": "2026-01-01T00:00:00Z", "isErgTest": False,
            "audience": "public"}})
        lines.append({"type": "CommentPosted", "actor": names[0], "data": {
            "comment": name, "workout": name, "user": names[0], "text": name}})
    path = f"{FOLDER}/members.jsonl"
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    log = f"{FOLDER}/members"
    run("init", "--log", log)
    run("import", path, "--log", log)
    page = Page(browser, made(log, "members"), "#r=4&who=constructor")
    check(sorted(page.ask("people")["users"]), sorted(names), "members: people")
    for name in names:
        for show in ("feed", "friends", "notifications", "messages", "workouts"):
            page.page.evaluate("(hash) => { location.hash = hash; }",
                               f"#r={len(lines)}&who={name}&item={name}&show={show}&path=followers/{name}.count")
            page.settle()
            check(page.page.is_hidden("#error"), True, f"members: {name} {show}")
        why = page.ask("why", path=f"followers/{name}.count", at=len(lines))
        check(why.get("error"), None, f"members: why {name} has followers")
        check(name in page.text("#shown"), True, f"members: {name} is shown")
    page.close("members")


def damaged(browser):
    with open("eventlogs/demo/0000000000000001.jsonl", "rb") as file:
        lines = file.readlines()
    lines[199] = lines[199].replace(b'"actor":"', b'"actor":"x', 1)
    path = f"{FOLDER}/damaged.jsonl"
    with open(path, "wb") as file:
        file.writelines(lines)
    _, error, code = run("verify", "--log", path, allow=(65,))
    page = Page(browser, made(path, "damaged.jsonl"))
    page.settle()
    check("line 200" in page.text("#damage"), True, f"damaged: the line: {page.text('#damage')}")
    check("line 200" in error, True, f"damaged: as verify says: {error}")
    check(page.text("#moment").startswith("Revision 199 of 199"), True, "damaged: what is before it")
    page.close("damaged")
    # Dropped on a page of another log, and opened by its button.
    page = Page(browser, made("eventlogs/mysteries/stolen-handle", "stolen"))
    page.page.set_input_files("#file", path)
    page.page.wait_for_selector("#damage:not([hidden])")
    page.settle()
    check("line 200" in page.text("#damage"), True, "damaged: opened")
    page.page.evaluate("""async (text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "whole.jsonl"));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
    }""", "".join(open("eventlogs/demo/0000000000000001.jsonl").readlines()))
    page.page.wait_for_selector("text=whole.jsonl")
    page.settle()
    check(page.text("#moment").startswith("Revision 300 of 300"), True, "dropped: the demo")
    check(page.page.is_hidden("#damage"), True, "dropped: nothing is damaged")
    page.page.evaluate("""async () => {
      const data = new DataTransfer();
      data.items.add(new File(["no log\\n"], "none.txt"));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
    }""")
    page.page.wait_for_selector("#damage:not([hidden])")
    check("line 1" in page.text("#damage"), True, f"no log: {page.text('#damage')}")
    page.close("dropped")


def used(browser):
    """Tests keys, clicks, the address, viewers, search, comparison, and accessibility."""
    from axe_playwright_python.sync_playwright import Axe

    path = made("eventlogs/demo", "demo")
    for width, height, scheme in [(1280, 900, "light"), (390, 844, "dark")]:
        page = Page(browser, path, "#r=178&path=followers/lena.count&who=erin",
                    viewport={"width": width, "height": height}, color_scheme=scheme,
                    reduced_motion="reduce")
        page.settle()
        page.page.click("summary >> nth=0")
        found = Axe().run(page.page).response["violations"]
        check([(v["id"], v["nodes"][0]["html"]) for v in found], [], f"axe, {scheme}")
        narrow = page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        check(narrow, True, f"nothing is wider than {width}")
        if os.environ.get("EVENTLOG_PICTURES"):
            page.page.screenshot(
                path=f"{os.environ['EVENTLOG_PICTURES']}/time-machine-{width}.png", full_page=True)
        page.close(f"axe, {scheme}")
    page = Page(browser, path, "#r=178")
    page.page.focus("#scrubber")
    page.press("ArrowRight")
    check("r=179" in page.page.url, True, "an event forward")
    page.press("PageUp")
    check("2026-02-10" in page.text("#moment") or "2026-02-0" in page.text("#moment"), True,
          f"a day back: {page.text('#moment')}")
    page.press("Home")
    check(page.text("#moment"), "Revision 0: the empty log", "the beginning")
    page.press("End")
    page.page.fill("#revision", "@2026-02-12")
    page.click("#go button")
    check(page.text("#moment").startswith("Revision 179 of 300, 2026-02-11"), True,
          f"a time: {page.text('#moment')}")
    page.page.fill("#revision", "no such")
    page.page.click("#go button")
    page.page.wait_for_selector("#error:not([hidden])")
    check("is no revision" in page.text("#error"), True, page.text("#error"))
    page.watch("followers/lnea.count")
    check("the log has no user 'lnea'" in page.text("#error"), True, page.text("#error"))
    # A click into a picture selects that revision, and the address keeps the zoom.
    page.page.click("#plot-events svg", position={"x": 400, "y": 60})
    page.settle()
    clicked = page.text("#moment")
    check(clicked.startswith("Revision 300"), False, f"a click into the timeline: {clicked}")
    page.page.click("text=Zoom in")
    check("zoom=" in page.page.url, True, f"zoomed: {page.page.url}")
    page.page.click(".legend button >> text=All")
    check("zoom=" in page.page.url, False, f"all: {page.page.url}")
    page.watch("followers/alice.count")
    page.page.click("#plot-value svg", position={"x": 300, "y": 60})
    page.settle()
    check(page.text("#moment") == clicked, False, "a click into the course of a value")
    page.page.click("#graph canvas", position={"x": 5, "y": 5})
    page.page.fill("#revision", "178")
    page.click("#go button")
    # Other viewers.
    page.page.fill("#person", "erin")
    page.page.press("#person", "Enter")
    page.settle()
    check("Everything is above me." in page.text("#shown"), True, "Erin's feed")
    page.page.click("#shown button >> nth=0")
    page.page.wait_for_selector("#conversation h3")
    page.settle()
    check("item=w-erin-3" in page.page.url, True, f"the address has the item: {page.page.url}")
    page.page.fill("#viewer", "nobody")
    page.page.press("#viewer", "Enter")
    page.settle()
    asked = page.ask("query", do="GetComments", at=178, **{"with": {"workout": "w-erin-3"}})
    check(asked.get("refused"), "notVisible", "nobody sees comments for friends")
    check("may not see this" in page.text("#conversation"), True, page.text("#conversation"))
    page.page.fill("#from", "170")
    page.page.fill("#to", "178")
    page.page.click("#compare-form button")
    page.page.wait_for_selector("#differences table")
    check("profile/erin.bio" in page.text("#differences"), True, "what differs")
    # A link shows the same in another window, including the differences.
    other = Page(browser, path, "#" + page.page.url.split("#")[1])
    other.page.wait_for_selector("#differences table")
    other.settle()
    for part in ("#differences", "#moment", "#shown", "#conversation", "#event-body", "#cards"):
        check(other.text(part), page.text(part), f"the link shows the same: {part}")
    other.close("the link")
    # Only events of a type.
    page.page.select_option("#type", "UserFollowed")
    page.settle()
    page.page.focus("#scrubber")
    page.press("ArrowRight")
    check("UserFollowed" in page.text("#event-body h3"), True, page.text("#event-body h3"))
    page.page.select_option("#type", "")
    page.settle()
    page.page.fill("#whom", "erin")
    page.page.select_option("#number", "workouts")
    page.page.wait_for_selector("#plot-number svg")
    page.page.check("#only")
    page.settle()
    # Playing advances automatically, and stops.
    page.page.select_option("#speed", "25")
    before = page.page.evaluate("Number(eventlog.state.r)")
    page.page.click("#play")
    time.sleep(1.5)
    page.page.click("#play")
    page.settle()
    check(page.page.evaluate("Number(eventlog.state.r)") > before, True, "played")
    check(len(page.page.pdf()) > 10_000, True, "printed")
    page.close("used")


def figures(browser, counts):
    print(f"demo: {os.path.getsize(made('eventlogs/demo', 'demo')):,} bytes")
    for count in counts:
        log = f"{FOLDER}/log{count}"
        run("generate", "--events", count, "--users", max(50, count // 20), "--seed", 7, "--log", log)
        path = made(log, f"log{count}")
        started = time.time()
        page = Page(browser, path)
        page.settle()
        shown = time.time() - started
        took = page.page.evaluate("eventlog.figures")
        draw = random.Random(5)
        head = page.ask("head")["seq"]
        users = page.ask("people")["users"]
        times, values = [], []
        for _ in range(60):
            at = draw.randint(1, head)
            started = time.time()
            page.page.evaluate("(hash) => { location.hash = hash; }",
                               f"#r={at}&path=followers/{users[0]}.count")
            page.settle()
            times.append((time.time() - started) * 1000)
            values.append(page.page.evaluate("""async ([at, path]) => {
              const started = performance.now();
              await eventlog.ask("facts", {path, at});
              return performance.now() - started;
            }""", [at, f"followers/{draw.choice(users)}.count"]))
        cut = lambda list_, part: sorted(list_)[min(len(list_) - 1, int(len(list_) * part))]
        replay = page.page.evaluate("""async () => {
          const started = performance.now();
          await eventlog.ask("project", {name: "followers"});
          return performance.now() - started;
        }""")
        native = min(_timed("project", "followers", "--cold", "--jobs", "1", log=log) for _ in range(3))
        memory = page.page.evaluate("eventlog.figures.memory")
        print(f"{count:,} events, {os.path.getsize(path):,} bytes of page: first picture {shown:.2f} s "
              f"(core {took['opening'] / 1000:.2f} s), seek p50 {cut(times, .5):.0f} ms "
              f"p99 {cut(times, .99):.0f} ms, one value p50 {cut(values, .5):.1f} ms "
              f"p99 {cut(values, .99):.1f} ms, memory {memory / 1e6:.0f} MB, "
              f"follower counts {replay / 1000:.2f} s, native on one core {native:.2f} s "
              f"({replay / 1000 / native:.1f} times)")
        page.close(f"{count}")


def _timed(*words, log):
    started = time.time()
    run(*words, log=log)
    return time.time() - started


def main():
    arguments = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        print(f"Chromium {browser.version}")
        if "--figures" in arguments:
            counts = [int(word) for word in arguments if word.isdigit()] or [100_000, 1_000_000]
            figures(browser, counts)
        else:
            count = 50 if "--whole" in arguments else 6
            log = f"{FOLDER}/generated"
            run("generate", "--events", 3000, "--users", 120, "--seed", 21, "--log", log)
            compared = 0
            for path, name in [("eventlogs/demo", "demo"), (log, "generated")] + [
                (f"eventlogs/mysteries/{name}", name)
                for name in ("drifting-count", "lost-friendship", "stolen-handle")]:
                compared += same_answers(browser, path, name, count)
            print(f"{compared} answers are the command's")
            for body in (mysteries, hostile, members, damaged, used):
                body(browser)
                print(body.__name__)
        browser.close()
    shutil.rmtree(FOLDER)
    if failures:
        sys.exit(f"{len(failures)} failed")


main()
