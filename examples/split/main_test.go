package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/split/program"
)

// TestRun tests that processes and the simulator, also with a network that loses every fifth message, have
// the results of one machine.
func TestRun(t *testing.T) {
	for name, split := range map[string]func() ([]float64, error){
		"processes": processes,
		"simulated": func() ([]float64, error) { return simulated(nil) },
		"loss":      func() ([]float64, error) { return simulated([]string{"-chaos", "loss=20%", "-seed", "5"}) },
	} {
		if name == "processes" && testing.Short() {
			continue // builds two programs
		}
		var out bytes.Buffer
		if err := run(&out, split); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
		var r result
		if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
			t.Fatal(err)
		}
		if r.Off > 1e-5 || r.Rounds != program.Rounds || r.Loss > 0.3 {
			t.Errorf("%s: %+v, want the losses of one machine to 1e-5, and the last below 0.3", name, r)
		}
	}
}
