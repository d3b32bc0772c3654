// swift-tools-version: 6.2
import PackageDescription

// The benchmark programs that need only what is public. They are a package of their own, so that
// nobody who uses or tests eventlog builds them. `Tests/nested` builds them.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

func program(_ name: String, in folder: String, _ products: [String]) -> Target {
  .executableTarget(
    name: name, dependencies: products.map { .product(name: $0, package: "eventlog") },
    path: folder, swiftSettings: strict)
}

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "eventlog", path: "../..")],
  targets: [
    program("questions", in: "QuestionTimes", ["Events", "Projections", "UseCases"]),
    program("whynottimes", in: "WhyNotTimes", ["EventLog", "Events", "Replaying", "UseCases"]),
    program("appends", in: "AppendTimes", ["EventLog"]),
    program("callers", in: "CallerTimes", ["Events", "UseCases"]),
    program("clienttimes", in: "ClientTimes", ["EventlogClient"]),
  ]
)
