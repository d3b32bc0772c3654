/// The program's exit codes. Most of those above 1 are from `sysexits.h`.
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

/// An error that ends the command: its exit code, and a message of one line without the program's
/// name. An error in parsed text also has that text, with a mark below the wrong character.
struct Failure: Error {
  var code: ExitCode
  var message: String
  /// The parsed text, and the offset of the wrong character in Unicode scalars.
  var excerpt: (text: String, offset: Int)?
  /// Whether the message was already printed.
  var isReported = false

  init(_ code: ExitCode, _ message: String, excerpt: (text: String, offset: Int)? = nil) {
    (self.code, self.message, self.excerpt) = (code, message, excerpt)
  }

  /// Returns the lines to print.
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
