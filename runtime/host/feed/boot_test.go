package feed

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// body is a frame that takes an input and does nothing.
type body struct{ runtime.Frame }

func (*body) Run(*runtime.Engine, int) error { return nil }

// booting is a program with two bootstrap modules, of one and of two inputs, and a module with an input.
func booting() *runtime.Partition {
	module := func(name string, inputs ...string) runtime.Module {
		m := runtime.Module{Name: name, New: func() runtime.Body { return &body{} }, Blocks: []runtime.Block{{}}}
		for i, input := range inputs {
			m.Cuts = append(m.Cuts, runtime.Cut{Kind: runtime.InputCut, Name: input})
			m.Inputs = append(m.Inputs, i)
			m.Blocks[0].Wait |= 1 << i
		}
		return m
	}
	p := &runtime.Partition{Class: "peer", Modules: []runtime.Module{module("seed", "seed"), module("model", "weights", "rate"), module("infer", "x")}}
	p.Modules[0].Bootstrap, p.Modules[1].Bootstrap = true, true
	return p
}

func bootingNode(t *testing.T, p *runtime.Partition) *runtime.Node {
	t.Helper()
	n, err := runtime.New(runtime.Config{Self: mem.PeerID(0), Incarnation: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	poll(n)
	return n
}

func poll(n *runtime.Node) {
	for ok := true; ok; {
		_, ok = n.Poll(0)
	}
}

// number writes a file with a number.
func number(t *testing.T, name string) string {
	t.Helper()
	b, err := tensorio.AppendNPY(nil, tensor.Of([]float32{1}))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name+".npy")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestBoots: a bootstrap runs once, so it has one file for each of its inputs. What is not for it is for another module.
func TestBoots(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"seed=a", "[seed:[a]]  []"},
		{"rate=b weights=a", "[model:[a b]]  []"},
		{"x=a seed=b x=c", "[seed:[b]] infer [[a] [c]]"},
		{"x=a", "[] infer [[a]]"},
		{"seed=a seed=b", "-in: 2 files for seed, want one: the bootstrap runs once, with seed"},
		{"weights=a", "-in: 0 files for rate, want one: the bootstrap runs once, with weights, rate"},
		{"y=a", "-in: no module has just these inputs; there are: seed of the bootstrap; weights, rate of the bootstrap; x of infer"},
		{"seed=a y=b", "-in: no module has just these inputs; there are: seed of the bootstrap; weights, rate of the bootstrap; x of infer"},
	} {
		f, err := New(booting(), strings.Fields(c.in))
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(strings.TrimPrefix(fmt.Sprint(f.boots), "map"), " ", f.module, " ", f.runs)
			if f.Any() != (f.module != "") {
				t.Errorf("%s: Any is %v", c.in, f.Any())
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

// TestBoot: bootstraps whose files are given begin, each once; the command line says which files are missing; the next module begins
// when all bootstraps have run.
func TestBoot(t *testing.T) {
	p := booting()
	n := bootingNode(t, p)
	var none *Feed
	if began, err := none.Boot(n, 0); began || err != nil || none.Any() || none.Open() != 0 {
		t.Errorf("without files %v begins, %v", began, err)
	}
	if err := none.CheckBoots(p, n); err == nil || err.Error() != "the bootstrap waits for inputs: give -in seed=FILE" {
		t.Errorf("got %v, want that seed is missing", err)
	}
	f, err := New(p, []string{"seed=" + number(t, "seed"), "x=" + number(t, "x")})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.CheckBoots(p, n); err == nil || err.Error() != "the bootstrap waits for inputs: give -in weights=FILE -in rate=FILE" {
		t.Errorf("got %v, want that weights and rate are missing", err)
	}
	for i, want := range []bool{true, false} {
		if began, err := f.Boot(n, 0); began != want || err != nil {
			t.Errorf("start %d: it begins %v, %v, want %v", i, began, err, want)
		}
		poll(n)
	}
	if began, err := f.Begin(n, 0, 9); began || err == nil || f.Over() { // the host waits until the node runs
		t.Errorf("a module begins before the bootstrap has ended: %v, %v", began, err)
	}
	g, err := New(p, []string{"weights=" + number(t, "weights"), "rate=" + number(t, "rate")})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.CheckBoots(p, n); err != nil {
		t.Error(err)
	}
	if began, err := g.Boot(n, 0); !began || err != nil {
		t.Errorf("the model begins %v, %v", began, err)
	}
	poll(n)
	if began, err := f.Begin(n, 0, 9); !began || err != nil || !f.Over() {
		t.Errorf("after the bootstrap the module begins %v, %v", began, err)
	}
}

// A file that cannot be read is an error with its name, at the start.
func TestBootWithoutItsFile(t *testing.T) {
	p := booting()
	n := bootingNode(t, p)
	f, err := New(p, []string{"seed=nowhere.npy"})
	if err != nil {
		t.Fatal(err)
	}
	if began, err := f.Boot(n, 0); began || err == nil || !strings.HasPrefix(err.Error(), "nowhere.npy: ") {
		t.Errorf("it begins %v, %v, want the name of the file", began, err)
	}
}
