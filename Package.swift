// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
  name: "eventlog",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Events", targets: ["Events"]),
    .library(name: "EventLog", targets: ["EventLog"]),
    .library(name: "Aggregates", targets: ["Aggregates"]),
    .library(name: "Projections", targets: ["Projections"]),
    .library(name: "Replaying", targets: ["Replaying"]),
    .library(name: "UseCases", targets: ["UseCases"]),
    .library(name: "EventlogClient", targets: ["EventlogClient"]),
    .library(name: "UseCasesTesting", targets: ["UseCasesTesting"]),
    .library(name: "PropertyTesting", targets: ["PropertyTesting"]),
    .library(name: "EventlogServer", targets: ["EventlogServer"]),
    .executable(name: "eventlog", targets: ["eventlog-cli"]),
  ],
  traits: [
    .trait(
      name: "JPEG",
      description:
        "Re-encode photos as JPEG, with GD (libgd-dev); otherwise they are kept as they are"),
    .trait(
      name: "Server",
      description:
        "The command serve: the log as a backend, with libmicrohttpd and libjwt "
        + "(libmicrohttpd-dev, libjwt-dev, libssl-dev, libsqlite3-dev, libcurl4-openssl-dev)",
      enabledTraits: ["SQLite"]),
    .trait(
      name: "SQLite",
      description: "The command mirror into an SQLite file, with libsqlite3 (libsqlite3-dev)"),
    .trait(
      name: "PostgreSQL",
      description: "Logs that many machines share, in a PostgreSQL database, with libpq (libpq-dev)"
    ),
  ],
  targets: [
    .target(name: "Events", swiftSettings: strict),
    .target(name: "Aggregates", dependencies: ["Events"], swiftSettings: strict),
    .target(name: "Projections", dependencies: ["Events"], swiftSettings: strict),
    .target(name: "EventLog", dependencies: ["Events"], swiftSettings: strict),
    .target(name: "Columns", dependencies: ["Events", "EventLog"], swiftSettings: strict),
    .target(
      name: "Replaying", dependencies: ["Events", "EventLog", "Projections"], swiftSettings: strict),
    .target(
      name: "UseCases",
      dependencies: [
        "Events", "EventLog", "Aggregates", "Projections", "Replaying",
        .target(name: "CImaging", condition: .when(traits: ["JPEG"])),
      ],
      swiftSettings: strict),
    .target(
      name: "Tables", dependencies: ["Events", "Aggregates", "Projections", "UseCases"],
      swiftSettings: strict),
    .target(
      name: "PersonalLogs",
      dependencies: ["Events", "EventLog", "Aggregates", "Projections", "UseCases"],
      swiftSettings: strict),
    .systemLibrary(name: "CImaging", providers: [.apt(["libgd-dev"]), .brew(["gd"])]),
    .systemLibrary(
      name: "CServer",
      providers: [
        .apt(["libmicrohttpd-dev", "libjwt-dev", "libssl-dev", "libcurl4-openssl-dev"]),
        .brew(["libmicrohttpd", "libjwt", "openssl", "curl"]),
      ]),
    .target(
      name: "Server",
      dependencies: [
        "Events", "EventLog", "Aggregates", "UseCases", "Tables", "PersonalLogs",
        "SQLite", .target(name: "CServer", condition: .when(traits: ["Server"])),
      ],
      swiftSettings: strict),
    .systemLibrary(
      name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "SQLite",
      dependencies: [
        "Events",
        .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
      ],
      swiftSettings: strict),
    .target(
      name: "Mirroring",
      dependencies: [
        "Events", "EventLog", "Aggregates", "Projections", "Replaying", "UseCases", "Tables",
        "SQLite", "PostgreSQL",
      ],
      swiftSettings: strict),
    .target(
      name: "EventlogServer",
      dependencies: ["Events", "Aggregates", "Projections", "UseCases", "Server"],
      swiftSettings: strict),
    .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgreSQL",
      dependencies: [
        "Events", "EventLog",
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ],
      swiftSettings: strict),
    .target(
      name: "EventlogClient", dependencies: ["UseCases", "PersonalLogs"], swiftSettings: strict),
    .target(
      name: "UseCasesTesting",
      dependencies: ["Events", "Aggregates", "UseCases", "PersonalLogs"],
      swiftSettings: strict),
    .target(
      name: "PropertyTesting",
      dependencies: [
        "Events", "EventLog", "Aggregates", "UseCases", "TimeMachine", "HistoryGeneration",
      ],
      swiftSettings: strict),
    .target(
      name: "HistoryGeneration", dependencies: ["Events", "EventLog", "Aggregates"],
      swiftSettings: strict),
    .target(
      name: "CTimeMachine", exclude: ["LICENSE-D3", "build", "built", "core", "web"]),
    .target(
      name: "TimeMachine",
      dependencies: [
        "Events", "EventLog", "Aggregates", "Projections", "UseCases", "CTimeMachine",
      ],
      exclude: ["WebAssembly"],  // Only a page calls it.
      swiftSettings: strict),
    .executableTarget(
      name: "eventlog-cli",
      dependencies: [
        "Events", "EventLog", "Aggregates", "Columns", "Projections", "Replaying", "UseCases",
        "TimeMachine", "HistoryGeneration",
        .target(name: "Server", condition: .when(traits: ["Server"])),
        .target(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
        .target(name: "Tables", condition: .when(traits: ["SQLite", "PostgreSQL"])),
        .target(name: "Mirroring", condition: .when(traits: ["SQLite", "PostgreSQL"])),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "offlinetimes",
      dependencies: ["EventLog", "EventlogClient", "Events", "UseCases", "UseCasesTesting"],
      path: "Tests/Benchmarks/OfflineTimes", swiftSettings: strict),
    .executableTarget(
      name: "shared",
      dependencies: [
        "EventLog", "PostgreSQL",
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ],
      path: "Tests/Benchmarks/SharedTimes", swiftSettings: strict),
    .executableTarget(
      name: "shrinking", dependencies: ["PropertyTesting"],
      path: "Tests/Benchmarks/ShrinkingChallenge", swiftSettings: strict),
    .executableTarget(
      name: "phones",
      dependencies: [
        "Events", "EventLog", "Aggregates", "UseCases", "UseCasesTesting", "EventlogClient",
        "FaultTesting", "TimeMachine",
      ],
      path: "Tests/Phones", exclude: ["run"], swiftSettings: strict),
    .executableTarget(
      name: "peers",
      dependencies: [
        "Events", "EventLog", "Aggregates", "UseCases", "UseCasesTesting", "Server",
        "FaultTesting",
      ],
      path: "Tests/Peers", exclude: ["run"], swiftSettings: strict),
    .executableTarget(
      name: "helper", dependencies: ["Events", "EventLog", "EventlogClient"], path: "Tests/Helper",
      swiftSettings: strict),
    .executableTarget(
      name: "client-story", dependencies: ["EventlogClient"],
      path: "Tests/Consumer/Sources/Client", swiftSettings: strict),
    .executableTarget(
      name: "phones-story", dependencies: ["EventlogClient"],
      path: "Tests/Consumer/Sources/Phones", swiftSettings: strict),
    .executableTarget(
      name: "gymserver", dependencies: ["EventlogServer"], path: "Tests/GymServer",
      swiftSettings: strict),
    .target(
      name: "FaultTesting", dependencies: ["Events", "EventLog", "UseCases"],
      path: "Tests/FaultTesting", swiftSettings: strict),
    .target(name: "PostgresTesting", path: "Tests/PostgresTesting", swiftSettings: strict),
    .testTarget(
      name: "EventsTests",
      dependencies: [
        "Events", "EventLog", "PropertyTesting", "FaultTesting", "PostgreSQL", "PostgresTesting",
      ],
      exclude: ["Golden", "JSON/must-accept.txt", "JSON/must-refuse.txt", "JSON/free.txt"],
      swiftSettings: strict),
    .testTarget(
      name: "AggregatesTests", dependencies: ["Aggregates", "PropertyTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: [
        "Projections", "Replaying", "PropertyTesting", "HistoryGeneration", "FaultTesting",
        "eventlog-cli",
      ],
      exclude: ["Golden"],
      swiftSettings: strict),
    .testTarget(
      name: "UseCasesTests",
      dependencies: [
        "UseCases", "UseCasesTesting", "PropertyTesting", "HistoryGeneration", "FaultTesting",
        "Tables", "PersonalLogs", "Server",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TimeMachineTests", dependencies: ["TimeMachine"], swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Events", "UseCases", "EventlogClient", "FaultTesting", "PostgresTesting", "helper",
        "eventlog-cli", "phones",
      ],
      exclude: ["Transcripts", "Snippets"],
      swiftSettings: strict),
    .testTarget(
      name: "ServerTests",
      dependencies: [
        "Events", "Aggregates", "UseCases", "Server", "FaultTesting", "PostgresTesting",
        "eventlog-cli", "gymserver", "client-story", "phones-story", "peers",
        .target(name: "CServer", condition: .when(traits: ["Server"])),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EventlogClientTests",
      dependencies: [
        "EventlogClient", "Server", "UseCasesTesting", "FaultTesting", "helper",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PostgreSQLTests",
      dependencies: ["EventLog", "FaultTesting", "PostgreSQL", "PostgresTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "MirroringTests",
      dependencies: [
        "Mirroring", "UseCases", "Tables", "SQLite", "PostgreSQL", "PostgresTesting",
        "FaultTesting",
        "HistoryGeneration", "PropertyTesting", "eventlog-cli",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Events", "UseCases", "UseCasesTesting", "Server", "FaultTesting", "eventlog-cli",
      ],
      exclude: ["Corpus", "run"], swiftSettings: strict),
    .testTarget(
      name: "PropertyTestingTests",
      dependencies: ["PropertyTesting", "FaultTesting", "eventlog-cli", "shrinking"],
      swiftSettings: strict),
    .testTarget(name: "TidyTests", dependencies: ["FaultTesting"], swiftSettings: strict),
  ]
)

// `Tests/FuzzTests/run` builds all with the fuzzer's instruments, and of the tests its own alone.
if Context.environment["EVENTLOG_FUZZING"] != nil {
  package.targets.removeAll { $0.type == .test && $0.name != "FuzzTests" }
}
