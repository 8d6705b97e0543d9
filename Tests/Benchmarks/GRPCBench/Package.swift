// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that the product never depends on gRPC. `rpc-bench` builds it when it is wanted.
// The versions are exact: a comparison says what it compares with.

let package = Package(
    name: "grpc-bench",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(url: "https://github.com/grpc/grpc-swift-2", exact: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", exact: "2.9.2"),
    ],
    targets: [
        // Both by a link: what callers do, how it is measured and what is printed is the same for all subjects. Of the kit,
        // what needs nothing else.
        .target(
            name: "BenchKit",
            exclude: [
                "BenchDirectory.swift", "ChildProcess.swift", "Columns.swift", "Median.swift", "Memory.swift",
                "Pattern.swift", "ProgressLine.swift", "RunningDeployment.swift", "RunningService.swift",
            ],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
        .executableTarget(
            name: "grpc-bench",
            dependencies: [
                "BenchKit",
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
            ],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
    ]
)
