package partitioner

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Print returns a cut program as text: the edge table, and for each class its
// slots and modules, with the cut points and blocks of each:
//
//	edge 0 client.update -> server: float32[1000], depth 2, in executions of server
//
//	class server
//	  slot agg: aggregator
//
//	  module server: rounds 30
//	    cut 0 input round: %round int64[]
//	    cut 1 gather update: from %clients, 2 within 1s, child server.update
//	    block 0 send_params [0] starts [1]
//	      send server.params: %params to %clients
//	      expect [1] %clients
//
// Functions of computations follow the modules of their class.
func Print(p *Program) string {
	w := &printer{}
	w.linef("program %q", p.Name)
	for _, e := range p.Edges {
		w.edge(e)
	}
	for _, part := range p.Parts {
		w.partition(part)
	}
	return w.out.String()
}

type printer struct {
	out    strings.Builder
	indent int
}

func (w *printer) linef(format string, args ...any) {
	w.out.WriteString(strings.Repeat("  ", w.indent))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

func (w *printer) blank() { w.out.WriteByte('\n') }

// in calls f with a deeper indentation.
func (w *printer) in(f func()) {
	w.indent++
	f()
	w.indent--
}

func (w *printer) edge(e *Edge) {
	s := fmt.Sprintf("edge %d %s -> %s: %s, id %v, depth %d", e.Index, e.Name, e.To, e.Type, e.ID, e.Depth)
	if e.Collective != nil {
		s += ", " + e.Collective.text()
	}
	if e.Trigger {
		s += ", trigger only"
	}
	if len(e.Origins) > 0 {
		s += fmt.Sprintf(", in executions of %s", strings.Join(e.Origins, ", "))
	}
	if e.Deadline > 0 {
		s += fmt.Sprintf(", within %v", e.Deadline)
	}
	w.linef("%s%s", s, at(e.Pos))
}

func at(pos string) string {
	if pos == "" {
		return ""
	}
	return fmt.Sprintf(" at %q", pos)
}

func (w *printer) partition(p *Partition) {
	w.blank()
	w.linef("class %s", p.Class)
	w.in(func() {
		for _, s := range p.Slots {
			w.slot(s)
		}
		for _, m := range p.Modules {
			w.blank()
			w.module(p, m)
		}
		for _, m := range p.Modules {
			w.functions(m)
		}
	})
}

func (w *printer) slot(s *Slot) {
	text := fmt.Sprintf("slot %s: %s, queue %d", s.Name, s.Role, s.Group)
	switch b := s.Binding; {
	case b == nil:
	case b.Model != "":
		text += fmt.Sprintf(" = model %q %s", b.Model, b.Train)
	default:
		text += fmt.Sprintf(" = %s.%s%s", b.Package, b.Type, b.Value)
	}
	w.linef("%s", strings.TrimSpace(text))
}

func (w *printer) module(p *Partition, m *Module) {
	w.linef("module %s: %s%s", m.Name, m.Opens(), answeredBy(p, m))
	w.in(func() {
		for _, c := range m.Cuts {
			w.linef("cut %d %v%s", c.Index, c, about(c))
		}
		if len(m.Fields) > 0 {
			w.linef("fields %s", values(m.Fields))
		}
		for _, b := range m.Blocks {
			w.block(b)
		}
	})
}

// answeredBy lists the modules of the peer that run later in an execution that the host begins with m.
func answeredBy(p *Partition, m *Module) string {
	var names []string
	if len(m.Inputs) > 0 && p.Program != nil {
		for _, a := range p.Program.Answers(p, m) {
			names = append(names, a.Name)
		}
	}
	if names == nil {
		return ""
	}
	return ", answered by " + strings.Join(names, ", ")
}

// Opens describes what begins executions of the module.
func (m *Module) Opens() string {
	switch {
	case m.Parent != nil:
		return fmt.Sprintf("for each sender of cut %d of %s", m.Gather.Index, m.Parent.Name)
	case m.Rounds > 0:
		if m.Short != "" {
			s := fmt.Sprintf("%d rounds, %s without a quorum", m.Rounds, m.Short)
			if m.Patience > 0 {
				s += fmt.Sprintf(" for %v", m.Patience)
			}
			return s
		}
		return fmt.Sprintf("%d rounds", m.Rounds)
	case m.Bootstrap && len(m.Inputs) > 0:
		return "before all else, by the host, with " + inputNames(m.Inputs)
	case m.Bootstrap:
		return "before all else"
	case m.Every > 0:
		return fmt.Sprintf("every %v", m.Every)
	case len(m.On) > 0:
		return "on " + strings.Join(m.On, ", ")
	case m.Start:
		return "at the start"
	case len(m.Inputs) > 0:
		return "by the host, with " + inputNames(m.Inputs)
	}
	return "by a fill"
}

func inputNames(cuts []*Cut) string {
	var s []string
	for _, c := range cuts {
		s = append(s, c.Name)
	}
	return strings.Join(s, ", ")
}

// about describes the values of a cut point and their source.
func about(c *Cut) string {
	var parts []string
	if len(c.Values) > 0 {
		parts = append(parts, typed(c.Values))
	}
	switch c.Kind {
	case Fill:
		parts = append(parts, "edge "+c.Edge.Name)
		if c.Sender != nil {
			parts = append(parts, "sender %"+c.Sender.Name)
		}
		if c.Within > 0 {
			parts = append(parts, fmt.Sprintf("within %v", c.Within))
		}
	case Together:
		parts = append(parts, "edge "+c.Edge.Name)
	case Gather:
		within := c.Within.String()
		if c.Within == 0 {
			within = "adaptive"
		}
		parts = append(parts, fmt.Sprintf("from %%%s, %d of them, %s, child %s", c.Peers.Name, c.Quorum, within, c.Child.Name))
	case Command:
		if c.Slot != nil {
			parts = append(parts, "slot "+c.Slot.Name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func (w *printer) block(b *Block) {
	s := fmt.Sprintf("block %d %s %s", b.Index, b.Name, numbers(b.Wait))
	if b.Any {
		s += " any"
	}
	if len(b.Starts) > 0 {
		s += " starts " + numbers(b.Starts)
	}
	if len(b.Needs) > 0 {
		s += " needs " + blockNumbers(b.Needs)
	}
	w.linef("%s, %d ops", s, b.Ops)
	w.in(func() {
		for _, x := range b.Steps {
			w.linef("%v", &x)
		}
	})
}

func blockNumbers(blocks []*Block) string {
	out := make([]int, len(blocks))
	for i, b := range blocks {
		out[i] = b.Index
	}
	return fmt.Sprint(out)
}

// String returns the step as Print prints it.
func (s *Step) String() string {
	switch {
	case s.Compute != nil && s.Cut != nil:
		return fmt.Sprintf("start %d: %s", s.Cut.Index, s.Compute.text())
	case s.Compute != nil:
		return s.Compute.text()
	case s.Node == nil:
		return fmt.Sprintf("bring %d", s.Cut.Index)
	case s.From != nil:
		return fmt.Sprintf("choose %s for %d: %s", numbers(s.From), s.Cut.Index, ir.PrintNode(s.Node))
	case s.Edge != nil:
		return fmt.Sprintf("send %s: %%%s to %s", s.Edge.Name, s.Node.In[peer.SentValue].Name, values(s.Node.In[peer.SentTo:]))
	case op.PeerKindOf(s.Node) == op.KindRecv:
		return fmt.Sprintf("expect %d: %s", s.Cut.Index, values(s.Node.In))
	}
	text := ir.PrintNode(s.Node)
	if s.Fold != nil {
		text = fmt.Sprintf("for each %s: %s", s.Fold.Name, text)
	}
	if s.Into != nil {
		text = fmt.Sprintf("in %d, %s", s.Into.Index, text)
	}
	switch {
	case s.Cut != nil:
		text = fmt.Sprintf("start %d: %s", s.Cut.Index, text)
	case s.Next != nil:
		text = fmt.Sprintf("next %s: %s", s.Next.Name, text)
	}
	return text
}

func (c *Compute) text() string {
	work := fmt.Sprintf("%d FLOPs", c.FLOPs)
	if c.FLOPs < 0 {
		work = "unknown FLOPs"
	}
	return fmt.Sprintf("%s = %s(%s), %s", values(c.Outs), c.Name, values(c.Args), work)
}

// functions prints the computations of a module.
func (w *printer) functions(m *Module) {
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			if s.Compute == nil {
				continue
			}
			w.blank()
			w.linef("func %s", strings.ReplaceAll(ir.PrintFunc(s.Compute.Func), "\n", "\n  "))
		}
	}
}

func numbers(cuts []*Cut) string {
	s := make([]string, len(cuts))
	for i, c := range cuts {
		s[i] = fmt.Sprint(c.Index)
	}
	return "[" + strings.Join(s, " ") + "]"
}

func values(vs []*ir.Value) string {
	s := make([]string, len(vs))
	for i, v := range vs {
		s[i] = "_"
		if v != nil {
			s[i] = "%" + v.Name
		}
	}
	return strings.Join(s, ", ")
}

func typed(vs []*ir.Value) string {
	s := make([]string, len(vs))
	for i, v := range vs {
		s[i] = "%" + v.Name + " " + v.Type.String()
	}
	return strings.Join(s, ", ")
}
