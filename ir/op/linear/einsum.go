package linear

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Einsum is a sum of products in Einstein's notation: "bij,bjk->bik".
//
// https://onnx.ai/onnx/operators/onnx__Einsum.html
var Einsum = &op.Op{
	Name:    "Einsum",
	Since:   []int{12, 28},
	Attrs:   []op.Attr{{Name: "equation", Kind: op.String, Required: true}},
	Inputs:  []op.Port{{Name: "Inputs", Types: elem.Numbers, Variadic: true, Min: 1}},
	Outputs: []op.Port{{Name: "Output", Like: "Inputs"}},
	Infer:   inferEinsum,
	Expand:  expandEinsum,
}

// equation is an Einsum with its ellipses expanded: their axes have labels from 1 on, counted from the last
// one.
type equation struct {
	in   [][]rune
	out  []rune
	size map[rune]ir.Dim
}

func inferEinsum(c *op.Infer) error {
	var types []ir.Type
	for i := range c.In {
		t, err := c.Tensor(i)
		if err != nil {
			return err
		}
		if t.Elem != c.Type(op.X).Elem {
			return fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, t.Elem, c.Type(op.X).Elem, c.In[op.X].Name)
		}
		types = append(types, t)
	}
	eq, err := parseEquation(c.Str("equation"), types)
	if err != nil {
		return err
	}
	shape := make([]ir.Dim, len(eq.out))
	for i, l := range eq.out {
		shape[i] = eq.size[l]
	}
	c.OutTensor(0, types[0].Elem, shape...)
	return nil
}

func parseEquation(text string, types []ir.Type) (*equation, error) {
	text = strings.ReplaceAll(text, " ", "")
	left, right, explicit := strings.Cut(text, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(types) {
		return nil, fmt.Errorf("equation %q has %d operands, want %d", text, len(terms), len(types))
	}
	eq := &equation{size: map[rune]ir.Dim{}}
	hidden := 0
	for i, term := range terms {
		labels, n, err := spell(term, len(types[i].Shape))
		if err != nil {
			return nil, fmt.Errorf("equation %q: %w", text, err)
		}
		hidden = max(hidden, n)
		if len(labels) != len(types[i].Shape) {
			return nil, fmt.Errorf("equation %q: term %q does not fit rank %d", text, term, len(types[i].Shape))
		}
		for k, d := range types[i].Shape {
			if err := eq.meet(labels[k], d); err != nil {
				return nil, fmt.Errorf("equation %q: %w", text, err)
			}
			if first := slices.Index(labels, labels[k]); !d.Equal(types[i].Shape[first]) { // its diagonal is read
				return nil, fmt.Errorf("equation %q: term %q has axes %s and %s long for one letter", text, term, types[i].Shape[first], d)
			}
		}
		eq.in = append(eq.in, labels)
	}
	if !explicit {
		eq.out = eq.implicit(hidden)
		return eq, nil
	}
	return eq, eq.result(text, right, hidden)
}

// spell returns the labels of a term, and the number n of axes in its ellipsis.
func spell(term string, rank int) (labels []rune, n int, err error) {
	before, after, dots := strings.Cut(term, "...")
	for _, r := range before + after {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return nil, 0, fmt.Errorf("term %q has a %q", term, r)
		}
	}
	if dots {
		n = rank - len(before) - len(after)
	}
	labels = []rune(before)
	for k := n; k > 0; k-- {
		labels = append(labels, rune(k))
	}
	return append(labels, []rune(after)...), n, nil
}

// meet records that an axis with label l has size d.
func (eq *equation) meet(l rune, d ir.Dim) error {
	old, ok := eq.size[l]
	if !ok {
		old = ir.C(1)
	}
	s, err := op.Broadcast([]ir.Dim{old}, []ir.Dim{d})
	if err != nil {
		return fmt.Errorf("an axis is %s and %s long", old, d)
	}
	eq.size[l] = s[0]
	return nil
}

// implicit returns the labels of the result if none are given: those of the ellipsis, and those that occur
// once, in order.
func (eq *equation) implicit(hidden int) []rune {
	var out, all []rune
	for k := hidden; k > 0; k-- {
		out = append(out, rune(k))
	}
	for _, labels := range eq.in {
		all = append(all, labels...)
	}
	slices.Sort(all)
	for i, l := range all {
		if l >= 'A' && (i == 0 || all[i-1] != l) && (i+1 == len(all) || all[i+1] != l) {
			out = append(out, l)
		}
	}
	return out
}

// result reads the labels of the result.
func (eq *equation) result(text, right string, hidden int) error {
	rank := len(right) - len("...") + hidden
	out, _, err := spell(right, rank)
	if err != nil {
		return fmt.Errorf("equation %q: %w", text, err)
	}
	for i, l := range out {
		if _, ok := eq.size[l]; !ok || slices.Contains(out[:i], l) {
			return fmt.Errorf("equation %q: the result has %q, want each label once, and only those on the left", text, right)
		}
	}
	eq.out = out
	return nil
}
