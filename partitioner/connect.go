package partitioner

import (
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// link is a Send and the Recv that it feeds.
type link struct{ send, recv *ir.Node }

type port struct{ class, name string }

// connect finds the Recv of each Send: the one with the same port in the module of the receiving class, or
// that module's input with the port's name, or a new Recv if the sent value is used directly.
func (c *cutter) connect() {
	w := &wiring{cutter: c, recvs: map[port]*ir.Node{}, fed: map[*ir.Node]*ir.Node{}, readers: c.m.Main.Uses(), after: map[*ir.Node]*ir.Node{}, by: map[*ir.Value]*ir.Value{}}
	for _, n := range c.m.Main.Body.Nodes {
		if op.PeerKindOf(n) == op.KindRecv {
			w.recvs[port{n.Class, n.Str("port")}] = n
		}
	}
	for _, n := range slices.Clone(c.m.Main.Body.Nodes) {
		if op.PeerKindOf(n) == op.KindSend {
			w.send(n)
		}
	}
	w.insert()
	for _, n := range c.m.Main.Body.Nodes {
		if op.PeerKindOf(n) == op.KindRecv && w.fed[n] == nil {
			c.failf(n, "no class sends %q to %s: no NetOut has this port and class", n.Str("port"), n.Class)
		}
	}
}

type wiring struct {
	*cutter
	recvs   map[port]*ir.Node
	fed     map[*ir.Node]*ir.Node // the Send of a Recv
	readers map[*ir.Value][]ir.Use
	first   []*ir.Node              // new Recvs that precede all nodes
	after   map[*ir.Node]*ir.Node   // a new Recv that follows a Send
	by      map[*ir.Value]*ir.Value // replacements for the results of Sends
}

func (w *wiring) send(n *ir.Node) {
	to := port{n.Str("to"), n.Str("port")}
	recv := w.recvs[to]
	if recv == nil {
		recv = w.input(n, to)
	}
	handle, from := n.Res(0), n.Res(1)
	used := w.used(handle) || w.used(from)
	if recv == nil && used {
		recv = w.received(n, to, handle.Type, handle.Name)
		recv.Out[0].Elems = handle.Elems
		w.after[n] = recv
	}
	if recv == nil {
		w.failf(n, "no input receives %q: %s", to.name, w.missing(to.class))
		return
	}
	if have := w.fed[recv]; have != nil {
		w.failf(n, "sends %q to %s, which %s (%s) does already: give it another name", to.name, to.class, have, have.Pos)
		return
	}
	w.recvs[to], w.fed[recv] = recv, n
	w.links = append(w.links, &link{n, recv})
	if w.used(handle) {
		w.by[handle] = recv.Out[0]
	}
	if w.used(from) {
		w.by[from] = w.sender(recv, from)
	}
	n.Out = nil
}

func (w *wiring) used(v *ir.Value) bool { return v != nil && len(w.readers[v]) > 0 }

// sender returns the output of a Recv that is the sending peer.
func (w *wiring) sender(recv *ir.Node, from *ir.Value) *ir.Value {
	for len(recv.Out) < 2 {
		recv.Out = append(recv.Out, nil)
	}
	if recv.Out[1] == nil {
		recv.Out[1] = &ir.Value{Name: w.m.FreshName(from.Name), Type: from.Type, Def: recv}
	}
	return recv.Out[1]
}

// missing returns the reason why a port has no receiver.
func (w *wiring) missing(class string) string {
	var have []string
	for _, n := range w.m.Main.Body.Nodes {
		if !slices.Contains(have, n.Class) {
			have = append(have, n.Class)
		}
	}
	if slices.Contains(have, class) {
		return "the module of class " + class + " has no such input, and nothing uses what was sent"
	}
	return "there is no class " + class + ", only " + strings.Join(have, ", ")
}

// input turns the host input that a Send feeds into a Recv.
func (w *wiring) input(n *ir.Node, to port) *ir.Node {
	body := w.m.Main.Body
	i := slices.IndexFunc(body.Params, func(p *ir.Value) bool { return p.Name == to.class+"."+to.name })
	if i < 0 {
		return nil
	}
	p := body.Params[i]
	body.Params = slices.Delete(body.Params, i, i+1)
	recv := w.received(n, to, p.Type, "")
	p.Def, recv.Out[0] = recv, p
	w.first = append(w.first, recv)
	return recv
}

// received makes a Recv for the value that n sends.
func (w *wiring) received(n *ir.Node, to port, t ir.Type, name string) *ir.Node {
	recv := &ir.Node{Op: "Recv", Domain: peer.WireDomain, Class: to.class, Pos: n.Pos, Version: n.Version, Name: w.m.FreshName(to.class + "." + to.name)}
	recv.Attrs.Set("port", to.name)
	recv.Out = []*ir.Value{{Type: t, Def: recv}, nil}
	if name != "" {
		recv.Out[0].Name = w.m.FreshName(name + "@" + to.class)
	}
	for _, d := range t.Shape {
		if s, ok := d.Symbol(); ok && !slices.Contains(recv.Syms, s) {
			recv.Syms = append(recv.Syms, s)
		}
	}
	w.root[recv] = to.class
	return recv
}

// insert inserts the new Recvs and redirects readers to them. A Recv that the author recorded may come after
// a node that reads the sent value.
func (w *wiring) insert() {
	nodes := w.first
	for _, n := range w.m.Main.Body.Nodes {
		nodes = append(nodes, n)
		if r := w.after[n]; r != nil {
			nodes = append(nodes, r)
		}
	}
	w.m.Main.Body.Nodes = nodes
	w.m.Main.Replace(w.by)
	if err := w.m.Main.Body.Sort(); err != nil {
		w.errorf("%w", err)
	}
}
