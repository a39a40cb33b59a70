package pass

import (
	"cmp"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
)

// The algorithms for convolutions of 3×3 taps, and the layouts of images.
const (
	Direct          = "direct"
	ByWinograd      = "winograd"     // transforms of tiles of 4×4 pixels
	BySmallWinograd = "winograd-2x2" // and of 2×2 pixels

	ChannelsLast  = "last"
	ChannelsFirst = "first"
)

// ConvAlgorithms are the algorithms for convolutions of 3×3 taps.
var ConvAlgorithms = []string{Direct, ByWinograd, BySmallWinograd}

// Options select among alternative ways to compute the same. The zero value leaves the choice to the cost
// model.
type Options struct {
	Target *target.Target // the target of all costs; nil: that of Tuned, or [target.Default]
	Conv   string         // the algorithm of all convolutions that allow each; "" chooses for each
	Layout string         // ChannelsLast or ChannelsFirst; "" chooses
	Tuned  *Tuning        // measurements, or nil

	FoldBytes int // limit for constants made by folding; 0: sixteen times those of the module, and 256 MiB
}

// For returns the target that choices are made for.
func (o *Options) For() *target.Target {
	if o.Target == nil && o.Tuned != nil {
		t, _ := target.Of(o.Tuned.Level) // [ParseTuning] has checked the level
		return t
	}
	return target.Or(o.Target)
}

// Context holds the options of passes, and their decisions.
type Context struct {
	Options
	Report

	// Done, if not nil, is called with the name of each pass after it has run.
	Done func(pass string)

	folded int    // bytes made by folding so far
	room   int    // bytes that are left for constants larger than maxFolded allows
	work   ir.Dim // arithmetic operations of folding so far
}

// takeWork reports whether folding may do more work. What is not known is little: it depends on data, of which constants have
// few.
func (c *Context) takeWork(work ir.Dim) bool {
	all := work
	if c != nil {
		all = c.work.Add(work)
	}
	if n, ok := all.Const(); ok && n > maxFoldedWork {
		return false
	}
	if c != nil {
		c.work = all
	}
	return true
}

// takeFolded reports whether folding may make another constant of the given size.
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

// Report lists the decisions of passes.
type Report struct {
	Choices  []Choice // for each convolution with alternatives
	Convs    int      // the number of convolutions with a choice of layout
	Stale    []string // measurements that do not match the graph
	Warnings []string // declarations in the file that do not match the graph
	Training []string // nodes that compute as in training
}

// Choice is one decision.
type Choice struct {
	Node string             `json:"node"`
	What string             `json:"what"` // the node's sizes
	Pick string             `json:"pick"`
	Time map[string]float64 `json:"us,omitempty"` // measured microseconds of each alternative
}

// NewContext returns the context for one module. It ignores measurements on other processors or of another
// model, and says so in the report.
func NewContext(m *ir.Module, opt Options) *Context {
	c := &Context{Options: opt}
	c.Target = opt.For()
	if t := opt.Tuned; t != nil {
		c.adopt(t, m.Name)
	}
	bytes := constantBytes(m)
	if c.FoldBytes == 0 {
		c.FoldBytes = foldedBeside(bytes)
	}
	c.room = int(min(bytes/roomPart, math.MaxInt))
	return c
}

// foldedBeside returns the limit for the constants that folding makes of those in a file. A transposed or widened weight is
// a new constant; but a file of a few bytes must not become many large ones.
func foldedBeside(bytes uint64) int { return int(min(1<<28+16*bytes, math.MaxInt)) }

// constantBytes returns the bytes of the constants that the nodes of a module read.
func constantBytes(m *ir.Module) (bytes uint64) {
	seen := map[*ir.Value]bool{}
	m.Main.Body.Walk(func(n *ir.Node) {
		for _, v := range n.In {
			if v != nil && v.Const != nil && !seen[v] {
				seen[v] = true
				bytes += uint64(v.Const.Len()) * uint64(max(v.Const.DType.Size(), 1))
			}
		}
	})
	return bytes
}

// adopt uses measurements, as far as they apply to this model on these processors.
func (c *Context) adopt(t *Tuning, model string) {
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
