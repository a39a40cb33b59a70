package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

// board is what is known of all peers.
type board struct {
	rows    []row
	byName  map[string]int
	seconds float64
	round   uint64 // the latest of all
	loops   follow.Loops
	fed     bool   // all inputs have been given
	open    int    // of which so many have no answer
	calm    int    // how often in a row all must say that they have nothing to do
	ending  bool   // peers have been told to end: what they say of that is no failure
	hash    string // of all that happened in a simulation
	failure error  // the first peer that has failed
	broken  int    // blocks that have failed
	why     string // the last of them
}

func newBoard(classes []class) *board {
	b := &board{byName: map[string]int{}, calm: 1}
	for _, c := range classes {
		for _, rank := range c.ranks {
			name := fmt.Sprintf("%s-%d", c.name, rank)
			b.byName[name] = len(b.rows)
			b.rows = append(b.rows, row{name: name, class: c.name, state: starting})
		}
	}
	return b
}

// event takes note of what has happened.
func (b *board) event(e event) {
	b.seconds = max(b.seconds, e.seconds)
	i, ok := b.byName[e.Peer]
	if !ok {
		return
	}
	r := &b.rows[i]
	if r.state == down && !r.returns(e.Kind) {
		return
	}
	if e.Status != nil {
		r.status(e.Status)
		b.countFed()
	}
	switch e.Kind {
	case "killed":
		r.killed++
		r.state, r.quiet = down, 0
	case "status", "started":
		r.quiet++
		if !r.running() || e.Live+e.Outbound > 0 {
			r.quiet = 0
		}
	case "peer up":
		r.missing = slices.DeleteFunc(r.missing, func(name string) bool { return name == e.From })
	case "peer down":
		r.misses(e.From)
	case "waiting":
		r.waits = append(r.waits, e.Error)
	case "failed":
		b.broken++
		b.why = fmt.Sprintf("%s: %s", r.name, e.Error)
	case "ended", "exited":
		b.ended(r, e.Error)
	case "emitted", "finished", "published":
		b.progress(i, e)
	}
}

// progress takes what a program does.
func (b *board) progress(peer int, e event) {
	r := &b.rows[peer]
	if r.state == starting {
		r.runs()
	}
	for i := range b.rows {
		b.rows[i].quiet = 0
	}
	if dot := strings.LastIndexByte(e.Name, '.'); e.Kind == "published" && dot >= 0 {
		b.loops.Published(peer, e.Name[:dot], e.Name[dot+1:])
	}
	if r.counts(e.Name) && e.Round > r.latest {
		r.latest = e.Round
		r.round++
	}
	b.round = max(b.round, r.round)
	if e.Kind != "emitted" {
		return
	}
	if x, ok := scalar(e.Value); ok {
		r.set(r.valueName(e.Name), x)
	}
}

// ended is the end of a peer, which tells it once as it ends and once when its
// process is gone.
func (b *board) ended(r *row, err string) {
	r.before = [2]int64{r.in, r.out}
	r.missing = nil
	switch {
	case err == launch.KilledOutside && !b.ending:
		r.state = killed // as when a machine is lost, which ends no other
		r.killed++
	case err != "" && !b.ending:
		r.state, r.err = failed, err
		if b.failure == nil {
			b.failure = fmt.Errorf("%s: %s", r.name, err)
		}
	case r.state != failed && r.state != killed:
		r.state = done
	}
	r.given = true
	b.countFed()
}

// countFed counts the inputs that have no answer, and finds out whether all have been
// given.
func (b *board) countFed() {
	b.fed, b.open = false, 0
	for i := range b.rows {
		if r := &b.rows[i]; r.feeds {
			b.fed = true
			b.open += r.unanswered
		}
	}
	b.fed = b.fed && !slices.ContainsFunc(b.rows, func(r row) bool { return r.feeds && !r.given })
}

// feed notes that a peer is given inputs. What it sends may be under way while
// all others say that they have nothing to do, but not when they say so again.
func (b *board) feed(name string) {
	b.rows[b.byName[name]].feeds = true
	b.calm = 2
}

// complete reports whether the program has done what it had to: all loops of rounds,
// or all inputs where there are none.
func (b *board) complete() bool {
	if b.loops.Begun() {
		return b.loops.Done()
	}
	return b.fed && b.open == 0
}

// certain is how often in a row all must say that they have nothing to do until rounds
// that are not done are given up: whoever is in a round has it to do.
const certain = 5

// over reports whether nothing more will happen: all have ended, or there were rounds
// or inputs, and since then all peers have had nothing to do.
func (b *board) over() bool {
	if b.failure != nil {
		return true
	}
	calm := b.calm
	if !b.complete() {
		calm = certain
	}
	gone := 0
	idle := 0
	for i := range b.rows {
		switch r := &b.rows[i]; {
		case r.state == done, r.state == killed:
			gone++
		case r.quiet >= calm:
			idle++
		}
	}
	return gone == len(b.rows) || (b.loops.Begun() || b.fed) && gone+idle == len(b.rows)
}
