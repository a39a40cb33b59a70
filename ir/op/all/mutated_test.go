package all_test

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// mutations is the number of mutants of each case.
const mutations = 4

// TestMutatedCases changes the ranks, sizes, types, elements and attributes of the cases of all operators. A mutant does not
// compile, or does with little memory; what it computes then has the types and shapes that inference gave it.
func TestMutatedCases(t *testing.T) {
	cases, err := forward.Table("../../..")
	if err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	compiled, ran := 0, 0
	for _, c := range cases {
		if c.Op == "RoiAlign" || c.Op == "RoiAlignGrad" {
			continue // the elements of rois decide how long they run
		}
		text := fnv.New64a()
		io.WriteString(text, described(c))
		rng := rand.New(rand.NewPCG(1, text.Sum64())) // a new case changes no mutants of others
		for range mutations {
			m := mutant(rng, c)
			forms := m.Forms()
			form := forms[rng.IntN(len(forms))]
			ok, done, err := tried(m, form)
			if err != nil {
				t.Errorf("%s, %v: %v\n%s", c.Place, form, err, described(m))
			}
			if ok {
				compiled++
			}
			if done {
				ran++
			}
		}
	}
	if total := mutations * len(cases); compiled < total/10 || ran < total/20 {
		t.Errorf("%d of %d mutants compile, and %d run: too few to be a test", compiled, total, ran)
	}
}

// maxCompiled and maxRun limit the bytes that a mutant allocates: folded constants have at most 256 MiB.
const (
	maxCompiled = 1 << 30
	maxRun      = 1 << 26 // and operations of a node
)

// tried compiles and runs a mutant. The error is that of bbgen, and not of the mutant.
func tried(c *forward.Case, form forward.Form) (compiled, ran bool, err error) {
	stage := "compiling"
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panics: %v\n%s", stage, r, debug.Stack())
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, in := forward.Module(form, c)
	refused := pass.Run(m, pass.Pipeline, nil)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > maxCompiled {
		return false, false, fmt.Errorf("compiling allocates %d bytes", n)
	}
	if refused != nil {
		if s := refused.Error(); strings.Contains(s, "BUG") || strings.Contains(s, "runtime error") {
			return false, false, fmt.Errorf("is refused with %q", s)
		}
		return false, false, nil
	}
	stage = "running"
	work := 0
	m.Main.Body.Walk(func(n *ir.Node) {
		if w, known := op.Lookup(n).Work(n).Const(); known {
			work = max(work, w)
		}
	})
	if work > maxRun {
		return true, false, nil
	}
	left := maxRun
	out, failed := eval.RunWithin(m.Main, in, eval.Limits{Take: func(n int) error {
		if left -= n; left < 0 {
			return fmt.Errorf("too large")
		}
		return nil
	}})
	if failed != nil {
		return true, false, nil // its indices may be out of range
	}
	for i, v := range m.Main.Body.Results {
		if err := isOf(out[i], v.Type); err != nil {
			return true, true, fmt.Errorf("output %d is inferred as %v: %w", i, v.Type, err)
		}
	}
	return true, true, nil
}

// isOf returns an error if a value is not of a type.
func isOf(x tensor.Value, t ir.Type) error {
	switch x := x.(type) {
	case *tensor.Tensor:
		if t.Kind != ir.Tensor || x.DType != t.Elem {
			return fmt.Errorf("got a tensor of %v", x.DType)
		}
		if err := ir.CheckTensor(x); err != nil {
			return err
		}
		if t.Ranked && len(x.Shape) != len(t.Shape) {
			return fmt.Errorf("got shape %v", x.Shape)
		}
		for i, d := range t.Shape {
			if n, known := d.Eval(sized); known && n != x.Shape[i] {
				return fmt.Errorf("got shape %v", x.Shape)
			}
		}
	case *tensor.Sequence:
		if t.Kind != ir.Sequence {
			return fmt.Errorf("got a sequence")
		}
		for i, item := range x.Items {
			if err := isOf(item, *t.Of); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
		}
	case *tensor.Optional:
		if t.Kind != ir.Optional {
			return fmt.Errorf("got an optional")
		}
		if x.Value != nil {
			return isOf(x.Value, *t.Of)
		}
	}
	return nil
}

// sized returns the size of a symbol such as d3, which package forward gives to inputs of that size.
func sized(sym string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(sym, "d"))
	return n, err == nil
}

// mutant returns a changed copy of a case.
func mutant(rng *rand.Rand, c *forward.Case) *forward.Case {
	m := *c
	m.In, m.Attrs = slices.Clone(c.In), slices.Clone(c.Attrs)
	for range 1 + rng.IntN(2) {
		switch k := rng.IntN(10); {
		case k < 6 && len(m.In) > 0:
			i := rng.IntN(len(m.In))
			if x, ok := m.In[i].(*tensor.Tensor); ok {
				m.In[i] = mutantTensor(rng, x)
			} else if k == 0 {
				m.In[i] = nil
			}
		case k == 6 && len(m.In) > 0:
			m.In = m.In[:len(m.In)-1]
		case k == 7 && len(m.In) > 0:
			m.In = append(m.In, m.In[rng.IntN(len(m.In))])
		default:
			mutateAttr(rng, &m)
		}
	}
	return &m
}

// mutantTensor returns a tensor of another shape or type, or with other elements.
func mutantTensor(rng *rand.Rand, x *tensor.Tensor) *tensor.Tensor {
	shape, d := slices.Clone(x.Shape), x.DType
	switch rng.IntN(6) {
	case 0: // another size
		if len(shape) > 0 {
			shape[rng.IntN(len(shape))] = rng.IntN(5)
		}
	case 1: // a further axis
		shape = slices.Insert(shape, rng.IntN(len(shape)+1), 1+rng.IntN(2))
	case 2: // one less
		if len(shape) > 0 {
			shape = slices.Delete(shape, 0, 1)
		}
	case 3: // another type
		for d = 0; !d.Valid(); {
			d = tensor.DType(rng.IntN(30))
		}
	case 4: // no elements
		if len(shape) > 0 {
			shape[rng.IntN(len(shape))] = 0
		}
	}
	out := tensor.New(d, shape...)
	if to, from := reflect.ValueOf(out.Data), reflect.ValueOf(x.Data); d == x.DType && from.Len() > 0 {
		for i := range to.Len() {
			to.Index(i).Set(from.Index(i % from.Len()))
		}
		if rng.IntN(3) == 0 && to.Len() > 0 {
			setOdd(rng, to.Index(rng.IntN(to.Len())))
		}
	}
	return out
}

var (
	oddInts   = []int64{0, 1, -1, 2, -2, 3, 4, 7, 16, 1 << 20, 1 << 31, 1 << 40, math.MaxInt64, math.MinInt64, math.MinInt32}
	oddFloats = []float64{0, 1, -1, 0.5, -2, 1e-30, 1e30, math.Inf(1), math.Inf(-1), math.NaN()}
	oddTexts  = []string{"", "a", "a\x00b", "*/", "`", "\n//go:embed x", "\xff", "NOTSET", "constant", "linear", "SAME_UPPER", "VALID", "[0-9"}
)

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// setOdd sets an element to an unusual one of its type.
func setOdd(rng *rand.Rand, v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(pick(rng, oddInts))
	case v.CanUint():
		v.SetUint(uint64(pick(rng, oddInts)))
	case v.CanFloat():
		v.SetFloat(pick(rng, oddFloats))
	case v.Kind() == reflect.String:
		v.SetString(pick(rng, oddTexts))
	case v.Kind() == reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	}
}

// mutateAttr sets, removes or changes an attribute of the operator.
func mutateAttr(rng *rand.Rand, c *forward.Case) {
	o := op.Find(c.Domain, c.Op)
	if len(o.Attrs) == 0 {
		return
	}
	a := pick(rng, o.Attrs)
	old := c.Attrs.Lookup(a.Name)
	c.Attrs.Delete(a.Name)
	few := func() int { return rng.IntN(5) }
	switch kind := a.Kind; {
	case rng.IntN(6) == 0:
	case rng.IntN(20) == 0:
		c.Attrs.Set(a.Name, ir.TensorOf(tensor.Float32, ir.C(pick(rng, []int{-1, 0, 3}))))
	case kind == op.Int:
		c.Attrs.Set(a.Name, pick(rng, oddInts))
	case kind == op.Float:
		c.Attrs.Set(a.Name, pick(rng, oddFloats))
	case kind == op.String && a.Values != nil && rng.IntN(4) > 0:
		c.Attrs.Set(a.Name, pick(rng, a.Values))
	case kind == op.String:
		c.Attrs.Set(a.Name, pick(rng, oddTexts))
	case kind == op.Ints:
		list, ok := old.([]int64)
		if !ok || rng.IntN(3) == 0 {
			list = make([]int64, few())
		}
		if list = slices.Clone(list); len(list) > 0 {
			list[rng.IntN(len(list))] = pick(rng, oddInts)
		}
		c.Attrs.Set(a.Name, list)
	case kind == op.Floats:
		list := make([]float64, few())
		for i := range list {
			list[i] = pick(rng, oddFloats)
		}
		c.Attrs.Set(a.Name, list)
	case kind == op.Strings:
		list := make([]string, few())
		for i := range list {
			list[i] = pick(rng, oddTexts)
		}
		c.Attrs.Set(a.Name, list)
	case kind == op.Tensor:
		if x, ok := old.(*tensor.Tensor); ok {
			c.Attrs.Set(a.Name, mutantTensor(rng, x))
		}
	}
}

// described shows a mutant.
func described(c *forward.Case) string {
	s := fmt.Sprintf("%s@%d", c.Name(), c.Opset())
	for _, x := range c.In {
		if t, ok := x.(*tensor.Tensor); ok {
			s += fmt.Sprintf("\n  %v%v %.80v", t.DType, t.Shape, t.Data)
		} else {
			s += fmt.Sprintf("\n  %T", x)
		}
	}
	for _, a := range c.Attrs {
		s += fmt.Sprintf("\n  %s=%.80v", a.Name, a.Value)
	}
	return s
}
