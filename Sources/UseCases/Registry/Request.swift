import Events

/// A request to perform a use case, given by names and JSON, such as a line of a scenario.
///
/// ```swift
/// let line = #"{"do":"FollowUser","as":"alice","with":{"followee":"bob"}}"#
/// let reply = await core.perform(try Request(line: Array(line.utf8)), photos: photos)
/// reply.json.text  // {"ok":true,"result":true,"seq":[14]}
/// ```
public struct Request: Equatable, Sendable {
  /// The use case's name.
  public var name: String
  /// The id of the user or the name of the service that calls; nil if nobody is signed in.
  public var user: String?
  /// Whether `user` is the name of a service.
  public var isService = false
  /// The time to record in events; nil means the clock's time.
  public var time: Timestamp?
  /// The id of the request to record in events.
  public var correlation: CorrelationID?
  /// A JSON object with the fields of the use case's input.
  public var input: JSONValue

  /// Creates a request from a user, or from nobody if `user` is nil.
  public init(
    _ name: String, as user: String? = nil, with input: JSONValue = .object([]),
    time: Timestamp? = nil
  ) {
    (self.name, self.user) = (name, user)
    (self.input, self.time) = (input, time)
  }

  /// Creates a request from a line `{"do":…,"as":…,"service":…,"with":{…},"time":…,
  /// "correlation":…}`. Only `do` is required.
  /// - Throws: `InputError` if the line is not such an object.
  public init(line: [UInt8]) throws(InputError) {
    let value: JSONValue
    do throws(LineFault) {
      value = try JSONValue(object: line)
    } catch {
      throw InputError("line", "\(error)")
    }
    guard case .object(let members) = value else { throw InputError("line", "not an object") }
    var name: String?
    input = .object([])
    for member in members where member.value != .null {
      switch (member.name, member.value) {
      case ("do", .string(let text)): name = text
      case ("as", .string(let text)): user = text
      case ("service", .bool(let flag)): isService = flag
      case ("with", .object): input = member.value
      case ("time", .string(let text)):
        guard let time = DateTime(text)?.instant else {
          throw InputError("time", "a time such as 2026-01-31T12:00:00.000Z is expected")
        }
        self.time = time
      case ("correlation", .string(let text)):
        guard let id = CorrelationID(text) else {
          throw InputError(
            "correlation", "1 to 64 of the characters A-Z a-z 0-9 . _ - are expected")
        }
        correlation = id
      case ("do", _), ("as", _), ("time", _), ("correlation", _):
        throw InputError(member.name, "a text is expected")
      case ("service", _): throw InputError("service", "true or false is expected")
      case ("with", _): throw InputError("with", "an object is expected")
      default:
        throw InputError(
          printable(member.name),
          "there is no such member; known members: do, as, service, with, time, correlation")
      }
    }
    guard let name else { throw InputError("do", "missing; it names the use case") }
    if isService, user == nil { throw InputError("as", "missing; it names the service") }
    self.name = name
  }
}

extension Request {
  var caller: Caller {
    var caller = isService ? Caller.service(user ?? "", at: time) : Caller(user, at: time)
    caller.correlation = correlation
    return caller
  }
}

/// The result of a request.
public struct Reply: Equatable, Sendable {
  /// The use case's answer as JSON, or its error.
  public var result: Result<JSONValue, UseCaseError>
  /// The positions of the events that the request appended.
  public var seqs: Range<UInt64>

  /// Creates a reply.
  public init(_ result: Result<JSONValue, UseCaseError>, seqs: Range<UInt64> = 0..<0) {
    (self.result, self.seqs) = (result, seqs)
  }

  /// The reply as JSON: `{"ok":true,"result":…,"seq":[42]}` or
  /// `{"ok":false,"error":…,"message":…}`.
  public var json: JSONValue {
    switch result {
    case .success(let value):
      .object(["ok": .bool(true), "result": value, "seq": .array(seqs.map { .int($0) })])
    case .failure(let error):
      .object(["ok": .bool(false), "error": .string(error.code), "message": .string("\(error)")])
    }
  }
}

extension Core {
  /// Performs requests in order. Consecutive commands are appended as one batch.
  ///
  /// `image` loads the image that a field refers to; by default it decodes `data:` URIs.
  /// - Returns: one reply for each request, in the same order.
  public func perform(
    _ requests: [Request], photos: PhotoPorts,
    image: @escaping Fields.ImageLoader = Fields.dataURI
  ) async -> [Reply] {
    let none = Reply(.failure(.log(.closed(reason: "no reply came"))))
    var replies = Array(repeating: none, count: requests.count)
    var batch: [(index: Int, call: Call, decide: Call.Decide)] = []
    func finishBatch() async {
      if batch.isEmpty { return }
      let outcomes = await outcomes(of: batch.map { ($0.call, $0.decide) })
      for (command, outcome) in zip(batch, outcomes) { replies[command.index] = outcome.reply }
      batch = []
    }
    for (index, request) in requests.enumerated() {
      do throws(InputError) {
        let call = try Call(request, of: useCases, image: image)
        if case .command(let decide) = call.work {
          batch.append((index, call, decide))
        } else {
          await finishBatch()
          replies[index] = await outcome(of: call, photos).reply
        }
      } catch {
        replies[index] = Reply(.failure(.invalidInput(error)))
      }
    }
    await finishBatch()
    return replies
  }
}
