// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that the product never depends on gRPC. `rpc-bench` builds it when needed.
// The versions are exact, so that results are comparable.

let package = Package(
    name: "grpc-bench",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(url: "https://github.com/grpc/grpc-swift-2", exact: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", exact: "2.9.2"),
    ],
    targets: [
        // Both are links, so that load, measurement and output are the same for all subjects. Of BenchKit, only the files
        // without dependencies.
        .target(
            name: "BenchKit",
            exclude: [
                "BenchDirectory.swift", "ChildProcess.swift", "Columns.swift", "ExternalProgram.swift", "Machine.swift",
                "Median.swift", "Memory.swift", "Pattern.swift", "ProgressLine.swift", "RunningDeployment.swift",
                "RunningService.swift", "SourceFolder.swift", "Turns.swift",
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
