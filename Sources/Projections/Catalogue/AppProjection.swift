import Events

/// An app's own projection: it needs only a name, a version, the types it handles, and `apply`.
///
/// ```swift
/// struct ClosedAccounts: AppProjection {
///   static let name = "closedAccounts", version = 1
///   static let handles: EventTypes = [.accountDeleted]
///   private(set) var count = 0
///   mutating func apply(_ event: borrowing Event, at moment: Moment) {
///     switch event {
///     case .accountDeleted: count += 1
///     default: break
///     }
///   }
/// }
/// ```
/// The other requirements of `ExplainedProjection` have defaults:
/// - Without `kinds` the projection has no paths, and time travel does not show it.
/// - Without `code` a core with it writes no checkpoints and reads the whole log when it opens.
/// - Without `brokenInvariant` the only check is that `values` and `lists` agree with `facts`.
public protocol AppProjection: ExplainedProjection {}

extension AppProjection {
  public static var kinds: [StatePath.Kind] { [] }
  /// Makes the coder fail, because a checkpoint cannot store the state.
  public mutating func code(with coder: inout StateCoder) { coder.fail() }
  /// Reports no broken invariant.
  public func brokenInvariant(_ names: Names) -> String? { nil }
}

extension ExplainedProjection {
  /// Describes the first fact that `values` and `lists` do not return at its path; nil if none.
  ///
  /// Each fact in `facts` must have a path of one of `kinds`, and `values` or `lists` must return
  /// the same value under that path. `Core.brokenInvariant()` checks this for an app's projections.
  /// - Complexity: O(facts) calls of `values` and `lists`.
  public func unexplainedFact(_ names: Names) -> String? {
    let facts = facts(names)
    if facts.isEmpty { return nil }
    let catalogue = Catalogue.standard.adding(Self.self)
    for fact in facts {
      let path: StatePath
      do throws(StatePath.Fault) {
        path = try StatePath(fact.path, in: catalogue)
      } catch {
        return "\(Self.name): facts has '\(fact.path)', which is no path of its kinds: \(error)"
      }
      guard Self.kinds.contains(path.kind) else {
        return "\(Self.name): facts has '\(fact.path)', whose kind is not in kinds"
      }
      let value = values(under: path, after: nil, names).facts.first { $0.path == fact.path }
      let list = lists(under: path, names).compactMap { $0.fact }.first { $0.path == fact.path }
      guard let found = (value ?? list)?.value else {
        return "\(Self.name): facts has '\(fact.path)' = \(fact.value.text), but neither values "
          + "nor lists gives it"
      }
      if found != fact.value {
        return "\(Self.name): facts has '\(fact.path)' = \(fact.value.text), but "
          + "\(value == nil ? "lists" : "values") gives \(found.text)"
      }
    }
    return nil
  }
}
