import Events

#if !hasFeature(Embedded)
  import Synchronization
#endif

/// What a question has looked at, so that it can be asked again when that is there.
///
/// `@unchecked Sendable`: guarded by a mutex where there are threads.
final class Looks: @unchecked Sendable {
  /// A kind of state, and whose it is.
  enum Look: Hashable, Sendable {
    case one(StatePath.Kind, AnyID)
    case pair(StatePath.Kind, UserID, UserID)
    case handle(String)
    /// Whether an id is known at all.
    case id(NamedID)
  }

  #if hasFeature(Embedded)
    private var found: Set<Look>? = []

    private func withFound<T>(_ body: (inout Set<Look>?) -> T) -> T { body(&found) }
  #else
    private let found = Mutex<Set<Look>?>([])

    private func withFound<T: Sendable>(_ body: (inout sending Set<Look>?) -> sending T) -> T {
      found.withLock(body)
    }
  #endif

  func note(_ kind: StatePath.Kind, _ id: some DenseID) { note(.one(kind, AnyID(id))) }

  func note(_ look: Look) { withFound { _ = $0?.insert(look) } }

  /// Notes that the question looks at the state of everybody.
  func noteAll() { withFound { $0 = nil } }

  /// Everything noted; nil if that is the state of everybody.
  var all: Set<Look>? { withFound { $0 } }
}

extension Looks.Look {
  /// Where the events are that it depends on; nil for an id alone.
  func path(_ names: Names) -> StatePath? {
    switch self {
    case .one(let kind, let id): StatePath(kind: kind, ids: [names[id]])
    case .pair(let kind, let a, let b): StatePath(kind: kind, ids: [names[a], names[b]])
    case .handle(let handle): StatePath(kind: .handle, ids: [handle])
    case .id: nil
    }
  }
}
