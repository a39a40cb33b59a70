package partitioner_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/partitioner/interpret"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestCut shows how programs are cut, or the errors.
func TestCut(t *testing.T) {
	golden.Run(t, "testdata/cut_*.txtar", func(t *testing.T, a *golden.Archive) {
		m := compiled(t, a.Name, a.Get("in.ir"))
		opt := partitioner.Options{Unbound: !a.Has("bound")}
		if a.Has("commands") {
			slots := strings.Fields(a.Get("commands"))
			opt.Command = func(s *partitioner.Slot, n *ir.Node) bool { return slices.Contains(slots, s.Name) }
		}
		p, err := partitioner.Make(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/cut", partitioner.Print(p))
		if a.Has("out/sends") {
			a.Check("out/sends", sends(p))
		}
		if a.Has("out/reads") {
			a.Check("out/reads", reads(p))
		}
		counts := map[string]int{}
		if a.Has("clients") {
			counts["client"] = 3
		}
		runs(t, p, counts, a.Has("any"))
	})
}

// runs executes a program with many orders of events: every block of every execution runs once, and the host
// always gets the same outputs, unless several ones are declared.
func runs(t *testing.T, p *partitioner.Program, counts map[string]int, any bool) {
	var first map[string][]tensor.Value
	for seed := range uint64(20) {
		got, err := interpret.Outcome(p, seed, counts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if first == nil {
			first = got
		}
		for name, all := range first {
			want := all[len(all)-1]
			if v := got[name]; len(v) != len(all) {
				t.Errorf("seed %d: %s is given %d times, want %d", seed, name, len(v), len(all))
			} else if want != nil && !any {
				if err := compare.Values(v[len(v)-1], want, compare.Tolerance{}); err != nil {
					t.Errorf("seed %d: %s: %v", seed, name, err)
				}
			}
		}
	}
}

// TestRecorded cuts and runs the records of package dsl.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("../dsl/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded programs", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range a.Files {
				if f.Name != "out/record" {
					continue
				}
				p, err := partitioner.Make(compiled(t, file, string(f.Data)), partitioner.Options{})
				if err != nil {
					t.Fatal(err)
				}
				runs(t, p, nil, true)
			}
		})
	}
}

// TestSplit shows the stages of plain models: the table for users, and what each class computes.
func TestSplit(t *testing.T) {
	golden.Run(t, "testdata/split_*.txtar", func(t *testing.T, a *golden.Archive) {
		m := compiled(t, a.Name, a.Get("in.ir"))
		var stages *partitioner.Stages
		names := strings.Fields(a.Get("stages"))
		split := partitioner.SplitPass(partitioner.SplitOptions{Stages: len(names), Names: names, Sizes: map[string]int{"batch": 8}}, func(s *partitioner.Stages) { stages = s })
		if err := pass.Run(m, []*pass.Pass{split}, nil); err != nil {
			t.Fatal(err)
		}
		a.Check("out/table", stages.String())
		p, err := partitioner.Make(m, partitioner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/cut", partitioner.Print(p))
	})
}

// TestSplitError shows which models cannot be split.
func TestSplitError(t *testing.T) {
	const text = `module "m"
opset 20, "ai.bytesandbrains.syscall" 1

func @main(%x: float32[4]) -> (%y) {
  %h = Relu(%x)
  %y = Tanh(%h)
  %z = "ai.bytesandbrains.syscall":AppEmit(%y) {name = "y"} @a
}
`
	plain := strings.Replace(text, `  %z = "ai.bytesandbrains.syscall":AppEmit(%y) {name = "y"} @a`+"\n", "", 1)
	words := strings.NewReplacer("float32", "string", "Relu", "StringNormalizer", "Tanh", "StringNormalizer").Replace(plain)
	for _, c := range []struct {
		text string
		opt  partitioner.SplitOptions
		want string
	}{
		{text, partitioner.SplitOptions{Stages: 2}, `m: want a plain model: node "z" (ai.bytesandbrains.syscall:AppEmit) is assigned to a peer already`},
		{plain, partitioner.SplitOptions{Stages: 1}, "m: 1 stages, want at least 2"},
		{plain, partitioner.SplitOptions{Stages: 3}, "m: 3 stages of a model of 2 operators, want at most one each"},
		{plain, partitioner.SplitOptions{Stages: 2, Names: []string{"a", "a"}}, `m: two stages are called "a"`},
		{plain, partitioner.SplitOptions{Stages: 2, PeerMemory: 7}, "m: it cannot be cut into 2 stages: no cut leaves every stage with at most 7 B of weights and values"},
		{words, partitioner.SplitOptions{Stages: 2}, "m: it cannot be cut into 2 stages: between all operators, values cross that are no tensors of numbers"},
	} {
		_, err := partitioner.Split(compiled(t, "m", c.text), c.opt)
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestError shows the errors of invalid programs.
func TestError(t *testing.T) {
	golden.Run(t, "testdata/error_*.txtar", func(t *testing.T, a *golden.Archive) {
		m := compiled(t, a.Name, a.Get("in.ir"))
		_, err := partitioner.Make(m, partitioner.Options{Unbound: !a.Has("bound")})
		if err == nil {
			t.Fatal("no error")
		}
		a.Check("out/error", err.Error())
	})
}

// compiled returns a program before it is cut.
func compiled(t *testing.T, name, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(name, text)
	if err == nil {
		err = pass.Run(m, pass.Pipeline, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}
