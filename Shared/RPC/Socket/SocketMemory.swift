import NIOCore

/// What the kernel writes for `SO_MEMINFO` (`SK_MEMINFO_VARS` numbers, in bytes).
private struct SocketMemory {
    var received: UInt32 = 0
    var receiveBuffer: UInt32 = 0

    /// Of what was sent and the peer has not read.
    var sent: UInt32 = 0
    var others = InlineArray<6, UInt32>(repeating: 0)
}

/// Of the system's headers, which Swift does not see (`<asm-generic/socket.h>`).
private let SO_MEMINFO: Int32 = 55

extension Channel {
    /// The memory of what was sent and the peer has not read; nil when the system does not report it. On the event loop only.
    var unreadByPeer: UInt32? {
        var sent: UInt32?
        // Answered at once on the event loop.
        (self as? any SocketOptionProvider)?
            .unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_MEMINFO))
            .assumeIsolated()
            .whenSuccess { (memory: SocketMemory) in sent = memory.sent }
        return sent
    }
}
