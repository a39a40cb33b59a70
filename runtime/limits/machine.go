package limits

// Machine describes the resources of the machine that a Node may use. The host determines them.
type Machine struct {
	Memory      int64 // bytes; 0: unknown
	Disk        int64 // bytes that are free for large values; 0: unknown, or large values stay in memory
	Descriptors int   // descriptors that may be open; 0: unknown
}

// For returns the limits of a peer on a machine: the defaults, or less if the machine has less. With all shares
// in use, the memory is less than three quarters of the machine's.
func For(m Machine) Limits {
	l := Default()
	if m.Memory > 0 {
		l.Held = part(l.Held, m.Memory/4, 1<<20)
		l.OutboundBytes = part(l.OutboundBytes, m.Memory/4, 1<<20)
		l.IngressBytes = part(l.IngressBytes, m.Memory/32, 1<<20) // also of envelopes that wait for the bootstrap, and for bulk
		l.Wire.Envelope = min(l.Wire.Envelope, l.IngressBytes/2)
		l.Wire.Fill = min(l.Wire.Fill, l.Wire.Envelope/2)
		l.Wire.Chunk = min(l.Wire.Chunk, l.Wire.Fill)
		l.Executions = part(l.Executions, m.Memory/frameRoom/16, 64)
		l.Timers = l.Executions
		l.Spooled = min(l.Spooled, m.Memory/4)
	}
	if m.Disk > 0 {
		l.Spooled = min(Default().Spooled, m.Disk/2) // the other half is for snapshots and outgoing values
	}
	l.Wire.Bulk = min(l.Wire.Bulk, l.Spooled)
	if m.Descriptors > 0 { // a connection each; the other half is for values, the state and pages
		l.Peers = part(l.Peers, int64(m.Descriptors/2), 2)
	}
	return l
}

// frameRoom is the approximate size of a frame and the record of its execution, in bytes.
const frameRoom = 4 << 10

// part returns a limit that is at most a part of the machine, and at least least.
func part(limit int, of int64, least int) int {
	return int(max(min(int64(limit), of), int64(least)))
}
