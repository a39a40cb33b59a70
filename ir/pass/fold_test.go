package pass_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestFoldVariadic folds operators that take any number of inputs.
func TestFoldVariadic(t *testing.T) {
	for _, c := range []struct {
		call  string
		ints  []int64 // nil: the operator does not accept integers
		reals []float32
	}{
		{"Max(%a)", []int64{1, 5}, []float32{1, 5}},
		{"Max(%a, %b)", []int64{3, 5}, []float32{3, 5}},
		{"Max(%a, %b, %c)", []int64{4, 5}, []float32{4, 5}},
		{"Max(%b, %a, %b, %c)", []int64{4, 5}, []float32{4, 5}},
		{"Min(%a)", []int64{1, 5}, []float32{1, 5}},
		{"Min(%b, %c, %a)", []int64{1, 2}, []float32{1, 2}},
		{"Sum(%a)", nil, []float32{1, 5}},
		{"Sum(%a, %b, %c)", nil, []float32{8, 11}},
		{"Mean(%a)", nil, []float32{1, 5}},
		{"Mean(%a, %b, %c, %c)", nil, []float32{3, 3.75}},
	} {
		t.Run(c.call, func(t *testing.T) {
			if c.ints != nil {
				folds(t, "int64", c.call, tensor.Of(c.ints, 2))
			}
			folds(t, "float32", c.call, tensor.Of(c.reals, 2))
			folds(t, "float16", c.call, float16s(c.reals))
		})
	}
}

// folds tests that a call with constant operands becomes the constant want.
func folds(t *testing.T, elem, call string, want *tensor.Tensor) {
	t.Helper()
	m, err := ir.Parse("in.ir", `module "fold"
opset 21
func @main() -> (%y) {
  const %a: `+elem+`[2] = [1, 5]
  const %b: `+elem+`[2] = [3, 2]
  const %c: `+elem+`[1] = [4]
  %y = `+call+`
}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	if k := len(m.Main.Body.Nodes); k != 0 {
		t.Errorf("%s: %d nodes are left, want none:\n%s", elem, k, ir.Print(m))
	}
	got, err := eval.Run(m.Main, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := compare.Values(got[0], want, compare.Tolerance{}); err != nil {
		t.Errorf("%s: %v", elem, err)
	}
}

// What would take a terabyte or hours is left to the run: a small file must not keep the compiler busy.
func TestFoldLimits(t *testing.T) {
	var long strings.Builder
	for i := range 40 {
		fmt.Fprintf(&long, "  %%s%d = StringConcat(%%s%d, %%s%d)\n", i+1, i, i)
	}
	for name, c := range map[string]struct{ text, left string }{
		"strings that double": {`const %s0: string[1] = ["x"]
` + long.String() + "  %y = Identity(%s40)", "StringConcat"},
		"a large product of equal elements": {`const %one: float32[] = 1
  const %shape: int64[2] = [4096, 4096]
  %a = Expand(%one, %shape)
  %y = MatMul(%a, %a)`, "MatMul"},
	} {
		m, err := ir.Parse("in.ir", "module \"fold\"\nopset 21\nfunc @main() -> (%y) {\n  "+c.text+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		ctx := pass.NewContext(m, pass.Options{})
		if err := pass.Run(m, pass.Pipeline, ctx); err != nil {
			t.Fatal(err)
		}
		if left := count(m, c.left); left == 0 || left == 40 {
			t.Errorf("%s: %d nodes are left, want some", name, left)
		}
	}
}

// count returns how many nodes of an operator a module has.
func count(m *ir.Module, op string) (n int) {
	m.Main.Body.Walk(func(node *ir.Node) {
		if node.Is(op) {
			n++
		}
	})
	return n
}

// Two constants that are added are one, unless they are large: equal elements are short in a file, and the sums would not be.
func TestMergedConstants(t *testing.T) {
	for size, want := range map[int]int{1 << 22: 1, 1<<22 + 1: 2} {
		m, err := ir.Parse("in.ir", fmt.Sprintf(`module "fold"
opset 21
func @main(%%x: float32[%[1]d]) -> (%%y) {
  const %%one: float32[1] = [1]
  const %%two: float32[1] = [2]
  const %%shape: int64[1] = [%[1]d]
  %%a = Expand(%%one, %%shape)
  %%b = Expand(%%two, %%shape)
  %%c = Add(%%x, %%a)
  %%y = Add(%%c, %%b)
}`, size))
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, pass.Pipeline, pass.NewContext(m, pass.Options{})); err != nil {
			t.Fatal(err)
		}
		if got := count(m, "Add"); got != want {
			t.Errorf("%d elements: %d additions are left, want %d", size, got, want)
		}
	}
}

// What is gathered from small constants becomes one, unless it would increase those of the module by more than a sixteenth.
func TestFoldRoom(t *testing.T) {
	const places = 90000
	for weights, want := range map[int]int{32 * places: 0, 30 * places: 1} {
		m, err := ir.Parse("in.ir", fmt.Sprintf(`module "fold"
opset 21
func @main(%%x: float32[1, %[1]d]) -> (%%y, %%z) {
  const %%seed: float32[] = 2.5
  const %%shape: int64[2] = [%[1]d, 1]
  %%weights = Expand(%%seed, %%shape)
  %%y = MatMul(%%x, %%weights)
  const %%biases: float32[4] = [1, 2, 3, 4]
  const %%zero: int64[] = 0
  const %%one: int64[] = 1
  const %%four: int64[] = 4
  const %%places: int64[] = %[2]d
  %%row = Range(%%zero, %%places, %%one)
  %%place = Mod(%%row, %%four)
  %%z = Gather(%%biases, %%place)
}`, weights, places))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first time, the weights become a constant
			if err := pass.Run(m, pass.Pipeline, pass.NewContext(m, pass.Options{})); err != nil {
				t.Fatal(err)
			}
		}
		if got := count(m, "Gather"); got != want {
			t.Errorf("%d weights: %d nodes gather, want %d", weights, got, want)
		}
	}
}

// The limit for new constants follows from those of the module.
func TestFoldBytes(t *testing.T) {
	m, err := ir.Parse("in.ir", `module "fold"
opset 21
func @main(%x: float32[4]) -> (%y) {
  const %a: float32[4] = [1, 2, 3, 4]
  %b = Add(%x, %a)
  %y = Mul(%b, %a)
}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := pass.NewContext(m, pass.Options{}).FoldBytes; got != 1<<28+16*16 {
		t.Errorf("the limit is %d bytes, want %d", got, 1<<28+16*16)
	}
	if got := pass.NewContext(m, pass.Options{FoldBytes: 7}).FoldBytes; got != 7 {
		t.Errorf("the limit is %d bytes, want 7", got)
	}
}

func float16s(x []float32) *tensor.Tensor {
	t := tensor.New(tensor.Float16, len(x))
	for i, v := range x {
		t.SetItem(i, tensor.FromFloat(tensor.Float16, float64(v)))
	}
	return t
}
