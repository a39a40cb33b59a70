package partitioner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// fresh returns an unused name, derived from base.
func fresh(used map[string]bool, base string) string {
	name := base
	for i := 1; used[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	used[name] = true
	return name
}

// moduleName returns the name of an activity: the main one has that of its class, others that of what opens
// them.
func (c *cutter) moduleName(a *activity, main *group, used map[string]bool) string {
	base := a.class.name
	if len(a.nodes) > 0 && (main == nil || !slices.ContainsFunc(a.nodes, func(n *ir.Node) bool { return c.groups[n].find() == main })) {
		base = openedBy(a)
	}
	return fresh(used, base)
}

func openedBy(a *activity) string {
	for _, n := range a.nodes {
		switch k := op.PeerKindOf(n); {
		case k == op.KindOpen:
			return snake(n.Op)
		case k == op.KindRecv:
			return cmp.Or(n.Str("port"), "recv")
		}
	}
	return "start"
}

// blockName returns the name of a block, from its first step other than a computation. A call of an author's own method
// has the method's name.
func (b *body) blockName(p *part) string {
	for _, n := range p.nodes {
		switch k := op.PeerKindOf(n); {
		case k == 0 || k == op.KindOrder || free(n):
		case k == op.KindSend:
			return "send_" + n.Str("port")
		case k == op.KindRecv:
			return "expect_" + n.Str("port")
		default:
			return snake(cmp.Or(n.Str("method"), n.Op))
		}
	}
	return "compute"
}

// snake converts TrainStep to train_step.
func snake(s string) string {
	var out strings.Builder
	for i, r := range s {
		if 'A' <= r && r <= 'Z' {
			if i > 0 {
				out.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return ir.Ident(out.String())
}
