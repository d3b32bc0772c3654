import Events

/// What a question has looked at, so that it can be asked again when that is there.
final class ReadSet: Sendable {
  /// A kind of state, and whose it is.
  enum Read: Hashable, Sendable {
    case one(StatePath.Kind, AnyID)
    case pair(StatePath.Kind, UserID, UserID)
    case handle(String)
    /// Whether an id is known at all.
    case id(NamedID)
  }

  private let found = Guarded<Set<Read>?>([])

  func note(_ kind: StatePath.Kind, _ id: some DenseID) { note(.one(kind, AnyID(id))) }

  func note(_ look: Read) { found.withLock { _ = $0?.insert(look) } }

  /// Notes that the question looks at the state of everybody.
  func noteAll() { found.withLock { $0 = nil } }

  /// Everything noted; nil if that is the state of everybody.
  var all: Set<Read>? { found.withLock { $0 } }
}

extension ReadSet.Read {
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
