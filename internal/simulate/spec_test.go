package simulate

import "math/rand/v2"

// spec is a random program: what the leader does in each of some rounds. Other
// classes do what the leader asks of them.
type spec struct {
	rounds  int
	workers int // peers of the class that all are asked of
	first   [2]float64
	body    []action
	ticks   bool // workers have a timer of their own
}

// action is one thing that a peer does with the values that it has, which are
// numbered in the order in which they came; it adds one.
type action struct {
	kind kind
	a, b int      // which values it reads
	port int      // of ask and visit: the number of the question
	row  int      // of vote: which rule it is
	sub  []action // what is done where the value is sent
	far  []action // of visit: what is done one peer further; nil: it is not sent on
}

type kind int

const (
	half   kind = iota // (a+b)/2
	diff               // (a-b)/2
	larger             // max(a, b)
	lesser             // min(a, b)
	negate
	step    // a call in place
	work    // a command
	sleep   // passed on later
	after   // passed on when a timer is due
	gate    // a, when b is there, too
	tee     // a, by way of several names
	first   // whichever of a and a comes first
	inTime  // a, which comes before a deadline that is far away
	hold    // kept by the peer, and taken back
	queue   // put into a queue, and taken from it
	late    // b, because what would be a comes after a deadline
	permit  // a, under a permit
	note    // a, after it was recorded and counted
	clocked // a, after the time was read and a number drawn
	fed     // half of a and what a timer has put into a queue, which is waited for
	learn   // what all strategies of federations make of a and b, one after the other
	ask     // mixed from what all workers make of a
	visit   // what a relay, or one behind it, makes of a
	lazy    // what the first worker makes of a: the others never answer, until the deadline
	never   // what a relay makes of a, which goes on to wait for what never comes until its time is over
	vote    // what a rule of aggregation makes of what all workers make of a
	kinds
)

const maxPorts = 4

// newSpec draws a program.
func newSpec(seed uint64) *spec {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &spec{rounds: 1 + r.IntN(3), workers: 1 + r.IntN(3), ticks: r.IntN(3) == 0,
		first: [2]float64{float64(r.IntN(17) - 8), float64(r.IntN(17) - 8)}}
	port := 0
	s.body = actions(r, 2+r.IntN(8), func(a *action) {
		if port == maxPorts {
			a.kind = half
			return
		}
		a.port = port
		port++
		a.sub = actions(r, 1+r.IntN(4), nil)
		if a.kind == visit && r.IntN(2) == 0 {
			a.far = actions(r, 1+r.IntN(3), nil)
		}
	})
	return s
}

// actions draws a list. Only those of the leader ask others.
func actions(r *rand.Rand, n int, asks func(*action)) []action {
	list := make([]action, n)
	for i := range list {
		most := kinds
		if asks == nil {
			most = ask
		}
		a := &list[i]
		*a = action{kind: kind(r.IntN(int(most))), a: i - r.IntN(min(i, 2)+1), b: r.IntN(i + 1), row: r.IntN(1 << 16)}
		if asks != nil && r.IntN(4) == 0 {
			a.kind = ask + kind(r.IntN(int(kinds-ask)))
		}
		if a.kind >= ask {
			asks(a)
		}
	}
	return list
}
