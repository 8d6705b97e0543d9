struct Utility {}
