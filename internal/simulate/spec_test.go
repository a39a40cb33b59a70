package simulate

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/internal/simulate/parts"
)

// spec is a random program: the work of the leader in each of some rounds. Other classes do what the leader
// asks of them.
type spec struct {
	seed    uint64
	rounds  int
	workers int // the number of workers
	first   [2]float64
	body    []action
	ticks   bool // workers have timers of their own
	gossips bool // workers find the mean of their values by gossip, train a model that walks from one to the next, store values that others find, and have a common log
	lies    bool // the leader lies about who is in a masked sum, beside its rounds
	boots   bool // the leader and the relay have a bootstrap
}

// action is one operation of a peer on its values, which are numbered in the order in which they came; it adds
// one.
type action struct {
	kind kind
	a, b int      // the values that it reads
	port int      // of ask and visit: the number of the question
	row  int      // of vote: the number of the rule
	sub  []action // the actions of the receiver
	far  []action // of visit: the actions of a further peer; nil: none
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
	gate    // a, when b has arrived, too
	tee     // a, through several names
	first   // the first one of a and a
	inTime  // a, which arrives long before a deadline
	hold    // stored by the peer, and read again
	queue   // put into a queue, and taken from it
	late    // b, because a would come after a deadline
	permit  // a, under a permit
	note    // a, after it was recorded and counted
	clocked // a, after reading the time and drawing a number
	fed     // half of a and an awaited value that a timer has put into a queue
	device  // half of a and b, by an engine
	say     // a, of which a component notifies the host
	learn   // the results of all strategies for a and b, one after the other
	ask     // mixed from the results of all workers for a
	visit   // the result of a relay, or a further one, for a
	sample  // mixed from the results of workers that are drawn, for a
	near    // the result of the worker nearest to a key, for a
	search  // the numbers of the nearest to a in the indexes of all workers, which have added their results for it
	lazy    // the result of the first worker for a: the others never answer before the deadline
	never   // the result of a relay for a; the relay then waits for a value that never comes, until its deadline
	pair    // a; a relay emits half of a and b, which it receives in a separate execution
	hide    // the mean of the workers' results for a, of which the leader sees no single one
	choose  // a quarter of a, half of it by a worker that is chosen by earlier answers
	kin     // the mean of two models, a and -b, of which each worker has trained the one that suits it
	common  // mixed from what all workers have after a common step along the mean of their changes of a: DiLoCo, and swarm learning
	vote    // the aggregate of the results of all workers for a
	kinds
)

const (
	maxPorts = 12 // questions for which there are slots
	maxAsked = 4  // questions of a random program
)

// The ways of a visit and of other questions.
const (
	named = 1 << iota // the peers are named at run time: of lazy, by how often they have answered
	own               // the value has a type of the program's own
)

// newSpec draws a program.
func newSpec(seed uint64) *spec {
	r := rand.New(rand.NewPCG(seed, 16))
	s := &spec{seed: seed, rounds: 1 + r.IntN(3), workers: 1 + r.IntN(3), ticks: r.IntN(3) == 0,
		first: [2]float64{float64(r.IntN(17) - 8), float64(r.IntN(17) - 8)}}
	port := 0
	s.body = actions(r, 2+r.IntN(8), func(a *action) {
		if port == maxAsked {
			a.kind = half
			return
		}
		a.port = port
		port++
		a.sub = actions(r, 1+r.IntN(4), nil)
		if a.kind == hide || a.kind == vote && parts.IsMany(s.rule(a)) {
			s.workers = max(s.workers, parts.Many)
		}
		if a.kind == choose || a.kind == lazy && a.row&named != 0 { // the first rounds ask those that are unknown
			s.workers, s.rounds = max(s.workers, parts.Many), max(s.rounds, 5)
		}
		if a.kind == visit && r.IntN(2) == 0 {
			a.far = actions(r, 1+r.IntN(3), nil)
		}
	})
	s.gossips, s.boots = r.IntN(5) == 0, r.IntN(3) == 0
	s.lies = s.workers >= parts.Many && r.IntN(3) == 0
	return s
}

// everything is a program with components of all packages.
func everything() *spec {
	s := &spec{rounds: 1, workers: parts.Many, gossips: true, lies: true, boots: true}
	for port, k := range []kind{vote, hide, choose, visit, ask, sample, near, search, search, common, kin, lazy} {
		s.body = append(s.body, action{kind: k, port: port, row: own | named})
	}
	s.body = append(s.body, action{kind: learn}, action{kind: device}, action{kind: say})
	return s
}

// rule is the rule of a vote.
func (s *spec) rule(a *action) parts.Rule {
	all := parts.Rules()
	return all[a.row%len(all)]
}

// actions draws a list. Only actions of the leader ask other peers.
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
			if a.kind = ask + kind(r.IntN(int(kinds-ask))); r.IntN(3) == 0 {
				a.kind = vote // by one of many rules
			}
		}
		if a.kind >= ask {
			asks(a)
		}
	}
	return list
}

// asks reports whether workers are asked.
func (a *action) asks() bool {
	return a.kind == ask || a.kind == search || a.kind == lazy || a.kind == vote || a.kind == hide || a.kind == choose || a.kind == sample || a.kind == near || a.kind == common || a.kind == kin
}

// elector is the number of the selection of a worker.
func (a *action) elector() int { return a.row / 4 % len(parts.Electors()) }

// key is the key of a selection: the ids of peers differ in their eighth byte.
func (a *action) key() []byte { return []byte{0, 0, 0, 0, 0, 0, 0, byte(a.row)} }
