/// The id of a request, which the lines of the request's events contain in the field `correlation`.
///
/// ```swift
/// CorrelationID("checkout-42")?.text  // "checkout-42"
/// CorrelationID("two words") == nil   // true
/// ```
/// An app chooses it, or a proxy: it connects the events with the app's traces. Retries of one
/// command may have different ids; the events have that of the first try.
public struct CorrelationID: Hashable, Sendable, CustomStringConvertible {
  /// The most characters of an id: 64.
  public static let longest = 64

  /// The id's text.
  public let text: String

  /// Creates an id; nil if the text is not 1 to 64 of the characters `A-Z a-z 0-9 . _ -`.
  public init?(_ text: String) { self.init(text.utf8) }

  init?(_ bytes: some Collection<UInt8>) {
    guard Self.isValid(bytes) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }

  static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
    (1...longest).contains(bytes.count) && bytes.allSatisfy(isPart)
  }

  /// Whether an id may contain a byte.
  static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  public var description: String { text }
}
