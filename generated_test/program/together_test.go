package program_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/generated_test/program/together/parts"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/sim"
	"github.com/bbgen/bbgen/runtime/tensor"

	reducer "github.com/bbgen/bbgen/generated_test/program/together/peer/worker/partition"
)

var together = sim.Program{Name: "together", Classes: []sim.Class{{Name: "worker", Partition: reducer.Default}}}

// rounds is the number of rounds of the program.
const rounds = 4

// evaluated is the value of each rank by the plain computation, by name and round.
func evaluated(ranks int) map[string][rounds][][]float32 {
	out := map[string][rounds][][]float32{}
	for round := range rounds {
		x := make([][]float32, ranks)
		number := make([][]float32, ranks)
		for r := range x {
			x[r] = parts.Value(r, int64(round)).Data
			number[r] = []float32{float32(round)}
		}
		put := func(name string, s collective.Spec, x [][]float32, rows int) [][]float32 {
			s.Elem = tensor.Float32
			var in []collective.Value
			for _, v := range x {
				in = append(in, collective.Value{Rows: rows, Row: len(v) / rows, Data: tensor.Raw(v)})
			}
			var got [][]float32
			for _, b := range s.Evaluate(in) {
				v := make([]float32, len(b)/4)
				tensor.SetRaw(v, b)
				got = append(got, v)
			}
			all := out[name]
			all[round] = got
			out[name] = all
			return got
		}
		sum := put("sum", collective.Spec{Algorithm: collective.Ring}, x, parts.Rows)
		product := make([][]float32, ranks)
		for r := range x {
			for i := range x[r] {
				product[r] = append(product[r], sum[r][i]*x[r][i])
			}
		}
		put("again", collective.Spec{Op: collective.Mean}, product, parts.Rows)
		put("largest", collective.Spec{Op: collective.Max, Algorithm: collective.Tree}, x, parts.Rows)
		put("rows", collective.Spec{Kind: collective.ReduceScatter}, x, parts.Rows)
		put("all", collective.Spec{Kind: collective.AllGather}, x, parts.Rows)
		put("of_one", collective.Spec{Kind: collective.Broadcast, Root: 1}, x, parts.Rows)
		put("on_one", collective.Spec{Kind: collective.Reduce}, x, parts.Rows)
		put("rank", collective.Spec{}, number, 1)
	}
	return out
}

// is compares the event of a worker about a value with the value's elements. Long values are reported by
// their hash.
func is(t *testing.T, told json.RawMessage, hash string, want []float32) bool {
	t.Helper()
	var one float32
	var many []float32
	switch {
	case told == nil:
		return hash == fmt.Sprintf("%x", sha256.Sum256(tensor.Raw(want)))
	case json.Unmarshal(told, &one) == nil:
		return slices.Equal([]float32{one}, want)
	}
	if err := json.Unmarshal(told, &many); err != nil {
		t.Fatalf("%s: %v", told, err)
	}
	return slices.Equal(many, want)
}

// TestTogether: all ranks have the bits of the plain computation in each round, on a network that loses
// messages, and while peers crash and continue from their snapshots.
func TestTogether(t *testing.T) {
	for seed := range 12 {
		ranks := 2 + seed%4
		args := []string{"-n", fmt.Sprint("worker=", ranks), "-seed", fmt.Sprint(seed)}
		if seed > 3 {
			args = append(args, "-chaos", "loss=10%,faults=5")
		}
		want := evaluated(ranks)
		lines, first := run(t, together, args...)
		if seed == 5 {
			if _, second := run(t, together, args...); first != second {
				t.Fatalf("seed %d: the second run differs", seed)
			}
		}
		got := map[string][]line{}
		for _, l := range lines {
			if l.Error != "" && l.Event != "" {
				t.Errorf("seed %d: worker %d: %s %s: %s", seed, l.Rank, l.Event, l.Name, l.Error)
			}
			if l.Type != "" && l.Event == "" {
				key := fmt.Sprint(l.Name, " ", l.Rank)
				got[key] = append(got[key], l)
			}
		}
		for name, all := range want {
			for rank := range ranks {
				values := got[fmt.Sprint(name, " ", rank)]
				if len(values) != rounds {
					t.Fatalf("seed %d: worker %d tells %d values of %s, want %d", seed, rank, len(values), name, rounds)
				}
				for round, v := range values {
					if !is(t, v.Value, v.Hash, all[round][rank]) {
						t.Errorf("seed %d: worker %d of %d: %s in round %d is %s, want %v", seed, rank, ranks, name, round, v.Value, all[round][rank])
					}
				}
			}
		}
	}
}

// TestTogetherProcesses runs the program as processes that communicate over TLS, with the same bits.
func TestTogetherProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	const ranks = 3
	dir := t.TempDir()
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/generated_test/program/together/peer", "worker")
	if err != nil {
		t.Fatal(err)
	}
	o := launch.Options{Dir: dir, Log: t.Output()}
	for rank := range ranks {
		o.Peers = append(o.Peers, launch.Peer{Class: "worker", Rank: rank, Binary: bin["worker"]})
	}
	fleet, err := launch.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	defer fleet.Stop()
	want := evaluated(ranks)
	told := map[string]int{} // by peer and name: the number of values
	late := time.After(5 * time.Minute)
	for left := ranks * rounds * len(want); left > 0; {
		select {
		case l := <-fleet.Lines():
			if l.Kind == "failed" || l.Kind == "exited" {
				t.Fatalf("%s: %s %s: %s", l.Peer, l.Kind, l.Name, l.Error)
			}
			name := strings.TrimPrefix(l.Name, "worker.")
			rank, _ := strconv.Atoi(strings.TrimPrefix(l.Peer, "worker-"))
			if l.Kind != "emitted" || want[name][0] == nil {
				continue
			}
			x := want[name][told[l.Peer+name]][rank]
			told[l.Peer+name]++
			left--
			if hash := fmt.Sprintf("%x", sha256.Sum256(tensor.Raw(x))); l.Hash != hash {
				t.Errorf("%s: %s is %v, %s, want %v", l.Peer, name, l.Value, l.Hash, x)
			}
		case <-late:
			t.Fatalf("after five minutes: %v", told)
		}
	}
}
