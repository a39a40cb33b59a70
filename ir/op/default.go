package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Default returns the schema's value for an attribute that a node does not have.
func Default(n *ir.Node, name string) any {
	o := Lookup(n)
	if o == nil {
		return nil
	}
	a := o.AttrAt(name, o.versionOf(n))
	if a == nil || a.Default == nil {
		return nil
	}
	return attrValue(a.Default)
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
