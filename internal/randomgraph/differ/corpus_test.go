package differ

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// scaled returns a model with a constant of n elements.
func scaled(n int) *randomgraph.Model {
	text := "module \"scaled\"\nopset 25\nfunc @main(%x: float32[n]) -> (%y) {\n  const %c: float32[1] = [2]\n  %y = Mul(%x, %c)\n}\n"
	m, err := ir.Parse("scaled", text)
	if err != nil {
		panic(err)
	}
	c := m.Main.Consts()[0]
	c.Const = tensor.New(tensor.Float32, n)
	c.Type.Shape = []ir.Dim{ir.C(n)}
	return &randomgraph.Model{Seed: 7, Module: m, Runs: []randomgraph.Run{{"n": 1, "m": 4}, {"n": 3, "m": 2}}, Data: 2}
}

// TestSave reads back what it has written: a small model as text, and one with a large constant as ONNX.
func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, c := range []struct {
		n    int
		name string
	}{{1, "optimize_7.ir"}, {ir.MaxPrinted + 1, "optimize_7.onnx"}} {
		want := scaled(c.n)
		name, err := Save(dir, &Failure{Model: want, Stage: Optimized, Err: errors.New("output 0 differs\nat a line of code")})
		if err != nil || name != filepath.Join(dir, c.name) {
			t.Fatalf("it is written to %s, want %s: %v", name, c.name, err)
		}
		got, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if got.Seed != want.Seed || got.Data != want.Data || !reflect.DeepEqual(got.Runs, want.Runs) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
		if n := got.Module.Main.Consts()[0].Const.Len(); n != c.n {
			t.Errorf("%s: the constant has %d elements, want %d", c.name, n, c.n)
		}
		if found := (ir.Metadata{Key: foundKey, Value: "optimize: output 0 differs"}); !slices.Contains(got.Module.Meta, found) {
			t.Errorf("%s: the metadata are %v, want %v there", c.name, got.Module.Meta, found)
		}
	}
}

// TestLoadRefuses names the file and the entry that has no number.
func TestLoadRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "case.ir")
	for _, key := range []string{seedKey, dataKey, runsKey} {
		m := scaled(1).Module
		m.Meta = []ir.Metadata{{Key: key, Value: "n=many"}}
		if err := os.WriteFile(name, []byte(ir.Print(m)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), name+": "+key) {
			t.Errorf("got %v, want %s: %s: …", err, name, key)
		}
	}
	if _, err := Load(name + ".onnx"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
}
