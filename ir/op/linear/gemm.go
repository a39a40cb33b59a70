package linear

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Gemm].
const (
	gemmA = iota
	gemmB
	gemmC
)

// Gemm is alpha·A·B + beta·C, where A and B may be given by their transposes.
//
// https://onnx.ai/onnx/operators/onnx__Gemm.html
var Gemm = &op.Op{
	Name:  "Gemm",
	Since: []int{1, 6, 7, 9, 11, 13},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 1.0},
		{Name: "beta", Kind: op.Float, Default: 1.0},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
		{Name: "transA", Kind: op.Int, Default: 0},
		{Name: "transB", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		gemmA: {Name: "A", Types: elem.Numbers},
		gemmB: {Name: "B", Like: "A"},
		gemmC: {Name: "C", Like: "A", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Infer:   inferGemm,
	Upgrade: upgradeGemm,
	Grad:    gemmGrad,
	Lower:   lowerGemm,
	Agree:   agreeGemm,
	Widen:   true,
	FLOPs:   gemmWork,
}

// upgradeGemm drops the attribute that once allowed C to broadcast.
func upgradeGemm(b *ir.Builder, n *ir.Node) error {
	n.Attrs.Delete("broadcast")
	return nil
}

func inferGemm(c *op.Infer) error {
	a, err := c.Rank(gemmA, 2)
	if err != nil {
		return err
	}
	b, err := c.Rank(gemmB, 2)
	if err != nil {
		return err
	}
	if a.Elem != b.Elem {
		return fmt.Errorf("operand A is %s, operand B is %s, want one type", a.Elem, b.Elem)
	}
	m, k, n := gemmSizes(c.Node)
	bk := b.Shape[0]
	if c.Int("transB") != 0 {
		bk = b.Shape[1]
	}
	x, xok := k.Const()
	y, yok := bk.Const()
	if xok && yok && x != y {
		return fmt.Errorf("operand A has %d columns, operand B has %d rows", x, y)
	}
	if c.Arg(gemmC) != nil {
		bias, err := c.Tensor(gemmC)
		if err != nil {
			return err
		}
		if bias.Elem != a.Elem {
			return fmt.Errorf("operand C is %s, want %s like operand A", bias.Elem, a.Elem)
		}
		if err := c.BroadcastsInto(gemmC, []ir.Dim{m, n}); err != nil {
			return err
		}
	}
	c.OutTensor(0, a.Elem, m, n)
	return nil
}

// gemmSizes returns the sizes of a product. The inner one is an axis of both operands,
// and may be known of one only.
func gemmSizes(n *ir.Node) (rows, inner, cols ir.Dim) {
	a, b := op.Shape(n.In[gemmA]), op.Shape(n.In[gemmB])
	rows, inner = a[0], a[1]
	if n.Int("transA") != 0 {
		rows, inner = inner, rows
	}
	depth, cols := b[0], b[1]
	if n.Int("transB") != 0 {
		depth, cols = cols, depth
	}
	if _, ok := inner.Const(); !ok {
		inner = depth
	}
	return rows, inner, cols
}

func lowerGemm(l *op.Lowering) error {
	y, a, b, c := l.Out[0], l.In[gemmA], l.In[gemmB], l.Arg(gemmC)
	m, k, n := gemmSizes(l.Node)
	alpha, beta := l.Float("alpha"), l.Float("beta")
	transA, transB := l.Int("transA") != 0, l.Int("transB") != 0
	if y.Type.Elem == tensor.Float32 && b.IsConst() && !transA && alpha == 1 && (c == nil || beta == 1) {
		w := packB(b, packer(transB), k, n)
		switch {
		case c == nil || isRow(op.Shape(c), n):
			packedProduct(l, w, c, nil, m, k, n, op.Const("ActNone"))
			return nil
		case ir.SameShape(op.Shape(c), op.Shape(y)):
			packedProduct(l, w, nil, c, m, k, n, op.Const("ActNone"))
			return nil
		}
	}
	var cs []ir.Dim
	if c != nil {
		cs = op.Shape(c)
	}
	l.Call("Gemm", y, a, b, c, op.Struct{Type: "GemmShape", Fields: []op.Field{
		{Name: "M", Value: m}, {Name: "K", Value: k}, {Name: "N", Value: n}, {Name: "TransA", Value: transA},
		{Name: "TransB", Value: transB}, {Name: "Alpha", Value: alpha}, {Name: "Beta", Value: beta},
	}}, cs)
	return nil
}

// isRow reports whether a shape is that of one row of n elements.
func isRow(s []ir.Dim, n ir.Dim) bool {
	return len(s) > 0 && s[len(s)-1].Equal(n) && ir.Size(s[:len(s)-1]).Is(1)
}

// dA = alpha·dY·Bᵀ, dB = alpha·Aᵀ·dY, dC = beta·dY, transposed as the operands are
func gemmGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, y, c := n.In[gemmA], n.In[gemmB], n.Arg(gemmC)
	transA, transB := n.Int("transA") != 0, n.Int("transB") != 0
	gemm := func(p, q *ir.Value, transP, transQ bool) *ir.Value {
		return b.OpA("Gemm", op.Attrs("alpha", n.Float("alpha"), "transA", transP, "transB", transQ), p, q)
	}
	var dx, dz, dc *ir.Value
	if transA {
		dx = gemm(y, dy[0], transB, true)
	} else {
		dx = gemm(dy[0], y, false, !transB)
	}
	if transB {
		dz = gemm(dy[0], x, true, transA)
	} else {
		dz = gemm(x, dy[0], !transA, false)
	}
	if c == nil {
		return []*ir.Value{dx, dz}
	}
	dc = op.Unbroadcast(b, dy[0], c)
	if beta := n.Float("beta"); beta != 1 {
		dc = b.Op("Mul", dc, op.ScalarLike(b, c, beta))
	}
	return []*ir.Value{dx, dz, dc}
}

// agreeGemm requires that both matrices have the same inner size, after attributes have transposed them.
func agreeGemm(n *ir.Node) []op.Agreement {
	as, bs := op.Shape(n.In[gemmA]), op.Shape(n.In[gemmB])
	got, want := as[len(as)-1], bs[0]
	if n.Int("transA") != 0 {
		got = as[len(as)-2]
	}
	if n.Int("transB") != 0 {
		want = bs[1]
	}
	return []op.Agreement{{What: columnsOf(n.In[gemmA]), Got: got, Want: want}}
}

func gemmWork(n *ir.Node) ir.Dim {
	a := op.Shape(n.In[gemmA])
	return ir.C(2).Mul(op.OutLen(n)).Mul(a[1-min(n.Int("transA")&1, 1)])
}
