package pass

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// The ways to compute a convolution of 3×3 taps, and the layouts of images.
const (
	Direct     = "direct"
	ByWinograd = "winograd"

	ChannelsLast  = "last"
	ChannelsFirst = "first"
)

// Choices decide between ways to compute the same: as a cost model says, or as
// was measured. A nil *Choices goes by the model, for the default level.
type Choices struct {
	Level  string  // that the model reckons with; "" is the default
	Always string  // the way of all convolutions that have several, for measuring; "" if they may differ
	Layout string  // of images; "" is last
	Tuned  *Tuning // what was measured, nil if nothing was

	// Made lists what the passes have decided, and Convs is the number of all
	// convolutions whose layout was.
	Made  []Choice
	Convs int
	Stale []string // what was measured and does not fit the graph
}

// Choice is one decision.
type Choice struct {
	Node string             `json:"node"`
	What string             `json:"what"` // the node's sizes
	Pick string             `json:"pick"`
	Time map[string]float64 `json:"us,omitempty"` // microseconds of each way, where they were measured
}

// Pipeline is [Pipeline] by these choices.
func (c *Choices) Pipeline() []*Pass {
	if c == nil {
		return Pipeline
	}
	c.tune()
	list := slices.Clone(Pipeline)
	if c.Layout == ChannelsFirst {
		return slices.DeleteFunc(list, func(p *Pass) bool { return p == Layout || p == Winograd })
	}
	list[slices.Index(list, Winograd)] = &Pass{Name: Winograd.Name, Run: c.winograd, After: Winograd.After}
	return list
}

// tune takes over what was measured, unless that was for other processors.
func (c *Choices) tune() {
	c.Made, c.Convs, c.Stale = nil, 0, nil
	switch t := c.Tuned; {
	case t == nil:
	case c.Level == "":
		c.Level = t.Level
		fallthrough
	case c.Level == t.Level:
		if c.Layout == "" {
			c.Layout = t.Layout
		}
	default:
		c.Stale = append(c.Stale, fmt.Sprintf("was measured at level %s, the code is for %s: nothing of it is used", t.Level, c.Level))
		c.Tuned = nil
	}
	if c.Level == "" {
		c.Level = DefaultLevel
	}
}

// winograd decides for each convolution that can be computed by Winograd's
// transforms whether it is.
func (c *Choices) winograd(m *ir.Module) error {
	s, ok := speeds[c.Level]
	if !ok {
		s = speeds[DefaultLevel]
	}
	if c.Tuned != nil && c.Tuned.Model != m.Name {
		c.Stale = append(c.Stale, fmt.Sprintf("was measured for the model %q, this is %q", c.Tuned.Model, m.Name))
	}
	found := map[string]bool{}
	m.Main.Body.Walk(func(n *ir.Node) {
		if n.Op == "ConvLast" && n.Domain == op.Own {
			c.Convs++
		}
		z, ok := op.WinogradSuits(n)
		if !ok {
			return
		}
		found[n.Name] = true
		pick := c.Always
		if pick == "" {
			pick = c.measured(n.Name, z.String())
		}
		if pick == "" {
			pick = s.conv(z)
		}
		if pick == ByWinograd {
			n.Attrs.Set("winograd", int64(1))
		}
		c.Made = append(c.Made, Choice{Node: n.Name, What: z.String(), Pick: pick})
	})
	if c.Tuned != nil {
		for _, t := range c.Tuned.Choices {
			if !found[t.Node] {
				c.Stale = append(c.Stale, fmt.Sprintf("node %q (%s): there is no such convolution any more", t.Node, t.What))
			}
		}
	}
	return nil
}

// measured is the way that was measured to be the fastest for a node, "" if it
// was not measured as it is.
func (c *Choices) measured(node, what string) string {
	if c.Tuned == nil {
		return ""
	}
	i := slices.IndexFunc(c.Tuned.Choices, func(t Choice) bool { return t.Node == node })
	if i < 0 {
		return ""
	}
	t := c.Tuned.Choices[i]
	if t.What != what {
		c.Stale = append(c.Stale, fmt.Sprintf("node %q was measured as %s, and is %s", node, t.What, what))
		return ""
	}
	return t.Pick
}
