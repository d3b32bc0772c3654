import Events

extension TravelIndex {
  /// Returns the ways to complete the last word of a path; see `TimeTravel.completions`.
  public func completions(of text: String, limit: Int = 100) -> [String] {
    guard let slash = text.firstIndex(of: "/") else {
      return catalogue.kinds.map { $0.name + "/" }.filter { $0.hasPrefix(text) }
    }
    guard let kind = catalogue.kind(String(text[..<slash])) else { return [] }
    // The fields complete a path that already has all its ids.
    if let path = try? StatePath(String(text.prefix { $0 != "." }), in: catalogue),
      path.ids.count == kind.idNames.count, text.contains(".")
    {
      let members = kind.plainMembers + (kind.root == .list ? ["count"] : [])
      return members.map { path.text + "." + $0 }.filter { $0.hasPrefix(text) }
    }
    guard let last = text.lastIndex(of: "/") else { return [] }
    let number = text.filter { $0 == "/" }.count - 1
    guard number < kind.idNames.count else { return [] }
    let stem = String(text[...last])
    let prefix = String(text[text.index(after: last)...]).filter { $0 != "\"" }
    let name = kind.idNames[number]
    let found: [String]
    if let kind = NamedID.Kind(rawValue: name)?.ids {
      found = eventIndex.names.all(of: kind).filter { $0.hasPrefix(prefix) }
    } else {
      found = kind.choices[name, default: []].filter { $0.hasPrefix(prefix) }
    }
    let isLast = number == kind.idNames.count - 1
    return found.sorted().prefix(limit).map { stem + pathWord($0) + (isLast ? "" : "/") }
  }
}
