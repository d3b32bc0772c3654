extension Subcommand {
  static let run = Subcommand(
    name: "run", summary: "Perform many use cases from a file, one per line",
    arguments: "[FILE]", positionals: 0...1,
    discussion: """
      Reads lines such as {"do":"FollowUser","as":"alice","with":{"followee":"bob"},"time":"…"} \
      from a file or standard input, performs each, and prints a line for each: \
      {"ok":true,"result":…,"seq":[42]} or {"ok":false,"error":…,"message":…}. Only the member do \
      is required. A refusal does not stop the run.

      Each line is durable before its answer is printed. With --batch N, N lines become durable \
      together and are then answered, which is many times faster. A line that is not a valid \
      command, or whose time is more than a day ahead, is answered with the error invalidInput, \
      and the exit code is 65 at the end. Blank \
      lines are skipped.
      """,
    options: [
      .log, .value("--batch", "N", "Make N lines durable together; 1 if not given."), .rules,
      .photos,
      .unknown, .cold, .future,
    ],
    examples: [
      "eventlog run eventlogs/scenarios/climb.jsonl --log my.log":
        "The scenario of the climbing app.",
      "generate-load | eventlog run --batch 1000 --log my.log": "Read from a pipe.",
    ],
    run: { try await runMany($0) })
}

private func runMany(_ invocation: Invocation) async throws {
  let batch = try invocation.int("--batch", default: 1, in: 1...100_000)
  let path = invocation.positionals.first ?? "-"
  var input = try ForeignLines(path: path)
  let core = try await invocation.openCoreAndLog().core
  let photos = invocation.photoPorts()
  let bar = Progress(label: "running", total: input.size ?? 0, unit: "bytes")
  var firstWrong: Int?
  var wrong = 0
  var refused = 0
  var isAtEnd = false
  while !isAtEnd, !Output.isBroken {
    var requests: [Result<Request, InputError>] = []
    var numbers: [Int] = []
    while requests.count < batch {
      guard let line = try input.next() else {
        isAtEnd = true
        break
      }
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      requests.append(
        Result { () throws(InputError) in
          let request = try Request(line: line)
          if let problem = invocation.problem(withTime: request) {
            throw InputError("time", problem)
          }
          return request
        })
      numbers.append(input.number)
    }
    let replies = await perform(requests, core, photos)
    var out = ByteBuffer(capacity: 256 * replies.count)
    for (reply, number) in zip(replies, numbers) {
      out.append(reply.json)
      out.append("\n")
      guard case .failure(let error) = reply.result else { continue }
      if case .invalidInput = error {
        firstWrong = firstWrong ?? number
        wrong += 1
      } else {
        refused += 1
      }
    }
    Output.data(bytes: out.array)
    try Output.flush()
    bar.update(input.offset)
  }
  bar.finish()
  noteIgnored(core.ignoredStates)
  if refused > 0 { Output.remark("\(counted(refused, "command")) refused") }
  if let firstWrong {
    throw Failure(
      .data,
      "\(counted(wrong, "line")) of \(path == "-" ? "standard input" : path) "
        + "\(wrong == 1 ? "is not a command" : "are not commands"); the first is line \(firstWrong)"
    )
  }
}

/// Performs the valid requests, and answers the invalid ones with an error.
private func perform(
  _ requests: [Result<Request, InputError>], _ core: Core, _ photos: PhotoPorts
) async -> [Reply] {
  let good = requests.compactMap { try? $0.get() }
  var replies = await core.perform(good, photos: photos, image: loadImage)[...]
  return requests.compactMap { request in
    switch request {
    case .success: replies.popFirst()
    case .failure(let error): Reply(.failure(.invalidInput(error)))
    }
  }
}
