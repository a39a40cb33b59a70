package runtime

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/wire"
)

// A Span is a part of an execution on this peer, from its beginning to its end: an activity, which is the
// execution of one module, or the wait of an activity for a cut point. A host may export spans as a trace of
// the execution.
type Span struct {
	Exec       wire.ExecID
	Start, End int64
	Module     string
	Parent     string      // of a contribution to a gather: the module that gathers; otherwise ""
	Root       bool        // the activity, or that of the module that gathers, begins the execution
	From       wire.PeerID // the peer whose message began the activity; zero: none
	Cut        string      // the awaited value; "" for an activity
	Kind       CutKind     // of the cut point
	Sender     wire.PeerID // the peer that has sent the value of a FillCut
	Received   int64       // bytes of payloads
	Sent       int64       // bytes of payloads, for each receiver; of an activity
	Asked      int         // of a GatherCut: the number of peers that it waited for
	Came       int         // and those that have contributed
	Err        error
}

// IsContribution reports whether the span is of the part of an activity that runs once for each sender.
func (s *Span) IsContribution() bool { return s.Parent != "" }

// errGivenUp is the error of an activity whose execution ended before it.
var errGivenUp = errors.New("its execution ended before")

// wait is the data of a cut point for a span.
type wait struct {
	since    int64 // when the wait began; negative: it has not begun
	received int64
}

// traceFrame prepares a new or restored frame for spans: it waits for fills from now on, and for what finished
// blocks have started.
func (n *Node) traceFrame(f *Frame) {
	if n.config.Span == nil {
		return
	}
	f.waits = f.waits[:0]
	for range f.module.Cuts {
		f.waits = append(f.waits, wait{since: n.now})
	}
	for b := range f.module.blocks {
		for _, c := range f.module.blocks[b].starts {
			f.waits[c].since = -1
		}
	}
	for b := range f.module.blocks {
		if f.done.Has(b) {
			n.traceBlock(f, b)
		}
	}
}

// traceBlock records that the waits begin that a block starts.
func (n *Node) traceBlock(f *Frame, block int) {
	if n.config.Span == nil {
		return
	}
	for _, c := range f.module.blocks[block].starts {
		f.waits[c].since = n.now
	}
}

// traceWait records that a wait begins now.
func (n *Node) traceWait(f *Frame, cut int) {
	if n.config.Span != nil {
		f.waits[cut].since = n.now
	}
}

// traceBytes counts the bytes of a value that was received for a cut point.
func (n *Node) traceBytes(f *Frame, cut, size int) {
	if n.config.Span != nil {
		f.waits[cut].received += int64(size)
	}
}

// endWait reports the end of the wait for a cut point, unless the value was there when the wait began.
func (n *Node) endWait(f *Frame, cut int, err error) {
	if n.config.Span == nil || f.waits[cut].since < 0 {
		return
	}
	c, w := &f.module.Cuts[cut], &f.waits[cut]
	s := n.spanOf(f, w.since, err)
	s.Cut, s.Kind, s.Received = c.Name, c.Kind, w.received
	switch c.Kind {
	case InputCut, LocalCut:
		return
	case FillCut:
		s.Sender = f.Sender(cut)
	case GatherCut:
		g := f.gather(cut)
		s.Start, s.Asked, s.Came = g.Since, len(g.Asked()), g.Count()
		for _, x := range g.children {
			s.Received += x.received()
		}
	}
	if s.Start < s.End || c.Kind == CommandCut || c.Kind == GatherCut || c.Kind == CollectiveCut {
		n.config.Span(s)
	}
}

// endActivity reports the end of a frame.
func (n *Node) endActivity(f *Frame) {
	if n.config.Span == nil {
		return
	}
	err := f.why
	switch {
	case err != nil:
	case f.broken: // before a restart
		err = errBroken
	case f.left > 0:
		err = errGivenUp
	}
	s := n.spanOf(f, f.since, err)
	s.Received, s.Sent = f.received(), f.sent
	n.config.Span(s)
}

// spanOf returns a span of a frame that ends now. It is used again by the next call.
func (n *Node) spanOf(f *Frame, since int64, err error) *Span {
	n.span = Span{Exec: f.exec, Start: since, End: n.now, Module: f.module.Name, From: f.From(), Err: err}
	whole := f
	if f.parent != nil {
		whole = f.parent
		n.span.Parent = whole.module.Name
	}
	n.span.Root = whole.from == nil && f.exec.Origin == n.self.id
	return &n.span
}

// received returns how many bytes of payloads were received for the frame.
func (f *Frame) received() (sum int64) {
	for i := range f.waits {
		sum += f.waits[i].received
	}
	return sum
}
