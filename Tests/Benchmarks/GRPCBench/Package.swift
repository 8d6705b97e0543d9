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
        // `Measuring` in it is that of rpc-bench, by a link: what callers do and what is printed is the same for all.
        .executableTarget(
            name: "grpc-bench",
            dependencies: [
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
            ],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")])
    ]
)
