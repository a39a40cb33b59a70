package program_test

import (
	"testing"
	"time"

	"github.com/bbgen/bbgen/generated_test/program/hidden"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

// TestHiddenProcesses kills clients with kill -9 in the middle of rounds, and starts them again. No sum may contain masks. With
// state the clients and the server, which is killed too, continue from their snapshots. Without state as many are left as masks
// need, and those that are started again make new keys, which the others meet for the first time.
func TestHiddenProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs, and kills their processes")
	}
	dir := t.TempDir()
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/generated_test/program/hidden/peer", "server", "chooser", "client")
	if err != nil {
		t.Fatal(err)
	}
	peers := []launch.Peer{{Class: "server", Binary: bin["server"]}, {Class: "chooser", Binary: bin["chooser"]}}
	for rank := range hidden.Clients {
		peers = append(peers, launch.Peer{Class: "client", Rank: rank, Binary: bin["client"]})
	}
	for name, state := range map[string]bool{"with state": true, "without state": false} {
		t.Run(name, func(t *testing.T) {
			f, err := launch.Start(launch.Options{Dir: t.TempDir(), Peers: peers, State: state, Seed: 1, Log: t.Output()})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				f.Stop()
				for range f.Lines() {
				}
			}()
			killedInRounds(t, f, state)
		})
	}
}

// killedInRounds follows a fleet to its last masked sum.
func killedInRounds(t *testing.T, f *launch.Fleet, state bool) {
	t.Helper()
	busy, begun, sums := false, map[uint64]bool{}, map[uint64]bool{}
	again := make(chan error, 1)
	late := time.After(10 * time.Minute)
	for len(sums) < hidden.Rounds {
		select {
		case err := <-again:
			if busy = false; err != nil {
				t.Fatal(err)
			}
		case l := <-f.Lines():
			if l.Peer != "server-0" || l.Kind != "emitted" {
				continue
			}
			switch l.Name {
			case "server.round":
				if !begun[l.Round] && !busy {
					busy, begun[l.Round] = true, true
					go func(n int) { again <- killSome(f, n, state) }(len(begun))
				}
			case "server.secure":
				mean, _ := l.Value.([]any)
				for _, v := range mean {
					if x, ok := v.(float64); !ok || x < 1 || x > 1.09 {
						t.Errorf("execution %d: the mean is %v, want it from 1 to 1.09", l.Round, mean)
						break
					}
				}
				if len(mean) != 8 {
					t.Errorf("execution %d: the mean is %v, want 8 elements", l.Round, l.Value)
				}
				sums[l.Round] = true
			}
		case <-late:
			t.Fatalf("%d of %d sums after ten minutes, %d executions", len(sums), hidden.Rounds, len(begun))
		}
	}
}

// killSome kills and restarts peers in the n-th execution: two clients or, with state, three, or the server. In later executions
// it kills none, so that the last rounds end.
func killSome(f *launch.Fleet, n int, state bool) error {
	time.Sleep(time.Duration(n) * time.Millisecond)
	which := []int{2 + n%hidden.Clients, 2 + (n+3)%hidden.Clients}
	switch {
	case n > 6, n%2 == 0 && !state: // what is killed late is lost in the next execution, which can do without two only
		return nil
	case n%3 == 0 && state:
		which = []int{0}
	case n%2 == 0:
		which = append(which, 2+(n+5)%hidden.Clients)
	}
	for _, i := range which {
		if err := f.Kill(i); err != nil {
			return err
		}
	}
	for _, i := range which {
		if err := f.Restart(i); err != nil {
			return err
		}
	}
	return nil
}
