import Aggregates
import Events
import Projections
import UseCases

/// A log in memory that answers questions about any moment of its history, for example from a web
/// page. It uses the same core as production.
///
/// ```swift
/// var machine = try TimeMachine(LogBytes(bytes, name: "demo.jsonl"))
/// machine.reply(to: #"{"ask":"why","path":"followers/lena.count","at":178}"#)
/// // {"ok":true,"rows":[…]}
/// ```
/// A time machine only reads. If the log has a damaged line, it answers for the lines before that
/// one. Questions and answers are JSON. The field `rows` of an answer has the same rows that the
/// command of the same name prints with `--format json`.
/// - Complexity: Opening reads the log twice. A question about one user, workout or comment costs
///   some microseconds per relevant event. A question about everybody costs a replay from the
///   nearest kept state (`States`).
///
/// A time machine cannot be copied, because the state of all projections is large.
public struct TimeMachine: ~Copyable, Sendable {
  let rules: Rules
  /// The log up to the first damaged line.
  let view: LogBytes
  let head: LogHead
  /// The log's damage, with the damaged line; nil if there is none.
  public let damage: LogError?
  /// The number of bytes after the last whole line, which are not part of an event.
  let tail: Int
  var index: TravelIndex<LogBytes>
  var states: States<Views>
  var rankings: States<FollowerRanking>
  private var tracks: PictureData?

  /// Opens a log.
  /// - Parameter rules: The app's rules, which also decide what each caller can see.
  /// - Throws: An error if the lines before a damaged one cannot be read either, which is a bug.
  public init(_ log: LogBytes, rules: Rules = .climb) throws(LogError) {
    let damage = log.damage()
    var view = log
    if case .damaged(let damage)? = damage { view = log.prefix(max(damage.seq, 1) - 1) }
    let head = try view.head()
    let index = try TravelIndex(view, unknown: .skip)
    (self.rules, self.tail, self.damage) = (rules, log.tail, damage)
    (self.view, self.head, self.index) = (view, head, index)
    states = States(view, head: head.seq)
    rankings = States(view, head: head.seq)
  }

  /// Answers a question. The question is a JSON object whose field `ask` names its kind.
  /// - Returns: `{"ok":true,…}`, or `{"ok":false,"error":…}` with the reason as a sentence.
  public mutating func reply(to question: String) -> ByteBuffer {
    var out = ByteBuffer()
    do throws(QuestionFault) {
      let question = try Question(question)
      if question.name == "tracks" { return try allTracks().bytes }
      out.append("{\"ok\":true")
      for (name, json) in try answer(question) { out.append(",\"\(name)\":\(json)") }
      out.append("}")
    } catch {
      out = ByteBuffer()
      out.append("{\"ok\":false,\"error\":")
      out.appendJSON(error.message)
      out.append("}")
    }
    return out
  }

  /// Returns the picture data of the whole history. Only the first call creates the data.
  mutating func allTracks() throws(QuestionFault) -> PictureData {
    if let tracks { return tracks }
    let made = try asking { () throws(LogError) in try PictureData(view) }
    tracks = made
    return made
  }
}

/// The reason why a question has no answer, as a sentence.
struct QuestionFault: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

func asking<T>(_ body: () throws(LogError) -> T) throws(QuestionFault) -> T {
  do throws(LogError) { return try body() } catch { throw QuestionFault("\(error)") }
}

struct Question {
  let name: String
  private let members: JSONValue

  init(_ text: String) throws(QuestionFault) {
    do throws(LineFault) {
      members = try JSONValue(object: text.utf8)
    } catch {
      throw QuestionFault("no question: \(error)")
    }
    guard case .string(let name)? = members["ask"] else {
      throw QuestionFault("a question has a member 'ask'")
    }
    self.name = name
  }

  func text(_ member: String) -> String? {
    if case .string(let text)? = members[member] { text } else { nil }
  }

  func required(_ member: String) throws(QuestionFault) -> String {
    guard let text = text(member) else { throw QuestionFault("the question lacks '\(member)'") }
    return text
  }

  func flag(_ member: String) -> Bool { members[member] == .bool(true) }

  func value(_ member: String) -> JSONValue? { members[member] }

  func number(_ member: String) -> UInt64? {
    if case .number(let text)? = members[member] { UInt64(text) } else { nil }
  }
}
