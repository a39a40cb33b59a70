package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// asPeer is set in the environment to run the test's binary as a peer.
const asPeer = "BBGEN_LAUNCH_TEST_PEER"

func TestMain(m *testing.M) {
	if os.Getenv(asPeer) == "" {
		os.Exit(m.Run())
	}
	peer.Main(peer.Program{Name: "clockwork", Class: "tick", Fingerprint: []byte("clockwork"), Transport: tcp.New,
		Partition: func(runtime.Env) (*runtime.Partition, error) {
			return &runtime.Partition{Class: "tick", Fingerprint: []byte("clockwork"), Modules: []runtime.Module{{
				Name: "tick", Every: 5e7, New: func() runtime.Body { return &tick{} }, Blocks: []runtime.Block{{Name: "tick", Ops: 1}},
			}}}, nil
		}})
}

type tick struct{ runtime.Frame }

func (f *tick) Run(e *runtime.Engine, _ int) error {
	e.Emit(&f.Frame, "second", tensor.Of([]float32{1}))
	return nil
}

// fleetOf starts peers from this test's binary.
func fleetOf(t *testing.T, state bool, peers ...Peer) *Fleet {
	t.Helper()
	t.Setenv(asPeer, "1")
	for i := range peers {
		peers[i].Class, peers[i].Binary = "tick", os.Args[0]
	}
	f, err := Start(Options{Dir: t.TempDir(), Peers: peers, State: state, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Stop()
		for range f.Lines() {
		}
	})
	return f
}

// await waits for a line of a peer.
func await(t *testing.T, f *Fleet, name, kind string) peer.Line {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		select {
		case l, ok := <-f.Lines():
			if !ok {
				t.Fatalf("%s: no line of kind %s, and there are no more", name, kind)
			}
			if l.Peer == name && l.Kind == kind {
				return l
			}
		case <-ctx.Done():
			t.Fatalf("%s: no line of kind %s", name, kind)
		}
	}
}

// Peers know each other, are killed and restarted, and end on request.
func TestFleet(t *testing.T) {
	f := fleetOf(t, true, Peer{}, Peer{Rank: 1})
	if l := await(t, f, "tick-0", "peer up"); l.From != "tick-1" {
		t.Errorf("tick-0 hears %s, want tick-1", l.From)
	}
	await(t, f, "tick-0", "emitted")
	if err := f.Restart(0); err == nil || !strings.Contains(err.Error(), "tick-0 runs already") {
		t.Errorf("a peer that runs is started again: %v", err)
	}
	go func() {
		if err := f.Kill(0); err != nil {
			t.Error(err)
		}
	}()
	if l := await(t, f, "tick-0", "exited"); l.Error != "" {
		t.Errorf("it has been killed, and complains: %s", l.Error)
	}
	if err := f.Restart(0); err != nil {
		t.Fatal(err)
	}
	if l := await(t, f, "tick-0", "started"); l.ID == "" {
		t.Error("tick-0 does not print its identity")
	}
	if _, err := os.Stat(filepath.Join(f.dir(0), "state", "key.pem")); err == nil {
		t.Error("the key is in the state directory, want the launcher's")
	}
	f.Stop()
	for l := range f.Lines() {
		if l.Kind == "exited" && l.Error != "" {
			t.Errorf("%s was told to end, and complains: %s", l.Peer, l.Error)
		}
	}
	if err := f.Restart(0); !errors.Is(err, ErrStopped) {
		t.Errorf("after the end a peer is started: %v", err)
	}
}

// A peer that is killed from outside is reported, and does not affect the others.
func TestKilledOutside(t *testing.T) {
	f := fleetOf(t, false, Peer{}, Peer{Rank: 1})
	await(t, f, "tick-0", "peer up")
	p, err := os.FindProcess(f.Pid(0))
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	if l := await(t, f, "tick-0", "exited"); l.Error != KilledOutside {
		t.Errorf("it ends with %q, want %q", l.Error, KilledOutside)
	}
	await(t, f, "tick-1", "status")
}

// The last output of a process is the reason of its failure.
func TestFailing(t *testing.T) {
	f := fleetOf(t, false, Peer{Args: []string{"-kernels", "quantum"}})
	if l := await(t, f, "tick-0", "exited"); !strings.Contains(l.Error, "exit status 2: clockwork: -kernels quantum: this machine has") {
		t.Errorf("it ends with %q", l.Error)
	}
}
