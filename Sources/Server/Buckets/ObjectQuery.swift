import Events
import UseCases

/// The input of a list: a folder of a bucket, and the part of its contents to show.
struct ObjectQuery: Sendable {
  /// The largest page, and the most files of a folder that are read.
  static let most = 1_000

  enum Column: String, Sendable {
    case name
    case created = "created_at"
    case updated = "updated_at"
    case accessed = "last_accessed_at"
  }

  /// The name of the folder; nil for the bucket itself.
  var folder: String?
  /// Whether the folder can exist: it is one segment of a path.
  var isPossible = true
  var limit = 100
  var offset = 0
  var column = Column.name
  var isDescending = false
  /// The beginning of names, in lower case.
  var search = ""

  /// Reads the members `prefix`, `limit`, `offset`, `sortBy` and `search`; ignores others.
  init(_ input: JSONValue) throws(InputError) {
    var prefix = try Self.text(input, "prefix") ?? ""
    if prefix.hasSuffix("/") { prefix.removeLast() }
    if !prefix.isEmpty {
      folder = prefix
      isPossible = isValidID(prefix.utf8)
    }
    if let limit = try Self.number(input, "limit") {
      if limit < 1 { throw InputError("limit", "a number of objects from 1 is expected") }
      self.limit = min(limit, Self.most)
    }
    offset = try Self.number(input, "offset") ?? 0
    search = (try Self.text(input, "search") ?? "").lowercased()
    guard let sort = input["sortBy"], sort != .null else { return }
    if let name = try Self.text(sort, "column") {
      guard let column = Column(rawValue: name) else {
        throw InputError(
          "sortBy.column", "name, created_at, updated_at or last_accessed_at is expected")
      }
      self.column = column
    }
    switch try Self.text(sort, "order")?.lowercased() {
    case nil, "asc": break
    case "desc": isDescending = true
    default: throw InputError("sortBy.order", "asc or desc is expected")
    }
  }

  private static func text(_ object: JSONValue, _ name: String) throws(InputError) -> String? {
    switch object[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw InputError(name, "a text is expected")
    }
  }

  private static func number(_ object: JSONValue, _ name: String) throws(InputError) -> Int? {
    switch object[name] {
    case nil, .null?: return nil
    case let value?:
      guard let number = value.uint64.flatMap({ Int(exactly: $0) }) else {
        throw InputError(name, "a whole number from 0 is expected")
      }
      return number
    }
  }

  /// Returns the objects of the page, as JSON.
  func page(of objects: [StoredObject]) -> [JSONValue] {
    let sorted = objects.filter { $0.path.file.lowercased().hasPrefix(search) }
      .sorted { isDescending ? $0.key(column) > $1.key(column) : $0.key(column) < $1.key(column) }
    return sorted.dropFirst(offset).prefix(limit).map(\.listed)
  }

  /// Returns the folders of the page, as JSON.
  func page(ofFolders names: [String]) -> [JSONValue] {
    let sorted = names.filter { $0.lowercased().hasPrefix(search) }.sorted {
      isDescending && column == .name ? $0 > $1 : $0 < $1
    }
    return sorted.dropFirst(offset).prefix(limit).map(StoredObject.folder)
  }
}
