//go:build unix

package main

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/bbgen/bbgen/examples/fedavg/program"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// TestFreeze stops peers as a suspended machine does: they keep their connections, and answer nothing. Rounds go on
// without a frozen client as the quorum allows, the server says that it is down, and it contributes again when it
// continues. Then a frozen server does. The quorum is two of three, so that with another client frozen no round can end without
// the one that has returned.
func TestFreeze(t *testing.T) {
	if testing.Short() {
		t.Skip("trains three processes, and waits until a frozen one is down")
	}
	data := digits(t)
	bin := changed(t, fmt.Sprintf("Rounds  = %d", program.Rounds), "Rounds  = 1 << 40", fmt.Sprintf("Steps   = %d", program.Steps), "Steps   = 1",
		fmt.Sprintf("Tests   = %d", program.Tests), "Tests   = 10", fmt.Sprintf("Clients = %d", program.Clients), "Clients = 3", "Quorum(Clients/2)", "Quorum(2)")
	for _, host := range []string{"tcp", "libp2p"} {
		t.Run(host, func(t *testing.T) {
			args := []string{"-host", host, "-data", data}
			peers := []launch.Peer{{Class: "server", Binary: bin["server"], Args: append([]string{"-await", "client=3"}, args...)}}
			for rank := range 3 {
				peers = append(peers, launch.Peer{Class: "client", Rank: rank, Binary: bin["client"], Args: args})
			}
			fleet, err := launch.Start(launch.Options{Dir: t.TempDir(), Peers: peers, State: true, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := &frozen{t: t, fleet: fleet, models: map[uint64]string{}}
			defer f.end()
			f.freeze()
		})
	}
}

// frozen follows a server and three clients, some of which are frozen.
type frozen struct {
	t      *testing.T
	fleet  *launch.Fleet
	models map[uint64]string // of the rounds that the server has told
	last   uint64            // the latest of them
}

func (f *frozen) freeze() {
	f.rounds(3)
	f.signal(2, syscall.SIGSTOP)
	f.until("server-0", "peer down", "client-1")
	f.rounds(3)
	f.signal(2, syscall.SIGCONT)
	f.until("server-0", "peer up", "client-1")
	f.until("client-1", "emitted", "")

	f.signal(3, syscall.SIGSTOP)
	f.until("server-0", "peer down", "client-2")
	f.rounds(3)
	f.signal(3, syscall.SIGCONT)
	f.until("server-0", "peer up", "client-2")

	f.signal(0, syscall.SIGSTOP)
	f.until("client-0", "peer down", "server-0")
	f.signal(0, syscall.SIGCONT)
	f.until("client-0", "peer up", "server-0")
	f.rounds(3)
}

func (f *frozen) signal(i int, s syscall.Signal) {
	f.t.Helper()
	if err := syscall.Kill(f.fleet.Pid(i), s); err != nil {
		f.t.Fatal(err)
	}
}

// rounds waits for the ends of n rounds that begin from now on: one may be under way.
func (f *frozen) rounds(n uint64) {
	f.t.Helper()
	for want := f.last + n + 1; f.last < want; {
		f.line()
	}
}

// until waits for a line of a peer.
func (f *frozen) until(of, kind, from string) {
	f.t.Helper()
	for {
		if l := f.line(); l.Peer == of && l.Kind == kind && (from == "" || l.From == from) {
			return
		}
	}
}

// line returns the next line. The server gives one model for each round.
func (f *frozen) line() peer.Line {
	f.t.Helper()
	select {
	case l := <-f.fleet.Lines():
		switch before, told := f.models[l.Round]; {
		case l.Kind == "failed" || l.Kind == "ended" || l.Kind == "exited":
			f.t.Fatalf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
		case l.Kind != "emitted" || l.Name != "server.model":
		case told:
			f.t.Fatalf("the model of round %d is told twice: %s and %s", l.Round, before, l.Hash)
		case f.last != 0 && l.Round != f.last+1:
			f.t.Fatalf("the model of round %d is told after that of round %d", l.Round, f.last)
		default:
			f.models[l.Round], f.last = l.Hash, l.Round
		}
		return l
	case <-time.After(patience):
		f.t.Fatal("nothing has happened for two minutes")
	}
	return peer.Line{}
}

// end ends the peers, also those that are still frozen.
func (f *frozen) end() {
	for i := range 4 {
		if pid := f.fleet.Pid(i); pid != 0 {
			syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	f.fleet.Stop()
	for range f.fleet.Lines() {
	}
}
