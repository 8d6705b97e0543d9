import FoundationEssentials
import RPC

struct RawJSON {}
