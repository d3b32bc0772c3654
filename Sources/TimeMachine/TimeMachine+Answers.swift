import Aggregates
import Events
import Projections
import UseCases

extension TimeMachine {
  typealias Members = [(name: String, json: String)]

  mutating func answer(_ question: Question) throws(QuestionFault) -> Members {
    switch question.name {
    case "head": return headMembers
    case "people": return try people()
    case "kinds": return kinds
    case "resolve": return try resolve(question)
    case "event": return try event(question)
    case "facts": return try facts(question)
    case "history": return rows(try timeline(question).rows())
    case "blame": return rows(try timeline(question).blameRows())
    case "why": return try why(question)
    case "diff": return try diff(question)
    case "watch": return try watch(question)
    case "query": return try query(question)
    case "project": return rows(try project(question))
    case "naming": return try naming(question)
    case "grep": return try grep(question)
    case "complete":
      let words = index.completions(of: question.text("text") ?? "")
      return [("words", JSONValue.array(words.map { .string($0) }).text)]
    default: throw QuestionFault("no question '\(question.name)'")
    }
  }

  private func rows(_ rows: Rows) -> Members { [("rows", rows.json)] }

  private var headMembers: Members {
    var members: Members = [
      ("seq", "\(head.seq)"), ("time", jsonString("\(head.time)")),
      ("sum", jsonString(head.sum.padded(to: 16, radix: 16))),
      ("types", JSONValue.array(EventType.allCases.map { .string($0.name) }).text),
      ("tail", "\(tail)"),
    ]
    if let damage { members.append(("damage", jsonString("\(damage)"))) }
    return members
  }

  /// Returns the ids of all users. `PictureData.Track` names a user by the index in this list.
  private mutating func people() throws(QuestionFault) -> Members {
    let names = try allTracks().names
    return [("users", JSONValue.array(names.all(of: .user).map { .string($0) }).text)]
  }

  private var kinds: Members {
    let kinds = Catalogue.standard.kinds.map { kind in
      JSONValue.object([
        .init("name", .string(kind.name)), .init("summary", .string(kind.summary)),
        .init("ids", .array(kind.idNames.map { .string($0) })),
        .init("members", .array(kind.plainMembers.map { .string($0) })),
        .init("isList", .bool(kind.root == .list)),
      ])
    }
    return [
      ("kinds", JSONValue.array(kinds).text),
      ("queries", JSONValue.array(Queries.all.map { .string($0.name) }).text),
    ]
  }

  private func resolve(_ question: Question) throws(QuestionFault) -> Members {
    let text = try question.required("text")
    guard let revision = Revision(text) else {
      throw QuestionFault(
        "'\(printable(text))' is no revision: write 1234, HEAD, HEAD~3, @2026-01-31T12:00:00Z, "
          + "50%, an event id or a bookmark")
    }
    let position = try asking { () throws(LogError) in try revision.resolve(in: view) }
    return [("seq", "\(position)")]
  }

  /// Returns the position in a field of the question; the head's if it is missing or higher.
  func position(_ question: Question, _ member: String = "at") -> UInt64 {
    min(question.number(member) ?? head.seq, head.seq)
  }

  private func path(_ question: Question) throws(QuestionFault) -> StatePath {
    let text = try question.required("path")
    let path: StatePath
    do throws(StatePath.Fault) { path = try StatePath(text) } catch { throw QuestionFault(error) }
    try check(StatePath.ids(in: text))
    return path
  }

  /// Throws if one of the ids occurs nowhere in the log.
  private func check(_ ids: [NamedID]) throws(QuestionFault) {
    let unknown = try asking { () throws(LogError) in try index.firstUnknown(among: ids) }
    guard let unknown else { return }
    throw QuestionFault(
      "character \(unknown.offset + 1): the log has no \(unknown.kind.rawValue.lowercased()) "
        + "'\(printable(unknown.id))'")
  }

  private func pathOfOne(_ question: Question) throws(QuestionFault) -> StatePath {
    let path = try path(question)
    guard path.isOfOne else {
      throw QuestionFault(
        "'\(path.text)' is the state of many; say whose: \(path.kind.name)/"
          + path.kind.idNames.joined(separator: "/"))
    }
    return path
  }

  /// Returns an event's line, the checksum of the previous line, the event's changes and its cause.
  private mutating func event(_ question: Question) throws(QuestionFault) -> Members {
    let seq = position(question)
    guard let line = try asking({ () throws(LogError) in try view.line(at: seq) }) else {
      throw QuestionFault("revision 0 is the empty log: there is no event to show")
    }
    let step = try asking { () throws(LogError) in try index.change(by: seq) }
    let names = ["path", "words", "before", "after", "added", "removed"]
    var changed = Rows(names.map { .text($0) })
    for piece in step?.pieces ?? [] {
      changed.add([.text(piece.path), .text(piece.words)] + piece.cells)
    }
    var members: Members = [
      ("line", jsonString(String(decoding: line.bytes, as: UTF8.self))),
      ("previous", jsonString(line.previousSum.padded(to: 16, radix: 16))),
      ("changed", changed.json),
    ]
    if let cause = line.event.cause, let position = try position(of: cause) {
      members.append(("cause", "\(position)"))
    }
    return members
  }

  /// Returns the position of the event with an id; nil if there is no such event.
  private func position(of id: EventID) throws(QuestionFault) -> UInt64? {
    do throws(LogError) {
      return try Revision.id(id).resolve(in: view)
    } catch {
      if case .noSuchRevision = error { return nil }
      throw QuestionFault("\(error)")
    }
  }

  private mutating func facts(_ question: Question) throws(QuestionFault) -> Members {
    let (path, position) = (try path(question), position(question))
    let facts = try asking { () throws(LogError) in
      try path.isOfOne
        ? index.facts(at: position, under: path) : wholeFacts(at: position, under: path)
    }
    var members = rows(Rows(facts))
    if path.type != nil {
      members.append(("value", facts.first { $0.path == path.text }?.value.text ?? "null"))
    }
    return members
  }

  private mutating func wholeFacts(
    at position: UInt64, under path: StatePath?
  ) throws(LogError) -> [Fact] {
    let facts = try states.ask(at: position) { $0.projection.facts($0.names) }
    return facts.filter { path?.contains($0.path) ?? true }.sorted { $0.path < $1.path }
  }

  private func timeline(_ question: Question) throws(QuestionFault) -> Timeline {
    let path = try pathOfOne(question)
    return try asking { () throws(LogError) in
      try index.timeline(of: path, until: position(question))
    }
  }

  private func why(_ question: Question) throws(QuestionFault) -> Members {
    let path = try pathOfOne(question)
    guard path.type != nil else {
      throw QuestionFault("why takes a path of one value, such as \(path.text).MEMBER")
    }
    let why = try asking { () throws(LogError) in try index.why(path, at: position(question)) }
    return rows(why.rows()) + [("value", why.value?.text ?? "null")]
  }

  private mutating func diff(_ question: Question) throws(QuestionFault) -> Members {
    let (from, to) = (position(question, "from"), position(question, "to"))
    let path = question.text("path") == nil ? nil : try path(question)
    let changes = try asking { () throws(LogError) in
      if let near = try index.changes(from: from, to: to, under: path) { return near }
      return Change.between(
        try wholeFacts(at: from, under: path), try wholeFacts(at: to, under: path))
    }
    return rows(Rows(changes))
  }

  private func watch(_ question: Question) throws(QuestionFault) -> Members {
    let expression: Expression
    do throws(Expression.Fault) {
      expression = try Expression(question.text("expression") ?? "")
    } catch {
      throw QuestionFault(error)
    }
    try check(expression.ids)
    let found = try asking { () throws(LogError) in try index.turns(of: expression) }
    return rows(Rows(found.turns)) + [("startsTrue", found.startsTrue ? "true" : "false")]
  }

  private func naming(_ question: Question) throws(QuestionFault) -> Members {
    let user = NamedID(.user, try question.required("user"), offset: 0)
    let positions = index.positions(naming: user)
    return [("seqs", "[" + positions.map { "\($0)" }.joined(separator: ",") + "]")]
  }

  /// Returns the first 1,000 events whose lines contain a text, ignoring the case of ASCII letters.
  private func grep(_ question: Question) throws(QuestionFault) -> Members {
    let text = try question.required("text")
    let found = try asking { () throws(LogError) in try view.lines(containing: text, limit: 1_000) }
    return [("seqs", "[" + found.map { "\($0)" }.joined(separator: ",") + "]")]
  }
}

extension QuestionFault {
  init(_ fault: StatePath.Fault) {
    let choices =
      fault.choices.isEmpty ? "" : ": there are " + fault.choices.joined(separator: ", ")
    self.init("character \(fault.offset + 1): \(fault.description)\(choices)")
  }
}
