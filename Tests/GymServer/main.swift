#if Server
  import EventlogServer

  var server = EventlogServer(log: CommandLine.arguments[1], rules: .climb)
  server.add(Visits.self)
  server.add(CheckIn.self)
  server.add(GetVisits.self)
  server.tokenKeys = [CommandLine.arguments[2]]
  server.port = CommandLine.arguments.dropFirst(3).first.flatMap { UInt16($0) } ?? 0
  server.takesOver = CommandLine.arguments.contains("take-over")
  server.bounds.requestsPerSecond = 0
  await server.runOrExit()
#endif
