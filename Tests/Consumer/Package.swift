// swift-tools-version: 6.2
import PackageDescription

// An app's package that depends on eventlog.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "eventlog") }

let traits = ["JPEG", "Server", "PostgreSQL"]

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15), .iOS(.v18)],
  traits: Set(traits.map { .trait(name: $0) }),
  dependencies: [
    .package(
      name: "eventlog", path: "../..",
      traits: Set(traits.map { .trait(name: $0, condition: .when(traits: [$0])) }))
  ],
  targets: [
    .executableTarget(name: "Readme", dependencies: [product("UseCases")]),
    .executableTarget(name: "Catching", dependencies: [product("UseCases")]),
    .executableTarget(
      name: "client-story", dependencies: [product("EventlogClient")], path: "Sources/Client"),
    .executableTarget(
      name: "phones-story", dependencies: [product("EventlogClient")], path: "Sources/Phones"),
    .executableTarget(
      name: "gymserver", dependencies: [product("EventlogServer")], path: "Sources/GymServer"),
    .executableTarget(
      name: "Products",
      dependencies: ["Events", "EventLog", "Aggregates", "Projections", "UseCases"].map(product)),
    .testTarget(
      name: "AppTests",
      dependencies: ["UseCases", "UseCasesTesting", "PropertyTesting"].map(product)),
  ]
)
