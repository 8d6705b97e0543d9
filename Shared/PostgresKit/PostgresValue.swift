import Foundation

/// A parameter of a statement, in the binary format of its type.
public struct PostgresParameter: Sendable {
    /// The object identifier of the type.
    let type: UInt32

    /// Nil for NULL.
    let bytes: Data?

    init<Value: PostgresValue>(_ value: Value?) {
        type = Value.type
        bytes = value?.binary
    }

    public static func value(_ value: (some PostgresValue)?) -> PostgresParameter { PostgresParameter(value) }

    /// An array, whose elements a statement reads with `unnest`: any number of rows in one statement.
    public static func array<Value: PostgresValue>(_ values: [Value?]) -> PostgresParameter {
        // The number of dimensions, whether there are NULLs, the type, then the length and the first index.
        var bytes = Data()
        for number in [values.isEmpty ? 0 : 1, 1, Int32(bitPattern: Value.type)] { bytes.append(number.binary) }
        if !values.isEmpty { for number in [Int32(values.count), 1] { bytes.append(number.binary) } }
        for value in values {
            let element = value?.binary
            bytes.append((element.map { Int32($0.count) } ?? -1).binary)
            if let element { bytes.append(element) }
        }
        return PostgresParameter(type: Value.arrayType, bytes: bytes)
    }

    private init(type: UInt32, bytes: Data) { (self.type, self.bytes) = (type, bytes) }
}

/// A value in the binary format of PostgreSQL.
public protocol PostgresValue {
    /// The object identifiers of the type and of its arrays. They are the same in every database.
    static var type: UInt32 { get }
    static var arrayType: UInt32 { get }

    /// - Returns: nil for bytes that are no such value.
    init?(binary: UnsafeRawBufferPointer)

    var binary: Data { get }
}

extension FixedWidthInteger {
    fileprivate var binary: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }

    fileprivate init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == MemoryLayout<Self>.size else { return nil }
        self.init(bigEndian: bytes.loadUnaligned(as: Self.self))
    }
}

extension Int64: PostgresValue {
    public static let type: UInt32 = 20
    public static let arrayType: UInt32 = 1_016

    public init?(binary: UnsafeRawBufferPointer) { self.init(bytes: binary) }

    public var binary: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }
}

extension Bool: PostgresValue {
    public static let type: UInt32 = 16
    public static let arrayType: UInt32 = 1_000

    public init?(binary: UnsafeRawBufferPointer) {
        guard binary.count == 1 else { return nil }
        self = binary[0] != 0
    }

    public var binary: Data { Data([self ? 1 : 0]) }
}

extension Data: PostgresValue {
    public static let type: UInt32 = 17
    public static let arrayType: UInt32 = 1_001

    public init?(binary: UnsafeRawBufferPointer) { self.init(binary) }

    public var binary: Data { self }
}

extension String: PostgresValue {
    public static let type: UInt32 = 25
    public static let arrayType: UInt32 = 1_009

    public init?(binary: UnsafeRawBufferPointer) { self.init(validating: binary, as: UTF8.self) }

    public var binary: Data { Data(utf8) }
}

extension UUID: PostgresValue {
    public static let type: UInt32 = 2_950
    public static let arrayType: UInt32 = 2_951

    public init?(binary: UnsafeRawBufferPointer) {
        guard binary.count == MemoryLayout<uuid_t>.size else { return nil }
        self.init(uuid: binary.loadUnaligned(as: uuid_t.self))
    }

    public var binary: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}
