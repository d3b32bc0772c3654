import Foundation
import Testing

/// The debugger in a real terminal, if tmux is installed.
@Suite(.serialized, .enabled(if: Tmux.isThere)) struct DebugTests {
  @Test(
    "A session has breakpoints, both directions, completion, history, errors and an end of input")
  func session() throws {
    let tmux = try Tmux("debug 225")
    defer { tmux.remove() }
    try tmux.wait("event 225 of 300")
    // Completes a command, an id of the log, and a member.
    tmux.send("wat", "Tab", "followers/le", "Tab", ".co", "Tab")
    try tmux.wait("watch followers/lena.count")
    tmux.send("Enter")
    try tmux.wait("1  watch followers/lena.count")
    tmux.send("continue", "Enter")
    try tmux.wait("event 227 of 300")
    // An empty line repeats the last command.
    tmux.send("Enter")
    try tmux.wait("event 228 of 300")
    tmux.send("rcontinue", "Enter")
    // While a command runs, Ctrl-C is not a key of the line editor.
    try tmux.wait("rcontinue") { screen in
      let shown = screen.components(separatedBy: "rcontinue")[1]
      return shown.contains("event 227 of 300")
        && shown.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix("\n(eventlog)")
    }
    // A discarded line, and one from the history.
    tmux.send("nonsense that is not sent", "C-c")
    tmux.send("Up", "Up", "Enter")
    try tmux.wait("event 228 of 300")
    tmux.send("bakc", "Enter")
    try tmux.wait("Did you mean 'back'?")
    // Editing: the beginning of the line is corrected.
    tmux.send("xext", "C-a", "DC", "n", "Enter")
    try tmux.wait("event 229 of 300")
    tmux.send("print profile/lena.", "Tab", "Tab")
    try tmux.wait("profile/lena.bio", "profile/lena.updatedAt")
    tmux.send("C-u", "C-d")
    try tmux.waitForEnd()
  }

  @Test("After a change of the window's size the line is drawn again, and a long one scrolls")
  func resize() throws {
    let tmux = try Tmux("debug 5")
    defer { tmux.remove() }
    try tmux.wait("event 5 of 300")
    tmux.send("print profile/lena.displayName and some more words than fit")
    try tmux.wait("some more words than fit")
    tmux.resize(width: 40)
    try tmux.wait("words than fit") { screen in
      screen.split(separator: "\n").allSatisfy { $0.count <= 40 }
        && screen.split(separator: "\n").last?.hasPrefix("(eventlog) ") == true
    }
    tmux.send("C-u", "goto 7", "Enter")
    try tmux.wait("event 7 of 300")
    tmux.send("quit", "Enter")
    try tmux.waitForEnd()
  }

  @Test("Ctrl-C stops the running command, and the session continues")
  func interrupt() throws {
    let tmux = try Tmux("debug 1 --log big", with: .medium)
    defer { tmux.remove() }
    try tmux.wait("event 1 of 30000", seconds: 120)
    tmux.send("break type Nothing", "Enter")
    try tmux.wait("1  type Nothing")
    tmux.send("continue", "Enter")
    usleep(150_000)
    tmux.send("C-c")
    try tmux.wait("Interrupted.", seconds: 60)
    tmux.send("goto 3", "Enter")
    // Before the prompt, the terminal would take Ctrl-D for the end of an empty input.
    try tmux.wait("event 3 of 30000") { screen in
      screen.split(separator: "\n").last?.hasPrefix("(eventlog)") == true
    }
    tmux.send("C-d")
    try tmux.waitForEnd()
  }
}

/// A terminal of 100 by 40 characters in which `eventlog` runs.
private final class Tmux {
  static let isThere = (try? Shell().run("tmux -V").code) == 0

  private let socket = "eventlog-\(UUID().uuidString)"
  private let shell: Shell

  init(_ arguments: String, with log: GeneratedLog? = nil) throws {
    shell = try Shell()
    try log?.copy(to: "big", in: shell)
    let start = "eventlog \(arguments); echo ended; sleep 60"
    run(["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", start])
  }

  func remove() {
    run(["kill-server"])
    shell.remove()
  }

  func send(_ keys: String...) {
    for key in keys { run(["send-keys", key]) }
  }

  func resize(width: Int) {
    run(["resize-window", "-x", "\(width)", "-y", "40"])
  }

  private var screen: String { run(["capture-pane", "-p"]) }

  /// Waits until the screen shows all of some texts.
  func wait(
    _ texts: String..., seconds: Double = 60, and condition: (String) -> Bool = { _ in true }
  ) throws {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      let screen = screen
      if texts.allSatisfy(screen.contains), condition(screen) { return }
      usleep(50_000)
    }
    Issue.record("the terminal never showed \(texts):\n\(screen)")
    throw CancellationError()
  }

  func waitForEnd() throws { try wait("\nended") }

  @discardableResult
  private func run(_ arguments: [String]) -> String {
    let quoted = arguments.map { "'" + $0.replacing("'", with: "'\\''") + "'" }
    // Closes inherited descriptors, because the tmux server would keep them open and the caller
    // waits for their end.
    let close = #"for fd in $(ls /proc/self/fd); do [ $fd -gt 2 ] && eval "exec $fd>&-"; done"#
    let line =
      "exec bash -c '\(close); exec \"$@\"' bash tmux -L \(socket) "
      + quoted.joined(separator: " ")
    return (try? shell.run(line).output) ?? ""
  }
}
