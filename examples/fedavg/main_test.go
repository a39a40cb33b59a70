package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/examples/fedavg/program"
	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/host/sim"

	client "github.com/bbgen/bbgen/examples/fedavg/peer/client/partition"
	server "github.com/bbgen/bbgen/examples/fedavg/peer/server/partition"
)

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
// late ones. A few rounds are enough: each begins with the model of the one before.
func TestSameModel(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight processes")
	}
	const rounds = 6
	data := digits(t)
	want := simulated(t, data, client.Default).models[rounds-1]
	bin := changed(t, "Quorum(Clients/2)", "Quorum(Clients)", fmt.Sprintf("Rounds  = %d", program.Rounds), fmt.Sprintf("Rounds  = %d", rounds))
	for _, host := range []string{"libp2p", "tcp"} {
		var out bytes.Buffer
		if err := federate(&out, t.TempDir(), bin, data, host, rounds, true); err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		if got := told(t, out.Bytes()); got.Model != want {
			t.Errorf("processes over %s make the model %s, the simulator %s", host, got.Model, want)
		}
	}
}

// TestDivisions trains on shares of all kinds that papers use, with peers that are killed and messages that are lost.
func TestDivisions(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight peers, six times")
	}
	data := digits(t)
	var writers []byte
	for i := range 8000 {
		writers = fmt.Appendf(writers, "writer %d\n", i/100)
	}
	if err := os.WriteFile(filepath.Join(data, "writers.txt"), writers, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, division := range map[string]shard.Source{
		"equal":     {},
		"Dirichlet": {Alpha: 0.3},
		"shards":    {Shards: 2},
		"sizes":     {Quantity: 0.5},
		"writers":   {Writers: "writers.txt"},
		"noise":     {Noise: 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			accuracy := simulated(t, data, func(env runtime.Env) (*runtime.Partition, error) {
				c := client.DefaultConfig()
				c.Data.Batch = 16
				c.Data.Alpha, c.Data.Shards, c.Data.Quantity, c.Data.Writers, c.Data.Noise = division.Alpha, division.Shards, division.Quantity, division.Writers, division.Noise
				return client.Partition(env, c)
			}, "-chaos", "loss=5%,faults=4").accuracy
			if accuracy < 0.85 {
				t.Errorf("accuracy %v, want 0.85", accuracy)
			}
		})
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

// digits returns a folder with digits for all peers.
func digits(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := drawn.Write(dir, 8000, 1000); err != nil {
		t.Fatal(err)
	}
	return dir
}

// learned is what a simulated run has learned.
type learned struct {
	models   []string // the hash of the model after each round
	accuracy float64  // of the last one
}

// simulated returns what a simulated run learns.
func simulated(t *testing.T, data string, clients func(runtime.Env) (*runtime.Partition, error), args ...string) (l learned) {
	t.Helper()
	p := sim.Program{Name: "fedavg", Classes: []sim.Class{{Name: "client", Partition: clients}, {Name: "server", Partition: server.Default}}}
	var out bytes.Buffer
	if err := sim.Do(p, append(args, "-n", "client=8", "-data", data), &out, &out); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var m struct{ Name, Hash string }
		if json.Unmarshal(line, &m) == nil && m.Name == "model" {
			l.models = append(l.models, m.Hash)
		}
		var a struct {
			Name  string
			Value [1]float64
		}
		if json.Unmarshal(line, &a) == nil && a.Name == "accuracy" {
			l.accuracy = a.Value[0]
		}
	}
	if len(l.models) != program.Rounds {
		t.Fatalf("%d models, want one of each round\n%s", len(l.models), out.Bytes())
	}
	return l
}
