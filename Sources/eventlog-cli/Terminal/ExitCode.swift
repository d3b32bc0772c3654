/// The program's exit codes; those above 1 are from `sysexits.h`.
enum ExitCode: Int32, Sendable {
  case ok = 0
  case refused = 1
  case usage = 64
  case data = 65
  case noInput = 66
  case software = 70
  case cannotCreate = 73
  case inputOutput = 74
  /// 128 plus the number of the signal, as in shells.
  case interrupted = 130
}

/// An error for people: one line, without the program's name, and the exit code; for an error in
/// parsed text also the text, with a mark below the place.
struct Failure: Error {
  var code: ExitCode
  var message: String
  /// The offset counts Unicode scalars.
  var excerpt: (text: String, offset: Int)?

  init(_ code: ExitCode, _ message: String, excerpt: (text: String, offset: Int)? = nil) {
    self.code = code
    self.message = message
    self.excerpt = excerpt
  }

  /// The lines to print.
  func lines(_ program: String) -> String {
    var lines = "\(program): \(sanitized(message))\n"
    if let excerpt {
      let before = sanitized(String(excerpt.text.unicodeScalars.prefix(excerpt.offset)))
      lines += "  \(sanitized(excerpt.text))\n"
      lines += "  \(String(repeating: " ", count: displayWidth(before)))^\n"
    }
    return lines
  }

  static func usage(_ message: String) -> Failure {
    Failure(.usage, message)
  }
}
