package tune

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestChoose chooses by fixed times.
func TestChoose(t *testing.T) {
	golden.Run(t, "testdata/table.txtar", func(t *testing.T, a *golden.Archive) {
		usual := &pass.Report{Convs: 5}
		for line := range strings.Lines(a.Get("usual")) {
			f := strings.Fields(line)
			usual.Choices = append(usual.Choices, pass.Choice{Node: f[0], What: "3×3, 64 to 64 channels, 56×56 pixels", Pick: f[1]})
		}
		ways := waysOf(usual)
		for i, out := range []string{
			`{"level": "avx512", "threads": 2, "nodes": [{"node": "conv1", "best_us": 100}, {"node": "conv2", "best_us": 100}, {"node": "conv3", "best_us": 200}, {"node": "conv4", "best_us": 300}, {"node": "fc", "best_us": 600}]}`,
			`{"level": "avx512", "threads": 2, "nodes": [{"node": "conv1", "best_us": 150}, {"node": "conv2", "best_us": 98}, {"node": "conv3", "best_us": 80}, {"node": "conv4", "best_us": 200}]}`,
			`{"level": "avx512", "threads": 2, "nodes": [{"node": "conv1", "best_us": 160}, {"node": "conv2", "best_us": 99}, {"node": "conv3", "best_us": 120}, {"node": "conv4", "best_us": 90}]}`,
			`{"level": "avx512", "threads": 2, "nodes": [{"node": "conv1", "best_us": 1400}, {"node": "fc", "best_us": 600}]}`,
		} {
			if err := ways[i].note([]byte(out)); err != nil {
				t.Fatal(err)
			}
		}
		slower := `{"level": "avx512", "threads": 2, "nodes": [{"node": "conv1", "best_us": 170}]}`
		if err := ways[0].note([]byte(slower)); err != nil {
			t.Fatal(err)
		}
		tuning, rows := choose("m", usual, ways)
		b, err := tuning.Encode()
		if err != nil {
			t.Fatal(err)
		}
		a.Check("table", table(tuning, rows))
		a.Check("tuning", string(b))
	})
}

// TestNothingToChoose tests a node with a single alternative.
func TestNothingToChoose(t *testing.T) {
	ways := waysOf(new(pass.Report))
	if len(ways) != 1 {
		t.Fatalf("got %d ways, want 1", len(ways))
	}
	if err := ways[0].note([]byte(`{"level": "avx2", "threads": 1, "nodes": []}`)); err != nil {
		t.Fatal(err)
	}
	tuning, rows := choose("m", new(pass.Report), ways)
	if got := table(tuning, rows); !strings.Contains(got, "nothing to choose") || tuning.Level != "avx2" {
		t.Errorf("got %q for %+v", got, tuning)
	}
}
