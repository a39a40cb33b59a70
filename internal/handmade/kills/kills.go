// Package kills runs federated averaging as processes, kills them at any moment with
// signal 9, and compares what comes out with a run in which nobody is killed.
//
// A test's own binary is the peers: its TestMain calls [Main] first.
package kills

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

const (
	// roundsOf in the environment says how many rounds there are, and has a test's binary be a peer.
	roundsOf = "BBGEN_TEST_KILLS_ROUNDS"

	clients = 2
	params  = 3 << 20 / 8 // of 8 bytes each: snapshots name them, and they go as chunks of a file

	// patience is how long no round may end.
	patience = 5 * time.Minute
)

// Main runs a peer that [Run] has started, and returns if this process is none.
func Main(open func(peer.TransportConfig) (peer.Transport, error)) {
	rounds, err := strconv.Atoi(os.Getenv(roundsOf))
	if err != nil {
		return
	}
	p := peer.Program{Name: "averaging", Class: filepath.Base(os.Args[0]), Fingerprint: handmade.Client(nil).Fingerprint, Transport: open,
		Partition: func(e runtime.Env) (*runtime.Partition, error) {
			return handmade.Client(&handmade.Trainer{Rank: e.Rank}), nil
		}}
	if p.Class == "server" {
		p.Partition = func(runtime.Env) (*runtime.Partition, error) {
			return handmade.Server(rounds, clients, int64(time.Hour)), nil
		}
		p.Start = begin
	}
	peer.Main(p)
}

// begin has the server begin its first round.
func begin(n *runtime.Node) error {
	x := make([]float64, params)
	for i := range x {
		x[i] = float64(i)
	}
	_, err := n.Invoke(n.Now(), "server", tensor.Of(x, len(x)))
	return err
}

// Run runs so many rounds below dir, kills a peer at random so often meanwhile, and
// returns the hash of the last model. All peers keep snapshots.
func Run(dir string, rounds, kills int) (model string, err error) {
	os.Setenv(roundsOf, strconv.Itoa(rounds))
	defer os.Unsetenv(roundsOf)
	peers := []launch.Peer{{Class: "server"}, {Class: "client"}, {Class: "client", Rank: 1}}
	for i := range peers {
		peers[i].Binary = filepath.Join(dir, peers[i].Class)
		if err := os.Symlink(os.Args[0], peers[i].Binary); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	f, err := launch.Start(launch.Options{Dir: filepath.Join(dir, "state"), Peers: peers, State: true, Seed: 1})
	if err != nil {
		return "", err
	}
	defer func() {
		f.Stop()
		for range f.Lines() {
		}
	}()
	r := &run{fleet: f, rounds: uint64(rounds), kills: kills, told: map[uint64]string{}, dice: rand.New(rand.NewPCG(uint64(kills), 1))}
	return r.follow(len(peers))
}

// run is a fleet that is followed until its last round.
type run struct {
	fleet  *launch.Fleet
	rounds uint64
	kills  int // to go
	dice   *rand.Rand
	told   map[uint64]string // the model of each round
}

// follow kills peers and reads what they say.
func (r *run) follow(peers int) (model string, err error) {
	next := time.After(0)
	again := make(chan error, 1)
	for last := time.Now(); ; {
		select {
		case l := <-r.fleet.Lines():
			if err := r.line(l); err != nil {
				return "", err
			}
			if l.Kind == "emitted" {
				last = time.Now()
			}
			if model, over := r.told[r.rounds]; over {
				return model, r.spent()
			}
		case <-next:
			if next = nil; r.kills > 0 {
				r.kills--
				go func(i int) { again <- errors.Join(r.fleet.Kill(i), r.fleet.Restart(i)) }(r.dice.IntN(peers)) // its last lines are read meanwhile
			}
		case err := <-again:
			if err != nil {
				return "", err
			}
			next = time.After(time.Duration(r.dice.IntN(200)) * time.Millisecond)
		case <-time.After(time.Second):
			if time.Since(last) > patience {
				return "", fmt.Errorf("no round has ended for %v, %d kills before the end", patience, r.kills)
			}
		}
	}
}

// line looks at what a peer says. A round may be told of twice, but in one way.
func (r *run) line(l peer.Line) error {
	switch {
	case l.Error != "" && (l.Kind == "failed" || l.Kind == "ended" || l.Kind == "exited"):
		return fmt.Errorf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
	case l.Kind != "emitted":
		return nil
	}
	if before, ok := r.told[l.Round]; ok && before != l.Hash {
		return fmt.Errorf("%s: the model of round %d is %s, and was %s before a kill", l.Peer, l.Round, l.Hash, before)
	}
	r.told[l.Round] = l.Hash
	return nil
}

func (r *run) spent() error {
	if r.kills > 0 {
		return fmt.Errorf("the last of %d rounds was over with %d kills to go: run more rounds", r.rounds, r.kills)
	}
	return nil
}

// Compare fails unless the models with and without kills are the same.
func Compare(t testing.TB, kills int) {
	t.Helper()
	rounds := 12 + kills
	want, err := Run(t.TempDir(), rounds, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Run(t.TempDir(), rounds, kills)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("after %d kills the model of round %d is %s, want %s", kills, rounds, got, want)
	}
}
