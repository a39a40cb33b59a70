package kills

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// Options are the number of rounds whose models a server reports, and the maximum number of kills meanwhile. If
// it is not 0, at least one peer is killed.
type Options struct {
	Rounds, Kills int
	State         bool        // peers keep snapshots; otherwise a killed server starts over
	At            string      // the address of a broker; "": none
	MayDiffer     bool        // models depend on the clients in each round, and differ between runs of the server
	Tell          func(n int) // if not nil, called when the model of round n is reported
}

// Result is the result of a run.
type Result struct {
	Model  string // hash of the last model
	Told   int    // number of reported models
	Killed []int  // number of kills of each peer
}

// String returns the numbers of kills and models, and the last model's hash, as a sentence.
func (r *Result) String() string {
	kills := 0
	for _, k := range r.Killed {
		kills += k
	}
	return fmt.Sprintf("%d kills (%d of the server), %d models told, the last is %s", kills, r.Killed[0], r.Told, r.Model)
}

// patience is the longest time without the end of a round.
const patience = 5 * time.Minute

// run is a fleet that is observed until its last round.
type run struct {
	Options
	Result
	fleet  *launch.Fleet
	dice   *rand.Rand
	models []string          // by round, of the server's longest run
	told   map[uint64]string // of the current run, by execution
}

// Follow starts peers, of which the first is the server. It kills and restarts them at random moments, until
// the server has reported the model of its last round.
func Follow(l launch.Options, o Options) (*Result, error) {
	f, err := launch.Start(l)
	if err != nil {
		return nil, err
	}
	defer func() {
		f.Stop()
		for range f.Lines() {
		}
	}()
	r := &run{Options: o, fleet: f, told: map[uint64]string{}, dice: rand.New(rand.NewPCG(uint64(o.Kills), 1))}
	r.Killed = make([]int, len(l.Peers))
	if err := r.follow(); err != nil {
		return nil, err
	}
	return &r.Result, nil
}

// follow kills peers and reads their output.
func (r *run) follow() error {
	next := time.After(0)
	again := make(chan error, 1)
	for last := time.Now(); ; {
		select {
		case l := <-r.fleet.Lines():
			before := r.Told
			if err := r.line(l); err != nil {
				return err
			}
			if r.Told > before {
				last = time.Now()
			}
			if len(r.told) == r.Rounds { // kills may be left if this process was slower than all peers
				return nil
			}
			if next != nil && r.runsOut() {
				next = time.After(0)
			}
		case <-next:
			if next = nil; r.Kills > 0 {
				r.Kills--
				i := r.victim()
				r.Killed[i]++
				go func() { again <- errors.Join(r.fleet.Kill(i), r.fleet.Restart(i)) }() // its last lines are read in the meantime
			}
		case err := <-again:
			if err != nil {
				return err
			}
			next = time.After(time.Duration(r.dice.IntN(200<<r.dice.IntN(3))) * time.Millisecond)
		case <-time.After(time.Second):
			if time.Since(last) > patience {
				return fmt.Errorf("no round has ended for %v, %d kills before the end", patience, r.Kills)
			}
		}
	}
}

// victim returns the server, each third time, or a client. When few rounds are left it returns the server,
// without which no round ends.
func (r *run) victim() int {
	if r.dice.IntN(3) == 0 || r.runsOut() {
		return 0
	}
	return 1 + r.dice.IntN(len(r.Killed)-1)
}

// line handles a line written by a peer.
func (r *run) line(l peer.Line) error {
	switch ends := l.Kind == "ended" || l.Kind == "exited"; {
	case l.Error != "" && (ends || l.Kind == "failed" && r.State && !r.MayDiffer):
		return fmt.Errorf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
	case l.Kind == "started" && l.Peer == "server-0" && !r.State:
		r.told = map[uint64]string{}
	case l.Kind == "emitted" && l.Name == "server.model":
		return r.model(l)
	}
	return nil
}

// model checks the reported model of a round. It may be reported again, also by a server that starts over,
// but must be the same.
func (r *run) model(l peer.Line) error {
	r.Model = l.Hash
	r.Told++
	if before, ok := r.told[l.Round]; ok && before != l.Hash {
		return fmt.Errorf("%s: the model of execution %d is %s, and was %s before a kill", l.Peer, l.Round, l.Hash, before)
	} else if ok {
		return nil
	}
	at := len(r.told)
	r.told[l.Round] = l.Hash
	if r.Tell != nil {
		r.Tell(at + 1)
	}
	switch {
	case at == len(r.models):
		r.models = append(r.models, l.Hash)
	case r.MayDiffer:
		r.models = slices.Replace(r.models, at, at+1, l.Hash)
	case r.models[at] != l.Hash:
		return fmt.Errorf("%s: the model of round %d is %s, and was %s before the server was killed", l.Peer, at+1, l.Hash, r.models[at])
	}
	return nil
}

// runsOut reports whether there are few rounds left for the kills.
func (r *run) runsOut() bool { return r.Rounds-len(r.told) <= 2*r.Kills+4 }
