#if Server
  import EventlogClient
  import Foundation
  import Synchronization
  import Testing
  import UseCasesTesting

  /// The stories of the three apps, by a core and through a client.
  @Suite struct ScenarioTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()

    /// A clock that a test sets, and random numbers from a seed.
    private final class Environment: Sendable {
      let now = Mutex(Timestamp.epoch)

      func environment() -> RuntimeEnvironment {
        let random = Mutex(Numbers(seed: 1))
        return RuntimeEnvironment(
          now: { self.now.withLock { $0 } },
          random: { random.withLock { ($0.next(), $0.next()) } })
      }
    }

    @Test(
      "A core and a client answer each app's story alike, byte for byte",
      arguments: [("climb", Rules.climb), ("erg", .erg), ("ride", .ride)])
    func stories(_ name: String, _ rules: Rules) async throws {
      let clock = Environment()
      let core = try await Core(
        InMemoryLog(clock.environment()), rules: rules, environment: clock.environment())
      let server = try await TestServer(rules: rules, environment: clock.environment())
      let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
      let text = try String(
        contentsOf: Self.repository.appending(path: "eventlogs/scenarios/\(name).jsonl"),
        encoding: .utf8)
      var clients: [String: RemoteCore] = [:]
      var compared = 0
      for line in text.split(separator: "\n") {
        var request = try Request(line: Array(line.utf8))
        if let time = request.time { clock.now.withLock { $0 = time } }
        request.time = nil
        let expected = await core.perform(request, photos: photos)
        guard let user = request.user else {
          // A server has no callers without a token; the two logs stay alike.
          _ = await server.core.perform(request, photos: photos)
          continue
        }
        let client =
          clients[user] ?? server.remote(as: (request.isService ? "service:" : "") + user)
        clients[user] = client
        let caller = request.isService ? Caller.service(user) : Caller(user)
        let entry = try #require(Registry.find(request.name))
        let result = await Self.answer(entry.useCase, request.input, client, caller)
        switch (result, expected.result) {
        case (.success(let json), .success(let other)):
          #expect(
            Self.unbased(json.text, server) == other.text, "\(name): \(line)")
        case (.failure(let error), .failure(let other)):
          #expect("\(error)" == "\(other)" && error == other, "\(name): \(line)")
        default: Issue.record("\(name): \(line): \(result) instead of \(expected.result)")
        }
        compared += 1
      }
      #expect(compared > 150)
      #expect(core.position == server.core.position)
      for client in clients.values { client.close() }
      await server.end()
    }

    /// A server puts its address before the paths of photos.
    private static func unbased(_ text: String, _ server: TestServer) -> String {
      text.replacing("http://127.0.0.1:\(server.listener.port)", with: "")
    }

    private static func answer<U: DescribedUseCase>(
      _: U.Type, _ json: JSONValue, _ client: RemoteCore, _ caller: Caller
    ) async -> Result<JSONValue, UseCaseError> {
      let input: U.Input
      do throws(InputError) {
        input = try U.Input(json: json)
      } catch {
        return .failure(.invalidInput(error))
      }
      do throws(UseCaseError) {
        return .success(try await client.useCase(U.self).execute(input, as: caller).json)
      } catch {
        return .failure(error)
      }
    }
  }
#endif
