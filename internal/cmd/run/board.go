package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// event is a line that a peer has written, or one of ours: killed.
type event struct {
	seconds float64 // since the start; virtual in a simulation
	peer.Line
}

// The states of a peer.
const (
	starting  = "starting"
	up        = "up"
	down      = "down"
	restarted = "restarted" // it is up again
	done      = "done"
	failed    = "failed"
	killed    = "killed" // by somebody else: it does not come back
)

// row is what is known of a peer.
type row struct {
	name, class string
	state       string
	killed      int
	round       uint64   // how many executions of its own part of the program it has come to
	latest      uint64   // the number of the last of them
	main        bool     // the part is known: it has the name of a class
	values      []value  // what it has emitted last, by name
	in, out     int64    // bytes, in all
	before      [2]int64 // of which before it was killed last
	missing     []string
	waits       []string // what its executions have waited for for long
	feeds       bool     // it is given inputs
	given       bool     // it has all of them
	unanswered  int      // of which so many executions have not come to their end
	err         string   // why it has failed
	quiet       int      // how often it has said that it has nothing to do since something has happened
}

type value struct {
	name string
	x    float64
}

func (r *row) running() bool { return r.state == up || r.state == restarted }

// board is what is known of all peers.
type board struct {
	rows    []row
	byName  map[string]int
	seconds float64
	round   uint64 // the latest of all
	loops   runtime.Loops
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

// returns reports whether a peer that was killed is there again, and has it start.
// What it wrote before may come after we know.
func (r *row) returns(kind string) bool {
	switch kind {
	case "started":
		r.state = starting
	case "exited":
		r.before = [2]int64{r.in, r.out}
		r.missing = nil
	}
	return r.state != down
}

// status takes what a peer says of itself.
func (r *row) status(s *peer.Status) {
	r.in, r.out, r.missing = r.before[0]+s.In, r.before[1]+s.Out, s.Missing
	if s.State != "stopping" {
		r.waits = s.Waits
	}
	if s.State == "running" {
		r.runs()
	}
	r.given, r.unanswered = r.given || s.Fed, s.Unanswered
}

func (r *row) runs() {
	r.state = up
	if r.killed > 0 {
		r.state = restarted
	}
}

// misses notes that a peer cannot be heard by another.
func (r *row) misses(name string) {
	if !slices.Contains(r.missing, name) {
		r.missing = append(r.missing, name)
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

// valueName is what a value is called that a peer has emitted: without its class.
func (r *row) valueName(name string) string {
	for _, class := range runtime.Classes(r.class) {
		name = strings.TrimPrefix(name, class+".")
	}
	return name
}

// counts reports whether an execution that a name is of counts as a round: one of the
// module that is called as the peer's class, or of any as long as there is none. What
// timers and events begin beside it does not count.
func (r *row) counts(name string) bool {
	module, _, _ := strings.Cut(name, ".")
	main := runtime.IsClass(r.class, module)
	if main && !r.main {
		r.main, r.round, r.latest = true, 0, 0
	}
	return main || !r.main
}

func (r *row) set(name string, x float64) {
	i, ok := slices.BinarySearchFunc(r.values, name, func(v value, name string) int { return cmp.Compare(v.name, name) })
	if !ok {
		r.values = slices.Insert(r.values, i, value{name: name})
	}
	r.values[i].x = x
}

// scalar is the one number that a value is: peers write them as lists.
func scalar(v any) (float64, bool) {
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	x, ok := v.(float64)
	return x, ok
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
