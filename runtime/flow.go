package runtime

// Flow is what a Node has sent and received on an edge since it was made. A value for several peers counts once for
// each. Collectives are not among it.
type Flow struct {
	Fills int64
	Bytes int64 // of their payloads
}

func (f *Flow) add(bytes int64) {
	f.Fills++
	f.Bytes += bytes
}

// Flows returns the flow of each edge of the partition, which the host may read until the next call.
func (n *Node) Flows() []Flow { return n.flows }
