package dsl

import (
	"time"

	"github.com/bbgen/bbgen/ir"
)

// RoundsOption is an option of [Graph.Rounds].
type RoundsOption func(a *ir.Attrs)

// Short selects what follows a short round: a round in which an aggregator did not get its [Quorum].
type Short string

// The reactions to a short round. An event reports the round, the missing peers with the reasons, and the
// reaction. A short round lasts until its deadline or, if the quorum becomes impossible before, for a second.
// Consecutive short rounds each last at least twice as long as the one before, up to a minute.
const (
	// Skip continues with the next round, with the carried values of this round. Skipped rounds count.
	Skip Short = "skip"

	// Repeat asks again in a new execution, any number of times. The round keeps its number.
	Repeat Short = "repeat"

	// Wait extends the round until the quorum is reached, regardless of [Within], which then limits the wait
	// for peers beyond the quorum. A round is repeated if its quorum has become impossible: because too few
	// peers were asked, too many have failed, or too many were restarted without the state of the round. A
	// peer that is away with its state may never return: [WaitAtMost] limits how long it is waited for.
	Wait Short = "wait"
)

// IfShort continues the loop after a short round. Without this option, the loop ends there, as only the
// program can say whether it can do without a round.
func IfShort(then Short) RoundsOption {
	return func(a *ir.Attrs) { a.Set("short", string(then)) }
}

// WaitAtMost is [IfShort] with [Wait] and a time limit. If a round has no quorum after d, the loop ends with
// an error that names the missing peers.
func WaitAtMost(d time.Duration) RoundsOption {
	return func(a *ir.Attrs) {
		a.Set("short", string(Wait))
		a.Set("patience", d.Nanoseconds())
	}
}
