import Foundation
import PersonalLogs
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server's use cases, with the same types as those of a core, so that a screen cannot tell.
///
/// ```swift
/// let remote = RemoteCore(url: URL(string: "https://api.example.com")!, session: session)
/// let toggle: any UseCase<ToggleFollow.Input, Bool> = remote.useCase(ToggleFollow.self)
/// try await toggle.execute(.init(followee: "bob"), as: "alice")  // true: alice now follows bob
/// ```
/// The caller is the person that the session's token names. If `as:` names another user, the call
/// is refused with `notAuthorized` before anything is sent.
///
/// Each command has an `Idempotency-Key`, so it is performed once, however often it is sent. A call
/// is sent again if the connection is lost or the server is busy, but never after a refusal.
///
/// It fails like a core's call, and also with `UseCaseError.unreachable`, `sessionEnded`,
/// `serverError`, `incompatible` and `cancelled`.
public final class RemoteCore: Sendable {
  /// The limits of calls.
  public struct Options: Sendable {
    /// The longest time of a call, with all its tries and the refresh of a token.
    public var deadline = Duration.seconds(60)
    /// The longest time in which a try must bring something.
    public var silence = Duration.seconds(20)
    /// The most tries of a call.
    public var tries = 8
    /// The longest pause before the second try. It doubles with each further try, up to
    /// `longestPause`; the pause is a random part of it. A server's `Retry-After` is the shortest
    /// pause.
    public var firstPause = Duration.milliseconds(200)
    /// The longest pause between two tries, and between two connections of `updates`.
    public var longestPause = Duration.seconds(10)
    /// The most requests under way at once; others wait in order. `updates` do not count.
    public var requests = 8
    /// The most bytes of an answer.
    public var answerBytes = 64 << 20

    /// Creates the default limits.
    public init() {}
  }

  let url: URL
  let session: any Session
  let options: Options
  let transport: HTTPTransport
  /// The person whom the last token names.
  private let subject = Mutex<(token: String, caller: TokenSubject)?>(nil)

  /// Creates a client of a server.
  ///
  /// `url` is the server's public address, perhaps with a path: `/v1/do/…` is added to it.
  public init(url: URL, session: any Session, options: Options = Options()) {
    (self.url, self.session, self.options) = (url, session, options)
    transport = HTTPTransport(most: options.requests)
  }

  deinit { transport.close() }

  /// Returns a use case that the server performs.
  ///
  /// `progress` is called with the sent part of the input, from 0 to 1, for example of a photo.
  public func useCase<U: DescribedUseCase>(
    _: U.Type, progress: (@Sendable (Double) -> Void)? = nil
  ) -> any UseCase<U.Input, U.Output> {
    RemoteUseCase<U>(remote: self, progress: progress)
  }

  /// Returns a query's answer now, and again whenever it changes.
  ///
  /// A lost connection is made again, with pauses, and continues after the last answer, as often as
  /// needed. The sequence ends with an error if the server refuses the query, the session ends or
  /// the client is closed; nothing is delivered after a sign-out. If several answers arrive while
  /// the last one is processed, only the newest is delivered.
  public func updates<Q: Query>(
    of _: Q.Type, _ input: Q.Input, as caller: Caller
  ) -> RemoteUpdates<Q.Output> {
    RemoteUpdates(
      stream: ReconnectingStream(
        remote: self, name: Q.about.name, input: input.json, caller: caller))
  }

  /// Returns the personal log of a user: all that the user may see, to answer queries without the
  /// server (`PersonalReading`).
  ///
  /// - Parameters:
  ///   - user: the user's id; the token must name this user.
  ///   - earlier: the user's last personal log; the server then sends only the parts that have
  ///     changed, and the client drops those that the user may no longer see. That of another user
  ///     is ignored.
  /// - Throws: `incompatible` if the server's format is newer than this client, or the log is that
  ///   of another user.
  public func personalLog(
    of user: String, since earlier: PersonalLog? = nil
  ) async throws(UseCaseError) -> PersonalLog {
    let earlier = earlier.flatMap { isSameUser($0.reader, user) ? $0 : nil }
    do throws(UseCaseError) {
      return try await fetchPersonalLog(of: user, since: earlier)
    } catch {
      // The server does not take so many hashes, so it sends all parts.
      guard case .serverError(status: 413, _) = error, earlier != nil else { throw error }
      return try await fetchPersonalLog(of: user, since: nil)
    }
  }

  private func fetchPersonalLog(
    of user: String, since earlier: PersonalLog?
  ) async throws(UseCaseError) -> PersonalLog {
    let held = earlier?.held ?? PersonalLog.Held()
    let body = try await answer(
      RemoteCall(
        path: "v1/personal-log", body: Data(held.json.text.utf8), type: "application/json"),
      as: .caller(Caller(user)))
    let log: PersonalLog
    do throws(InputError) {
      log = try PersonalLog(
        text: String(decoding: body, as: UTF8.self), since: earlier?.parts ?? [])
    } catch {
      if error.field == "format" { throw .upgradeRequired(reason: error.problem) }
      throw .incompatible(reason: "the personal log cannot be read: \(error)")
    }
    guard isSameUser(log.reader, user) else {
      throw .incompatible(reason: "the server sent the personal log of \(printable(log.reader))")
    }
    return log
  }

  /// Performs requests in order, in one HTTP request, and returns a reply to each.
  ///
  /// It is sent once. If the connection is lost, the error is `unreachable`; the server may have
  /// performed some of the requests. Only a service may name other callers and times.
  public func run(_ requests: [Request]) async throws(UseCaseError) -> [Reply] {
    let lines = requests.map { $0.json.text + "\n" }.joined()
    let body = try await answer(
      RemoteCall(
        path: "v1/run", body: Data(lines.utf8), type: "application/x-ndjson", isRepeatable: false),
      as: .anyone)
    let replies = try body.split(separator: UInt8(ascii: "\n")).map {
      (line) throws(UseCaseError) in try Reply(line: Array(line))
    }
    guard replies.count == requests.count else {
      throw .unreachable(
        reason: "the server answered \(replies.count) of \(requests.count) requests")
    }
    return replies
  }

  /// Ends all calls and `updates`, and closes the connections. They and later calls fail with
  /// `unreachable`; `updates` that are about to connect again fail after their pause.
  public func close() { transport.close() }

  /// The number of requests and `updates` without a complete answer.
  public var underWay: Int { transport.underWay }

  /// Checks that a token names the caller.
  /// - Throws: `notAuthorized` if it names another; `unauthorized` for nobody.
  func check(_ token: String, names caller: ExpectedCaller) throws(UseCaseError) {
    guard case .caller(let caller) = caller else { return }
    if caller.time != nil {
      throw .invalidInput(InputError("time", "a server records its own time; leave it out"))
    }
    if caller.user == nil, caller.service == nil { throw .refused(.unauthorized) }
    let named = subject.withLock { known in
      if let known, known.token == token { return known.caller }
      let caller = TokenSubject(token)
      known = (token, caller)
      return caller
    }
    if !named.mayBe(caller) { throw .refused(.notAuthorized) }
  }
}

/// A use case that a server performs.
struct RemoteUseCase<U: DescribedUseCase>: UseCase {
  let remote: RemoteCore
  let progress: (@Sendable (Double) -> Void)?

  func execute(_ input: U.Input, as caller: Caller) async throws(UseCaseError) -> U.Output {
    let body = try await remote.answer(
      RemoteCall(
        path: "v1/do/\(U.about.name)", body: Data(input.json.text.utf8), type: "application/json",
        key: UUID().uuidString, progress: progress),
      as: .caller(caller))
    return try U.Output(answer: body)
  }
}

extension FieldValue {
  /// Reads the field `result` of an answer.
  init(answer body: [UInt8]) throws(UseCaseError) {
    let object: JSONValue
    do throws(LineFault) { object = try JSONValue(object: body) } catch {
      throw .incompatible(reason: "the answer is not JSON: \(error)")
    }
    do throws(InputError) {
      guard let result = object["result"] else { throw InputError("result", "missing") }
      try self.init(json: result)
    } catch {
      throw .incompatible(reason: "the answer cannot be read: \(error)")
    }
  }
}

/// The caller whom a token must name.
enum ExpectedCaller {
  case anyone
  case caller(Caller)
}

/// The person or service that a token names, as far as the client can read it.
///
/// The client does not check the signature: the server does.
struct TokenSubject {
  private var user: String?
  private var isService = false

  /// Reads the claims of a JSON Web Token. Another token may name anybody.
  init(_ token: String) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return }
    var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: text), let claims = try? JSONValue(object: data),
      case .string(let subject)? = claims["sub"]
    else { return }
    user = subject
    isService = claims["role"] == .string("service")
  }

  func mayBe(_ caller: Caller) -> Bool {
    guard let user else { return true }
    guard isService == (caller.service != nil) else { return false }
    return isSameUser(caller.service ?? caller.user ?? "", user)
  }
}
