import Events
import UseCases

/// The tokens of signed links. A link lets everybody download one object until the link expires, as
/// long as its signer may.
///
/// A token is `EXPIRES.SIGNER.SIGNATURE`: the Unix time in seconds, then the signer and the
/// signature in hexadecimal. The signature is a keyed hash of the method, the object's path, the
/// time and the signer. So a token for one object does not open another one.
struct SignedLinks: Sendable {
  /// The longest time for which a link is valid, in seconds: 7 days.
  static let longest = 7 * 86_400
  /// The longest token: a time, the id of a service and a signature.
  private static let longestToken = 400

  /// Returns the keyed hash of some bytes, such as HMAC-SHA256.
  let hash: @Sendable ([UInt8]) -> [UInt8]

  /// The reason why a token does not open an object.
  enum Fault: Error { case invalid, expired }

  /// Returns the token for an object.
  /// - Parameter seconds: the time for which the token is valid, up to `longest`.
  func token(_ object: StoredPath, signer: Caller, seconds: Int, now: Timestamp) -> String {
    let expires = now.milliseconds / 1_000 + Int64(seconds)
    let signer = Self.text(signer)
    return "\(expires).\(hex(Array(signer.utf8))).\(hex(signature(object, expires, signer)))"
  }

  /// Returns the signer of a token that opens an object.
  func signer(
    of token: String, for object: StoredPath, now: Timestamp
  ) throws(Fault) -> Caller {
    guard token.utf8.count <= Self.longestToken else { throw .invalid }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let expires = Int64(parts[0]), let name = Self.bytes(parts[1]),
      let signer = String(validating: name, as: UTF8.self), let given = Self.bytes(parts[2])
    else { throw .invalid }
    let expected = signature(object, expires, signer)
    guard given.count == expected.count else { throw .invalid }
    // Compares all bytes, so that the time does not depend on the first wrong one.
    var difference: UInt8 = 0
    for (one, other) in zip(given, expected) { difference |= one ^ other }
    guard difference == 0 else { throw .invalid }
    if now.milliseconds / 1_000 >= expires { throw .expired }
    return Self.caller(signer)
  }

  private func signature(_ object: StoredPath, _ expires: Int64, _ signer: String) -> [UInt8] {
    // No part contains a line feed.
    hash(Array("GET\n\(object.text)\n\(expires)\n\(signer)".utf8))
  }

  private static func text(_ caller: Caller) -> String {
    caller.service.map { "service \($0)" } ?? caller.user.map { "user \($0)" } ?? ""
  }

  private static func caller(_ text: String) -> Caller {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    return parts[0] == "service" ? .service(parts[1]) : Caller(parts[1])
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0))
    }
  }
}

/// Returns bytes in hexadecimal, in small letters.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
