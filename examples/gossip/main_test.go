package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// All peers find the mean, also when messages are lost and peers crash: a share that a peer gives away
// arrives exactly once.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		options
		reports int // at least of the last reports: peers that crashed report later
	}{
		{options{peers: 300, long: 61 * time.Second}, 300},
		{options{peers: 60, long: 121 * time.Second, chaos: "loss=10%,faults=20"}, 40},
	} {
		var out bytes.Buffer
		if err := run(&out, c.options); err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
		var r struct {
			Peers, Reports int
			Mean, Off      float64
		}
		if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
			t.Fatal(err)
		}
		if r.Reports < c.reports || r.Off > 0.01 || r.Mean < 18 || r.Mean > 22 {
			t.Errorf("%+v: %+v, want all to report at most 0.01 off\n%s", c, r, out.Bytes())
		}
	}
}
