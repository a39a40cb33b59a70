package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/fedavg/program"
	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/examples/internal/fresh"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/sim"

	client "github.com/bbgen/bbgen/examples/fedavg/peer/client/partition"
	server "github.com/bbgen/bbgen/examples/fedavg/peer/server/partition"
)

func TestFresh(t *testing.T) { fresh.Check(t) }

// TestRun kills a client and restarts the server. The model must still classify digits: on a busy machine,
// rounds continue without late clients.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight processes")
	}
	var out bytes.Buffer
	if err := run(&out, "", "libp2p", false); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	r := told(t, out.Bytes())
	if r.Accuracy < 0.9 || r.Killed != 1 || r.Restarted != 1 || r.Rounds != program.Rounds {
		t.Errorf("%+v, want an accuracy of 0.9", r)
	}
}

// TestSameModel tests that the simulator and processes over TCP and over libp2p have the same model, bit for
// bit. Its processes wait for all clients, as otherwise rounds on a busy machine would often continue without
// late ones.
func TestSameModel(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight processes")
	}
	want := simulated(t, client.Default)
	bin := changed(t, "Quorum(Clients/2)", "Quorum(Clients)")
	for _, host := range []string{"libp2p", "tcp"} {
		var out bytes.Buffer
		if err := federate(&out, t.TempDir(), bin, "", host, true); err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		if got := told(t, out.Bytes()); got.Model != want.Hash {
			t.Errorf("processes over %s make the model %s, the simulator %s", host, got.Model, want.Hash)
		}
	}
}

// TestDirichlet trains on shares in which each client has few kinds of digits.
func TestDirichlet(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight peers")
	}
	last := simulated(t, func(env runtime.Env) (*runtime.Partition, error) {
		c := client.DefaultConfig()
		c.Data.Alpha, c.Data.Batch = 0.3, 16
		return client.Partition(env, c)
	})
	if last.accuracy < 0.9 {
		t.Errorf("accuracy %v, want 0.9", last.accuracy)
	}
}

// told is the last line of the example's output.
func told(t *testing.T, out []byte) result {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// last is the result in the last line of the simulator.
type last struct {
	Name string
	Hash string

	accuracy float64
}

// simulated returns the last model of a simulated run.
func simulated(t *testing.T, clients func(runtime.Env) (*runtime.Partition, error)) last {
	data := t.TempDir()
	if err := drawn.Write(data, 8000, 1000); err != nil {
		t.Fatal(err)
	}
	p := sim.Program{Name: "fedavg", Classes: []sim.Class{{Name: "client", Partition: clients}, {Name: "server", Partition: server.Default}}}
	var out bytes.Buffer
	if err := sim.Do(p, []string{"-n", "client=8", "-data", data}, &out, &out); err != nil {
		t.Fatal(err)
	}
	var found last
	for line := range bytes.Lines(out.Bytes()) {
		var m last
		if json.Unmarshal(line, &m) == nil && m.Name == "model" {
			m.accuracy = found.accuracy
			found = m
		}
		var a struct {
			Name  string
			Value [1]float64
		}
		if json.Unmarshal(line, &a) == nil && a.Name == "accuracy" {
			found.accuracy = a.Value[0]
		}
	}
	if found.Name == "" {
		t.Fatalf("no model\n%s", out.Bytes())
	}
	return found
}
