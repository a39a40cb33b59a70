package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// maxMerged is the largest number of elements of constants that are merged. Larger ones stay as they are: a node more takes less
// than copies of them, of which a file of a kilobyte could ask for any number.
const maxMerged = 1 << 22

// affineTwice merges two consecutive constants.
func affineTwice(f *fuser, n *ir.Node) *ir.Value {
	c1, v := constOperand(n)
	if v == nil {
		return nil
	}
	up, down := "Mul", "Div"
	if n.Is("Add") || n.Is("Sub") {
		up, down = "Add", "Sub"
	}
	d := f.sole(v, up, down)
	if d == nil {
		return nil
	}
	c2, x := constOperand(d)
	if x == nil {
		return nil
	}
	if c1.Const.Len() < c2.Const.Len() {
		c1, c2, n, d = c2, c1, d, n
	}
	if c2.Const.Len() != 1 && !ir.SameShape(c1.Type.Shape, c2.Type.Shape) || len(c2.Type.Shape) > len(c1.Type.Shape) || c1.Const.Len() > maxMerged {
		return nil
	}
	a, b := numbers(c1), numbers(c2)
	out := make([]float64, len(a))
	for i := range out {
		l, r := a[i], b[min(i, len(b)-1)]
		if up == "Add" {
			out[i] = signed(l, n.Is("Sub")) + signed(r, d.Is("Sub"))
		} else {
			out[i] = inverse(l, n.Is("Div")) * inverse(r, d.Is("Div"))
		}
		if !normal(out[i]) {
			return nil
		}
	}
	return f.b.Op(up, x, f.weights(c1, out))
}

// smallestNormal is a bound of the smallest float32 of full precision, 1.2e-38.
const smallestNormal = 1e-37

// normal reports whether a float32 holds x in full precision.
func normal(x float64) bool {
	m := math.Abs(x)
	return x == 0 || smallestNormal <= m && m <= math.MaxFloat32
}

// signed returns -x or x.
func signed(x float64, minus bool) float64 {
	if minus {
		return -x
	}
	return x
}

// inverse returns 1/x or x.
func inverse(x float64, over bool) float64 {
	if over {
		return 1 / x
	}
	return x
}

// constOperand splits the operands of n into a constant of floats and x. The constant is added to x,
// subtracted from it, multiplied with it, or divides it, or the reverse.
func constOperand(n *ir.Node) (c, x *ir.Value) {
	for i := range 2 {
		if i == 1 && (n.Is("Sub") || n.Is("Div")) {
			break
		}
		if hasNumbers(n.In[1-i]) && !n.In[i].IsConst() {
			return n.In[1-i], n.In[i]
		}
	}
	return nil, nil
}

// scaledInput multiplies the weights instead of the input.
func scaledInput(f *fuser, n *ir.Node) *ir.Value {
	d := f.sole(n.In[op.X], "Mul", "Div")
	w := n.In[inWeights]
	if d == nil || !hasNumbers(w) || f.uses[w] != 1 {
		return nil
	}
	v, x := constOperand(d)
	c, ok := scalar(v)
	if d.Is("Div") {
		c = 1 / c
	}
	if !ok || math.IsNaN(c) || math.IsInf(c, 0) || c == 0 || !ir.SameShape(x.Type.Shape, n.In[op.X].Type.Shape) {
		return nil
	}
	scaled := slices.Clone(numbers(w))
	for i, before := range scaled {
		if scaled[i] *= c; normal(before) && !normal(scaled[i]) {
			return nil
		}
	}
	in := slices.Clone(n.In)
	in[op.X], in[inWeights] = x, f.weights(w, scaled)
	if n.Domain != "" {
		return f.own(&ir.Node{Op: n.Op, Attrs: n.Attrs, In: in})
	}
	return f.b.OpA(n.Op, n.Attrs, in...)
}
