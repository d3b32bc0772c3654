import CTimeMachine
import EventLog
import Events

/// A log as one web page. The page includes the core, which answers questions about the log.
///
/// ```swift
/// let html = try LogPage(name: "demo").html(of: LogView(path: "eventlogs/demo"))
/// ```
/// The page loads nothing and needs no server. It contains the log's lines, compressed, and the
/// core as WebAssembly. Its content security policy prevents all other scripts, so a text in the
/// log cannot run as one.
/// - Complexity: O(bytes of the log), about 30 MB a second. Memory: twice the compressed log.
public struct LogPage {
  /// A named revision, which the page's timeline shows.
  public struct Bookmark: Sendable {
    /// The name of the revision.
    public var name: String
    /// The position of the revision.
    public var seq: UInt64

    /// Creates a bookmark.
    public init(name: String, seq: UInt64) { (self.name, self.seq) = (name, seq) }
  }

  /// The name of the log, which the page shows.
  public var name: String
  /// The app's rules as JSON, by which the page answers queries.
  public var rules = "{}"
  /// The bookmarks on the timeline.
  public var bookmarks: [Bookmark] = []
  /// The position at which the page's timeline begins. The page also contains the events before it.
  public var from: UInt64 = 0
  /// The position of the last event in the page; nil for the head.
  public var until: UInt64?
  /// The position of the revision that the page shows when it opens; nil for the last.
  public var revision: UInt64?
  /// The path or condition that the page watches when it opens; nil for none.
  public var watched: String?

  /// Creates a page for a log with this name.
  public init(name: String) { self.name = name }

  /// Returns the HTML of the page for a history.
  /// - Throws: An error if the history cannot be read. The page itself shows a damaged line.
  public func html(of history: some History) throws(LogError) -> [UInt8] {
    var gzip = Gzip()
    for chunk in try history.chunks(after: 0, until: until ?? .max) {
      try history.read(chunk).withBytes { gzip.add($0) }
    }
    return html(compressed: gzip.finish())
  }

  /// Returns the page's HTML for lines that are not in a history, such as a damaged file's.
  public func html(lines: some Sequence<UInt8>) -> [UInt8] {
    var gzip = Gzip()
    gzip.add(lines)
    return html(compressed: gzip.finish())
  }

  private func html(compressed log: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    func add(_ text: String) { out += text.utf8 }
    func add(block id: String, _ type: String, _ bytes: [UInt8]) {
      add("<script id=\"\(id)\" type=\"\(type)\">")
      out += bytes
      add("</script>\n")
    }
    add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    add("<meta http-equiv=\"Content-Security-Policy\" content=\"")
    out += Asset.policy.bytes.filter { $0 != UInt8(ascii: "\n") }
    add("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    add("<meta name=\"generator\" content=\"eventlog\">\n<title>Time machine</title>\n<style>")
    out += Asset.style.bytes
    add("</style>\n</head>\n<body>\n")
    out += Asset.body.bytes
    add(block: "settings", "application/json", Array(settings.utf8))
    add(block: "log", "application/octet-stream", base64(log))
    add(block: "core", "application/octet-stream", base64(Asset.core.bytes))
    add(block: "worker", "text/plain", Asset.worker.bytes)
    add("<!--\n")
    out += Asset.license.bytes
    add("-->\n<script>")
    out += Asset.script.bytes
    add("</script>\n</body>\n</html>\n")
    return out
  }

  /// The page's settings as JSON without `<`, so that a script element can contain them.
  private var settings: String {
    let marks = bookmarks.map { mark in
      JSONValue.object([.init("name", .string(mark.name)), .init("seq", .int(mark.seq))])
    }
    let object = JSONValue.object([
      .init("name", .string(name)), .init("rules", .string(rules)),
      .init("bookmarks", .array(marks)), .init("from", .int(from)),
      .init("revision", revision.map { .int($0) } ?? .null), .init("watched", .optional(watched)),
    ])
    return object.text.split(separator: "<", omittingEmptySubsequences: false)
      .joined(separator: "\\u003c")
  }
}

/// A part of every page, built by `Sources/CTimeMachine/build`.
enum Asset: Int32 {
  case core = 0
  case script, worker, style, body, policy, license

  var bytes: [UInt8] {
    var count = 0
    let start = page_asset(rawValue, &count)
    return (0..<count).map { start![$0] }
  }
}

/// Returns the bytes in Base64 (RFC 4648), with padding.
func base64(_ bytes: [UInt8]) -> [UInt8] {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var out: [UInt8] = []
  out.reserveCapacity((bytes.count + 2) / 3 * 4)
  var at = 0
  while at < bytes.count {
    let left = bytes.count - at
    let group =
      UInt32(bytes[at]) << 16 | (left > 1 ? UInt32(bytes[at + 1]) << 8 : 0)
      | (left > 2 ? UInt32(bytes[at + 2]) : 0)
    out.append(digits[Int(group >> 18)])
    out.append(digits[Int(group >> 12 & 63)])
    out.append(left > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "="))
    out.append(left > 2 ? digits[Int(group & 63)] : UInt8(ascii: "="))
    at += 3
  }
  return out
}
