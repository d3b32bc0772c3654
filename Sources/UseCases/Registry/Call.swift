import Events

/// A use case with its input, read and checked: what a server performs.
///
/// ```swift
/// let entry = Registry.find("GetFollowCounts")!
/// let call = try Call(entry, .object([.init("user", .string("bob"))]))
/// let (reply, position) = core.answer(call, as: "alice")!
/// ```
public struct Call: Sendable {
  public let entry: Registry.Entry
  let errand: Registry.Errand

  /// - Parameters:
  ///   - input: an object with the use case's fields.
  ///   - image: loads what an image field refers to; by default `data:` URIs.
  /// - Throws: `InputError` that names the field.
  public init(
    _ entry: Registry.Entry, _ input: JSONValue,
    image: @escaping Fields.ImageLoader = Fields.dataURI
  ) throws(InputError) {
    self.entry = entry
    errand = try entry.errand(input, image)
  }
}

extension Core {
  /// Answers a query at once, on the calling thread.
  /// - Returns: the reply, and the position that it is of; nil for what has to wait: a command, a
  ///   query that catches up with the log, or a state that has to be read from the log again. Then
  ///   `perform` answers.
  public func answer(_ call: Call, as caller: Caller) -> (reply: Reply, position: UInt64)? {
    guard case .query(let question) = call.errand, !question.refreshes else { return nil }
    return state.withLock { state in
      state.model.now = caller.time ?? environment.now()
      state.model.photoBase = caller.photoBase
      let reply: Reply
      do throws(UseCaseError) {
        reply = Reply(.success(try question.answer(state.model, caller)))
      } catch {
        reply = Reply(.failure(error))
      }
      return state.isDamaged ? nil : (reply, state.model.head.seq)
    }
  }

  /// Performs a use case, and calls `reply` once: when it is durable, if it appends something.
  /// - Parameter key: makes a second try find the first; see `firstTry`.
  public func perform(
    _ call: Call, as caller: Caller, key: RetryKey? = nil, photos: PhotoPorts,
    _ reply: @escaping Registry.Replying
  ) {
    switch call.errand {
    case .command(let make): submit([.command(make(self, caller, key, reply))])
    case .query(let question):
      environment.start {
        do throws(UseCaseError) {
          if question.refreshes { try await self.catchUp() }
          let position = self.position
          reply(try await question.ask(self, caller), position)
        } catch {
          reply(Reply(.failure(error)), self.position)
        }
      }
    case .other(let perform):
      environment.start {
        do throws(UseCaseError) {
          let context = Registry.Context(caller: caller, key: key, photos: photos)
          let done = try await perform(self, context)
          reply(done, done.seqs.last ?? self.position)
        } catch {
          reply(Reply(.failure(error)), self.position)
        }
      }
    }
  }
}
