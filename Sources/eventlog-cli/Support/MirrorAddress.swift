/// The address of a mirror: `postgresql://user@host/database?schema=s` or `sqlite:FILE`.
enum MirrorAddress: Equatable, Sendable {
  /// A PostgreSQL database: the address for libpq, and the schema of the tables.
  case postgresql(String, schema: String)
  /// An SQLite file.
  case sqlite(String)
}

extension MirrorAddress {
  /// The reason why a text is not the address of a mirror.
  struct Fault: Error, Equatable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
  }

  /// Parses an address. `schema=NAME` in a PostgreSQL address names the schema of the tables; libpq
  /// does not receive this parameter. The default is `public`.
  init(_ text: String) throws(Fault) {
    if text.hasPrefix("sqlite:") {
      let path = String(text.dropFirst("sqlite:".count))
      let isURL = path.hasPrefix("//") && !path.hasPrefix("///")
      guard !path.isEmpty, !isURL else {
        throw Fault("an SQLite mirror is written sqlite:FILE, such as sqlite:my.db")
      }
      self = .sqlite(path)
    } else if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
      self = try Self.postgresql(text)
    } else {
      throw Fault(
        "'\(Clone.masked(text))' is not the address of a mirror: give sqlite:FILE or "
          + "postgresql://user@host/database?schema=NAME")
    }
  }

  private static func postgresql(_ text: String) throws(Fault) -> MirrorAddress {
    guard !text.contains("#") else {
      throw Fault("the schema of a mirror is written ?schema=NAME; only a shared log has #NAME")
    }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return .postgresql(text, schema: "public") }
    let items = parts[1].split(separator: "&")
    let schemas = items.filter { $0.hasPrefix("schema=") }.map { $0.dropFirst("schema=".count) }
    let others = items.filter { !$0.hasPrefix("schema=") }.joined(separator: "&")
    guard schemas.count <= 1 else { throw Fault("the address names more than one schema") }
    let schema = schemas.first.map(String.init) ?? "public"
    guard isName(schema) else {
      throw Fault(
        "'\(schema)' is not the name of a schema: it has up to 40 small letters, digits and _, "
          + "and does not begin with a digit")
    }
    let address = others.isEmpty ? String(parts[0]) : "\(parts[0])?\(others)"
    return .postgresql(address, schema: schema)
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 40 else { return false }
    let isLetter = { (byte: UInt8) in byte == UInt8(ascii: "_") || (0x61...0x7a).contains(byte) }
    return isLetter(first) && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
  }

  /// The address without its password, for messages.
  var name: String {
    switch self {
    case .postgresql(let address, "public"): Clone.masked(address)
    case .postgresql(let address, let schema):
      Clone.masked(address) + (address.contains("?") ? "&" : "?") + "schema=\(schema)"
    case .sqlite(let path): "sqlite:\(path)"
    }
  }
}
