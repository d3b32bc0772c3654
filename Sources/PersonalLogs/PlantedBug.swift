import Synchronization
import UseCases

/// A bug that the simulator `phones` plants, to show that it would find it.
package enum PlantedBug: String, CaseIterable, Sendable {
  case acknowledgesBeforeSync
  case continuesTornLines
  case doesNotSyncFolder
  case keepsOldFile
  case forgetsReplies
  case ignoresLock
  case readsFilesOnce
  case dismissesInMemory
  case compactsPending
  case stopsAtRefusals
  case sendsBackwards
  case sendsNewKeys
  case forgetsSentCommands
  case takesBusyAsAnswer
  case reportsTwice
  case dropsRefusals
  case takesOlderLogs
  case keepsOldReading
  case keepsRefusedEffects
  case appliesSettled
  case sendsToggles
  case sendsNoIDs
  case keepsOldAnswers
  case keepsLogOfDeletedAccount
  case keepsDroppedParts
  case performsRepeats
  case decidesLateCommands
  case comparesKeysOnly
  case showsHiddenProfiles
  case showsPrivateWorkouts
  case showsBlockedAuthors
  case showsBlockedConversations
  case countsHeldFollowers
  case omitsBlocks
  case omitsNewestWorkout
  case omitsReadMarks

  /// A sentence about the bug.
  package var summary: String {
    switch self {
    case .acknowledgesBeforeSync: "a command is acknowledged before it is on the disk"
    case .continuesTornLines: "after a power failure, a new line continues an incomplete one"
    case .doesNotSyncFolder: "the name of a new folder is not synced"
    case .keepsOldFile: "a new personal log is kept in memory only"
    case .forgetsReplies: "opening the outbox ignores the server's answers"
    case .ignoresLock: "a process without the lock writes"
    case .readsFilesOnce: "a second process does not follow the first one's changes"
    case .dismissesInMemory: "a dismissal is kept in memory only"
    case .compactsPending: "rewriting the outbox drops commands"
    case .stopsAtRefusals: "a refused command blocks those after it"
    case .sendsBackwards: "commands are sent in the wrong order"
    case .sendsNewKeys: "each sending of a command has a new key"
    case .forgetsSentCommands: "a command is forgotten when it is sent"
    case .takesBusyAsAnswer: "an answer that asks for a retry counts as final"
    case .reportsTwice: "a doubled answer makes a second outcome"
    case .dropsRefusals: "a refused command has no outcome"
    case .takesOlderLogs: "a delayed personal log replaces a newer one"
    case .keepsOldReading: "queries answer from the personal log before the last one"
    case .keepsRefusedEffects: "what depended on a refused command is not decided again"
    case .appliesSettled: "a command changes answers although the personal log reflects it"
    case .sendsToggles: "a toggle is sent as a toggle, not as the state that it leads to"
    case .sendsNoIDs: "the server chooses other ids than the phone"
    case .keepsOldAnswers: "a sync does not ask the remembered queries again"
    case .keepsLogOfDeletedAccount: "a deleted account's personal log stays on the phone"
    case .keepsDroppedParts: "the phone keeps the parts that the server does not list"
    case .decidesLateCommands:
      "the server decides a command without events again, after later ones"
    case .performsRepeats: "the server ignores the keys of commands"
    case .comparesKeysOnly: "the server compares the keys of parts, not their hashes"
    case .showsHiddenProfiles: "a personal log shows hidden profiles"
    case .showsPrivateWorkouts: "a personal log shows workouts of any audience"
    case .showsBlockedAuthors: "a personal log shows the comments of blocked people"
    case .showsBlockedConversations: "a personal log shows conversations with blocked people"
    case .countsHeldFollowers: "a personal log has no numbers of followers"
    case .omitsBlocks: "a personal log has no blocks"
    case .omitsNewestWorkout: "a personal log lacks each person's newest workout"
    case .omitsReadMarks: "a personal log lacks read marks"
    }
  }

  private static let planted = Atomic<Int>(0)

  /// Plants the bug in this process.
  package func plant() {
    Self.planted.store((Self.allCases.firstIndex(of: self) ?? 0) + 1, ordering: .relaxed)
  }

  /// Whether the bug is planted; false except in a simulation.
  package var isPlanted: Bool {
    let number = Self.planted.load(ordering: .relaxed)
    return number > 0 && Self.allCases[number - 1] == self
  }
}
