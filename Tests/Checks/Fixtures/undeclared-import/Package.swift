// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "undeclared-import",
    targets: [.target(name: "Store"), .target(name: "Feature")])
