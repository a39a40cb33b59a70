package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/internal/fresh"
	"github.com/bbgen/bbgen/examples/split/program"
)

func TestFresh(t *testing.T) { fresh.Check(t) }

// TestRun wants what one machine gives, also on a network that loses every fifth
// message.
func TestRun(t *testing.T) {
	for _, args := range [][]string{nil, {"-chaos", "loss=20%", "-seed", "5"}} {
		var out bytes.Buffer
		if err := run(&out, args...); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
		var r result
		if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
			t.Fatal(err)
		}
		if r.Off > 1e-5 || r.Rounds != program.Rounds || r.Loss > 0.1 {
			t.Errorf("%v: %+v, want the losses of one machine to 1e-5, and the last below 0.1", args, r)
		}
	}
}
