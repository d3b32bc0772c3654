/// An IP address. An IPv4 address and the same address in IPv6 (`::ffff:192.0.2.1`) are equal.
///
/// ```swift
/// IPAddress("2001:db8::1")
/// IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1")  // true
/// ```
package struct IPAddress: Hashable, Sendable {
  /// The IPv6 address; an IPv4 address is in its last 32 bits, after `::ffff:0:0/96`.
  let bits: UInt128

  /// Creates an address from the 16 bytes of an IPv6 address, in network order.
  init(_ bytes: some Sequence<UInt8>) { bits = bytes.reduce(0) { $0 << 8 | UInt128($1) } }

  private init(bits: UInt128) { self.bits = bits }

  /// Parses an address such as `192.0.2.1`, `2001:db8::1` or `::ffff:192.0.2.1`; nil for other
  /// texts, also for numbers with leading zeros and for IPv6 zones.
  package init?(_ text: some StringProtocol) {
    guard text.contains(":") else {
      guard let four = Self.four(text) else { return nil }
      self.init(bits: 0xffff << 32 | UInt128(four))
      return
    }
    guard let gap = text.firstRange(of: "::") else {
      guard let groups = Self.groups(text), groups.count == 8 else { return nil }
      self.init(groups: groups)
      return
    }
    let head = text[..<gap.lowerBound]
    guard !head.contains("."), let first = Self.groups(head),
      let last = Self.groups(text[gap.upperBound...]), first.count + last.count < 8
    else { return nil }
    let zeros = [UInt16](repeating: 0, count: 8 - first.count - last.count)
    self.init(groups: first + zeros + last)
  }

  private init(groups: [UInt16]) { bits = groups.reduce(0) { $0 << 16 | UInt128($1) } }

  /// Parses an item of `X-Forwarded-For`: an address that some proxies write with the client's
  /// port, such as `192.0.2.1:4711` or `[2001:db8::1]:4711`.
  init?(hop: some StringProtocol) {
    let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
    if text.first == "[" {
      self.init(text.dropFirst().prefix { $0 != "]" })
    } else if text.contains("."), text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1 {
      self.init(text.prefix { $0 != ":" })
    } else {
      self.init(text)
    }
  }

  /// Parses the groups of an IPv6 address. The last two may be written as an IPv4 address.
  private static func groups(_ text: some StringProtocol) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, let four = four(part) {
        groups += [UInt16(four >> 16), UInt16(truncatingIfNeeded: four)]
      } else if (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
        let group = UInt16(part, radix: 16)
      {
        groups.append(group)
      } else {
        return nil
      }
    }
    return groups
  }

  private static func four(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var four: UInt32 = 0
    for part in parts {
      guard let byte = decimal(part, upTo: 255) else { return nil }
      four = four << 8 | UInt32(byte)
    }
    return four
  }

  /// Parses a number without a sign or leading zeros.
  fileprivate static func decimal(_ text: some StringProtocol, upTo most: Int) -> Int? {
    guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      text.utf8.count == 1 || text.utf8.first != 0x30, let number = Int(text), number <= most
    else { return nil }
    return number
  }

  /// Whether the address is an IPv4 address.
  var isFour: Bool { bits >> 32 == 0xffff }

  /// Whether the address belongs to this machine: `127.0.0.0/8` or `::1`.
  package var isLoopback: Bool { bits >> 24 == 0xffff_7f || bits == 1 }

  /// The address by which limits count a client: an IPv6 address without its last 64 bits, because
  /// one client usually has all of those.
  package var forCounting: IPAddress {
    isFour ? self : IPAddress(bits: (bits >> 64) << 64)
  }
}

extension IPAddress: CustomStringConvertible {
  /// An IPv4 address such as `192.0.2.1`, or all eight groups of an IPv6 address.
  package var description: String {
    if isFour {
      return stride(from: 24, through: 0, by: -8).map { "\(bits >> UInt128($0) & 0xff)" }
        .joined(separator: ".")
    }
    return stride(from: 112, through: 0, by: -16)
      .map { String(bits >> UInt128($0) & 0xffff, radix: 16) }.joined(separator: ":")
  }
}

/// A network of IP addresses: an address and the number of its bits that all of them share.
package struct IPNetwork: Hashable, Sendable {
  private let address: IPAddress
  /// The bits of an IPv6 address that all addresses of the network share.
  private let mask: UInt128

  /// Parses a network such as `10.0.0.0/8` or `2001:db8::/32`, or a single address; nil for other
  /// texts, also if the address has bits after the shared ones (`10.0.0.5/8`).
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    var count = 128
    if parts.count == 2 {
      let isFour = !parts[0].contains(":")
      guard let given = IPAddress.decimal(parts[1], upTo: isFour ? 32 : 128) else { return nil }
      count = isFour ? 96 + given : given
    }
    let mask = count == 0 ? 0 : UInt128.max << UInt128(128 - count)
    guard address.bits & ~mask == 0 else { return nil }
    (self.address, self.mask) = (address, mask)
  }

  /// Returns whether the network contains an address.
  package func contains(_ other: IPAddress) -> Bool { other.bits & mask == address.bits }
}
