// swift-tools-version: 6.2

import PackageDescription

// The manifest defines the architecture: a target can import only its listed dependencies (`deploy/test` builds with the import
// check that enforces this). In particular
//   - a feature sees Foundation, JSON and EdgeModel only,
//   - a contract sees the RPC runtime, JSON and EdgeModel only,
//   - a service sees its own feature and contract, never another service's,
//   - the gateway sees contracts, never a feature, a store or SQLite.

/// Warnings are errors in development and tests only, so that warnings of a newer compiler do not break a user's build.
let strict = Context.environment["IMAGE_FEED_STRICT"] == "1"

/// An asynchronous function runs in its caller's isolation, so a call is read, handled and answered on the event loop without
/// switching threads.
let settings: [SwiftSetting] =
    [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]
    + (strict ? [.treatAllWarnings(as: .error)] : [])

/// Links Swift's libraries into a program instead of loading them, so that it starts in half the time. For the gateway, whose
/// commands start often. The services share one copy of the libraries in memory.
let staticRuntime = ["-static-stdlib"]

/// The targets of one microservice: a pure feature, the contract that others may import, and the executable that connects the
/// feature to stores, upstreams and callers.
func service(_ name: String, executable: String, specificTo dependencies: [Target.Dependency] = []) -> [Target] {
    [
        .target(
            name: name, dependencies: ["EdgeModel", "JSON"], path: "Services/\(name)/Feature", swiftSettings: settings),
        .target(
            name: "\(name)Contract", dependencies: ["EdgeModel", "JSON", "RPC"], path: "Services/\(name)/Contract",
            swiftSettings: settings),
        .executableTarget(
            name: executable,
            dependencies: [
                .target(name: name), .target(name: "\(name)Contract"), "JSON", "RPC", "ServiceKit", "SQLiteKit",
                "PostgresKit", "EdgeKit", "EdgeModel", "Timing", "Upstream",
                .grdb, .logging, .nioCore,
            ]
                + dependencies,
            path: "Services/\(name)/Service", swiftSettings: settings),
    ]
}

func tests(_ name: String, path: String? = nil, of dependencies: [Target.Dependency], exclude: [String] = []) -> Target
{
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(path ?? name)", exclude: exclude, swiftSettings: settings
    )
}

extension Target.Dependency {
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioConcurrencyHelpers = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let logging = product(name: "Logging", package: "swift-log")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let sqlite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let nioExtras = product(name: "NIOExtras", package: "swift-nio-extras")
    static let nioHTTPTypesHTTP1 = product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let mustache = product(name: "Mustache", package: "swift-mustache")
}

/// The folders in Tests/Contracts with contracts as data.
let contracts = [
    "comments", "feed", "feed-edge", "image-data", "likes", "protocol",
    "search",
]

/// The executables, as dependencies of tests that run them.
let executables: [Target.Dependency] = ["gateway", "feed-service", "comments-service", "image-data-service"]

let package = Package(
    name: "image-feed",
    defaultLocalization: "en",
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "gateway", targets: ["gateway"]),
        .executable(name: "feed-service", targets: ["feed-service"]),
        .executable(name: "comments-service", targets: ["comments-service"]),
        .executable(name: "image-data-service", targets: ["image-data-service"]),
        .executable(name: "search-service", targets: ["search-service"]),
        // For Swift programs that call the services, or the gateway.
        .library(
            name: "ImageFeedContracts",
            targets: [
                "FeedContract", "CommentsContract", "ImageDataContract", "GatewayContract", "Presentation", "EdgeModel",
                "RPC", "JSON", "Timing",
            ]),
    ],
    // Exact versions, so that every checkout builds, tests and measures the same code: Package.resolved is not in the repository. A
    // new version is a commit of its own, after `deploy/test` and the benchmarks.
    dependencies: [
        // Event loops and sockets under the RPC runtime.
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        // TLS of the HTTP client.
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        // Options, subcommands, help and shell completion of every executable.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        // The common logging interface of Swift servers.
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        // Signals as an asynchronous sequence, for stopping gracefully.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        // SQLite: connection pool, migrations, cached statements. Uses the system's library.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        // SHA-256 of image bytes and of copied stores, SHA-1 of name-based UUIDs.
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        // HTTP requests, answers and fields of the gateway, validated.
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        // Turns NIO's HTTP messages into those types, and lets connections finish their requests when the gateway stops.
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        // Templates of the web page, which escape every text. It needs no HTTP framework.
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    ],
    targets:  // Shared code, without features.
    [
        .systemLibrary(name: "CZlib", path: "Shared/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Strict JSON and its codecs. Without NIO, so that features may use it.
        .target(name: "JSON", path: "Shared/JSON", swiftSettings: settings),
        // Monotonic time as an argument, so that tests of deadlines and pauses take no time.
        .target(name: "Timing", dependencies: [.nioCore], path: "Shared/Timing", swiftSettings: settings),
        .target(
            name: "RPC", dependencies: ["CZlib", "JSON", "Timing", .nioConcurrencyHelpers, .nioCore, .nioPosix],
            path: "Shared/RPC", exclude: ["README.md"], swiftSettings: settings),
        // Runs other programs: with limits for untrusted input, and vipsthumbnail. Without dependencies, so that the tests of the
        // runtime may use it.
        .target(name: "Processes", path: "Shared/Processes", swiftSettings: settings),
        .target(
            name: "ServiceKit",
            dependencies: ["JSON", "RPC", "Timing", .argumentParser, .crypto, .logging, .nioCore, .unixSignals],
            path: "Shared/ServiceKit", swiftSettings: settings),
        .target(
            name: "SQLiteKit", dependencies: ["JSON", "RPC", "ServiceKit", "Timing", .grdb, .logging, .nioCore],
            path: "Shared/SQLiteKit", swiftSettings: settings),
        // Loads libpq when a store is in a database, so that neither builds nor deployments without one need it.
        .target(
            name: "CPostgres", path: "Shared/CPostgres", cSettings: strict ? [.treatAllWarnings(as: .error)] : []),
        .target(
            name: "PostgresKit",
            dependencies: ["CPostgres", "JSON", "RPC", "ServiceKit", "Timing", .logging, .nioCore],
            path: "Shared/PostgresKit", swiftSettings: settings),
        // The guarded HTTP client. It knows no services. It inflates with the system's zlib, which can stop at an exact output
        // limit.
        .target(
            name: "Upstream",
            dependencies: ["CZlib", "Timing", .nioCore, .nioPosix, .nioHTTP1, .nioTLS, .nioSSL, .crypto],
            path: "Shared/Upstream", swiftSettings: settings),
        // What is known of an answer (origin, age and validators) and of a picture (size and placeholder). Pure, so that
        // features may see it.
        .target(name: "EdgeModel", dependencies: ["JSON"], path: "Shared/EdgeModel", swiftSettings: settings),
        // What an edge is made of: its options, the monitor of its upstream, the time budget and the fallback.
        .target(
            name: "EdgeKit",
            dependencies: [
                "EdgeModel", "JSON", "RPC", "ServiceKit", "Timing", "Upstream", .argumentParser, .logging, .nioCore,
                .crypto,
            ],
            path: "Shared/EdgeKit", exclude: ["README.md"], swiftSettings: settings),
        // Plays the cases of contracts against any implementation. It knows no services.
        .target(
            name: "ContractKit", dependencies: ["JSON", "Processes", "RPC"], path: "Shared/ContractKit",
            swiftSettings: settings),
        .target(
            name: "RPCTestKit", dependencies: ["JSON", "Processes", "RPC", "Timing", .logging, .nioCore, .nioPosix],
            path: "Shared/RPCTestKit", swiftSettings: settings),
    ]

        // The services, one line each.
        + service("Feed", executable: "feed-service")
        + service("Comments", executable: "comments-service")
        + service("ImageData", executable: "image-data-service", specificTo: ["Processes", .crypto])

        // A plugin: it knows the feed and the comments by their contracts.
        + service("Search", executable: "search-service", specificTo: ["FeedContract", "CommentsContract", .sqlite])

        // The composition root.
        + [
            .target(
                name: "Presentation", dependencies: ["EdgeModel", "JSON"], path: "Services/Gateway/Presentation",
                resources: [.process("Resources")], swiftSettings: settings),
            .target(
                name: "GatewayContract",
                dependencies: [
                    "EdgeModel", "JSON", "RPC", "Presentation", "FeedContract", "CommentsContract", "ImageDataContract",
                ],
                path: "Services/Gateway/Contract", swiftSettings: settings),
            // The contracts as data, as resources of the gateway.
            .target(
                name: "ContractCases", path: "Tests/Contracts", exclude: ["README.md", "case.schema.json"],
                resources: contracts.map { .copy($0) }, swiftSettings: settings),
            .executableTarget(
                name: "gateway",
                dependencies: [
                    "ContractCases", "ContractKit", "EdgeModel", "JSON", "Processes", "RPC", "ServiceKit",
                    "Timing", "Presentation", "FeedContract",
                    "CommentsContract", "ImageDataContract", "GatewayContract",
                    // The client of search, App/Search.
                    "SearchContract",
                    .argumentParser, .logging, .crypto,
                    // The terminal browser: the size of the window, and stopping.
                    .unixSignals,
                    // The HTTP API.
                    "CZlib", .httpTypes, .nioCore, .nioPosix, .nioHTTP1, .nioExtras,
                    .nioHTTPTypes, .nioHTTPTypesHTTP1,
                    // The web page.
                    .mustache,
                ],
                path: "Services/Gateway/App",
                resources: [
                    .copy("Web/Templates"), .copy("Web/Assets"), .copy("Web/Script"),
                    // The client of search.
                    .copy("Search/SearchPage"),
                ],
                swiftSettings: settings + [.unsafeFlags(staticRuntime, .when(configuration: .release))],
                linkerSettings: [.unsafeFlags(staticRuntime, .when(configuration: .release))]),
        ]
        // An example of a plugin, on the runtime of the services.
        + [
            .executableTarget(
                name: "places-service",
                dependencies: ["FeedContract", "JSON", "RPC", "ServiceKit", .argumentParser],
                path: "Services/Examples/Places", swiftSettings: settings)
        ]
        // Tests and benchmarks.
        + [
            tests("JSONTests", of: ["JSON", "RPCTestKit"]),
            tests("RPCTests", of: ["JSON", "RPC", "RPCTestKit", "Timing", .nioCore, .nioEmbedded]),
            tests("ProcessesTests", of: ["Processes", "RPCTestKit"]),
            tests(
                "ServiceKitTests",
                of: ["ServiceKit", "RPC", "RPCTestKit", "Timing", .argumentParser, .logging, .nioCore, .nioPosix]),
            tests(
                "EndToEndTests",
                of: [
                    "EdgeModel", "JSON", "RPC", "RPCTestKit", "Timing", "FeedContract", "CommentsContract",
                    "SearchContract", "places-service",
                ] + executables),
            tests(
                "GatewayTests",
                of: [
                    "EdgeModel", "JSON", "Processes", "RPC", "RPCTestKit", "ServiceKit", "FeedContract",
                    "CommentsContract", "ImageDataContract", "GatewayContract", "ContractKit", "CZlib", "Timing",
                    .httpTypes,
                    .logging, .nioCore, .nioEmbedded, .nioHTTP1, .nioPosix,
                    // Limits of an edge's gateway.
                    "Comments", "EdgeKit", "Upstream",
                ] + executables, exclude: ["CLI/Golden", "Plugins/Wild/wild.py"]),
            // The browser tests (Tests/Web) run the same table.
            tests("PresentationTests", of: ["EdgeModel", "JSON", "Presentation"], exclude: ["loading-state.json"]),
            tests(
                "UpstreamTests",
                of: [
                    "Upstream", "upstream-get", "RPCTestKit", "Timing", .nioCore, .nioEmbedded, .nioHTTP1, .nioSSL,
                ],
                exclude: ["Network/servers.py"]),
            tests("EdgeModelTests", of: ["EdgeModel"]),
            tests(
                "EdgeKitTests",
                of: ["EdgeKit", "Upstream", "RPC", "RPCTestKit", "ServiceKit", "Timing", .logging, .nioCore]),
            // One guarded GET, for tests that run in a separate network namespace.
            .executableTarget(
                name: "upstream-get", dependencies: ["Upstream"], path: "Tests/Tools/upstream-get",
                swiftSettings: settings),
            tests("SQLiteKitTests", of: ["SQLiteKit", "ServiceKit", "JSON", "RPC", "RPCTestKit", .grdb, .logging]),
            tests(
                "PostgresKitTests",
                of: ["PostgresKit", "ServiceKit", "JSON", "RPC", "RPCTestKit", "Timing", .logging, .nioCore]),
            tests(
                "FeedTests",
                of: [
                    "Feed", "FeedContract", "feed-service", "RPC", "ServiceKit", "SQLiteKit", "PostgresKit",
                    "RPCTestKit", "EdgeKit",
                    "EdgeModel", "Timing", "Upstream", .grdb, .logging, .nioCore,
                ]),
            tests(
                "CommentsTests",
                of: [
                    "Comments", "CommentsContract", "comments-service", "RPC", "ServiceKit", "SQLiteKit", "PostgresKit",
                    "EdgeKit",
                    "EdgeModel", "Timing", "Upstream", "RPCTestKit", .grdb, .logging, .nioCore,
                ]),
            tests(
                "ImageDataTests",
                of: [
                    "ImageData", "ImageDataContract", "image-data-service", "Processes", "RPC", "ServiceKit",
                    "SQLiteKit", "PostgresKit", "EdgeKit", "EdgeModel", "Timing", "Upstream", "RPCTestKit",
                    .grdb, .logging, .nioCore,
                ], exclude: ["Variants/vipsthumbnail"]),
            tests(
                "SearchTests",
                of: [
                    "Search", "SearchContract", "search-service", "EdgeModel", "FeedContract", "CommentsContract",
                    "ContractKit",
                    "JSON", "RPC", "Presentation", "RPCTestKit", "ServiceKit", "SQLiteKit", "Timing", .grdb, .logging,
                ] + executables, exclude: ["Gateway/gateway-search.txt"]),
            // These tests start the real executables.
            tests(
                "ContractTests",
                of: [
                    "ContractCases", "ContractKit", "JSON", "RPC", "RPCTestKit", "FeedContract", "CommentsContract",
                    "ImageDataContract",
                ] + executables,
                exclude: ["Clients", "Likes"]),
            tests(
                "ChecksTests", path: "Checks", of: ["RPCTestKit"],
                exclude: ["Fixtures", "builds", "imports", "versions"]),
            .executableTarget(
                name: "rpc-bench",
                dependencies: ["BenchKit", "JSON", "RPC", "FeedContract", .argumentParser, .nioCore, .nioPosix],
                path: "Tests/Benchmarks/RPCBench", swiftSettings: settings),
            .executableTarget(
                name: "http-bench",
                dependencies: [
                    "BenchKit", "RPC", "FeedContract", "ImageDataContract", .argumentParser, .grdb, .nioCore,
                    .nioPosix, .nioHTTP1,
                ],
                path: "Tests/Benchmarks/HTTPBench", exclude: ["HTTP/load.lua"], swiftSettings: settings),
            // Code shared by the benchmarks.
            .target(
                name: "BenchKit", dependencies: ["RPC", .argumentParser], path: "Tests/Benchmarks/BenchKit",
                swiftSettings: settings),
        ]
)

/// Selects a part of the package: `programs` leaves out tests and benchmarks (deploy/up), `tests` the benchmarks; names of targets, separated by commas,
/// select those and what they need, for a quick build of some tests. Each sanitizer needs a separate build: `runtime` builds the
/// tests of the runtime and of the HTTP response reader for the thread sanitizer; `fuzzing` builds the fuzzers of both.
let only = Context.environment["IMAGE_FEED_ONLY"]

if only == "programs" {
    package.targets.removeAll {
        $0.name == "RPCTestKit" || ($0.path?.hasPrefix("Tests/") == true && $0.name != "ContractCases")
    }
} else if only == "tests" {
    package.targets.removeAll { $0.path?.hasPrefix("Tests/Benchmarks/") == true }
} else if only == "fuzzing" {
    select(["RPC", "Upstream"], in: package)
    leaveResponsesOnly(package)
} else if only == "runtime" {
    leaveResponsesOnly(package)
    select(["JSONTests", "RPCTests", "UpstreamTests"], in: package)
} else if let only {
    select(only.split(separator: ",").map(String.init), in: package)
}

/// Removes the targets that these do not need.
func select(_ names: [String], in package: Package) {
    var (needed, next) = (Set<String>(), names)
    while let name = next.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        next += target.dependencies.compactMap {
            switch $0 {
            case .targetItem(let name, _), .byNameItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

/// Reduces the HTTP client to the parts that read responses. TLS and services would double the build time. Files that are neither
/// built nor excluded would be a warning.
func leaveResponsesOnly(_ package: Package) {
    for target in package.targets where target.name == "Upstream" {
        target.dependencies = ["CZlib", "Timing", .nioCore, .nioPosix, .nioHTTP1]
        target.exclude = [
            "Address/AddressGuard.swift", "Address/AddressRange.swift", "Address/AddressRange+CIDR.swift",
            "Address/AddressRange+Registry.swift", "Address/IPAddress+Public.swift", "Client/UpstreamClient.swift",
            "Client/UpstreamRequest.swift", "Resolver", "Settings/CertificateAuthorities.swift",
            "Settings/CertificatePin.swift", "Settings/UpstreamBase.swift", "Settings/UpstreamSettings.swift", "TLS",
        ]
    }
    for target in package.targets where target.name == "UpstreamTests" {
        target.dependencies = ["Upstream", "RPCTestKit", "Timing", .nioCore, .nioEmbedded, .nioHTTP1]
        target.exclude = [
            "Address", "Client", "Connection", "Exchange/InflaterTests.swift", "Network", "Support", "TLS", "URL",
        ]
    }
}

if only == "fuzzing" {
    // Coverage is instrumented in our parsers, not in NIO. Debug assertions stay on.
    let instrumented: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-assert-config", "Debug"])]
    for target in package.targets {
        if target.type == .regular { target.swiftSettings?.append(contentsOf: instrumented) }
    }
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
        .target(
            name: "RPCFuzzing", dependencies: ["JSON", "RPC", .nioCore, .nioEmbedded], path: "Tests/RPCTests/Fuzzing",
            swiftSettings: settings + instrumented),
        .target(
            name: "UpstreamFuzzing", dependencies: ["Timing", "Upstream", .nioCore, .nioEmbedded, .nioHTTP1],
            path: "Tests/UpstreamTests/Fuzzing", swiftSettings: settings + instrumented),
        .executableTarget(
            name: "rpc-fuzz", dependencies: ["CLibFuzzer", "RPCFuzzing", "UpstreamFuzzing"],
            path: "Tests/Fuzzing/Program",
            swiftSettings: settings, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
}
