import EventlogClient
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 7, let server = URL(string: arguments[1]) else {
  print("usage: phones-story SERVER USER TOKEN-FILE USER TOKEN-FILE FOLDER")
  exit(64)
}
let folder = URL(filePath: arguments[6], directoryHint: .isDirectory)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let ann = try await Person(arguments[2], tokenFile: arguments[3], server, in: folder)
let ben = try await Person(arguments[4], tokenFile: arguments[5], server, in: folder)
try await Story(ann: ann, ben: ben).run()
