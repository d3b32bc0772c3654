#if Server
  extension Invocation {
    /// Checks that `--take-over` fits the other options and the log. Returns the log's path.
    func checkTakeOver() throws -> String {
      if flag("--cold") || value("--unknown") != nil {
        throw Failure.usage("--take-over cannot be used with --cold or --unknown")
      }
      let path = try writePath()
      if try remote(of: path) != nil {
        throw Failure.usage(
          "--take-over is for a log without a shared log; start a server on another clone instead")
      }
      return path
    }

    /// Checks that this program can serve the log, and saves checkpoints near the log's end. Then
    /// the log opens in milliseconds. Another server serves the log meanwhile.
    func prepareTakeOver() async throws {
      let path = try writePath()
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
          guard let problem = saveCheckpoint(what, of: path, program) else { continue }
          Output.remark(
            "note: preparing in the background failed: \(problem); going on without it")
        }
      }
      try await Core.saveCheckpoints(nearEndOf: path, isStopped: { Signals.shouldStop })
    }

    /// Saves a checkpoint in another process. Returns the problem if that fails; nil if it succeeds
    /// or is stopped.
    private func saveCheckpoint(_ what: String, of path: String, _ program: String) -> String? {
      do throws(Failure) {
        let output = try ProcessOutput()
        let status = try runProcess(
          ["nice", "-n", "19", program, "checkpoint", what, "--log", path, "--format", "csv"],
          environment: [:], output: output, isStopped: { Signals.shouldStop })
        if status == 0 || Signals.shouldStop { return nil }
        let line = output.take(shows: false)
        return "exit code \(status)" + (line.isEmpty ? "" : ", \(line)")
      } catch {
        return error.message
      }
    }
  }
#endif
