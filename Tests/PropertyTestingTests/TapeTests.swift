import PropertyTesting
import Testing

@Suite struct TapeTests {
  @Test("A tape converts to text and back")
  func text() async throws {
    try await check { t in
      let numbers = t.draw(.array(of: Generator<UInt64>.any))
      let text = numbers.map(String.init).joined(separator: ".")
      let tape = try #require(Tape(text))
      #expect(tape.choices == numbers)
      #expect(tape.description == text)
    }
    #expect(Tape("3.0.17.0.0")?.choices == [3, 0, 17, 0, 0])
    #expect(Tape("")?.choices == [])
  }

  @Test(
    "A text that is not a tape is refused",
    arguments: ["a", "1..2", ".", "1.", "-1", "+1", "1 2", "1.18446744073709551616"])
  func noTape(_ text: String) { #expect(Tape(text) == nil) }

  @Test("A tape draws the same value again, and any tape draws some value")
  func replaying() async throws {
    try await check { t in
      let tape = try #require(
        Tape(
          t.draw(.array(of: Generator<UInt64>.any, 0...200)).map(String.init).joined(separator: ".")
        ))
      let draw = { (t: Trial) in
        "\(t.draw(.hostileHistory(max: 5))) \(t.draw(.array(of: Generator<Int8>.any)))"
      }
      #expect(replay(tape, draw) == replay(tape, draw))
    }
  }
}
