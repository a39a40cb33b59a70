package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/sim"

	learner "github.com/bbgen/bbgen/generated_test/program/roles/peer/learner/partition"
	teacher "github.com/bbgen/bbgen/generated_test/program/roles/peer/teacher/partition"
)

var roles = sim.Program{Name: "roles", Classes: []sim.Class{
	{Name: "learner", Partition: learner.Default}, {Name: "teacher", Partition: teacher.Default},
}}

// TestRoles tests the results of each method. The model y = w·x begins with w = 1 and gets x = 1 with the
// target 2, and then 2, 3 and 4 with the doubled numbers as targets.
func TestRoles(t *testing.T) {
	want := map[string]string{
		"loss": "0.5", "y": "[1]", "dx": "[-1]", "step": "0.5",
		"params": "[1,-1]", // of the first round; the gradient is stored beside the weight
		"steps":  "0.0233",
		"engine": "[-56,-54,0]", "plain": "[-56,-54,0]",
		"decoded": "[1.003937,2.5]", "mixed": "5", "sum": "4",
		"words": `["one!","two!","!"]`, "word": `"zwölf"`, "until": "24",
		"total": "1", // the weight of one learner
	}
	lines, _ := run(t, roles, "-n", "learner=2")
	rounds := map[string][2]string{"branch": {"10", "-1"}, "product": {"6", "24"}}
	count := map[string]int{}
	for _, l := range lines {
		if l.Error != "" {
			t.Errorf("%s %d: %s: %s", l.Class, l.Rank, l.Event, l.Error)
		}
		if count[l.Class+"."+l.Name]++; count[l.Class+"."+l.Name] > 2 {
			continue // the gradient grows
		}
		if w := want[l.Name]; w != "" && l.Event == "" && w != string(l.Value) && (l.Name != "steps" || !strings.HasPrefix(string(l.Value), w)) {
			t.Errorf("%s of %s %d is %s, want %s", l.Name, l.Class, l.Rank, l.Value, w)
		}
		if w, ok := rounds[l.Name]; ok && string(l.Value) != w[min(int(l.Round)-3, 1)] {
			t.Errorf("%s of learner %d in round %d is %s, want %v", l.Name, l.Rank, l.Round-3, l.Value, w)
		}
		if l.Name == "said" || l.Name == "address" {
			if w := []string{`"/peer/0/of/2"`, `"/peer/1/of/2"`}[l.Rank]; string(l.Value) != w {
				t.Errorf("%s of learner %d is %s, want %s", l.Name, l.Rank, l.Value, w)
			}
		}
	}
	for name, n := range map[string]int{
		"learner.loaded": 2, "learner.round": 4, "learner.loss": 4, "learner.y": 4, "learner.dx": 4, "learner.params": 4, "learner.step": 4, "learner.steps": 4,
		"learner.engine": 4, "learner.plain": 4, "learner.decoded": 4, "learner.mixed": 4, "learner.said": 4, "learner.all": 4, "learner.sum": 4, "learner.random": 4,
		"learner.near": 4, "learner.everybody": 4, "learner.address": 4, "teacher.mean": 4, "teacher.words": 4, "teacher.word": 4, "learner.branch": 4, "learner.product": 4, "learner.until": 4,
	} {
		if count[name] != n {
			t.Errorf("%s: told %d times, want %d", name, count[name], n)
		}
	}
}

// TestRolesFaults crashes peers that hold or send strings: none is lost.
func TestRolesFaults(t *testing.T) {
	for seed := range 10 {
		lines, _ := run(t, roles, "-n", "learner=2", "-seed", fmt.Sprint(seed), "-chaos", "loss=10%,faults=6", "-for", "100s")
		words := 0
		for _, l := range lines {
			if l.Name == "words" && string(l.Value) == `["one!","two!","!"]` {
				words++
			}
		}
		if words < 4 {
			t.Errorf("seed %d: the teacher is told of %d words of 4", seed, words)
		}
	}
}
