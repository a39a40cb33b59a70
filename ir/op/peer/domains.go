package peer

// The domains of operators of distributed programs.
const (
	RolePrefix    = "ai.bytesandbrains.role."     // calls of a role's methods: .model, .aggregator, …
	SyscallDomain = "ai.bytesandbrains.syscall"   // services of the engine
	WireDomain    = "ai.bytesandbrains.wire"      // Send, Recv
	ModuleDomain  = "ai.bytesandbrains.module"    // calls of the program's own modules
	BundleDomain  = "ai.bytesandbrains.composite" // Bundle, Unbundle
	BookDomain    = "ai.bytesandbrains.address_book"
)

// The names of the opaque types that operators of distributed programs read and write.
const (
	PeerType    = "peer"    // one peer's id
	PeersType   = "peers"   // ids in the order of classes and ranks
	TriggerType = "trigger" // an event without a value
	AddressType = "address" // an address at which a peer may be reached
)
