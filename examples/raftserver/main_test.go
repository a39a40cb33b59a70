package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/examples/raftserver/program"
	"github.com/bbgen/bbgen/runtime/host/sim"

	client "github.com/bbgen/bbgen/examples/raftserver/peer/client/partition"
	server "github.com/bbgen/bbgen/examples/raftserver/peer/server/partition"
)

// Servers and clients are killed, and messages are lost. All servers that report the outcome of a round
// report the same one, and rounds continue to the last.
func TestFaults(t *testing.T) {
	data := t.TempDir()
	if err := drawn.Write(data, 1000, program.Tests); err != nil {
		t.Fatal(err)
	}
	for seed, chaos := range []string{"", "kill=2%", "loss=10%,faults=8,duplicate=5%"} {
		models := simulated(t, data, seed, chaos)
		last := models[program.Rounds-1]
		if len(last) < 2 || chaos == "" && len(last) < program.Servers {
			t.Errorf("%q: %d servers have told the last outcome, want more than half", chaos, len(last))
		}
		for round, told := range models {
			one := ""
			for rank, hash := range told {
				if one != "" && hash != one {
					t.Errorf("%q: server %d has another outcome of round %d than others", chaos, rank, round)
				}
				one = hash
			}
		}
	}
}

// simulated is the hash of the model that each server has reported, by round and by rank.
func simulated(t *testing.T, data string, seed int, chaos string) map[int]map[int]string {
	t.Helper()
	args := []string{"-n", fmt.Sprintf("server=%d,client=%d", program.Servers, program.Clients), "-data", data, "-seed", fmt.Sprint(seed), "-for", "60s"}
	if chaos != "" {
		args = append(args, "-chaos", chaos)
	}
	var out bytes.Buffer
	p := sim.Program{Name: "raftserver", Classes: []sim.Class{{Name: "client", Partition: client.Default}, {Name: "server", Partition: server.Default}}}
	if err := sim.Do(p, args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	type execution struct {
		rank int
		exec uint64
	}
	rounds, models := map[execution]int{}, map[int]map[int]string{}
	for line := range bytes.Lines(out.Bytes()) {
		var l struct {
			Name, Hash string
			Rank       int
			Round      uint64
			Value      []float64
		}
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		at := execution{l.Rank, l.Round}
		switch {
		case l.Name == "round" && len(l.Value) == 1:
			rounds[at] = int(l.Value[0])
		case l.Name == "model":
			if models[rounds[at]] == nil {
				models[rounds[at]] = map[int]string{}
			}
			models[rounds[at]][l.Rank] = l.Hash
		}
	}
	return models
}

// The leader is killed with -9 while clients train. Another server leads, all rounds complete, and the killed
// server has the same model after its restart.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs seven processes")
	}
	var out bytes.Buffer
	if err := run(&out, false); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	if r.Rounds != program.Rounds || r.Killed == "" || len(r.Led) < 2 || !r.Same || r.Accuracy < 0.7 {
		t.Errorf("%+v, want all rounds, two leaders, the same model on all servers, and an accuracy of 0.7\n%s", r, out.Bytes())
	}
}
