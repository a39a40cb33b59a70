package op

import "github.com/bbgen/bbgen/ir"

// AttrToInput converts an integer list attribute of an older version to the input that replaced it, as a
// constant.
func AttrToInput(b *ir.Builder, n *ir.Node, attr string, input int) {
	v := n.Ints(attr)
	if !n.Has(attr) {
		return
	}
	n.Attrs.Delete(attr)
	for len(n.In) <= input {
		n.In = append(n.In, nil)
	}
	n.In[input] = b.Ints(v...)
}
