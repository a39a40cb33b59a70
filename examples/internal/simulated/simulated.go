// Package simulated trains the workers of an example in the simulator, for tests.
package simulated

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/sim"
)

// A Training is a program with one class, worker, whose peers have the same parameters after each of their steps.
type Training struct {
	Name      string
	Partition func(runtime.Env) (*runtime.Partition, error)
	Workers   int
	Steps     int
}

// Timing trains on a reliable network and on others, and fails the test if the parameters after a step depend on the network.
func (p *Training) Timing(t testing.TB, chaos ...string) {
	t.Helper()
	data := t.TempDir()
	if err := drawn.Write(data, 2000, 200); err != nil {
		t.Fatal(err)
	}
	calm := p.models(t, data)
	for _, c := range chaos {
		for step, hash := range p.models(t, data, "-seed", "1", "-chaos", c) {
			if hash != calm[step] {
				t.Fatalf("%s: step %d: the parameters differ from those on a calm network", c, step)
			}
		}
	}
}

// models returns the parameters after each step, as hashes. They must be the same on all peers.
func (p *Training) models(t testing.TB, data string, args ...string) (models []string) {
	t.Helper()
	var out bytes.Buffer
	program := sim.Program{Name: p.Name, Classes: []sim.Class{{Name: "worker", Partition: p.Partition}}}
	if err := sim.Do(program, append([]string{"-n", fmt.Sprint("worker=", p.Workers), "-data", data}, args...), &out, &out); err != nil {
		t.Fatal(err)
	}
	steps := make([]int, p.Workers)
	for line := range bytes.Lines(out.Bytes()) {
		var m struct {
			Rank       int
			Name, Hash string
		}
		if json.Unmarshal(line, &m) != nil || m.Name != "model" {
			continue
		}
		step := steps[m.Rank]
		steps[m.Rank]++
		if step == len(models) {
			models = append(models, m.Hash)
		}
		if m.Hash == "" || m.Hash != models[step] {
			t.Fatalf("step %d: peer %d has other parameters: %s", step, m.Rank, line)
		}
	}
	if len(models) != p.Steps {
		t.Fatalf("%d steps, want %d\n%.2000s", len(models), p.Steps, out.Bytes())
	}
	return models
}
