// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that the product never depends on this framework. `http-bench` builds it when needed.
// The versions are exact, so that results are comparable.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "hummingbird-bench",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // A link, so that both servers write JSON with the same code.
        .target(name: "JSON", swiftSettings: settings),
        .executableTarget(
            name: "hummingbird-bench",
            dependencies: [
                "JSON",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
    ]
)
