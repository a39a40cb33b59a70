package dsl

import (
	"time"

	"github.com/bbgen/bbgen/ir"
)

// RoundsOption says more about a loop.
type RoundsOption func(a *ir.Attrs)

// Short says what follows a round that is short: an aggregator did not get its [Quorum].
type Short string

// What may follow. An event tells which round it was, who is not in it and why, and what
// follows. A short round takes its deadline or, if the quorum is out of reach before, a
// second; each in a row at least twice as long, up to a minute.
const (
	// Skip goes on with the next round, which has of each carried value what this one
	// had. The rounds that are skipped count.
	Skip Short = "skip"

	// Repeat asks again in a new execution, as often as it takes: the round keeps its
	// number.
	Repeat Short = "repeat"

	// Wait lets the round last until the quorum is there, whatever [Within] says, which
	// is then the time for those beyond the quorum. A round is repeated that cannot have
	// its quorum any more, as too few were asked, too many have failed, or were started
	// again without the state in which they knew of it. A peer that is away with its state
	// may never come back: [WaitAtMost] says for how long it is waited for.
	Wait Short = "wait"
)

// IfShort has a loop go on after a round that is short. Without it the loop ends there:
// a program says itself that it can do without a round.
func IfShort(then Short) RoundsOption {
	return func(a *ir.Attrs) { a.Set("short", string(then)) }
}

// WaitAtMost is [IfShort] with [Wait], for so long: a round that has no quorum by then ends
// the loop, with an error that names the peers that it has waited for.
func WaitAtMost(d time.Duration) RoundsOption {
	return func(a *ir.Attrs) {
		a.Set("short", string(Wait))
		a.Set("patience", d.Nanoseconds())
	}
}
