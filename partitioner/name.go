package partitioner

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// fresh returns a name that is not in use yet, made from base.
func fresh(used map[string]bool, base string) string {
	name := base
	for i := 1; used[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	used[name] = true
	return name
}

// moduleName names an activity: what the host invokes, or the first loop of
// rounds, is called like its class, others by what opens them.
func (c *cutter) moduleName(a *activity, used map[string]bool) string {
	base := a.class.name
	if a.params == nil && len(a.class.params) > 0 || !isMain(a) {
		base = openedBy(a)
	}
	return fresh(used, base)
}

func isMain(a *activity) bool {
	if a.params != nil {
		return true
	}
	for _, n := range a.nodes {
		if kind(n) == op.KindOpen && n.Op == "Rounds" {
			return true
		}
	}
	return false
}

func openedBy(a *activity) string {
	for _, n := range a.nodes {
		switch k := kind(n); {
		case k == op.KindOpen:
			return snake(n.Op)
		case k == op.KindRecv:
			return n.Str("port", "recv")
		}
	}
	return "start"
}

// blockName names a block by the first thing that it does beside computing.
func (b *body) blockName(p *part) string {
	for _, n := range p.nodes {
		switch k := kind(n); {
		case k == 0 || k == op.KindOrder || free(n):
		case k == op.KindSend:
			return "send_" + n.Str("port", "")
		case k == op.KindRecv:
			return "expect_" + n.Str("port", "")
		default:
			return snake(n.Op)
		}
	}
	return "compute"
}

// snake is TrainStep as train_step.
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
