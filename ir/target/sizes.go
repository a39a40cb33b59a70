package target

import "time"

// What a free dimension is taken to be where ways are compared before it is known.
// Each is near the smallest for which the more laborious way pays, so that a wrong
// guess costs little; the graphs that were measured have batches of 1 to 64,
// sequences of 16 to 512, and images of 224 to 640 pixels.
const (
	FreePixels   = 320 // a side of an image
	FreeSize     = 16  // a dimension whose value costs are told for, and can be said (--assume)
	FreeElements = 8   // a dimension of elements for which a chain of operators is considered
)

// Stage is what one peer of a pipeline is taken to do where nobody says it: a small
// machine with one core of its own and the network of an office.
var Stage = Peer{Rate: 20e9, Memory: 10e9, Bandwidth: 1e9 / 8, Latency: time.Millisecond}

// Peer is what a peer and its way to the next one do.
type Peer struct {
	Rate      float64       // floating-point operations a second
	Memory    float64       // bytes a second that weights are read at
	Bandwidth float64       // bytes a second to another peer
	Latency   time.Duration // of a message to another peer
}
