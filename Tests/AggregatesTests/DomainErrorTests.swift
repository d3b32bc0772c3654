import Aggregates
import Testing

@Suite struct DomainErrorTests {
  /// Every refusal by its code; the codes never change.
  private static let all: [(String, DomainError)] = [
    ("unauthorized", .unauthorized), ("notAuthorized", .notAuthorized),
    ("profileNotFound", .profileNotFound), ("profileExists", .profileExists),
    ("invalidHandle", .invalidHandle(.tooShort(limit: 3, actual: 2))),
    ("handleAlreadyTaken", .handleAlreadyTaken),
    ("displayNameTooLong", .displayNameTooLong(limit: 50, actual: 51)),
    ("displayNameRequired", .displayNameRequired),
    ("bioTooLong", .bioTooLong(limit: 280, actual: 281)), ("outOfRange", .outOfRange),
    ("unknownSport", .unknownSport), ("invalidImage", .invalidImage),
    ("imageTooLarge", .imageTooLarge(.bytes(5_242_880))),
    ("invalidText", .invalidText(.homeGym, .tooLong(limit: 100, actual: 101))),
    ("cannotFollowSelf", .cannotFollowSelf),
    ("cannotFriendSelf", .cannotFriendSelf), ("alreadyRequested", .alreadyRequested),
    ("alreadyReceived", .alreadyReceived), ("alreadyFriends", .alreadyFriends),
    ("noSuchRequest", .noSuchRequest), ("notFriends", .notFriends),
    ("workoutNotFound", .workoutNotFound), ("notVisible", .notVisible),
    ("invalidWorkout", .invalidWorkout(field: "totalTime")), ("commentEmpty", .commentEmpty),
    ("commentTooLong", .commentTooLong(limit: 1_000, actual: 1_001)),
    ("commentNotFound", .commentNotFound), ("queryTooShort", .queryTooShort),
  ]

  @Test("Error codes are those of the catalogue, and no two errors have the same text")
  func codes() {
    for (code, error) in Self.all { #expect(error.code == code) }
    #expect(Set(Self.all.map { "\($0.1)" }).count == Self.all.count)
  }

  @Test(
    "An error's sentence names the limit and the actual count, the field, or the handle's problem")
  func sentences() {
    #expect(
      "\(DomainError.bioTooLong(limit: 280, actual: 281))"
        == "the bio has 281 characters, 280 are allowed")
    #expect("\(DomainError.invalidWorkout(field: "totalTime"))".contains("totalTime"))
    #expect(
      "\(DomainError.invalidText(.homeGym, .tooLong(limit: 100, actual: 5_000_000)))"
        == "homeGym: it has 5000000 characters, 100 are allowed")
    #expect(
      "\(DomainError.imageTooLarge(.bytes(5_242_880)))" == "the photo has more than 5 MiB")
    #expect(
      "\(DomainError.imageTooLarge(.bytes(10_007)))" == "the photo has more than 10,007 bytes")
    #expect(
      "\(DomainError.imageTooLarge(.pixels(100_000_000)))"
        == "the photo has more than 100,000,000 pixels")
    #expect(
      "\(DomainError.invalidHandle(.tooShort(limit: 3, actual: 2)))"
        == "the handle is not valid: it has 2 characters, the minimum is 3")
  }

  @Test("A summary is the same for all errors of a code, and names none of their numbers")
  func summaries() {
    for (code, error) in Self.all {
      let isDetailed = ["TooLong", "TooLarge", "invalidHandle", "invalidWorkout", "invalidText"]
        .contains(where: code.contains)
      #expect((error.summary != "\(error)") == isDetailed, "\(code)")
    }
    #expect(
      DomainError.bioTooLong(limit: 280, actual: 281).summary
        == DomainError.bioTooLong(limit: 1_000, actual: 2_000).summary)
    #expect(Set(Self.all.map(\.1.summary)).count == Self.all.count)
  }
}
