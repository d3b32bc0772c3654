/// A bug in the simulated database or network, which a run must find.
enum SimulatedBug: String, CaseIterable {
  case appendsUnfenced
  case holdsForEver
  case repeatsUnknown
  case answersEarly
  case notesNoKeys

  var summary: String {
    switch self {
    case .appendsUnfenced: "the database appends lines of an earlier term"
    case .holdsForEver: "a server that once held the lease believes that it holds it for ever"
    case .repeatsUnknown: "a batch that may have arrived counts as not sent"
    case .answersEarly: "an answer that was passed on does not say which event it reflects"
    case .notesNoKeys: "the database forgets the keys of commands without events"
    }
  }

  @MainActor static var planted: SimulatedBug?

  nonisolated var isPlanted: Bool { onMain { Self.planted == self } }
}
