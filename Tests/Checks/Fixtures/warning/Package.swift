// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "warning",
    targets: [.target(name: "Feature", swiftSettings: [.treatAllWarnings(as: .error)])])
