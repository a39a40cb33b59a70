package conversation

import (
	"context"
	"sync/atomic"
	"time"
)

// Waste counts what a peer sends that nobody can use: answers to executions that are over,
// and what is refused. Each message to the peer makes up for some, so that no peer which
// answers what it is asked has much, however late it is. A peer that has more than is allowed
// is read slowly: the processor time that it costs is the other peers'.
//
// One goroutine counts, and the peer's reader makes up for what it has waited for.
type Waste struct{ n atomic.Int64 }

const (
	wasteAllowed = 100
	wasteAsked   = 4                     // that a message to the peer makes up for
	wasteMost    = 1000                  // more is not counted
	wastePause   = 10 * time.Millisecond // that makes up for one
	wastePauses  = 50                    // between two batches of a peer at most: it must be seen to be alive
)

// Asked makes up for some waste, as the peer is sent something that it may answer.
func (w *Waste) Asked() {
	if n := w.n.Load(); n > 0 {
		w.n.Add(-min(n, wasteAsked))
	}
}

// Note counts a message that nobody can use.
func (w *Waste) Note() {
	if w.n.Load() < wasteMost {
		w.n.Add(1)
	}
}

// tooMuch reports whether there is more than is allowed.
func (w *Waste) tooMuch() bool { return w.n.Load() > wasteAllowed }

// Rest waits before more is read of a peer that has sent too much in vain. It is false when
// the context ends.
func (w *Waste) Rest(ctx context.Context) bool {
	for range wastePauses {
		if !w.tooMuch() {
			break
		}
		select {
		case <-time.After(wastePause):
			w.n.Add(-1)
		case <-ctx.Done():
			return false
		}
	}
	return true
}
