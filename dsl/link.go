package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// link finds the input that each NetOut feeds, and reports those without one.
func (r *recorder) link() {
	for _, s := range r.sends {
		r.named(s)
	}
	for r.resolve() {
	}
	for _, s := range r.sends {
		switch {
		case s.to.name == "" && s.to.named:
			continue // the error has been reported
		case s.to.name == "":
			r.failAt(s.pos, "NetOut %q goes to the senders of %s.%s, and no NetOut feeds that input", s.port, s.to.input.fn.class, s.to.input.name)
			continue
		}
		s.node.Attrs.Set("to", s.to.name)
		in := r.inputOf(s.to.name, s.port)
		switch {
		case in != nil && s.read:
			r.failAt(s.pos, "NetOut %q feeds the input at %s; what it returns is read here, too: there can be one of both", s.port, in.pos.long)
		case in != nil:
			in.fed = append(in.fed, s)
		case !s.read:
			r.failAt(s.pos, "NetOut %q to class %s feeds nothing: %s%s", s.port, s.to.name, r.missing(s.to.name, s.port), r.meant(s.to.name))
		}
	}
	if len(r.errs) > 0 {
		return // the rest would be a consequence
	}
	for _, fn := range r.roots {
		for _, in := range fn.inputs {
			r.feed(in)
		}
	}
	r.checkClasses()
}

// named finds the class of peers that are named at run time: the only class with the input.
func (r *recorder) named(s *sending) {
	if !s.to.named || s.to.name != "" {
		return
	}
	var classes []string
	for _, fn := range r.roots {
		if r.inputOf(fn.class, s.port) != nil && !slices.Contains(classes, fn.class) {
			classes = append(classes, fn.class)
		}
	}
	switch len(classes) {
	case 1:
		s.to.name = classes[0]
	case 0:
		r.failAt(s.pos, "NetOut %q: no module has an input of that name: say of which class the peers are, with To", s.port)
	default:
		r.failAt(s.pos, "NetOut %q: the peers may be of class %s, which have an input of that name: say which, with To", s.port, strings.Join(classes, " or "))
	}
}

// resolve finds the class of peers that are the senders of an input. It reports whether it found any.
func (r *recorder) resolve() bool {
	found := false
	for _, s := range r.sends {
		if s.to.name != "" || s.to.input == nil {
			continue
		}
		for _, t := range r.sends {
			if t.to.name == s.to.input.fn.class && t.port == s.to.input.name {
				s.to.name, found = t.from, true
			}
		}
	}
	return found
}

// inputOf returns the input of a class that an edge may feed.
func (r *recorder) inputOf(class, port string) *input {
	for _, fn := range r.roots {
		if i := slices.IndexFunc(fn.inputs, func(in *input) bool { return in.name == port }); fn.class == class && i >= 0 {
			return fn.inputs[i]
		}
	}
	return nil
}

// missing lists the inputs that exist, for an error about one that does not.
func (r *recorder) missing(class, port string) string {
	var names []string
	known := false
	for _, fn := range r.roots {
		if fn.class == class {
			known = true
			for _, in := range fn.inputs {
				names = append(names, in.name)
			}
		}
	}
	switch {
	case !known:
		return "no module is for that class"
	case names == nil:
		return "its module has no inputs"
	}
	return fmt.Sprintf("its module has no input %q; it has %s", port, strings.Join(names, ", "))
}

// feed connects an input to its edges.
func (r *recorder) feed(in *input) {
	if len(in.fed) == 0 {
		if in.recv != nil {
			r.failAt(in.pos, "input %q is to come from peers, and no NetOut of the program feeds it", in.name)
		}
		return
	}
	first := in.fed[0]
	for _, s := range in.fed {
		if set := in.from; set != nil && set.peers != nil && set.peers.name != "" && set.peers.name != s.from {
			r.failAt(s.pos, "NetOut %q comes from peers of class %s, and the input at %s waits for those of class %s", s.port, s.from, in.pos.long, set.peers)
			return
		}
		if err := fits(s.sent, in.v.ir.Type); err != nil {
			r.failAt(s.pos, "NetOut %q: the input at %s: %v", s.port, in.pos.long, err)
			return
		}
		if s.edge.codecName() != first.edge.codecName() {
			r.failAt(s.pos, "NetOut %q encodes in another way than the one at %s", s.port, first.pos.long)
			return
		}
	}
	if first.edge.codec != nil {
		in.decode(first)
	}
}

// decode makes an input arrive encoded. The module reads the decoded value.
func (in *input) decode(s *sending) {
	fn, v := in.fn, in.v.ir
	g := &Graph{r: fn.r, fn: fn, class: fn.class}
	raw := &ir.Value{Name: g.fresh(in.name + "_encoded"), Type: s.edge.codec.wire(fn.r, v.Type, s.out.ir.Type)}
	b := fn.f.Body
	rest := b.Nodes
	b.Nodes = nil
	x := s.edge.codec.decode(g, Value{&value{ir: raw, fn: fn, class: fn.class}}, v.Type)
	if x.bad {
		return
	}
	at := 0
	if in.recv != nil {
		at = slices.Index(rest, in.recv) + 1
		in.recv.Out[0], raw.Def = raw, in.recv
		in.recv.Attrs.Set(peer.TypesAttr, []string{raw.Type.String()})
	} else {
		b.Params[slices.Index(b.Params, v)] = raw
	}
	for _, n := range b.Nodes {
		n.Pos = in.pos.short
	}
	b.Nodes = slices.Insert(rest, at, b.Nodes...)
	n := x.ir.Def
	n.Out[slices.Index(n.Out, x.ir)] = v
	v.Def = n
	in.v = Value{&value{ir: raw, fn: fn, class: fn.class, input: in}}
}
