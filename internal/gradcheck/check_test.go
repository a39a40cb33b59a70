package gradcheck

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestPlain(t *testing.T) {
	for name, want := range map[string]string{
		"Tanh":   "Tanh(x[2,3]) twice",
		"Sub":    "Sub(x[2,3], x[2,3]) twice",
		"MatMul": "MatMul has a gradient, but no case in testdata/gradients.txt",
	} {
		c, err := Plain(op.Find("", name))
		if err != nil {
			if err.Error() != want {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
			continue
		}
		if c.Line != want {
			t.Errorf("%s: got %s, want %s", name, c.Line, want)
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCheck has cases with every kind of operand, and the errors if gradient and differences disagree.
func TestCheck(t *testing.T) {
	wrong := &op.Op{
		Name: "Wrong", Domain: "ai.bbgen.test", Since: []int{1},
		Inputs: []op.Port{{Name: "X"}}, Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Infer: op.InferSame, Lower: op.Unary("Neg"),
		Grad: func(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value { return []*ir.Value{dy[0]} },
	}
	op.Register(op.All(), []*op.Op{wrong})
	for _, c := range []struct{ line, want string }{
		{"Clip(x[2,6], _, c[]=0.8)", ""},
		{"Gather(x[5,3], i32[3]=1,1,2) axis=1 symbolic", ""},
		{"Where(b[2]=1,0, x[2], pos[2]) twice", ""},
		{"Acosh(big[2,3])", ""},
		{"Acos(unit[2,3])", ""},
		{"Cast(x[2,3]) to=1 coarse", ""},
		{"Exp(single[2]) coarse", ""},
		{"MaxPool(x[1,1,4]) kernel_shape=[2] outputs=2 output=0", ""},
		{"ai.bbgen.test:Wrong(x[2])", "input 0: element 0 is "},
		{"MatMul(x[2,3], x[2,3])", "node \"n\" (MatMul)"},
		{"SequenceAt(x[2,3], i[]=0)", "sequence"},
	} {
		p, err := Parse(c.line)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Check()
		if err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.line, err, c.want)
		}
	}
}

func TestGraph(t *testing.T) {
	m, err := ir.Parse("m.ir", "module \"m\" opset 22\nfunc @main(%x: float64[2,3]) -> (%y) {\n  %s = Sin(%x)\n  %y = Mul(%s, %x)\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := Graph(m); err != nil {
		t.Error(err)
	}
}

// TestRead has lines that are not cases.
func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gradients.txt")
	for _, c := range []struct{ text, want string }{
		{"# A comment.\n\nAbs(x[2])\n", ""},
		{"Abs(x[2])\nAbs x\n", `gradients.txt:2: "Abs x" is no case`},
		{"Abs(x)\n", `gradients.txt:1: "x" is no operand`},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		cases, err := Read(file)
		if c.want == "" && (err != nil || len(cases) != 1) || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%q: got %d cases, %v, want %q", c.text, len(cases), err, c.want)
		}
	}
}

// TestAttributes has a value of each kind.
func TestAttributes(t *testing.T) {
	c, err := Parse("F(x[1]) a=1 b=0.5 c=word d=[1,2] e=[0.5,1.5] f=[p,q]")
	if err != nil {
		t.Fatal(err)
	}
	want := op.Attrs("a", 1, "b", 0.5, "c", "word", "d", []int64{1, 2}, "e", []float64{0.5, 1.5}, "f", []string{"p", "q"})
	for i, a := range want {
		if got := c.attrs[i]; got.Name != a.Name || !equal(got.Value, a.Value) {
			t.Errorf("got %v, want %v", got, a)
		}
	}
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case []int64:
		return slices.Equal(a, b.([]int64))
	case []float64:
		return slices.Equal(a, b.([]float64))
	case []string:
		return slices.Equal(a, b.([]string))
	}
	return a == b
}

// TestRandom: numbers have a distance from 0 and from each other, and are in the range of their kind.
func TestRandom(t *testing.T) {
	for kind, bounds := range map[string][2]float64{"x": {-1.7, 1.7}, "pos": {0.3, 1.7}, "unit": {-0.9, 0.9}, "big": {1.2, 2.6}} {
		x := tensor.Data[float64](operand{kind: kind, shape: []int{50}}.random(rand.New(rand.NewPCG(1, 2))))
		for i, v := range x {
			if v < bounds[0] || v > bounds[1] || v > -0.1 && v < 0.1 {
				t.Errorf("%s: element %d is %v, want %v", kind, i, v, bounds)
			}
		}
	}
}
