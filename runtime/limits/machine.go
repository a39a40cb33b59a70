package limits

// Machine is what a Node may use of the machine that it runs on. Its host finds out.
type Machine struct {
	Memory      int64 // bytes; 0: nobody knows
	Disk        int64 // bytes that are free where large values go; 0: nobody knows, or they stay in memory
	Descriptors int   // that may be open; 0: nobody knows
}

// For returns the limits of a peer on a machine: the defaults, or less where
// those would be more than the machine has. What may be in memory amounts to
// less than three quarters of it, with all shares in use.
func For(m Machine) Limits {
	l := Default()
	if m.Memory > 0 {
		l.Held = part(l.Held, m.Memory/4, 1<<20)
		l.OutboundBytes = part(l.OutboundBytes, m.Memory/4, 1<<20)
		l.IngressBytes = part(l.IngressBytes, m.Memory/32, 1<<20) // also what waits for the bootstrap, and for bulk
		l.Wire.Envelope = min(l.Wire.Envelope, l.IngressBytes/2)
		l.Wire.Fill = min(l.Wire.Fill, l.Wire.Envelope/2)
		l.Wire.Chunk = min(l.Wire.Chunk, l.Wire.Fill)
		l.Executions = part(l.Executions, m.Memory/frameRoom/16, 64)
		l.Timers = l.Executions
		l.Spooled = min(l.Spooled, m.Memory/4)
	}
	if m.Disk > 0 {
		l.Spooled = min(Default().Spooled, m.Disk/2) // the other half is for snapshots and what is sent
	}
	l.Wire.Bulk = min(l.Wire.Bulk, l.Spooled)
	if m.Descriptors > 0 { // a connection each, and the other half for values, the state and pages
		l.Peers = part(l.Peers, int64(m.Descriptors/2), 2)
	}
	return l
}

// frameRoom is about what a frame and what is known of its execution take, bytes.
const frameRoom = 4 << 10

// part is a limit that is no more than a part of the machine, and no less than least.
func part(limit int, of int64, least int) int {
	return int(max(min(int64(limit), of), int64(least)))
}
