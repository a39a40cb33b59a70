package optest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// wrong is a family in which each row has a different error.
var wrong = []*op.Op{
	{ // computes another function, with negative costs and a wrong gradient
		Name: "Opposite", Domain: "ai.bbgen.test", Since: []int{1},
		Inputs: []op.Port{{Name: "X", Types: elem.Floats}}, Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Infer: op.InferSame, Lower: op.Unary("Neg"), Widen: true, Pointwise: op.Always,
		Grad: func(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value { return []*ir.Value{dy[0]} },
	},
	{
		Name: "Free", Domain: "ai.bbgen.test", Since: []int{1},
		Inputs: []op.Port{{Name: "X", Types: elem.Floats}}, Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Infer: func(c *op.Infer) error { c.Int("undeclared"); return op.InferSame(c) }, Lower: op.Unary("Neg"), Stops: op.StopUpdates,
		FLOPs: func(*ir.Node) ir.Dim { return ir.C(-2) },
	},
	{ // its schema is wrong in every respect
		Name: "Nothing", Domain: "", Since: []int{2, 1},
		Attrs:   []op.Attr{{Name: "a", Kind: op.Int, Default: "one"}, {Name: "a"}, {Name: "m", Kind: op.String, Default: "x", Values: []string{"y"}}},
		Inputs:  []op.Port{{Name: "X", Variadic: true}, {Name: "Y", Like: "Z"}},
		Outputs: []op.Port{{Name: "Y"}},
	},
	{ // differs from ONNX's schema
		Name: "Gelu", Domain: "", Since: []int{1},
		Attrs:  []op.Attr{{Name: "approximate", Kind: op.String, Default: "tanh"}, {Name: "axis", Kind: op.Int}},
		Inputs: []op.Port{{Name: "Input", Types: elem.Int64s}, {Name: "more"}}, Outputs: []op.Port{{Name: "Y", Types: elem.Floats}},
		Infer: op.InferSame, Lower: op.Unary("Gelu"), Stops: op.StopUpdates,
	},
	{ // panics for unexpected operands
		Name: "Brittle", Domain: op.Own, Since: []int{1},
		Inputs: []op.Port{{Name: "X"}}, Outputs: []op.Port{{Name: "Y"}},
		Infer: func(c *op.Infer) error { c.OutTensor(0, c.In[0].Type.Elem, c.In[0].Type.Shape[1]); return nil }, Lower: op.Unary("Neg"), Stops: op.StopUpdates,
	},
}

// TestChecks shows the errors that each check reports for a wrong family, whose files are in testdata.
func TestChecks(t *testing.T) {
	op.Register(op.All(), []*op.Op{wrong[0], wrong[1], wrong[4]})
	atEnd(t)
	watchReads()
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		t.Chdir(t.TempDir())
		for _, name := range a.Sections() {
			if !strings.HasPrefix(name, "out/") {
				write(t, filepath.Join("testdata", name), a.Get(name))
			}
		}
		f, err := read(".", wrong)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			var problems strings.Builder
			c.run(f, func(format string, args ...any) { fmt.Fprintf(&problems, format+"\n", args...) })
			a.Check("out/"+c.name, problems.String())
		}
	})
}

func write(t *testing.T, name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRewrite: an update writes the error into the line of its case, and changes no other line.
func TestRewrite(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "testdata/refused.txt", "# Relu.\nRelu(int64[2]=1) -> !\nRelu(string[2]=\"a\") -> ! it has its reason\n")
	f, err := read(".", nil)
	if err != nil {
		t.Fatal(err)
	}
	f.update = true
	refused(f, t.Errorf)
	got, err := os.ReadFile("testdata/refused.txt")
	want := "# Relu.\nRelu(int64[2]=1) -> ! it compiles\nRelu(string[2]=\"a\") -> ! input \"c0_in0\" is string, want a signed number\n"
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

// TestBodies shows the errors of modules.
func TestBodies(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "testdata/bodies.txtar", `-- negated.ir --
module "negated" opset 25

func @main(%x: float32[2]) -> (%y) {
  %y = Neg(%x)
}
-- negated.txt --
negated(float32[2]=1,2) -> float32[2]=-1,-2
negated(float32[2]=1,2) -> float32[2]=1,2
negated() -> ! it has its reason
`)
	atEnd(t)
	f, err := read(".", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	bodiesRun(f, func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) })
	want := []string{
		"negated: portable, 1 threads: output 0: 2 of 2 elements differ, by up to 4; element 0: got -1, want 1\nnegated(float32[2]=1,2) -> float32[2]=1,2",
		`negated: got "it compiles", want "it has its reason"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestRead: a family that computes must have cases.
func TestRead(t *testing.T) {
	if _, err := read(t.TempDir(), wrong); err == nil {
		t.Error("a family without cases is read")
	}
}
