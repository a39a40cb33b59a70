package pass

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
)

// The ways to compute a convolution of 3×3 taps, and the layouts of images.
const (
	Direct     = "direct"
	ByWinograd = "winograd"

	ChannelsLast  = "last"
	ChannelsFirst = "first"
)

// Options say which of several ways to compute the same a graph takes. The zero
// value leaves it to the cost model.
type Options struct {
	Target *target.Target // what the cost model reckons with; nil is that of Tuned, or [target.Default]
	Conv   string         // Direct or ByWinograd: the way of all convolutions that have both; "" chooses for each
	Layout string         // ChannelsLast or ChannelsFirst; "" chooses
	Tuned  *Tuning        // what was measured, nil if nothing was

	FoldBytes int // that folding may make of constants; 0: as many as there are
}

// Context is what passes are told, and where they say what they have decided.
type Context struct {
	Options
	Report

	// Done is told the name of each pass when it has run; nil if nobody listens.
	Done func(pass string)

	folded int // bytes that folding has made
}

// takeFolded reports whether folding may make so many bytes more.
func (c *Context) takeFolded(bytes int) bool {
	if c == nil || c.FoldBytes == 0 {
		return true
	}
	if bytes > c.FoldBytes-c.folded {
		return false
	}
	c.folded += bytes
	return true
}

// Report is what passes have decided.
type Report struct {
	Choices []Choice // the way of each convolution that has several
	Convs   int      // the number of all convolutions whose layout was chosen
	Stale   []string // what was measured and does not fit the graph
}

// Choice is one decision.
type Choice struct {
	Node string             `json:"node"`
	What string             `json:"what"` // the node's sizes
	Pick string             `json:"pick"`
	Time map[string]float64 `json:"us,omitempty"` // microseconds of each way, where they were measured
}

// NewContext returns the context for one module. A measurement for other processors, or
// of another model, is left aside; the report says so.
func NewContext(m *ir.Module, opt Options) *Context {
	c := &Context{Options: opt}
	if t := opt.Tuned; t != nil {
		c.adopt(t, m.Name)
	}
	if c.Target == nil {
		c.Target = target.Default
	}
	return c
}

// adopt takes over what was measured, as far as it says something of this model on
// these processors.
func (c *Context) adopt(t *Tuning, model string) {
	if c.Target == nil {
		c.Target, _ = target.Of(t.Level) // [ParseTuning] has seen that there is one
	}
	if c.Target.Level != t.Level {
		c.stale("was measured at level %s, the code is for %s: nothing of it is used", t.Level, c.Target.Level)
		c.Tuned = nil
		return
	}
	if t.Model != model {
		c.stale("was measured for the model %q, this is %q", t.Model, model)
	}
	c.Layout = cmp.Or(c.Layout, t.Layout)
}

func (c *Context) stale(format string, args ...any) {
	c.Stale = append(c.Stale, fmt.Sprintf(format, args...))
}
