package target

import "time"

// Assumed values of symbolic dimensions when alternatives are compared. Each is near the smallest value for
// which the more expensive preparation pays off, so that a wrong guess costs little. The graphs that were
// measured have batches of 1 to 64, sequences of 16 to 512, and images of 224 to 640 pixels.
const (
	FreePixels   = 320 // a side of an image
	FreeSize     = 16  // a dimension for which costs are reported; --assume overrides it
	FreeElements = 8   // a dimension of elements, when a chain of operators is considered
)

// Stage is the default performance of a peer in a pipeline: a small machine with one core and an office
// network.
var Stage = Peer{Rate: 20e9, Memory: 10e9, Bandwidth: 1e9 / 8, Latency: time.Millisecond}

// Peer describes the performance of a peer and its connection.
type Peer struct {
	Rate      float64       // floating-point operations per second
	Memory    float64       // bytes of weights read per second
	Bandwidth float64       // bytes per second to another peer
	Latency   time.Duration // of a message to another peer
}
