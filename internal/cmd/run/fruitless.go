package run

import (
	"fmt"
	"strings"
)

// rounds is what is known of the rounds of a peer's main module.
type rounds struct {
	first, last uint64 // numbers of executions: of the first that was seen, and of the one with which the loop was done
	short       uint64 // rounds without a quorum
	latest      uint64 // the last of them
	why         string
}

// see takes an event of an execution.
func (r *rounds) see(round uint64) {
	if r.first == 0 || round > 0 && round < r.first {
		r.first = round
	}
}

// misses takes the event that a round has no quorum. One that goes on waiting may still have it.
func (r *rounds) misses(round uint64, why string) {
	if round <= r.latest || strings.Contains(why, " waits for its quorum") {
		return
	}
	r.see(round)
	r.short++
	r.latest, r.why = round, why
}

// areFruitless reports whether the loop is done, and no round had its quorum.
func (r *rounds) areFruitless() bool {
	return r.short > 0 && r.last >= r.first && r.short == r.last-r.first+1
}

// fruitless describes rounds that have come to their end and of which none had its quorum, "" if there are none.
func (b *board) fruitless() string {
	if !b.complete() {
		return ""
	}
	for i := range b.rows {
		if r := &b.rows[i]; r.rounds.areFruitless() {
			return fmt.Sprintf("%s: no round had its quorum, of %d; the last: %s", r.name, r.rounds.short, r.rounds.why)
		}
	}
	return ""
}
