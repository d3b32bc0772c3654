import Aggregates
import Events
import Projections
import UseCases

extension TimeMachine {
  /// Up to this position, a replay of the log answers a question faster than a search for the
  /// relevant events.
  private static let short: UInt64 = 20_000

  /// Answers a question at a position from its relevant events; if there are too many, by a replay.
  private mutating func ask<Answer>(
    at position: UInt64, _ question: @escaping (Reading, Names) -> Answer
  ) throws(QuestionFault) -> Answer {
    if position > Self.short {
      let limit = Int(clamping: position / 8)
      let answer = try asking { () throws(LogError) in
        try index.ask(at: position, limit: limit, question)
      }
      if let answer { return answer }
    }
    return try asking { () throws(LogError) in
      try states.ask(at: position) { question(Reading($0.projection), $0.names) }
    }
  }

  /// Answers the query that the field `do` names, at a position and as a caller would see it.
  mutating func query(_ question: Question) throws(QuestionFault) -> Members {
    let name = try question.required("do")
    guard let query = Queries.find(name) else {
      throw QuestionFault("there is no query \(printable(name))")
    }
    let user = question.text("as")
    let caller = question.flag("service") ? Caller.service(user ?? "page") : Caller(user)
    let input = question.value("with") ?? .object([])
    let position = position(question)
    let now = try asking { () throws(LogError) in
      position == 0 ? Timestamp.earliest : try view.head(at: position).time
    }
    let rules = rules
    let result = try ask(at: position) { reading, names -> Result<JSONValue, UseCaseError> in
      let model = Model(rules: rules, reading, names, now: now)
      do throws(UseCaseError) {
        return .success(try query.answer(input, caller, model))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let value): return [("result", value.text)]
    case .failure(let error):
      return [("refused", jsonString(error.code)), ("message", jsonString("\(error)"))]
    }
  }

  /// Returns the rows of `project` for the table that the question's field `name` names.
  mutating func project(_ question: Question) throws(QuestionFault) -> Rows {
    let position = position(question)
    let limit = question.number("limit").map { Int(clamping: $0) }
    let moment = try asking { () throws(LogError) in try view.head(at: position) }
    switch try question.required("name") {
    case "followers":
      return try asking { () throws(LogError) in
        try rankings.ask(at: position) { $0.projection.followerRows(limit: limit, $0.names) }
      }
    case "profiles":
      let named = question.text("user")
      return try ask(at: position) { reading, names in
        let state = ProjectedState(views: reading, names: names, head: moment)
        let one = named.map { state.find(user: $0).map { [$0] } ?? [] }
        let users = one ?? reading.all.profiles.users(names)
        return state.profileRows(of: users.prefix(limit ?? .max))
      }
    case "feed":
      let user = try question.required("user")
      return try ask(at: position) { reading, names in
        let state = ProjectedState(views: reading, names: names, head: moment)
        let circle = state.find(user: user).map { state.circle(of: $0) } ?? []
        return state.workoutRows(of: circle, limit: limit)
      }
    case let name: throw QuestionFault("no table '\(printable(name))'")
    }
  }
}
