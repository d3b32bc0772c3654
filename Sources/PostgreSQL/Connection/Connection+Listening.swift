#if PostgreSQL
  import CPostgreSQL

  extension Connection.Session {
    /// Waits until a channel of the database has notifications.
    /// - Parameters:
    ///   - channel: the channel's name, which needs no quotes.
    ///   - milliseconds: the longest wait.
    /// - Returns: the texts of the notifications since the last call.
    func awaitNotifications(
      on channel: String, within milliseconds: Int32
    ) throws(StatementFault) -> [String] {
      if !connection.isListening {
        try execute("LISTEN \(channel)")
        connection.isListening = true
      }
      let earlier = takeNotifications()
      if !earlier.isEmpty { return earlier }
      let patience = Duration.milliseconds(milliseconds)
      guard connection.wait(for: POLLIN, within: patience) != nil else { return [] }
      guard PQconsumeInput(connection.handle) == 1 else {
        connection.close()
        throw .lost("the connection that listens has ended")
      }
      return takeNotifications()
    }

    private func takeNotifications() -> [String] {
      var texts: [String] = []
      while let notification = PQnotifies(connection.handle) {
        texts.append(String(cString: notification.pointee.extra))
        PQfreemem(notification)
      }
      return texts
    }
  }
#endif
