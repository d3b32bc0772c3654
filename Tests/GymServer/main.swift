#if Server
  import EventlogServer

  var server = EventlogServer(log: CommandLine.arguments[1], rules: .climb)
  server.add(Visits.self)
  server.add(CheckIn.self)
  server.add(GetVisits.self)
  server.tokenKeys = [CommandLine.arguments[2]]
  server.port = 0
  server.takesOver = true  // from the server of the same log, if one runs
  await server.runOrExit()
#endif
