package limits

import (
	"math"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Limits bound every queue and table of a node. Memory is allocated as it is used. An item beyond a limit is
// dropped, counted and reported as an overflow event, or refused with an error if there is a caller to return
// it to.
type Limits struct {
	Wire       wire.Limits
	Ops        int   // operations of a Poll before it yields
	Executions int   // frames that are live at a time
	Held       int   // bytes of payloads of these frames in memory
	Spooled    int64 // bytes of their payloads in files, and of those being fetched
	Commands   int   // commands that wait or run
	Outbound   int   // envelopes that are not acknowledged yet

	// OutboundBytes bounds the payloads of these envelopes. A payload for many peers counts once.
	OutboundBytes int
	Events        int // events that the host has not taken; the oldest are dropped
	Ingress       int // envelopes delivered and not yet read
	IngressBytes  int // their bytes
	Peers         int // without the node itself
	Timers        int // of frames
	Queue         int // values in a queue of the program
	Ring          int // numbers in a ring of the program
	Window        int // values that a window of the program remembers
	Origins       int // pairs of peer incarnation and module with remembered finished executions, for each peer that began them
}

// The limit of an int, if it is less.
const (
	maxOutbound = min(4<<30, math.MaxInt)
	maxHeld     = min(16<<30, math.MaxInt)
)

// Default returns the limits of a peer on a server or desktop.
func Default() Limits {
	return Limits{
		Wire:          wire.Default(),
		Ops:           1000,
		Executions:    65536,
		Held:          maxHeld,
		Spooled:       1 << 40,
		Commands:      10000,
		Outbound:      65536,
		OutboundBytes: maxOutbound,
		Events:        1024,
		Ingress:       16384,
		IngressBytes:  256 << 20,
		Peers:         16384,
		Timers:        65536,
		Queue:         4096,
		Ring:          1024,
		Window:        8192,
		Origins:       65536,
	}
}

// Edge returns the limits of a small device.
func Edge() Limits {
	l := Default()
	l.Wire = wire.Edge()
	l.Executions = 1024
	l.Held = 256 << 20
	l.Spooled = 1 << 30
	l.Ingress = 4096
	l.IngressBytes = 8 << 20
	l.Outbound = 10000
	l.OutboundBytes = 64 << 20
	l.Origins = 4096
	return l
}

// MinTaken is how many bytes of a fill, and of an envelope, a peer must accept at a time: each piece that it
// fetches costs a frame and a write.
const MinTaken = 1 << 10
