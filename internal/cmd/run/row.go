package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

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

// scalar returns the one number that a value is: peers write them as lists.
func scalar(v any) (float64, bool) {
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	x, ok := v.(float64)
	return x, ok
}
