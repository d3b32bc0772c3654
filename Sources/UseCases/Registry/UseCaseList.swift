/// The use cases that a core performs by name: those of `Registry` and an app's own.
///
/// ```swift
/// UseCaseList.standard.find("ToggleFollow")?.writes  // true
/// ```
/// `Core.open(…, useCases: .standard.adding(CheckIn.self))` performs an app's use cases like the
/// core's own: in batches, with retries, and over HTTP.
public struct UseCaseList: Sendable {
  /// The use cases of `Registry`.
  public static let standard = UseCaseList(Registry.all)

  /// All use cases, with an app's own last.
  public let all: [Registry.Entry]
  private let byName: [String: Registry.Entry]

  private init(_ all: [Registry.Entry]) {
    self.all = all
    byName = Dictionary(uniqueKeysWithValues: all.map { ($0.about.name, $0) })
  }

  /// Returns the use case with a name; nil if there is none.
  public func find(_ name: String) -> Registry.Entry? { byName[name] }

  /// Returns this list with a command of an app.
  /// - Precondition: the name is new. It is the app's name, a point and a word, such as
  ///   `gymapp.CheckIn`.
  public func adding<C: Command>(_: C.Type) -> UseCaseList { adding(Registry.Entry(C.self)) }

  /// Returns this list with a query of an app.
  /// - Precondition: that of a command.
  public func adding<Q: Query>(_: Q.Type) -> UseCaseList { adding(Registry.Entry(Q.self)) }

  private func adding(_ entry: Registry.Entry) -> UseCaseList {
    let name = entry.about.name
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }
    precondition(
      parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && isName,
      "a use case of an app is named APP.Name, such as gymapp.CheckIn, not '\(name)'")
    precondition(byName[name] == nil, "there is a use case '\(name)' already")
    return UseCaseList(all + [entry])
  }
}
