package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Agreement is two sizes that a node needs to be equal. Inference refuses those
// that cannot be; where symbols leave it open, the run tells.
type Agreement struct {
	What       string // the columns of "x"
	Got, Want  ir.Dim
	Broadcasts bool // Got may be 1 as well
}

// agreements are those of a node that are not known to hold.
func (o *Op) agreements(n *ir.Node) ([]Agreement, error) {
	all, err := o.inferred(n)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Agree != nil:
		all = append(all, o.Agree(n)...)
	case o.Alias && isTensor(n.Arg(0)) && isTensor(n.Res(0)):
		all = append(all, Agreement{What: elementsOf(n.In[0]), Got: Len(n.In[0]), Want: Len(n.Out[0])})
	}
	return slices.DeleteFunc(all, Agreement.known), nil
}

// known reports whether inference has seen to it that the sizes are equal.
func (a Agreement) known() bool {
	_, got := a.Got.Const()
	_, want := a.Want.Const()
	return got && want || a.Got.Equal(a.Want) || a.Broadcasts && a.Got.Is(1)
}

func isTensor(v *ir.Value) bool { return v != nil && v.Type.Kind == ir.Tensor && v.Type.Known() }

func elementsOf(v *ir.Value) string { return fmt.Sprintf("the elements of %q", v.Name) }

// agreeProduct: the matrices at inputs a and b have an inner size in common.
func agreeProduct(a, b int) func(n *ir.Node) []Agreement {
	return func(n *ir.Node) []Agreement {
		as, bs := Shape(n.In[a]), Shape(n.In[b])
		return []Agreement{{What: columnsOf(n.In[a]), Got: as[len(as)-1], Want: bs[max(len(bs)-2, 0)]}}
	}
}

// agreeGemm does the same for matrices that are transposed by attributes.
func agreeGemm(n *ir.Node) []Agreement {
	as, bs := Shape(n.In[0]), Shape(n.In[1])
	got, want := as[len(as)-1], bs[0]
	if n.Int("transA") != 0 {
		got = as[len(as)-2]
	}
	if n.Int("transB") != 0 {
		want = bs[1]
	}
	return []Agreement{{What: columnsOf(n.In[0]), Got: got, Want: want}}
}

// agreeTransposed does the same for stacks of matrices of which one is transposed.
func agreeTransposed(n *ir.Node) []Agreement {
	as, bs := transposedOperands(n)
	return []Agreement{{What: columnsOf(n.In[0]), Got: as[len(as)-1], Want: bs[max(len(bs)-2, 0)]}}
}

func columnsOf(v *ir.Value) string { return fmt.Sprintf("the columns of %q", v.Name) }

// agreeConv: the images at input x have the channels that the filters at input w
// take.
func agreeConv(x, w int) func(n *ir.Node) []Agreement {
	return func(n *ir.Node) []Agreement {
		groups := ir.C(n.Int("group"))
		filters := Shape(n.In[w])[0]
		return []Agreement{
			{What: channelsOf(n.In[x]), Got: Shape(n.In[x])[1], Want: filterChannels(n, w)},
			{What: fmt.Sprintf("the filters of %q", n.In[w].Name), Got: filters, Want: filters.Div(groups).Mul(groups)},
		}
	}
}

// agreeConvLast does the same where the channels are the last axis.
func agreeConvLast(n *ir.Node) []Agreement {
	return []Agreement{{What: channelsOf(n.In[0]), Got: lastImages(n)[1], Want: filterChannels(n, 1)}}
}

// agreeConvTranspose: of these filters the first axis is the images' channels.
func agreeConvTranspose(n *ir.Node) []Agreement {
	return []Agreement{{What: channelsOf(n.In[0]), Got: Shape(n.In[0])[1], Want: Shape(n.In[1])[0]}}
}

// agreeConvTransposeLast does the same where the channels are the last axis.
func agreeConvTransposeLast(n *ir.Node) []Agreement {
	return []Agreement{{What: channelsOf(n.In[0]), Got: channelsFirst(Shape(n.In[0]))[1], Want: Shape(n.In[1])[0]}}
}

func channelsOf(v *ir.Value) string { return fmt.Sprintf("the channels of %q", v.Name) }

func filterChannels(n *ir.Node, w int) ir.Dim {
	return Shape(n.In[w])[1].Mul(ir.C(n.Int("group")))
}

// Lowered is the calls of a node: those of its row, and checks of the sizes that
// they rely on.
func (o *Op) Lowered(n *ir.Node) (*Lowering, error) {
	if o.Defined(n) {
		return nil, fmt.Errorf("BUG: is lowered before its definition has taken its place")
	}
	l := &Lowering{Node: n}
	if !o.Alias {
		if err := l.check(o); err != nil {
			return nil, err
		}
	}
	if o.Lower != nil {
		if err := o.Lower(l); err != nil {
			return nil, err
		}
	}
	l.room()
	if o.Alias { // the sizes may be what the calls count
		if err := l.check(o); err != nil {
			return nil, err
		}
	}
	l.decimals()
	return l, nil
}

// checkEqual and checkBroadcast are the kernels that compare two sizes.
const (
	checkEqual     = "CheckEqual"
	checkBroadcast = "CheckBroadcast"
)

func (l *Lowering) check(o *Op) error {
	all, err := o.agreements(l.Node)
	for _, a := range append(all, leftOver(l.Node)...) {
		kernel := checkEqual
		if a.Broadcasts {
			kernel = checkBroadcast
		}
		l.Call(kernel, a.What, a.Got, a.Want)
	}
	return err
}

// leftOver asks that no size of an output is negative, as it would be where a kernel
// is larger than the image that it slides over.
func leftOver(n *ir.Node) []Agreement {
	var out []Agreement
	for _, v := range n.Out {
		if v == nil || v.Type.Kind != ir.Tensor {
			continue
		}
		for axis, d := range Shape(v) {
			if !nonNegative(d) && !hasSize(n.In, d) {
				out = append(out, Agreement{What: fmt.Sprintf("the elements of %q along axis %d", v.Name, axis), Got: d, Want: d.Max(ir.C(0))})
			}
		}
	}
	return out
}

// hasSize reports whether one of the values has an axis of size d.
func hasSize(vs []*ir.Value, d ir.Dim) bool {
	for _, v := range vs {
		if v != nil && v.Type.Kind == ir.Tensor && slices.ContainsFunc(Shape(v), d.Equal) {
			return true
		}
	}
	return false
}
