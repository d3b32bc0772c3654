#if Server
  extension Invocation {
    /// Checks that this program can serve the log, and saves checkpoints near the log's end. Then
    /// the log opens in milliseconds. Another server serves the log meanwhile.
    func prepareTakeOver() async throws {
      if flag("--cold") || value("--unknown") != nil {
        throw Failure.usage("--take-over cannot be used with --cold or --unknown")
      }
      let path = try writePath()
      if try remote(of: path) != nil {
        throw Failure.usage(
          "--take-over is for a log without a shared log; start a server on another clone instead")
      }
      _ = try rules()
      for name in [path, path + "/lock", value("--photos") ?? path] {
        if let reason = reasonAgainstWriting(name) {
          throw Failure(.cannotCreate, "\(name): \(reason)")
        }
      }
      Output.remark("preparing the checkpoints")
      // The first run may take minutes. A process of its own has the lowest priority.
      if let program = executablePath() {
        for what in ["everything", "writer"] where !Signals.shouldStop {
          _ = try? runProcess(
            ["nice", "-n", "19", program, "checkpoint", what, "--log", path, "--format", "csv"],
            environment: [:], output: ProcessOutput())
        }
      }
      // The log has grown meanwhile.
      for _ in 1...3 where !Signals.shouldStop {
        let start = ContinuousClock.now
        _ = try await Core.saveCheckpoint(of: LogView(path: path))
        if ContinuousClock.now - start < .milliseconds(200) { break }
      }
    }
  }
#endif
