// The processes that tests start and kill, in one program, because each program costs a link.
//   helper append LOG TASKS START…
//   helper tap URL TOKEN USER FOLDER START|drain

let arguments = Array(CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
case "append": try await append(arguments)
case "tap": try await tap(arguments)
default: fail("helper append|tap …")
}
