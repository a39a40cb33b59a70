package linear

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MatMul is numpy's matrix product: of the last two axes, over all others,
// which broadcast. A vector on the left is a row, on the right a column.
//
// https://onnx.ai/onnx/operators/onnx__MatMul.html
var MatMul = &op.Op{
	Name:    "MatMul",
	Since:   []int{1, 9, 13},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Infer:   inferMatMul,
	Grad:    matMulGrad,
	Lower:   lowerMatMul,
	Agree:   agreeProduct(0, 1),
	Widen:   true,
	FLOPs:   matMulWork,
}

func inferMatMul(c *op.Infer) error {
	a, err := c.Tensor(op.A)
	if err != nil {
		return err
	}
	b, err := c.Tensor(op.B)
	if err != nil {
		return err
	}
	if a.Elem != b.Elem {
		return fmt.Errorf("operands are %s and %s, want one type", a.Elem, b.Elem)
	}
	shape, err := productShape(a.Shape, b.Shape)
	c.OutTensor(0, a.Elem, shape...)
	return err
}

// productShape returns the shape of a matrix product.
func productShape(a, b []ir.Dim) ([]ir.Dim, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, fmt.Errorf("shapes %v and %v: want vectors or matrices", a, b)
	}
	p := newProduct(a, b)
	bk := b[max(len(b)-2, 0)]
	k, kok := p.k.Const()
	l, lok := bk.Const()
	if kok && lok && k != l {
		return nil, fmt.Errorf("shapes %v and %v do not multiply: %d columns, %d rows", a, b, k, l)
	}
	shape, err := op.Broadcast(p.as, p.bs)
	if err != nil {
		return nil, err
	}
	if len(a) > 1 {
		shape = append(shape, p.m)
	}
	if len(b) > 1 {
		shape = append(shape, p.n)
	}
	return shape, nil
}

// product is the sizes of a matrix product: matrices of m×k and k×n, and the
// axes before them.
type product struct {
	as, bs  []ir.Dim
	m, k, n ir.Dim
}

// newProduct reads the sizes off the operands' shapes, which have an axis or
// more.
func newProduct(a, b []ir.Dim) product {
	p := product{m: ir.C(1), k: a[len(a)-1], n: ir.C(1)}
	if _, ok := p.k.Const(); !ok {
		p.k = b[max(len(b)-2, 0)] // the two are equal when the model runs
	}
	if len(a) > 1 {
		p.as, p.m = a[:len(a)-2], a[len(a)-2]
	}
	if len(b) > 1 {
		p.bs, p.n = b[:len(b)-2], b[len(b)-1]
	}
	return p
}

// batch returns the shape of the axes before the matrices in the product.
func (p product) batch() []ir.Dim {
	shape, _ := op.Broadcast(p.as, p.bs) // inference has made sure
	return shape
}

// shapeArg returns the product as an argument of kernels.
func (p product) shapeArg() op.Struct {
	return op.Struct{Type: "MatMulBatch", Fields: []op.Field{
		{Name: "Batch", Value: p.batch()}, {Name: "A", Value: p.as}, {Name: "B", Value: p.bs}, {Name: "M", Value: p.m},
		{Name: "K", Value: p.k}, {Name: "N", Value: p.n},
	}}
}

func lowerMatMul(l *op.Lowering) error {
	y, a, b := l.Out[0], l.In[op.A], l.In[op.B]
	p := newProduct(op.Shape(a), op.Shape(b))
	rows := ir.Size(p.as).Mul(p.m)
	single := len(p.bs) == 0
	switch {
	case y.Type.Elem != tensor.Float32:
		l.Call("MatMul", y, a, b, p.shapeArg())
	case single && b.IsConst():
		packedProduct(l, packB(b, "PackB32", p.k, p.n), nil, nil, rows, p.k, p.n, op.Const("ActNone"))
	case single:
		l.Call("MatMul32", y, a, b, rows, p.k, p.n)
	case ir.SameShape(p.as, p.bs):
		l.Call("BatchMatMul32", y, a, b, ir.Size(p.as), op.MatMulShape(p.m, p.k, p.n), p.m.Mul(p.k), p.k.Mul(p.n))
	default:
		l.Call("MatMul", y, a, b, p.shapeArg())
	}
	return nil
}

// packedProduct appends the call for act(A·b + bias + residual), for rows of the node's first input and a constant b.
func packedProduct(l *op.Lowering, b op.Packed, bias, residual *ir.Value, rows, k, n ir.Dim, act any) {
	y, a := l.Out[0], l.In[op.A]
	switch {
	case l.StoredProduct(y, a, b, bias, residual, op.MatMulShape(rows, k, n), act):
	case residual == nil:
		l.Call("MatMulPacked32", y, a, b, bias, rows, k, n, act)
	default:
		l.Call("MatMulPackedAdd32", y, a, b, bias, residual, op.MatMulShape(rows, k, n), act)
	}
}

// packB returns a constant matrix of k×n in the layout of products.
func packB(b *ir.Value, packer string, k, n ir.Dim) op.Packed {
	dims, _ := ir.Static([]ir.Dim{k, n}) // a constant has constant sizes
	return op.Packed{Value: b, Packer: packer, Dims: dims}
}

// packer returns the packer of a matrix in float32, or of its transpose.
func packer(trans bool) string {
	if trans {
		return "PackB32T"
	}
	return "PackB32"
}

// dA = dY·Bᵀ, dB = Aᵀ·dY
func matMulGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, y := n.In[op.A], n.In[op.B]
	if len(op.Shape(x)) > 1 && len(op.Shape(y)) == 2 {
		return tallGrad(b, x, y, dy[0])
	}
	g, p, q := dy[0], x, y
	if len(op.Shape(x)) == 1 { // a row
		p, g = b.Op("Unsqueeze", x, b.Ints(0)), b.Op("Unsqueeze", g, b.Ints(max(len(op.Shape(y))-2, 0)))
	}
	if len(op.Shape(y)) == 1 { // a column
		q, g = b.Op("Unsqueeze", y, b.Ints(1)), b.Op("Unsqueeze", g, b.Ints(-1))
	}
	dp := op.Unbroadcast(b, b.Op("MatMul", g, op.SwapLast(b, q)), p)
	dq := op.Unbroadcast(b, b.Op("MatMul", op.SwapLast(b, p), g), q)
	return []*ir.Value{op.ReshapeLike(b, dp, x), op.ReshapeLike(b, dq, y)}
}

// tallGrad returns the gradient of a product with one matrix, treating all rows of x as those of one matrix.
func tallGrad(b *ir.Builder, x, w, dy *ir.Value) []*ir.Value {
	rows := func(v *ir.Value) *ir.Value {
		if len(op.Shape(v)) == 2 {
			return v
		}
		return b.OpA("Flatten", op.Attrs("axis", len(op.Shape(v))-1), v)
	}
	g := rows(dy)
	dx := b.OpA("Gemm", op.Attrs("transB", 1), g, w)
	dw := b.OpA("Gemm", op.Attrs("transA", 1), rows(x), g)
	return []*ir.Value{op.ReshapeLike(b, dx, x), dw}
}

// agreeProduct requires that the matrices at inputs a and b have the same inner size.
func agreeProduct(a, b int) func(n *ir.Node) []op.Agreement {
	return func(n *ir.Node) []op.Agreement {
		as, bs := op.Shape(n.In[a]), op.Shape(n.In[b])
		return []op.Agreement{{What: columnsOf(n.In[a]), Got: as[len(as)-1], Want: bs[max(len(bs)-2, 0)]}}
	}
}

func columnsOf(v *ir.Value) string { return fmt.Sprintf("the columns of %q", v.Name) }

// matMulWork multiplies and adds along the last axis of the left operand for
// each element of the result.
func matMulWork(n *ir.Node) ir.Dim {
	return productWork(n, op.A)
}
