// Package checkpoint tracks when a node needs a snapshot, and what the last one has made durable. It does not
// write snapshots.
package checkpoint

// A Tracker numbers the snapshots of a node. Everything that happens belongs to the epoch of the first snapshot
// that holds it, and is durable when the host has stored that snapshot. There is only one snapshot at a time,
// otherwise the host could store the older one last. The zero value is that of a node without a snapshot.
//
// Invariant: safe ≤ epoch, and at most one of asked and taken is true.
type Tracker struct {
	epoch  uint64 // of the snapshot that will hold what happens now
	safe   uint64 // all earlier epochs are durable
	needed bool
	asked  bool // the host was asked for a snapshot
	taken  bool // a snapshot was taken that is not durable yet
}

// Restored returns the Tracker of a node that was restored from a snapshot: epoch 0, which the snapshot holds, is
// durable.
func Restored() Tracker { return Tracker{epoch: 1, safe: 1} }

// Epoch returns the epoch of what happens now.
func (t *Tracker) Epoch() uint64 { return t.epoch }

// IsDurable reports whether everything of an epoch is durable.
func (t *Tracker) IsDurable(epoch uint64) bool { return epoch < t.safe }

// Request requests a snapshot, even if one was taken that is not durable yet.
func (t *Tracker) Request() { t.needed = true }

// Await records that something waits for a snapshot. If one was taken that is not durable yet, it may hold what
// waits: then the node examines that again after Persisted.
func (t *Tracker) Await() { t.needed = t.needed || !t.taken }

// Needed reports whether a snapshot is needed. Until it is taken, no executions and commands should begin: they
// would delay it.
func (t *Tracker) Needed() bool { return t.needed }

// MayAsk reports whether the host may be asked for a snapshot now, as far as the Tracker knows.
func (t *Tracker) MayAsk() bool { return t.needed && !t.asked && !t.taken }

// Asked records that the host was asked.
func (t *Tracker) Asked() { t.asked = true }

// Taken records that a snapshot of all that has happened was taken.
func (t *Tracker) Taken() {
	t.epoch++
	t.needed, t.asked, t.taken = false, false, true
}

// Persisted records that the last snapshot is durable. It returns false if that is already known.
func (t *Tracker) Persisted() bool {
	if !t.taken {
		return false
	}
	t.taken = false
	t.safe = t.epoch
	return true
}
