extension ForgettableLog {
  /// Writes the log anew from the first line that changes, and puts it in the place of the old one.
  ///
  /// The folder is the old log until the new one is whole and synced, and the new one from then on,
  /// whatever call fails and whenever the process or the power does; what is then left to do is
  /// done by whoever opens the log next.
  /// - Parameter progress: gets the bytes written.
  /// - Returns: what the ledger says of it; nil if nothing was to be done.
  /// - Throws: `.file`, `.damaged`.
  /// - Complexity: O(bytes from the first line that changes); memory 16 MiB and one line.
  @discardableResult
  public func rewrite(
    by plan: ForgettingPlan, progress: (Int) -> Void = { _ in }
  ) throws(LogError) -> Rewritings.Entry? {
    guard plan.first != nil else { return nil }
    var pending = PendingRewriting(folder: path, files: files)
    do throws(LogError) {
      var writer = try NewSegments(view, plan, files)
      try writer.write(&pending, progress)
      let entry = try ledger(plan, writer, &pending)
      try bookmarks(plan, writer, &pending)
      try pending.commit()
      // The new log stands: whoever opens it does what may not be done now.
      try PendingRewriting.settle(path, files)
      return entry
    } catch {
      // Where it is not known whether the rewriting is decided, who opens the log next finds out.
      do throws(FileError) {
        _ = try files.status(path + "/" + PendingRewriting.fileName)
      } catch let missing {
        if missing.isNotFound { pending.undo() }
      }
      throw error
    }
  }

  private func ledger(
    _ plan: ForgettingPlan, _ writer: borrowing NewSegments, _ pending: inout PendingRewriting
  ) throws(LogError) -> Rewritings.Entry {
    let head = try view.head()
    let request = plan.rewriter.request
    let entry = Rewritings.Entry(
      time: environment.now(), first: plan.first ?? 0, head: head.seq, before: head.sum,
      after: writer.sumAtHead, reason: request.reason, changesMentions: request.changesMentions,
      marks: request.marks)
    var all = try Rewritings(folder: path, files: files)
    all.entries.append(entry)
    try write(all.text, Rewritings.fileName, &pending)
    return entry
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
    try write(Bookmarks.text(all), Bookmarks.fileName, &pending)
  }

  /// Writes a small file that is to be replaced.
  private func write(
    _ text: String, _ name: String, _ pending: inout PendingRewriting
  ) throws(LogError) {
    pending.names.append(name)
    let path = pending.newPath(name)
    try io { () throws(FileError) in
      let file = try files.open(path, .createNew)
      defer { try? files.close(file, path) }
      try files.writeAll(Array(text.utf8), to: file, path)
      try files.sync(file, path)
    }
  }
}
