package grad_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// A case is one line of testdata:
//
//	Gather(x[5,3], i[2]=0,-1) axis=0 twice
//
// Operands that begin with x, pos, unit or big are float64 inputs that the
// gradient is taken of, all elements at a distance from each other and from 0:
// of any sign, positive, between -1 and 1, above 1. Others are constants: i of
// int64, i32, b of bools, c of float64, f of float32, q of uint8; _ is none. An
// x that is called single becomes float32 on its way in. Among the attributes
// are words that are the test's own: outputs=2, output=1 for that one alone,
// twice for the second derivative as well, symbolic for inputs with sizes that are
// symbols, and coarse for what rounds to float32.
type testCase struct {
	line                    string
	op, domain              string
	operands                []operand
	attrs                   ir.Attrs
	outputs, output         int // the latter is the only one, if it is not -1
	twice, symbolic, coarse bool
}

type operand struct {
	kind   string
	shape  []int
	values []float64
}

// cases are those of every file, in order.
func cases(t *testing.T) []testCase {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var out []testCase
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			c, err := parseCase(line)
			if err != nil {
				t.Fatalf("%s:%d: %v", f, i+1, err)
			}
			out = append(out, c)
		}
	}
	return out
}

var caseSyntax = regexp.MustCompile(`^(?:([\w.]+):)?(\w+)\((.*?)\)((?: [^ ()]+)*)$`)

func parseCase(line string) (testCase, error) {
	c := testCase{line: line, outputs: 1, output: -1}
	p := caseSyntax.FindStringSubmatch(line)
	if p == nil {
		return c, fmt.Errorf("%q is no case", line)
	}
	c.domain, c.op = p[1], p[2]
	for s := range strings.SplitSeq(p[3], ", ") {
		if s == "" {
			continue
		}
		o, err := parseOperand(s)
		if err != nil {
			return c, err
		}
		c.operands = append(c.operands, o)
	}
	for _, s := range strings.Fields(p[4]) {
		name, text, _ := strings.Cut(s, "=")
		switch name {
		case "twice":
			c.twice = true
		case "symbolic":
			c.symbolic = true
		case "coarse":
			c.coarse = true
		case "outputs":
			c.outputs, _ = strconv.Atoi(text)
		case "output":
			c.output, _ = strconv.Atoi(text)
		default:
			c.attrs.Set(name, attrOf(text))
		}
	}
	return c, nil
}

var operandSyntax = regexp.MustCompile(`^([a-z]+\d*)\[([\d,]*)\](?:=(.*))?$`)

func parseOperand(s string) (operand, error) {
	if s == "_" {
		return operand{}, nil
	}
	p := operandSyntax.FindStringSubmatch(s)
	if p == nil {
		return operand{}, fmt.Errorf("%q is no operand", s)
	}
	o := operand{kind: p[1], shape: []int{}}
	for _, f := range numbers(p[2]) {
		o.shape = append(o.shape, int(f))
	}
	o.values = numbers(p[3])
	return o, nil
}

func numbers(s string) []float64 {
	var out []float64
	for f := range strings.SplitSeq(s, ",") {
		if v, err := strconv.ParseFloat(f, 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// attrOf is 1, 0.5, [1,2], [0.5,1.5], [a,b] or a word as an attribute's value.
func attrOf(s string) any {
	if list, ok := strings.CutPrefix(s, "["); ok {
		var ints []int64
		var floats []float64
		var words []string
		for _, f := range strings.Split(strings.TrimSuffix(list, "]"), ",") {
			switch v := attrOf(f).(type) {
			case int64:
				ints = append(ints, v)
			case float64:
				floats = append(floats, v)
			case string:
				words = append(words, v)
			}
		}
		switch {
		case floats != nil:
			return floats
		case words != nil:
			return words
		}
		return ints
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	return s
}

// module is the case as a program, without results: its node, whose inputs the
// gradient is taken of, and their values.
func (c *testCase) module() (b *ir.Builder, n *ir.Node, in []tensor.Value) {
	m := &ir.Module{Name: c.op, File: c.line, Opsets: map[string]int{"": 28}, Main: &ir.Func{Name: "main", Body: &ir.Region{}}}
	b = &ir.Builder{Module: m, Infer: op.Inferrer{}}
	r := rand.New(rand.NewPCG(1, 2))
	n = &ir.Node{Op: c.op, Domain: c.domain, Name: "n", Attrs: c.attrs}
	for i, o := range c.operands {
		name := fmt.Sprintf("in%d", i)
		switch {
		case o.kind == "":
			n.In = append(n.In, nil)
		case !o.input():
			n.In = append(n.In, ir.NewConst(name, o.constant()))
		default:
			t := o.random(r)
			v := &ir.Value{Name: name, Type: ir.TensorOf(tensor.Float64, c.dims(o.shape)...)}
			m.Main.Body.Params = append(m.Main.Body.Params, v)
			in = append(in, t)
			if o.kind == "single" {
				v = op.Cast(b, v, tensor.Float32)
			}
			n.In = append(n.In, v)
		}
	}
	for i := range c.outputs {
		if n.Out = append(n.Out, nil); c.output < 0 || i == c.output {
			n.Out[i] = &ir.Value{Name: fmt.Sprintf("out%d", i), Def: n}
		}
	}
	b.Add(n)
	return b, n, in
}

// dims are the sizes of an input; where they are symbols, equal sizes have
// equal ones.
func (c *testCase) dims(shape []int) []ir.Dim {
	out := ir.Cs(shape...)
	for i, n := range shape {
		if c.symbolic {
			out[i] = ir.Sym(fmt.Sprintf("d%d", n))
		}
	}
	return out
}

func (o operand) input() bool {
	return slices.Contains([]string{"x", "pos", "unit", "big", "single"}, o.kind)
}

// random is float64 data that keeps away from 0, and elements from each other.
func (o operand) random(r *rand.Rand) *tensor.Tensor {
	t := tensor.New(tensor.Float64, o.shape...)
	d := tensor.Data[float64](t)
	if o.values != nil {
		copy(d, o.values)
		return t
	}
	lo, hi, signed := 0.3, 1.7, true
	switch o.kind {
	case "pos":
		signed = false
	case "unit":
		lo, hi = 0.1, 0.9
	case "big":
		lo, hi, signed = 1.2, 2.6, false
	}
	for i, k := range r.Perm(len(d)) {
		d[i] = lo + (hi-lo)*(float64(k)+0.25+r.Float64()/2)/float64(len(d))
		if signed && r.IntN(2) == 0 {
			d[i] = -d[i]
		}
	}
	return t
}

func (o operand) constant() *tensor.Tensor {
	types := map[string]tensor.DType{"i": tensor.Int64, "i32": tensor.Int32, "b": tensor.Bool, "c": tensor.Float64, "f": tensor.Float32, "q": tensor.Uint8}
	t := tensor.New(types[o.kind], o.shape...)
	for i := range t.Len() {
		v := o.values[min(i, len(o.values)-1)]
		switch d := t.Data.(type) {
		case []int64:
			d[i] = int64(v)
		case []int32:
			d[i] = int32(v)
		case []bool:
			d[i] = v != 0
		case []uint8:
			d[i] = uint8(v)
		case []float64:
			d[i] = v
		case []float32:
			d[i] = float32(v)
		}
	}
	return t
}
