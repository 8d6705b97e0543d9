import NIOCore

/// The kernel's answer to `SO_MEMINFO` (`SK_MEMINFO_VARS` numbers, in bytes).
private struct SocketMemory {
    var received: UInt32 = 0
    var receiveBuffer: UInt32 = 0

    /// Data that was sent and that the peer has not read.
    var sent: UInt32 = 0
    var others = InlineArray<6, UInt32>(repeating: 0)
}

/// From `<asm-generic/socket.h>`, which Swift does not import.
private let SO_MEMINFO: Int32 = 55

extension Channel {
    /// The memory of data that the peer has not read; nil when the system does not report it. On the event loop only.
    var unreadByPeer: UInt32? {
        var sent: UInt32?
        // On the event loop, the future is already complete.
        (self as? any SocketOptionProvider)?
            .unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_MEMINFO))
            .assumeIsolated()
            .whenSuccess { (memory: SocketMemory) in sent = memory.sent }
        return sent
    }
}
