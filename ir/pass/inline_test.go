package pass_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// called is a random program of functions of whole numbers. Each step is a sum, or a call of a later function.
type called struct {
	params  int
	steps   []calledStep
	results []int // values: parameters first, then what the steps define
}

type calledStep struct {
	callee int   // -1 for a sum
	in     []int // -1 for an omitted input
	out    int   // the number of outputs that are defined
	omit   int   // an output that is not read, or -1
}

func drawCalled(rng *rand.Rand, funcs int) []called {
	list := make([]called, funcs)
	for i := funcs - 1; i >= 0; i-- {
		f := called{params: rng.IntN(4)}
		values := f.params
		for range rng.IntN(5) {
			s := calledStep{callee: -1, out: 1, omit: -1}
			want := 2
			if i+1 < funcs && rng.IntN(2) == 0 {
				s.callee = i + 1 + rng.IntN(funcs-i-1)
				want = rng.IntN(list[s.callee].params + 1)
				s.out = rng.IntN(len(list[s.callee].results) + 1)
				if s.out > 1 && rng.IntN(4) == 0 {
					s.omit = rng.IntN(s.out)
				}
			}
			for range want {
				s.in = append(s.in, rng.IntN(values+1)-1)
			}
			f.steps = append(f.steps, s)
			values += s.out
		}
		for range rng.IntN(4) {
			if values > 0 {
				f.results = append(f.results, rng.IntN(values))
			}
		}
		list[i] = f
	}
	return list
}

// run computes a call as the program says: an omitted input is 0, and so is what depends on an omitted output.
func run(list []called, f int, in []int) []int {
	values := append(slices.Clone(in), make([]int, list[f].params-len(in))...)
	at := func(i int) int {
		if i < 0 {
			return 0
		}
		return values[i]
	}
	for _, s := range list[f].steps {
		var args []int
		for _, i := range s.in {
			args = append(args, at(i))
		}
		if s.callee < 0 {
			values = append(values, 3*args[0]+args[1]+1)
			continue
		}
		out := run(list, s.callee, args)[:s.out]
		if s.omit >= 0 {
			out[s.omit] = 0
		}
		values = append(values, out...)
	}
	var out []int
	for _, i := range list[f].results {
		out = append(out, values[i])
	}
	return out
}

// text writes the program. An omitted output has no name, so that a reader of it omits its input.
func calledText(list []called) string {
	var b strings.Builder
	b.WriteString("module \"m\"\n")
	for i, f := range list {
		var names []string
		for k := range f.params {
			names = append(names, fmt.Sprintf("%%p%d", k))
		}
		params, nodes := strings.Join(names, ", "), ""
		arg := func(k int) string {
			if k < 0 {
				return "_"
			}
			return names[k]
		}
		for k, s := range f.steps {
			var in, out []string
			for _, x := range s.in {
				in = append(in, arg(x))
			}
			for o := range s.out {
				name := fmt.Sprintf("%%v%d_%d", k, o)
				if o == s.omit {
					name = "_"
				}
				names, out = append(names, name), append(out, name)
			}
			op := "sum"
			if s.callee >= 0 {
				op = fmt.Sprintf("call d:F%d", s.callee)
			}
			if nodes += "  "; len(out) > 0 {
				nodes += strings.Join(out, ", ") + " = "
			}
			nodes += fmt.Sprintf("%s(%s) name \"n%d\"\n", op, strings.Join(in, ", "), k)
		}
		var results []string
		for k, x := range f.results {
			if names[x] != "_" {
				results = append(results, names[x])
				continue
			}
			nodes += fmt.Sprintf("  %%zero%d = zero()\n", k) // a result must have a name
			results = append(results, fmt.Sprintf("%%zero%d", k))
		}
		name := fmt.Sprintf("@d:F%d", i)
		if i == 0 {
			name = "@main"
		}
		fmt.Fprintf(&b, "func %s(%s) -> (%s) {\n%s}\n", name, params, strings.Join(results, ", "), nodes)
	}
	return b.String()
}

// runInlined computes the nodes of the main function, which has no calls.
func runInlined(t *testing.T, m *ir.Module, in []int) (out []int) {
	t.Helper()
	values := map[*ir.Value]int{nil: 0}
	for i, p := range m.Main.Body.Params {
		values[p] = in[i]
	}
	for _, n := range m.Main.Body.Nodes {
		for _, v := range n.In {
			if _, ok := values[v]; !ok {
				t.Fatalf("%s reads %q, which nothing has defined", n, v.Name)
			}
		}
		var y int
		switch n.Op {
		case "sum":
			y = 3*values[n.In[0]] + values[n.In[1]] + 1
		case "Identity":
			y = values[n.In[0]]
		case "zero":
		default:
			t.Fatalf("%s is left", n)
		}
		if v := n.Out[0]; v != nil {
			values[v] = y
		}
	}
	for _, v := range m.Main.Body.Results {
		out = append(out, values[v])
	}
	return out
}

// TestInlineMeaning inlines random programs, whose results are those of calling the functions.
func TestInlineMeaning(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		list := drawCalled(rng, 1+rng.IntN(6))
		text := calledText(list)
		m, err := ir.Parse("m.ir", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := pass.Run(m, []*pass.Pass{pass.Inline}, nil); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		in := []int{rng.IntN(100), rng.IntN(100), rng.IntN(100)}[:list[0].params]
		if got, want := runInlined(t, m, in), run(list, 0, in); !slices.Equal(got, want) {
			t.Fatalf("of %d: got %d, want %d\n%s\ninlined:\n%s", in, got, want, text, ir.Print(m))
		}
		if t.Failed() {
			t.Fatal(text)
		}
	}
}

// TestInlineRefused shows the errors for functions that cannot be inlined, which name the function.
func TestInlineRefused(t *testing.T) {
	functions := func(n int, calls func(i int) string) string {
		var b strings.Builder
		b.WriteString("module \"m\"\nfile \"m.onnx\"\nfunc @main() -> () {\n  call d:F0()\n}\n")
		for i := range n {
			fmt.Fprintf(&b, "func @d:F%d() -> () {\n%s}\n", i, calls(i))
		}
		return b.String()
	}
	next := func(n int) func(i int) string {
		return func(i int) string { return strings.Repeat(fmt.Sprintf("  call d:F%d()\n", i+1), n) }
	}
	last := "func @d:F%d() -> () {\n  f()\n}\n"
	for _, tt := range []struct{ text, want string }{
		{functions(1, func(int) string { return "  call d:F0()\n" }), `m.onnx: function "d:F0" calls itself`},
		{functions(2, func(i int) string { return fmt.Sprintf("  call d:F%d()\n", 1-i) }), `m.onnx: function "d:F1" calls itself`},
		{functions(1000, next(1)) + fmt.Sprintf(last, 1000), `m.onnx: calls of functions and graphs are nested deeper than 100, with those of function "d:F900"`},
		{functions(40, next(2)) + fmt.Sprintf(last, 40), `m.onnx: calls of functions stand for more than 4194304 nodes, with those of function "d:F20"`},
		{functions(3, next(1)) + fmt.Sprintf(last, 3), ""},
		{"module \"m\"\nfile \"m.onnx\"\nfunc @main(%x) -> () {\n  call d:F(%x) name \"c\"\n}\nfunc @d:F() -> () {}\n", `m.onnx: node "c" (d:F): has 1 inputs and 0 outputs, want at most 0 and 0`},
		{"module \"m\"\nfile \"m.onnx\"\nfunc @main() -> () {\n  call d:G() name \"c\"\n}\n", `m.onnx: node "c" (d:G): no such function in the module`},
	} {
		m, err := ir.Parse("m.ir", tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Inline.Apply(m); err == nil && tt.want != "" || err != nil && err.Error() != tt.want {
			t.Errorf("%.200s\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// TestInlineLarge inlines many calls of a function of many outputs, and many functions.
func TestInlineLarge(t *testing.T) {
	const n = 20_000
	var b, names, results strings.Builder
	for i := range n {
		fmt.Fprintf(&names, "%%y%d, ", i)
		fmt.Fprintf(&results, "%%r%d, ", i)
	}
	out := strings.TrimSuffix(names.String(), ", ")
	fmt.Fprintf(&b, "module \"m\"\nfunc @main(%%x) -> (%s) {\n  %s = call d:F(%%x)\n", out, out)
	for i := range n {
		fmt.Fprintf(&b, "  call d:E%d()\n", i)
	}
	fmt.Fprintf(&b, "}\nfunc @d:F(%%p) -> (%s) {\n", results.String())
	for i := range n {
		fmt.Fprintf(&b, "  %%r%d = sum(%%p, %%p)\n", i)
	}
	b.WriteString("}\n")
	for i := range n {
		fmt.Fprintf(&b, "func @d:E%d() -> () {}\n", i)
	}
	m, err := ir.Parse("m.ir", b.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, []*pass.Pass{pass.Inline}, nil); err != nil {
		t.Fatal(err)
	}
	if got := len(m.Main.Body.Nodes); got != n {
		t.Errorf("got %d nodes, want %d", got, n)
	}
	for i, v := range m.Main.Body.Results {
		if v.Def != m.Main.Body.Nodes[i] || v.Name != fmt.Sprintf("y%d", i) {
			t.Fatalf("result %d is %q of %s", i, v.Name, v.Def)
		}
	}
}
