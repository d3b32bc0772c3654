import Events

/// The use cases that a core performs by name: those of `Registry`, and an app's own.
///
/// ```swift
/// UseCaseList.standard.find("ToggleFollow")?.writes  // true
/// ```
/// `Core.open(…, useCases: .standard.adding(CheckIn.self))` performs an app's use cases like the
/// core's own: in batches, with retries, and over HTTP.
public struct UseCaseList: Sendable {
  public static let standard = UseCaseList(Registry.all)

  public private(set) var all: [Registry.Entry]
  private var byName: [String: Registry.Entry]

  private init(_ all: [Registry.Entry]) {
    self.all = all
    byName = Dictionary(uniqueKeysWithValues: all.map { ($0.about.name, $0) })
  }

  public func find(_ name: String) -> Registry.Entry? { byName[name] }

  /// This list with a command of an app's.
  /// - Precondition: the name is the app's, a point and a word, such as `gymapp.CheckIn`, and is
  ///   not in the list.
  public func adding<C: Command>(_: C.Type) -> UseCaseList { adding(Registry.Entry(C.self)) }

  /// This list with a query of an app's.
  /// - Precondition: as for a command.
  public func adding<Q: Query>(_: Q.Type) -> UseCaseList { adding(Registry.Entry(Q.self)) }

  private func adding(_ entry: Registry.Entry) -> UseCaseList {
    let name = entry.about.name
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || byte == UInt8(ascii: ".")
    }
    precondition(
      parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && isName,
      "a use case of an app is named APP.Name, such as gymapp.CheckIn, not '\(name)'")
    precondition(byName[name] == nil, "there is a use case '\(name)' already")
    return UseCaseList(all + [entry])
  }
}
