#if PostgreSQL
  import EventLog
  import Events

  extension PostgresRemote {
    /// Waits for a notification that the function `append` sends with each commit.
    public func awaitEvents(within duration: Duration) async -> UInt64? {
      let begun = ContinuousClock.now
      do throws(StatementFault) {
        let positions = try await listeningConnection.run {
          [schema] (session) throws(StatementFault) in
          try session.awaitNotifications(
            on: schema, within: Int32(clamping: Int(duration / .milliseconds(1))))
        }
        return positions.compactMap { UInt64($0) }.max()
      } catch {
        try? await Task.sleep(for: duration - (ContinuousClock.now - begun))
        return nil
      }
    }
  }
#endif
