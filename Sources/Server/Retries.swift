import Events
import Synchronization
import UseCases

/// An executor that performs each command with an `Idempotency-Key` once. A retry of the command
/// gets the answer of the first try.
///
/// If a first try appended events, the log always identifies it, because the event ids derive from
/// the key. For a day, a journal also keeps the command's position, its time, a digest of its input
/// and its answer. If the answer is neither in memory nor in the journal, the command is decided
/// again, on the state at the first try.
final class Retries: Sendable {
  typealias Respond = @Sendable (Response) -> Void
  /// Returns the answer to a command with this reply, as its address writes answers.
  typealias Form = @Sendable (Reply, _ position: UInt64) -> Response

  private struct Command: Sendable {
    let call: Call
    let key: IdempotencyKey
    let photos: PhotoPorts
    let form: Form
  }

  private struct State {
    /// The commands that are being performed, and the requests that wait for their answers.
    var underWay: [UInt64: (body: UInt64, waiting: [Respond])] = [:]
    var recent: [UInt64: (body: UInt64, response: Response)] = [:]
    var order: [UInt64] = []
    var next = 0
    /// The number of commands that are being decided again. Each of these commands opens the log at
    /// a past position.
    var deciding = 0
  }

  private static let mostRecent = 10_000
  /// The longest answer in memory, in bytes. A longer one is computed again for a retry, as after a
  /// restart.
  private static let longestAnswer = 8_192
  private static let mostWaiting = 16
  private static let mostDeciding = 2
  private let state = Mutex(State())
  private let core: Core
  let journal: RetryJournal
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// Creates the executor.
  /// - Parameter digest: returns a cryptographic hash of at least 8 bytes.
  init(_ core: Core, _ journal: RetryJournal, digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    (self.core, self.journal, self.digest) = (core, journal, digest)
  }

  /// Returns two digests: one for the caller and the key, one for the use case and its input.
  /// - Parameters:
  ///   - text: the text of the key.
  ///   - caller: the caller, as `Core.spelled` returns it.
  ///   - name: the name of the use case.
  func key(
    _ text: String, of caller: Caller, _ name: String, _ input: JSONValue
  ) -> IdempotencyKey {
    func number(_ text: String) -> UInt64 {
      digest(Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    return IdempotencyKey(
      tail: number("key\n\(caller.key)\n\(text)"),
      body: number("input\n\(name)\n\(input.sorted.text)"))
  }

  /// Performs a command. If the command is a retry, responds with the answer of the first try.
  func perform(
    _ call: Call, _ input: JSONValue, key text: String, photos: PhotoPorts, form: @escaping Form,
    _ respond: @escaping Respond
  ) {
    let key = key(text, of: call.caller, call.name, input)
    var call = call
    call.key = key
    let answer = state.withLock { state -> (@Sendable () -> Void)? in
      if let other = state.underWay[key.tail] {
        if other.body != key.body { return { respond(.otherInput) } }
        if other.waiting.count >= Self.mostWaiting {
          return { respond(.failure(503, "busy", "this command is being performed; try again")) }
        }
        state.underWay[key.tail]?.waiting.append(respond)
        return nil
      }
      if let known = state.recent[key.tail] {
        return { respond(known.body == key.body ? known.response.repeated : .otherInput) }
      }
      state.underWay[key.tail] = (key.body, [respond])
      let command = Command(call: call, key: key, photos: photos, form: form)
      return { [self] in decide(command) }
    }
    answer?()
  }

  private func decide(_ command: Command) {
    let noted = journal.find(command.key.tail)
    // The core finds by itself the key of a command.
    if command.call.isCommand, noted == nil { return perform(command) }
    Task {
      var use: KeyUse?
      if !command.call.isCommand, core.notesKeys {
        do throws(LogError) {
          use = try await core.store.uses(of: [command.key.tail])[0]
        } catch {
          return finish(command.key, command.form(Reply(.failure(.log(error))), 0), isKept: false)
        }
      }
      if await !answersAgain(command, noted, use) { perform(command) }
    }
  }

  private func perform(_ command: Command) {
    let key = command.key
    core.perform(command.call, photos: command.photos) { [self] reply, position in
      let response = command.form(reply, position)
      switch reply.result {
      case .failure(.log(.keyUsed(let use))):
        Task {
          if await !answersAgain(command, journal.find(key.tail), use) {
            finish(key, response, isKept: false)
          }
        }
      case .success where response.isFinal, .failure(.refused), .failure(.invalidInput):
        if !core.notesKeys { journal.note(key, position, reply) }
        finish(key, response, isKept: true)
      case .success, .failure: finish(key, response, isKept: false)
      }
    }
  }

  /// Answers a retry like the command's first try. Returns false if there was no first try.
  /// - Parameters:
  ///   - noted: the first try's data in the journal.
  ///   - use: the first try's data, if the core has found them.
  private func answersAgain(
    _ command: Command, _ noted: KeyUse?, _ use: KeyUse?
  ) async -> Bool {
    let (call, key) = (command.call, command.key)
    do throws(LogError) {
      var first = try await core.firstTry(key, by: call.caller)
      if let body = noted?.body ?? use?.body ?? first?.body, body != key.body {
        finish(key, .otherInput, isKept: false)
        return true
      }
      // A use of a photo that appended no event can only repeat a recorded answer.
      let recorded = noted ?? use
      if first == nil, call.isCommand || recorded?.answer != nil { first = recorded }
      guard var first else { return false }
      first.answer = first.answer ?? noted?.answer
      let begins = state.withLock { state in
        if state.deciding >= Self.mostDeciding { return false }
        state.deciding += 1
        return true
      }
      guard begins else {
        finish(key, .failure(503, "busy", "too many retries at once"), isKept: false)
        return true
      }
      defer { state.withLock { $0.deciding -= 1 } }
      let again = try await core.replied(to: call, at: first)
      let response = again.map { command.form($0.reply, $0.position).repeated }
      finish(key, response ?? .otherInput, isKept: response != nil)
    } catch {
      finish(key, command.form(Reply(.failure(.log(error))), 0), isKept: false)
    }
    return true
  }

  private func finish(_ key: IdempotencyKey, _ response: Response, isKept: Bool) {
    var isKept = isKept
    if case .bytes(let body) = response.body, body.count > Self.longestAnswer { isKept = false }
    let waiting = state.withLock { [isKept] state in
      if isKept {
        state.recent[key.tail] = (key.body, response)
        if state.order.count < Self.mostRecent {
          state.order.append(key.tail)
        } else {
          state.recent[state.order[state.next]] = nil
          state.order[state.next] = key.tail
          state.next = (state.next + 1) % Self.mostRecent
        }
      }
      return state.underWay.removeValue(forKey: key.tail)?.waiting ?? []
    }
    for (index, respond) in waiting.enumerated() {
      respond(index == 0 ? response : response.repeated)
    }
  }
}

extension JSONValue {
  /// The value with each object's fields sorted by name, at every depth.
  fileprivate var sorted: JSONValue {
    switch self {
    case .object(let members):
      .object(members.map { Member($0.name, $0.value.sorted) }.sorted { $0.name < $1.name })
    case .array(let elements): .array(elements.map(\.sorted))
    default: self
    }
  }
}

extension Response {
  /// Whether a retry with the same key gets this answer again. After any other answer, the request
  /// may be performed.
  var isFinal: Bool { status < 500 && ![423, 429].contains(status) }

  fileprivate static var otherInput: Response {
    .failure(
      422, "idempotencyKeyReused",
      "this Idempotency-Key was used with another input; use a new one for each command")
  }

  /// The response with the header `Idempotent-Replayed: true`.
  fileprivate var repeated: Response {
    if headers.contains(where: { "\($0.name)" == "Idempotent-Replayed" }) { return self }
    var response = self
    response.headers.append(("Idempotent-Replayed", "true"))
    return response
  }
}
