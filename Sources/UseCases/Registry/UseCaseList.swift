/// The use cases that a core can perform by name: those in `Registry` and an app's own.
///
/// ```swift
/// UseCaseList.standard.find("ToggleFollow")?.writes  // true
/// ```
/// `Core.open(…, useCases: .standard.adding(CheckIn.self))` performs an app's use cases like the
/// core's own: in batches, with retries, and over HTTP.
public struct UseCaseList: Sendable {
  /// The list of the built-in use cases, which are those in `Registry`.
  public static let standard = UseCaseList(Registry.all)

  /// All use cases of the list. An app's own come last.
  public let all: [Registry.Entry]
  private let byName: [String: Registry.Entry]

  private init(_ all: [Registry.Entry]) {
    self.all = all
    byName = Dictionary(uniqueKeysWithValues: all.map { ($0.about.name, $0) })
  }

  /// Returns the use case with a name; nil if there is none.
  public func find(_ name: String) -> Registry.Entry? { byName[name] }

  /// Returns this list with one of an app's own commands added.
  /// - Precondition: the command's name is not yet in the list. It is the app's name, a full stop
  ///   and a word, such as `gymapp.CheckIn`.
  public func adding<C: Command>(_: C.Type) -> UseCaseList { adding(Registry.Entry(C.self)) }

  /// Returns this list with one of an app's own queries added.
  /// - Precondition: the query's name is new and has the same form as a command's name.
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
