package program_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/sim"

	aloner "github.com/bbgen/bbgen/generated_test/program/halves/peer/alone/partition"
	halfClient "github.com/bbgen/bbgen/generated_test/program/halves/peer/client/partition"
	parted "github.com/bbgen/bbgen/generated_test/program/halves/peer/parted/partition"
	halfServer "github.com/bbgen/bbgen/generated_test/program/halves/peer/server/partition"
)

var halves = sim.Program{Name: "halves", Classes: []sim.Class{
	{Name: "alone", Partition: aloner.Default}, {Name: "client", Partition: halfClient.Default},
	{Name: "parted", Partition: parted.Default}, {Name: "server", Partition: halfServer.Default},
}}

// TestHalves trains a network that is split between two peers, the same one on one peer, and on two peers that average
// their gradients in parts while the backward pass still runs. The losses are the same, also on a network that loses
// messages and with crashes, even between two parts, and so are those that the server computes before each step.
func TestHalves(t *testing.T) {
	const rounds = 20
	for seed := range 6 {
		args := []string{"-seed", fmt.Sprint(seed), "-n", "parted=2"}
		if seed > 0 {
			args = append(args, "-chaos", "loss=20%,faults=4")
		}
		lines, _ := run(t, halves, args...)
		losses := map[string][]float64{}
		for _, l := range lines {
			if l.Error != "" {
				t.Errorf("seed %d: %s: %s: %s", seed, l.Class, l.Event, l.Error)
			}
			var x float64
			if l.Name != "loss" && l.Name != "before" || l.Event != "" {
				continue
			}
			if err := json.Unmarshal(l.Value, &x); err != nil {
				t.Fatal(err)
			}
			key := l.Class + "." + l.Name
			if l.Class == "parted" {
				key += fmt.Sprint(l.Rank)
			}
			losses[key] = append(losses[key], x)
		}
		one, split, before := losses["alone.loss"], losses["server.loss"], losses["server.before"]
		if parts := losses["parted.loss0"]; len(parts) != rounds || !slices.Equal(parts, one) || !slices.Equal(parts, losses["parted.loss1"]) {
			t.Errorf("seed %d: in parts the losses are %v and %v, want %v", seed, parts, losses["parted.loss1"], one)
		}
		if len(one) != rounds || len(split) != rounds || len(before) != rounds {
			t.Fatalf("seed %d: %d, %d and %d losses, want %d of each", seed, len(one), len(split), len(before), rounds)
		}
		for i := range one {
			if math.Abs(one[i]-split[i]) > 1e-5 || math.Abs(before[i]-split[i]) > 1e-5 {
				t.Errorf("seed %d: step %d: the loss is %v, %v before the step, and %v on one peer", seed, i, split[i], before[i], one[i])
			}
		}
		if mean := func(x []float64) float64 { return (x[0] + x[1] + x[2] + x[3]) / 4 }; mean(one[rounds-4:]) > mean(one)*0.8 {
			t.Errorf("seed %d: the losses are %v", seed, one)
		}
	}
}
