package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/classes"
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
	killed    = "killed" // by another cause: it does not restart
)

// row is the known state of a peer.
type row struct {
	name, class string
	state       string
	killed      int
	round       uint64   // number of executions of the peer's main module
	latest      uint64   // number of the last of them
	main        bool     // the main module is known: it has the name of a class
	values      []value  // values emitted last, by name
	in, out     int64    // total bytes
	before      [2]int64 // total bytes before it was last killed
	missing     []string
	apart       []string // before the program begins there: why it cannot reach other peers
	waits       []string // what its executions have been waiting for for a long time
	idle        bool     // nothing happens there until another peer acts
	live        bool     // executions live there
	ungiven     []string // inputs that nobody gives
	feeds       bool     // it receives inputs
	given       bool     // it has received all of them
	unanswered  int      // number of these without an answer
	err         string   // the error that it failed with
	quiet       int      // number of consecutive idle reports since the last event
	rounds      rounds   // of the peer's main module
}

type value struct {
	name string
	x    float64
}

// isBlocked reports whether executions live there, and only another peer can continue them.
func (r *row) isBlocked() bool { return r.idle && r.live }

func (r *row) running() bool { return r.state == up || r.state == restarted }

// returns reports whether a killed peer has restarted, and resets its state. Lines that it wrote before may
// still arrive.
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

// status records a peer's report of its state.
func (r *row) status(s *peer.Status) {
	r.in, r.out, r.missing = r.before[0]+s.In, r.before[1]+s.Out, s.Missing
	r.apart = s.Apart
	if s.State != "stopping" {
		r.waits = s.Waits
		r.idle, r.live, r.ungiven = s.Idle, s.Live > 0, s.Ungiven
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

// misses records that another peer cannot reach the peer with the given name.
func (r *row) misses(name string) {
	if !slices.Contains(r.missing, name) {
		r.missing = append(r.missing, name)
	}
}

// valueName returns the name of an emitted value without the class.
func (r *row) valueName(name string) string {
	for _, class := range classes.Split(r.class) {
		name = strings.TrimPrefix(name, class+".")
	}
	return name
}

// counts reports whether an execution with the given name counts as a round: an execution of the module with
// the name of the peer's class, or of any module if there is none. Executions of timers and events do not
// count.
func (r *row) counts(name string) bool {
	module, _, _ := strings.Cut(name, ".")
	main := classes.Is(r.class, module)
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

// scalar returns the value as a number, if it is one; peers write numbers as lists.
func scalar(v any) (float64, bool) {
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	x, ok := v.(float64)
	return x, ok
}
