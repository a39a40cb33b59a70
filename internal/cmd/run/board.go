package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

// board is the known state of all peers.
type board struct {
	rows    []row
	byName  map[string]int
	seconds float64
	round   uint64 // the latest of all peers
	loops   follow.Loops
	fed     bool   // all inputs have been passed to peers
	open    int    // number of those without an answer
	calm    int    // number of consecutive idle reports required of all peers
	patient bool   // it goes on for a given time
	ending  bool   // peers have been told to end, so that their errors do not count
	hash    string // of all events in a simulation
	failure error  // the error of the first peer that failed
	broken  int    // number of blocks that failed
	cause   string // the error of the first failed block, from which others may follow
	why     string // the error of the last failed block
	leftOut []leftOut
	unmet   []string // when the given time was over: lines about peers that had not reached each other
	history *history // nil: none is kept
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

// failures returns a line about failed blocks.
func (b *board) failures() string {
	if b.cause == b.why {
		return fmt.Sprintf("failed blocks: %d, the last of %s", b.broken, b.why)
	}
	return fmt.Sprintf("failed blocks: %d, the first of %s; the last of %s", b.broken, b.cause, b.why)
}

// event records an event.
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
		if !r.running() || e.Live+e.Outbound > 0 && !e.Idle {
			r.quiet = 0
		}
	case "peer up":
		r.missing = slices.DeleteFunc(r.missing, func(name string) bool { return name == e.From })
	case "peer down":
		r.misses(e.From)
	case "waiting":
		r.waits = append(r.waits, e.Error)
	case "refused":
		b.leaveOut(e)
	case "failed":
		if b.leaveOut(e) {
			return
		}
		b.broken++
		b.why = e.cause()
		b.cause = cmp.Or(b.cause, b.why)
	case "short":
		if r.counts(e.Name) {
			r.rounds.misses(e.Round, e.Error)
		}
	case "ended", "exited":
		b.ended(r, e.Error)
	case "emitted", "finished", "published":
		b.progress(i, e)
	}
}

// progress records progress of the program on a peer.
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
		if r.counts(e.Name) && e.Name[dot+1:] == runtime.LoopDone {
			r.rounds.last = e.Round
		}
	}
	if r.counts(e.Name) && e.Round > r.latest {
		r.latest = e.Round
		r.round++
		r.rounds.see(e.Round)
	}
	b.round = max(b.round, r.round)
	if e.Kind != "emitted" {
		return
	}
	if x, ok := scalar(e.Value); ok {
		r.set(r.valueName(e.Name), x)
		b.history.add(r.class+"."+r.valueName(e.Name), e.Round, x)
	}
}

// ended records the end of a peer. It is reported once by the peer and once when its process has ended.
func (b *board) ended(r *row, err string) {
	r.before = [2]int64{r.in, r.out}
	r.missing = nil
	switch {
	case err == launch.KilledOutside && !b.ending:
		r.state = killed // as if its machine were lost, which ends no other peer
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

// countFed counts the inputs without an answer, and checks whether all have been passed to peers.
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

// feed records that a peer receives inputs. Its messages may be in transit while all others report that they
// are idle, but not when they report it again.
func (b *board) feed(name string) {
	b.rows[b.byName[name]].feeds = true
	b.calm = 2
}

// complete reports whether the program has finished: all loops of rounds, or all inputs if there are none.
func (b *board) complete() bool {
	if b.loops.Begun() {
		return b.loops.Done()
	}
	return b.fed && b.open == 0 && !b.blocked()
}

// blocked reports whether executions of an idle peer wait.
func (b *board) blocked() bool {
	return slices.ContainsFunc(b.rows, func(r row) bool { return r.isBlocked() })
}

// starved reports whether no peer does anything, as some wait for inputs that nobody gives.
func (b *board) starved() bool {
	if b.fed || b.patient || b.loops.Begun() || slices.ContainsFunc(b.rows, func(r row) bool { return !r.idle }) {
		return false
	}
	return slices.ContainsFunc(b.rows, func(r row) bool { return r.ungiven != nil })
}

// unasked returns a line for the first peer of each class of which no peer is given inputs.
func (b *board) unasked() (list []string) {
	if !b.blocked() && !b.starved() {
		return nil
	}
	given := map[string]bool{}
	for i := range b.rows {
		given[b.rows[i].class] = given[b.rows[i].class] || b.rows[i].feeds
	}
	for i := range b.rows {
		if r := &b.rows[i]; r.ungiven != nil && !given[r.class] {
			given[r.class] = true
			list = append(list, fmt.Sprintf("%s waits for %s", r.name, feed.Ask(r.ungiven, "--in", r.class+".")))
		}
	}
	return list
}

// certain is the number of consecutive idle reports of all peers after which unfinished rounds and executions that wait
// are abandoned, as peers in a round are not idle.
const certain = 5

// over reports whether nothing more will happen: all peers have ended, or there were rounds or inputs and all
// peers have been idle since.
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
		case r.quiet >= calm && (!r.isBlocked() || r.waits != nil): // it says what it waits for
			idle++
		}
	}
	return gone == len(b.rows) || (b.loops.Begun() || b.fed || b.starved()) && gone+idle == len(b.rows)
}
