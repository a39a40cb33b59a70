package conversation

import (
	"context"
	"sync/atomic"
	"time"
)

// Waste counts useless messages of a peer: answers to executions that have ended, and refused messages. Each
// message to the peer compensates for some, so that a peer that answers each request once never has many,
// however late it is. A peer with more than the allowed number is read slowly, so that it does not use up the
// processor time of others.
//
// One goroutine counts, and the peer's reader reduces the count while it waits.
type Waste struct{ n atomic.Int64 }

const (
	wasteAllowed = 100
	wasteAsked   = 4                     // for which a message to the peer compensates
	wasteMost    = 1000                  // the count does not exceed this
	wastePause   = 10 * time.Millisecond // that compensates for one
	wastePauses  = 50                    // at most, between two batches of a peer: it must remain visibly alive
)

// Asked reduces the waste, as the peer is sent a message that it may answer.
func (w *Waste) Asked() {
	if n := w.n.Load(); n > 0 {
		w.n.Add(-min(n, wasteAsked))
	}
}

// Note counts a useless message.
func (w *Waste) Note() {
	if w.n.Load() < wasteMost {
		w.n.Add(1)
	}
}

// tooMuch reports whether the waste exceeds the allowed number.
func (w *Waste) tooMuch() bool { return w.n.Load() > wasteAllowed }

// Rest waits before more is read from a peer with too much waste. It returns false if the context ends.
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
