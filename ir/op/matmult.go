package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MatMulT is [MatMul] with b given by the transposes of its matrices: a·bᵀ.
var MatMulT = &Op{
	Name:   "MatMulT",
	Domain: Own,
	Since:  []int{1},
	In:     Two,
	Out:    One,
	Infer:  inferMatMulT,
	Lower:  lowerMatMulT,
	FLOPs:  matMulWork,
	Stops:  afterGradients,
}

// turned is a shape with its last two axes swapped.
func turned(shape []ir.Dim) []ir.Dim {
	s, n := slices.Clone(shape), len(shape)
	if n > 1 {
		s[n-1], s[n-2] = s[n-2], s[n-1]
	}
	return s
}

func inferMatMulT(c *Infer) error {
	a, err := c.Tensor(0)
	if err != nil {
		return err
	}
	b, err := c.Tensor(1)
	if err != nil {
		return err
	}
	if err := likeInput0(c, 1); err != nil {
		return err
	}
	shape, err := productShape(a.Shape, turned(b.Shape))
	c.OutTensor(0, a.Elem, shape...)
	return err
}

func lowerMatMulT(l *Lowering) error {
	y, a, b := l.Out[0], l.In[0], l.In[1]
	p := newProduct(Shape(a), turned(Shape(b)))
	if y.Type.Elem == tensor.Float32 && ir.SameShape(p.as, p.bs) {
		l.Call("BatchMatMulT32", y, a, b, ir.Size(p.as), p.m, p.k, p.n, p.m.Mul(p.k), p.k.Mul(p.n))
		return nil
	}
	t := b
	if rank := len(Shape(b)); rank > 1 {
		perm := allAxes(rank)
		perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
		t = l.Scratch(b.Type.Elem, turned(Shape(b))...)
		l.Call("Transpose", t, b, Shape(b), perm)
	}
	l.Call("MatMul", y, a, t, p.batch(), p.as, p.bs, p.m, p.k, p.n)
	return nil
}
