import Testing

extension Trial {
  /// Takes random steps with a machine, and expects after each that system and model answer alike
  /// and that the invariants hold.
  ///
  /// Shrinks to fewer steps first, then to simpler ones.
  /// - Parameter steps: how many steps to take.
  public func run<M: Machine>(
    _ machine: M, steps: ClosedRange<Int> = 0...30, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let system = try await machine.system(on: nil)
    _ = try await take(steps, machine, system, nil, location)
    if let log = machine.log(of: system) { try await keep(log) }
  }

  /// - Returns: the model after the steps.
  func take<M: Machine>(
    _ steps: ClosedRange<Int>, _ machine: M, _ system: M.System, _ interleaver: Interleaver?,
    _ location: SourceLocation
  ) async throws -> M.Model {
    var model = machine.model
    try await times(steps) {
      guard let command = command(of: machine, model) else { return }
      let response =
        if let interleaver {
          try await interleaver.run { await machine.perform(command, on: system) }
        } else {
          await machine.perform(command, on: system)
        }
      let expected = machine.respond(to: command, &model, seeing: response)
      note("\(command) → \(response)")
      #expect(response == expected, "\(command)", sourceLocation: location)
      if let interleaver {
        try await interleaver.run { [model] in
          await Result { try await machine.invariants(model, system) }
        }.get()
      } else {
        try await machine.invariants(model, system)
      }
    }
    return model
  }
}
