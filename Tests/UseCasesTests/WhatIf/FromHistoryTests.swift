import Testing
import UseCasesTesting

@Test("What happened at events 67 to 76 happens again")
func events67To76() async throws {
  // Given
  let scenario = try await Scenario(
    given: #"""
      {"type":"ProfileCreated","v":2,"actor":"ann","data":{"user":"ann","handle":"handle1","displayName":"text 1.......","isPublic":true}}
      {"type":"ProfileCreated","v":2,"actor":"ben","data":{"user":"ben","handle":"handle2","displayName":"text 2...","isPublic":true}}
      {"type":"FriendRequestAccepted","actor":"ann","data":{"sender":"ben","receiver":"ann"}}
      {"type":"ProfileCreated","v":2,"actor":"cem","data":{"user":"cem","handle":"handle3","displayName":"text 3........","isPublic":true}}
      {"type":"FriendRequestAccepted","actor":"cem","data":{"sender":"ann","receiver":"cem"}}
      """#)
  // When and then
  #expect(
    try await scenario.when(
      #"{"do":"ShareWorkout","as":"ann","with":{"workout":"w1","localID":"local-1","date":"2026-01-09T17:20:00Z","workoutType":"text 4....","totalTime":"52:00.0","totalDistance":0,"averageSplit":"00:00.0","isErgTest":false,"text":"text 5...............................................................","climb":"text 6...","audience":"friends"}}"#
    )
      == [
        #"{"type":"WorkoutShared","v":2,"actor":"ann","data":{"workout":"w1","owner":"ann","localID":"local-1","date":"2026-01-09T17:20:00Z","workoutType":"text 4....","totalTime":"52:00.0","totalDistance":0,"averageSplit":"00:00.0","isErgTest":false,"text":"text 5...............................................................","climb":"text 6...","audience":"friends"}}"#
      ])
  #expect(
    try await scenario.when(#"{"do":"GiveChup","as":"ben","with":{"workout":"w1"}}"#)
      == [#"{"type":"ChupGiven","actor":"ben","data":{"workout":"w1","user":"ben","big":false}}"#])
  #expect(
    try await scenario.when(#"{"do":"GiveBigChup","as":"cem","with":{"workout":"w1"}}"#)
      == [#"{"type":"ChupGiven","actor":"cem","data":{"workout":"w1","user":"cem","big":true}}"#])
  #expect(
    try await scenario.when(
      #"{"do":"PostComment","as":"ben","with":{"comment":"c1","workout":"w1","text":"text 7"}}"#)
      == [
        #"{"type":"CommentPosted","actor":"ben","data":{"comment":"c1","workout":"w1","user":"ben","text":"text 7"}}"#
      ])
  #expect(
    try await scenario.when(#"{"do":"HeartComment","as":"ann","with":{"comment":"c1"}}"#)
      == [#"{"type":"CommentHearted","actor":"ann","data":{"comment":"c1","user":"ann"}}"#])
  #expect(
    try await scenario.when(
      #"{"do":"PostComment","as":"cem","with":{"comment":"c2","workout":"w1","text":"text 8........................","replyTo":"c1"}}"#
    )
      == [
        #"{"type":"CommentPosted","actor":"cem","data":{"comment":"c2","workout":"w1","user":"cem","text":"text 8........................","replyTo":"c1"}}"#
      ])
  #expect(
    try await scenario.when(
      #"{"do":"PostComment","as":"ben","with":{"comment":"c3","workout":"w1","text":"text 9.........","replyTo":"c2"}}"#
    )
      == [
        #"{"type":"CommentPosted","actor":"ben","data":{"comment":"c3","workout":"w1","user":"ben","text":"text 9.........","replyTo":"c2"}}"#
      ])
  #expect(
    try await scenario.when(
      #"{"do":"EditComment","as":"ben","with":{"comment":"c1","text":"text 10............"}}"#)
      == [
        #"{"type":"CommentEdited","actor":"ben","data":{"comment":"c1","text":"text 10............"}}"#
      ])
  #expect(
    try await scenario.when(
      #"{"do":"CreateProfile","as":"dora","with":{"user":"dora","handle":"handle4","displayName":"text 11","isPublic":true}}"#
    )
      == [
        #"{"type":"ProfileCreated","v":2,"actor":"dora","data":{"user":"dora","handle":"handle4","displayName":"text 11","isPublic":true}}"#
      ])
  #expect(
    try await scenario.when(
      #"{"do":"UpdateProfile","as":"dora","with":{"user":"dora","bio":"text 12.................."}}"#
    )
      == [
        #"{"type":"ProfileEdited","actor":"dora","data":{"user":"dora","bio":"text 12.................."}}"#
      ])
}
