/// Properties of the terminal in which the program runs.
enum Terminal {
  static let isOutputTTY = isatty(STDOUT_FILENO) == 1
  static let isErrorTTY = isatty(STDERR_FILENO) == 1

  /// Whether to print colours: standard output supports them, and `NO_COLOR` is not set
  /// (<https://no-color.org>).
  static let colors = isOutputTTY && (environment("NO_COLOR") ?? "").isEmpty && !isDumb

  /// Whether the terminal cannot move its cursor.
  static let isDumb = environment("TERM") == "dumb"

  /// The width of standard output in columns: the terminal's, else `COLUMNS`, else 80; at least 1.
  static var width: Int {
    columns(of: STDOUT_FILENO)
  }

  /// Returns a descriptor's width in columns: the terminal's, else `COLUMNS`, else 80; at least 1.
  static func columns(of descriptor: Int32) -> Int {
    var size = winsize()
    if ioctl(descriptor, numericCast(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    guard let columns = environment("COLUMNS").flatMap({ Int($0) }), columns > 0 else { return 80 }
    return columns
  }
}

/// A text style; the raw value is its SGR code.
enum Style: Int, Sendable {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case blue = 34
  case magenta = 35
  case cyan = 36
}

/// Returns the text in a style; unchanged if colours are not printed.
func styled(_ text: String, _ style: Style) -> String {
  Terminal.colors ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
}

/// Returns the value of an environment variable; nil if it is not set.
func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
