import Aggregates
import Events
import Projections

/// Returns the follower counts of a log, like `eventlog project followers --format json --limit 0`.
/// - Parameters:
///   - count: the number of bytes of the log.
///   - length: set to the number of bytes of the answer; negative if the log is damaged, and then
///     the answer is the error.
@_expose(wasm, "followers")
@_cdecl("followers")
public func followers(
  _ log: UnsafePointer<UInt8>, _ count: Int, _ length: UnsafeMutablePointer<Int>
) -> UnsafeMutablePointer<UInt8> {
  var out = ByteBuffer()
  var isError = false
  do throws(LogError) {
    var replay = Replay<FollowerRanking>()
    try replay.apply(LogBytes(Array(UnsafeBufferPointer(start: log, count: count))))
    write(replay.projection.rows(limit: nil, names: replay.names), replay.names, to: &out)
  } catch {
    isError = true
    out.append("\(error)\n")
  }
  let answer = UnsafeMutablePointer<UInt8>.allocate(capacity: out.count)
  out.withBytes { answer.update(from: $0.baseAddress!, count: $0.count) }
  length.pointee = isError ? -out.count : out.count
  return answer
}

private func write(_ rows: [FollowerRanking.Row], _ names: Names, to out: inout ByteBuffer) {
  out.append("[")
  for (index, row) in rows.enumerated() {
    out.append(index == 0 ? "\n" : ",\n")
    out.append(
      .object([
        .init("user", .string(names[row.user])), .init("handle", .optional(row.handle)),
        .init("followerCount", .int(row.followerCount)),
        .init("followingCount", .int(row.followingCount)),
      ]))
  }
  out.append(rows.isEmpty ? "]\n" : "\n]\n")
}
