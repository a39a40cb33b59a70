// Package kills runs federated averaging as processes, kills them at any moment with signal 9, and compares
// the result with that of a run without kills.
//
// The peers are the test's own binary: its TestMain calls [Main] first.
package kills

import (
	"errors"
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
	// roundsOf is the environment variable with the number of rounds, which makes a test's binary a peer.
	roundsOf = "BBGEN_TEST_KILLS_ROUNDS"

	// stateOf is the environment variable that selects whether peers keep snapshots.
	stateOf = "BBGEN_TEST_KILLS_STATE"

	clients = 2
	params  = 3 << 20 / 8 // of 8 bytes each: snapshots name them, and they go as chunks of a file
)

// Main runs a peer that [Run] has started, and returns if this process is not a peer.
func Main(open func(peer.TransportConfig) (peer.Transport, error)) {
	rounds, err := strconv.Atoi(os.Getenv(roundsOf))
	if err != nil {
		return
	}
	state := os.Getenv(stateOf) == "true"
	p := peer.Program{Name: "averaging", Class: filepath.Base(os.Args[0]), Fingerprint: handmade.Client(nil).Fingerprint, Transport: open, BuildID: buildID(),
		Partition: func(e runtime.Env) (*runtime.Partition, error) {
			return handmade.Client(&handmade.Trainer{Rank: e.Rank, Forgets: !state}), nil
		}}
	if p.Class == "server" {
		p.Partition = func(runtime.Env) (*runtime.Partition, error) { return server(rounds, state), nil }
		p.Start = begin
	}
	peer.Main(p)
}

// server requires all clients in each round. Without snapshots, a killed client has forgotten the round,
// which is repeated.
func server(rounds int, state bool) *runtime.Partition {
	if state {
		return handmade.Server(rounds, clients, int64(time.Hour))
	}
	return handmade.Lasting(rounds, clients, int64(time.Hour), runtime.ShortRepeats)
}

// begin starts the first round of the server.
func begin(n *runtime.Node) error {
	x := make([]float64, params)
	for i := range x {
		x[i] = float64(i)
	}
	_, err := n.Invoke(n.Now(), "server", tensor.Of(x, len(x)))
	return err
}

// Run runs the rounds in dir, kills peers at random, and returns the result.
func Run(dir string, o Options) (*Result, error) {
	for name, value := range map[string]string{roundsOf: strconv.Itoa(o.Rounds), stateOf: strconv.FormatBool(o.State)} {
		os.Setenv(name, value)
		defer os.Unsetenv(name)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	peers := []launch.Peer{{Class: "server"}, {Class: "client"}, {Class: "client", Rank: 1}}
	for i := range peers {
		peers[i].Binary = filepath.Join(dir, peers[i].Class)
		if err := os.Symlink(self, peers[i].Binary); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	return Follow(launch.Options{Dir: filepath.Join(dir, "state"), Peers: peers, At: o.At, State: o.State, Seed: 1}, o)
}

// Compare fails unless the models with and without kills are the same.
func Compare(t *testing.T, kills int) { CompareAt(t, kills, "") }

// CompareAt is like [Compare], with a broker.
func CompareAt(t *testing.T, kills int, at string) {
	for name, state := range map[string]bool{"with state": true, "without state": false} {
		t.Run(name, func(t *testing.T) {
			o := Options{Rounds: 12 + 3*kills, State: state, At: at}
			want, err := Run(t.TempDir(), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Kills = kills
			got, err := Run(t.TempDir(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got.Model != want.Model {
				t.Errorf("after %d kills the model of round %d is %s, want %s", kills, o.Rounds, got.Model, want.Model)
			}
			t.Logf("%v", got)
		})
	}
}
