package program_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/sim"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"

	readyFront "github.com/bbgen/bbgen/generated_test/program/ready/peer/front/partition"
	readyWorker "github.com/bbgen/bbgen/generated_test/program/ready/peer/worker/partition"
)

var ready = sim.Program{Name: "ready", Classes: []sim.Class{
	{Name: "front", Partition: readyFront.Default}, {Name: "worker", Partition: readyWorker.Default},
}}

// given are flags that give numbers to inputs.
func given(t *testing.T, inputs ...string) (args []string) {
	t.Helper()
	for i, in := range inputs {
		name, text, _ := strings.Cut(in, "=")
		var x float32
		if _, err := fmt.Sscan(text, &x); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), fmt.Sprint(i, ".npy"))
		b, err := tensorio.AppendNPY(nil, tensor.Of([]float32{x}))
		if err == nil {
			err = os.WriteFile(file, b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "-in", name+"="+file)
	}
	return args
}

// Bootstraps wait for their own inputs, and other modules wait for the bootstraps. The Bootstrap of a module
// that is called twice runs once, also after restarts.
func TestReady(t *testing.T) {
	args := given(t, "front.bootstrap.factor=2", "front.bootstrap.offset=1", "worker.bootstrap.entry=10", "front.x=3", "front.x=4")
	for seed := range 20 {
		more := []string{"-seed", fmt.Sprint(seed)}
		if seed > 0 {
			more = append(more, "-chaos", "loss=10%,faults=4")
		}
		lines, _ := run(t, ready, slices.Concat(args, more)...)
		var got []string
		for _, l := range lines {
			if l.Name == "offset" || l.Name == "y" {
				got = append(got, l.Name+string(l.Value))
			}
			if l.Error != "" && l.Event != "peer down" {
				t.Errorf("seed %d: %s %d: %s: %s", seed, l.Class, l.Rank, l.Event, l.Error)
			}
		}
		slices.Sort(got)
		if want := []string{"offset2", "y120", "y160"}; !slices.Equal(slices.Compact(got), want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

// TestNotReady tests that a bootstrap with missing inputs is reported with the missing flag.
func TestNotReady(t *testing.T) {
	var out bytes.Buffer
	err := sim.Do(ready, given(t, "worker.bootstrap.entry=10", "front.x=3"), &out, &out)
	if want := "the bootstrap of front-0 waits for an input: give --in front.bootstrap.factor=FILE"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	err = sim.Do(ready, given(t, "front.bootstrap.factor=2", "worker.bootstrap.entry=10", "front.x=3"), &out, &out)
	if want := "front 0: -in: 0 files for bootstrap.offset, want one: the bootstrap runs once, with bootstrap.factor, bootstrap.offset"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNotReadyPeer: a peer on a command line does not wait for inputs that nobody can give it.
func TestNotReadyPeer(t *testing.T) {
	front := peer.Program{Name: "ready", Class: "front", Classes: []string{"front", "worker"}, Partition: readyFront.Default, Transport: tcp.New}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "ready: the bootstrap waits for inputs: give -in bootstrap.factor=FILE -in bootstrap.offset=FILE\n"},
		{given(t, "factor=2"), "ready: -in: no module has just these inputs; there are: x of front; bootstrap.factor, bootstrap.offset of the bootstrap\n"},
	} {
		var out, errs bytes.Buffer
		if code := peer.Do(t.Context(), front, append(c.args, "-log", "none"), &out, &errs); code != 2 || errs.String() != c.want {
			t.Errorf("%v: exit code %d, %s; want 2, %s", c.args, code, &errs, c.want)
		}
	}
}

// A Go program gives its peer the inputs for which the bootstrap waits, and learns when the program runs.
func TestReadyInvoke(t *testing.T) {
	x, err := startFront(t)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	two := tensor.Of([]float32{2})
	out, err := x.Invoke(t.Context(), "bootstrap_dispatch", map[string]tensor.Value{"bootstrap.factor": two, "bootstrap.offset": two})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(out["offset"].(*tensor.Tensor).Data); got != "[4]" {
		t.Errorf("got %v, want 4", got)
	}
	if err := x.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// A peer with a state directory reads files only for its bootstrap: at each start before the bootstrap has
// run.
func TestReadyState(t *testing.T) {
	args := append(given(t, "bootstrap.factor=2", "bootstrap.offset=1"), "-state", t.TempDir())
	for range 2 {
		x, err := startFront(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := startFront(t, append(args, given(t, "x=3")...)...)
	if want := "-in does not go with -state: what has been given is not kept there"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// startFront starts a front in this process.
func startFront(t *testing.T, args ...string) (*peer.Peer, error) {
	return peer.Start(t.Context(), peer.Program{Name: "ready", Class: "front", Classes: []string{"front", "worker"},
		Fingerprint: []byte(readyFront.Fingerprint), Partition: readyFront.Default, Transport: tcp.New}, append([]string{"-log", "none"}, args...)...)
}

// The bootstrap of a peer runs again with other inputs while the program calls modules. Calls that arrive
// meanwhile wait.
func TestReadyAgain(t *testing.T) {
	x, err := startFront(t)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	const module = "bootstrap_dispatch"
	for i, c := range []struct {
		offset float32
		names  []string
		want   string
	}{{2, nil, "[4]"}, {3, nil, "[6]"}, {5, []string{module}, "[10]"}} {
		inputs := map[string]tensor.Value{"bootstrap.factor": tensor.Of([]float32{2}), "bootstrap.offset": tensor.Of([]float32{c.offset})}
		var out map[string]tensor.Value
		if i == 0 {
			out, err = x.Invoke(t.Context(), module, inputs)
		} else {
			out, err = x.Bootstrap(t.Context(), inputs, c.names...)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(out["offset"].(*tensor.Tensor).Data); got != c.want {
			t.Errorf("offset %v: got %v, want %v", c.offset, got, c.want)
		}
	}
	if _, err := x.Bootstrap(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "input bootstrap.factor is missing") {
		t.Errorf("without inputs: %v", err)
	}
	if _, err := x.Bootstrap(t.Context(), nil, "front"); err == nil || err.Error() != `bootstrap: there is no "front"; there are: bootstrap_dispatch` {
		t.Errorf("a name that is none: %v", err)
	}
}
