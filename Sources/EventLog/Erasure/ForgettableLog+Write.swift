import Events

extension ForgettableLog {
  /// Writes the log anew from the first line that changes, and puts it in the place of the old one.
  ///
  /// The folder is the old log until the new one is whole and synced, and the new one from then on,
  /// whatever call fails and whenever the process or the power does; what is then left to do is
  /// done by whoever opens the log next.
  /// Of a clone, the shared log is rewritten first.
  /// - Parameter progress: gets the bytes written.
  /// - Returns: what the ledger says of it; nil if nothing was to be done.
  /// - Throws: `.file`, `.damaged`; `.conflict` if others have appended to the shared log since it
  ///   was pulled; `RemoteFault`.
  /// - Complexity: O(bytes from the first line that changes); memory 16 MiB and one line.
  @discardableResult
  public func rewrite(
    by plan: ForgettingPlan, progress: (Int) -> Void = { _ in }
  ) async throws(LogError) -> Rewritings.Entry? {
    guard plan.first != nil else { return nil }
    var pending = PendingRewriting(folder: path, files: files)
    do throws(LogError) {
      var writer = try NewSegments(view, plan, files)
      try writer.write(&pending, progress)
      let ledger = try ledger(plan, writer)
      try pending.write(ledger.text, Rewritings.fileName)
      try bookmarks(plan, writer, &pending)
      if let remote {
        let end = try view.head().seq + UInt64(plan.added.count)
        try await share(ledger, RemoteHead(seq: end, sum: writer.sum), pending.names, remote)
      }
      try pending.commit()
      // The new log stands: whoever opens it does what may not be done now.
      try PendingRewriting.settle(path, files)
      return ledger.entries.last
    } catch {
      // Where it is not known whether the rewriting is decided, who opens the log next finds out.
      if !pending.isDecided { pending.undo() }
      throw error
    }
  }

  /// Rewrites the shared log as the folder is about to be.
  private func share(
    _ ledger: Rewritings, _ after: RemoteHead, _ names: [String], _ remote: any RemoteLog
  ) async throws(LogError) {
    let new = try LogView(path: path, files: files, replacing: names)
    let head = try view.head()
    let before = RemoteHead(
      seq: head.seq, sum: head.sum, rewritings: ledger.entries.count - 1)
    let rewriting = RemoteRewriting(before: before, ledger: ledger, after: after) {
      (position, limit) throws(LogError) in try new.lines(after: position, limit: limit)
    }
    if case .moved(let moved) = try await remote.rewrite(rewriting) {
      throw .conflict(Conflict(stream: nil, expected: .exact(head.seq), actual: moved.seq))
    }
  }

  private func ledger(
    _ plan: ForgettingPlan, _ writer: borrowing NewSegments
  ) throws(LogError) -> Rewritings {
    let head = try view.head()
    let request = plan.rewriter.request
    let entry = Rewritings.Entry(
      time: environment.now(), first: plan.first ?? 0, head: head.seq, before: head.sum,
      after: writer.sumAtHead, reason: request.reason, changesMentions: request.changesMentions,
      marks: request.marks)
    var all = try Rewritings(folder: path, files: files)
    all.entries.append(entry)
    return all
  }

  /// Bookmarks keep their positions, and get the new sums and, where they name somebody, new names.
  private func bookmarks(
    _ plan: ForgettingPlan, _ writer: borrowing NewSegments, _ pending: inout PendingRewriting
  ) throws(LogError) {
    guard let bookmarks = Bookmarks(view) else { return }
    var all = try bookmarks.all()
    if all.isEmpty { return }
    for index in all.indices {
      if let sum = writer.sums[all[index].seq] { all[index].sum = sum }
      guard var name = plan.rewriter.allWords.replaced(all[index].name) else { continue }
      while all.contains(where: { $0.name == name }) { name += "-" }
      all[index].name = name
    }
    try pending.write(Bookmarks.text(all), Bookmarks.fileName)
  }
}
