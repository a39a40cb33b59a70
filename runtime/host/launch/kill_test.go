package launch

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
)

const (
	rounds  = 12
	clients = 2
	params  = 3 << 20 / 8 // of 8 bytes each: snapshots name them, and they go as chunks of a file
)

// averaging is the program of the peers that [TestKills] starts: the test's binary, by
// the name that it is called by.
var averaging = map[string]peer.Program{
	"server": {Name: "averaging", Class: "server", Fingerprint: handmade.Client(nil).Fingerprint, Transport: tcp.New,
		Partition: func(runtime.Env) (*runtime.Partition, error) {
			return handmade.Server(rounds, clients, int64(10*time.Minute)), nil
		},
		Start: func(n *runtime.Node) error {
			x := make([]float64, params)
			for i := range x {
				x[i] = float64(i)
			}
			_, err := n.Invoke(n.Now(), "server", tensor.Of(x, len(x)))
			return err
		}},
	"client": {Name: "averaging", Class: "client", Fingerprint: handmade.Client(nil).Fingerprint, Transport: tcp.New,
		Partition: func(e runtime.Env) (*runtime.Partition, error) {
			return handmade.Client(&handmade.Trainer{Rank: e.Rank}), nil
		}},
}

// Peers with a state directory are killed at any moment, while they write values and
// snapshots: in the end the model is what it is when nobody is.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	want := average(t, 0)
	if got := average(t, 20); got != want {
		t.Errorf("the model is %s, want %s", got, want)
	}
}

// average runs the program, kills peers so often, and returns the hash of the model of
// the last round.
func average(t *testing.T, kills int) (model string) {
	t.Setenv(asPeer, "1")
	bin := t.TempDir()
	peers := []Peer{{Class: "server"}, {Class: "client"}, {Class: "client", Rank: 1}}
	for i := range peers {
		peers[i].Binary = filepath.Join(bin, peers[i].Class)
		os.Symlink(os.Args[0], peers[i].Binary) // the second client's is there
	}
	f, err := Start(Options{Dir: t.TempDir(), Peers: peers, State: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		f.Stop()
		for range f.Lines() {
		}
	}()
	dice := rand.New(rand.NewPCG(1, 1))
	next := time.After(0)
	limit := time.After(time.Minute)
	killed := make(chan int, 1)
	for {
		select {
		case l := <-f.Lines():
			switch {
			case l.Error != "" && (l.Kind == "failed" || l.Kind == "ended" || l.Kind == "exited"):
				t.Fatalf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
			case l.Kind == "emitted" && l.Round == rounds:
				t.Logf("over with %d kills to go", kills)
				return l.Hash
			}
		case <-next:
			if kills == 0 {
				break
			}
			kills--
			go func(i int) { // its last lines must be read meanwhile
				if err := f.Kill(i); err != nil {
					t.Error(err)
				}
				killed <- i
			}(dice.IntN(len(peers)))
		case i := <-killed:
			if err := f.Restart(i); err != nil {
				t.Fatal(err)
			}
			next = time.After(time.Duration(dice.IntN(100)) * time.Millisecond)
		case <-limit:
			t.Fatal("it does not come to its end")
		}
	}
}
