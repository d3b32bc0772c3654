import Synchronization
import Testing

extension Trial {
  /// Expects that a machine's system is linearizable (Herlihy and Wing, 1990).
  ///
  /// First takes some steps. Then several tasks perform commands concurrently; the test case
  /// determines how the tasks interleave. Some serial order of the commands must explain all
  /// responses. In that order, a command that finished before another began must come first.
  /// - Parameters:
  ///   - machine: the machine with the system and the model.
  ///   - steps: the number of steps before the race.
  ///   - tasks: the number of tasks that race.
  ///   - commands: the number of commands of each task.
  ///   - patience: the time without progress after which the tasks count as deadlocked.
  ///   - location: the place in the source at which failures are reported.
  /// - Complexity: in the worst case, one check for each possible order of the commands.
  public func race<M: Machine>(
    _ machine: M, after steps: ClosedRange<Int> = 0...8, tasks: Int = 3,
    commands: ClosedRange<Int> = 1...3, patience: Duration = .seconds(5),
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    isRacing = true
    let interleaver = Interleaver(patience: patience)
    let made = try await interleaver.run {
      await Result { try await machine.system(on: interleaver) }
    }
    let system = try made.get()
    let model = try await take(steps, machine, system, interleaver, location)
    let lists = (0..<tasks).map { _ in
      var list: [M.Command] = []
      times(commands, M.self) { if let next = command(of: machine, model) { list.append(next) } }
      return list
    }
    let calls = Mutex(lists.map { _ in [Call<M>]() })
    let bodies = lists.enumerated().map { task, list in
      { @Sendable in
        for command in list {
          let began = interleaver.clock
          let response = await machine.perform(command, on: system)
          let call = Call<M>(
            command: command, response: response, began: began, ended: interleaver.clock)
          calls.withLock { $0[task].append(call) }
        }
      }
    }
    do { try await interleaver.run(self, bodies) } catch {
      note(calls.withLock { $0 }, lists)
      throw error
    }
    var answered = calls.withLock { $0 }
    answered.append(
      try await interleaver.run {
        var asked: [Call<M>] = []
        for question in machine.questions(model) {
          let response = await machine.perform(question, on: system)
          asked.append(Call(command: question, response: response, began: .max, ended: .max))
        }
        return asked
      })
    note(answered, lists)
    if recordsGround {
      for call in answered.joined() {
        let shapes = (Ground.shape(of: call.command), Ground.shape(of: call.response))
        reach([Ground.hash(5, shapes.0, shapes.1)])
      }
    }
    if let log = machine.log(of: system) { try await keep(log) }
    let isExplained = machine.explains(answered.map { $0[...] }, model)
    #expect(isExplained, "no serial order explains the answers", sourceLocation: location)
  }

  /// Adds the commands of each task to the report, with their responses. Of a task that is
  /// deadlocked, the last one has no answer. Commands after the race follow those of the last task.
  private func note<M: Machine>(_ answered: [[Call<M>]], _ lists: [[M.Command]]) {
    for (task, calls) in answered.enumerated() {
      for call in calls {
        let place =
          task == lists.count ? "after" : "task \(task + 1) at \(call.began)…\(call.ended)"
        note("\(place): \(call.command) → \(call.response)")
      }
      if task < lists.count, calls.count < lists[task].count {
        note("task \(task + 1): \(lists[task][calls.count]) → no answer")
      }
    }
  }
}

/// A command in a race, the system's response, and the interleaver's clock before the command and
/// after the response.
struct Call<M: Machine>: Sendable {
  var command: M.Command
  var response: M.Response
  var began: Int
  var ended: Int
}

extension Machine {
  /// Returns whether, in some order of the remaining commands, the model gives the same answers as
  /// the system did. O(number of orders); each order is tried up to the first different answer.
  func explains(_ rest: [ArraySlice<Call<Self>>], _ model: Model) -> Bool {
    if rest.allSatisfy(\.isEmpty) { return true }
    for (task, list) in rest.enumerated() {
      guard let call = list.first,
        !rest.contains(where: { ($0.first?.ended ?? .max) < call.began })
      else { continue }
      var (model, rest) = (model, rest)
      guard respond(to: call.command, &model, seeing: call.response) == call.response else {
        continue
      }
      rest[task].removeFirst()
      if explains(rest, model) { return true }
    }
    return false
  }
}

extension Result where Failure == any Error {
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
