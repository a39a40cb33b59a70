package linear

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MatMulT is [MatMul] with b given by the transposes of its matrices, a·bᵀ, or
// with transA 1 with a given by them, aᵀ·b.
var MatMulT = &op.Op{
	Name:    "MatMulT",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "transA", Kind: op.Int, Default: 0}},
	Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Infer:   inferMatMulT,
	Lower:   lowerMatMulT,
	Agree:   agreeTransposed,
	FLOPs:   matMulTWork,
	Stops:   op.StopAfterGradients,
}

// transposedShape returns a shape with its last two axes swapped.
func transposedShape(shape []ir.Dim) []ir.Dim {
	s, n := slices.Clone(shape), len(shape)
	if n > 1 {
		s[n-1], s[n-2] = s[n-2], s[n-1]
	}
	return s
}

// transposedOperands returns the shapes of the matrices that a MatMulT multiplies.
func transposedOperands(n *ir.Node) (a, b []ir.Dim) {
	a, b = op.Shape(n.In[op.A]), op.Shape(n.In[op.B])
	if n.Int("transA") != 0 {
		return transposedShape(a), b
	}
	return a, transposedShape(b)
}

func matMulTWork(n *ir.Node) ir.Dim {
	a, _ := transposedOperands(n)
	return ir.C(2).Mul(op.OutLen(n)).Mul(a[len(a)-1])
}

func inferMatMulT(c *op.Infer) error {
	a, err := c.Tensor(op.A)
	if err != nil {
		return err
	}
	if _, err := c.Tensor(op.B); err != nil {
		return err
	}
	if err := c.LikeInput0(op.B); err != nil {
		return err
	}
	shape, err := productShape(transposedOperands(c.Node))
	c.OutTensor(0, a.Elem, shape...)
	return err
}

func lowerMatMulT(l *op.Lowering) error {
	y, a, b := l.Out[0], l.In[op.A], l.In[op.B]
	as, bs := transposedOperands(l.Node)
	p := newProduct(as, bs)
	transA := l.Int("transA") != 0
	if y.Type.Elem == tensor.Float32 && ir.SameShape(p.as, p.bs) {
		kernel := "BatchMatMulT32"
		if transA {
			kernel = "BatchMatMulTA32"
		}
		l.Call(kernel, y, a, b, ir.Size(p.as), op.MatMulShape(p.m, p.k, p.n), p.m.Mul(p.k), p.k.Mul(p.n))
		return nil
	}
	if transA {
		a = lowerTransposed(l, a)
	} else {
		b = lowerTransposed(l, b)
	}
	l.Call("MatMul", y, a, b, p.shapeArg())
	return nil
}

// lowerTransposed returns x with its matrices transposed; a vector stays as it is.
func lowerTransposed(l *op.Lowering, x *ir.Value) *ir.Value {
	rank := len(op.Shape(x))
	if rank < 2 {
		return x
	}
	perm := op.AllAxes(rank)
	perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
	t := l.Scratch(x.Type.Elem, transposedShape(op.Shape(x))...)
	l.Call("Transpose", t, x, op.Shape(x), perm)
	return t
}

// agreeTransposed requires that both stacks of matrices, of which one is transposed, have the same inner size.
func agreeTransposed(n *ir.Node) []op.Agreement {
	as, bs := transposedOperands(n)
	return []op.Agreement{{What: columnsOf(n.In[op.A]), Got: as[len(as)-1], Want: bs[max(len(bs)-2, 0)]}}
}
