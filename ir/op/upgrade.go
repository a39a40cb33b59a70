package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

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

// Renew upgrades a node to the newest version of its operator. It may insert nodes before it. Attributes that
// the newest version does not have are removed.
func (o *Op) Renew(b *ir.Builder, n *ir.Node) error {
	if old := o.versionOf(n); n.Version < o.Newest() {
		if o.Upgrade != nil {
			if err := o.Upgrade(b, n); err != nil {
				return err
			}
		}
		n.Attrs = slices.DeleteFunc(n.Attrs, func(a ir.Attr) bool {
			return o.AttrAt(a.Name, old) != nil && o.AttrAt(a.Name, o.Newest()) == nil
		})
	}
	n.Version = max(n.Version, o.Newest())
	return nil
}
