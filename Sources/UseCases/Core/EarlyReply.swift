import EventLog
import Events
import Projections
import Replaying

extension Past {
  /// Returns a query's reply about a log's present, before a core is opened, if opening the core
  /// would take much longer.
  ///
  /// ```swift
  /// let request = Request("GetProfile", with: .object([.init("user", .string("lena"))]))
  /// await Past.earlyReply(to: request, of: view, rules: .climb)
  /// ```
  /// The reply is the same as that of a core. The function finds it in the log's lines about the
  /// ids in the request.
  /// - Parameter least: the number of events after the last checkpoint that are worth it.
  /// - Returns: nil if a core should reply: its checkpoint is recent, the request is for a command,
  ///   the query is about all users or more than a few ids, or the log has an error to report.
  /// - Complexity: that of `History.answerFromText`; about a tenth of a replay of all state.
  package static func earlyReply(
    to request: Request, of view: LogView, rules: Rules, useCases: UseCaseList = .standard,
    least: UInt64 = 500_000
  ) async -> Reply? {
    guard let head = try? view.head().seq, head >= least,
      let call = try? Call(request, of: useCases, image: Fields.dataURI),
      case .query(_, let ask) = call.work
    else { return nil }
    let saved = view.checkpoints?.entries(of: CoreState.name).first { $0.position <= head }
    if let saved, head - saved.position < least { return nil }
    let now = call.caller.time ?? RuntimeEnvironment.system.now()
    let answer = await view.answerFromText(
      until: head, naming: request.texts
    ) { [caller = call.caller] reading, names in
      Result { () throws(UseCaseError) in
        try ask(Model(rules: rules, reading, names, now: now), caller)
      }
    }
    return answer.map { Reply($0.map { $0.json }) }
  }
}

extension Request {
  /// The caller and the texts of the input's members. Some of these texts are ids.
  fileprivate var texts: [String] {
    var texts = [user].compactMap(\.self)
    if case .object(let members) = input {
      for case .string(let text) in members.map(\.value) { texts.append(text) }
    }
    return texts
  }
}
