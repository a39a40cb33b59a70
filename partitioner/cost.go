package partitioner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// CostOptions are the assumptions of [Estimate].
type CostOptions struct {
	Sizes     map[string]int // of symbols; that of the target if neither Sizes nor Known has one
	Known     map[string]int // of symbols, from the program's models: see [ParameterSizes]
	Likely    map[string]int // of symbols in neither, assumed in place of that of the target
	Peers     map[string]int // by class; the default is 1
	Bandwidth float64        // bytes per second of each peer, in and out; 0: that of the target
	Latency   time.Duration  // of an edge; 0: that of the target
}

// Cost is the traffic of one round of a program, derived from its edge table: every edge carries one value
// from each peer of one class to each peer of the other, or back.
type Cost struct {
	Edges   []EdgeCost     `json:"edges"`
	Links   []LinkCost     `json:"links"`
	Bytes   int64          `json:"bytes"`           // sent by all peers in a round
	Lower   int64          `json:"lower_bound"`     // the part of Bytes that no encoding of the values avoids
	Seconds float64        `json:"seconds"`         // time for sending, one depth after the other
	Known   map[string]int `json:"known,omitempty"` // sizes derived from the program's models
	Assumed map[string]int `json:"assumed,omitempty"`
}

// EdgeCost is the traffic of one edge.
type EdgeCost struct {
	Edge  string `json:"edge"`
	To    string `json:"to"`
	Type  string `json:"type"`
	Depth int    `json:"depth"`
	Value int64  `json:"value_bytes"`       // of one value
	Fills int    `json:"fills"`             // in a round
	Bytes int64  `json:"bytes"`             // of all fills on the wire
	Guess bool   `json:"assumed,omitempty"` // the size of the value is assumed

	Algorithm string `json:"algorithm,omitempty"` // of a collective, on links of this latency and bandwidth
	Rounds    int    `json:"rounds,omitempty"`    // of messages that wait for each other
}

// LinkCost is the traffic from the peers of one class to those of another.
type LinkCost struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Pairs int    `json:"pairs"` // of peers
	Bytes int64  `json:"bytes"` // between all of them
	Each  int64  `json:"bytes_each"`
}

// Estimate returns the traffic of one round of a program between machines of its target.
func Estimate(p *Program, opt CostOptions) *Cost {
	to := target.Or(p.Target)
	opt.Bandwidth = cmp.Or(opt.Bandwidth, to.Peer.Bandwidth)
	opt.Latency = cmp.Or(opt.Latency, to.Peer.Latency)
	c := &Cost{Known: map[string]int{}, Assumed: map[string]int{}}
	e := &estimate{Cost: c, opt: opt, size: to.Free.Size, overhead: int64(to.Peer.Fill + to.Peer.Envelope), links: map[[2]string]*LinkCost{}, busy: map[int]map[string]int64{}}
	for _, edge := range p.Edges {
		e.edge(edge)
	}
	for _, key := range slices.SortedFunc(maps.Keys(e.links), func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
		l := e.links[key]
		l.Each = l.Bytes / int64(l.Pairs)
		c.Links = append(c.Links, *l)
	}
	e.time()
	return c
}

type estimate struct {
	*Cost
	opt      CostOptions
	size     int   // of a symbol that nothing is known of
	overhead int64 // bytes of a fill that travels alone, beside its value
	links    map[[2]string]*LinkCost
	guess    bool                     // the size of the last value is assumed
	busy     map[int]map[string]int64 // by depth: bytes that a peer of a class sends or receives
}

func (e *estimate) peers(class string) int {
	if n := e.opt.Peers[class]; n > 0 {
		return n
	}
	return 1
}

func (e *estimate) edge(edge *Edge) {
	if edge.Collective != nil {
		e.collective(edge)
		return
	}
	from, to := e.peers(edge.From), e.peers(edge.To)
	if edge.InTurn { // a run takes one path, regardless of the number of peers
		from, to = 1, 1
	}
	value := e.value(edge)
	one := value + e.overhead
	row := EdgeCost{Edge: edge.Name, To: edge.To, Type: edge.Type.String(), Depth: edge.Depth, Value: value, Fills: from * to, Bytes: one * int64(from*to)}
	e.add(edge, row, value*int64(row.Fills), from*to)
	e.busy[edge.Depth]["out of "+edge.From] += one * int64(to)
	e.busy[edge.Depth]["into "+edge.To] += one * int64(from)
}

// add adds a row. No encoding of the values saves the lower bound of bytes.
func (e *estimate) add(edge *Edge, row EdgeCost, lower int64, pairs int) {
	row.Guess = e.guess
	e.Edges = append(e.Edges, row)
	e.Bytes += row.Bytes
	e.Lower += lower
	key := [2]string{edge.From, edge.To}
	if e.links[key] == nil {
		e.links[key] = &LinkCost{From: edge.From, To: edge.To}
	}
	e.links[key].Bytes += row.Bytes
	e.links[key].Pairs = max(e.links[key].Pairs, pairs) // an edge to peers in turn has one
	if e.busy[edge.Depth] == nil {
		e.busy[edge.Depth] = map[string]int64{}
	}
}

// collective adds the traffic of a collective, according to the algorithm that the peers choose and its
// number of rounds.
func (e *estimate) collective(edge *Edge) {
	peers := e.peers(edge.From)
	value := e.value(edge)
	t := edge.Collective.Traffic(int(value), peers, collective.Links{Latency: e.opt.Latency, Bandwidth: int64(e.opt.Bandwidth)})
	row := EdgeCost{Edge: edge.Name, To: edge.To, Type: edge.Type.String(), Depth: edge.Depth, Value: value, Fills: int(t.Messages), Bytes: t.Bytes + t.Messages*e.overhead}
	if t.Bytes > 0 {
		row.Algorithm, row.Rounds = t.Algorithm.String(), t.Rounds
	}
	e.add(edge, row, t.Bytes, max(peers*(peers-1), 1))
	e.busy[edge.Depth]["out of "+edge.From] += t.Busiest
	e.Seconds += float64(max(t.Rounds-1, 0)) * e.opt.Latency.Seconds()
}

// value returns the size of an edge's value in bytes. For a Go type, that is its limit.
func (e *estimate) value(edge *Edge) int64 {
	e.guess = false
	if own, ok := peer.OwnOf(edge.Type); ok && !edge.Trigger {
		return int64(own.Most)
	}
	if edge.Trigger || edge.Type.Kind != ir.Tensor || !edge.Type.Ranked || edge.Type.Elem == tensor.String {
		return 0
	}
	n, _ := ir.Size(edge.Type.Shape).Mul(ir.C(edge.Type.Elem.Size())).Eval(func(sym string) (int, bool) {
		if size, ok := e.opt.Sizes[sym]; ok {
			e.Assumed[sym] = size
			return size, true
		}
		if size, ok := e.opt.Known[sym]; ok {
			e.Known[sym] = size
			return size, true
		}
		size, ok := e.opt.Likely[sym]
		if !ok {
			size = e.size
		}
		e.Assumed[sym], e.guess = size, true
		return size, true
	})
	return int64(n)
}

// time adds up the depths. At each depth, all edges send at once, and the busiest peer determines the time.
func (e *estimate) time() {
	for _, at := range e.busy {
		var most int64
		for _, n := range at {
			most = max(most, n)
		}
		e.Seconds += float64(most) / e.opt.Bandwidth
	}
	e.Seconds += float64(len(e.busy)) * e.opt.Latency.Seconds()
}

// total returns the bytes of a round. If sizes are assumed, those of the other edges are a lower bound, if there are any.
func (c *Cost) total() string {
	var certain int64
	for _, e := range c.Edges {
		if !e.Guess {
			certain += e.Bytes
		}
	}
	if certain == 0 && c.Bytes > 0 {
		return Bytes(c.Bytes) + " with the assumed sizes"
	}
	if certain < c.Bytes {
		return fmt.Sprintf("%s at least, %s with the assumed sizes", Bytes(certain), Bytes(c.Bytes))
	}
	return fmt.Sprintf("%s, at least %s", Bytes(c.Bytes), Bytes(c.Lower))
}

// String returns the cost as tables.
func (c *Cost) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "edge\tto\ttype\tdepth\tvalue\tfills\tbytes")
	for _, e := range c.Edges {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%d\t%s\n", e.Edge, e.To, e.Type, e.Depth, Bytes(e.Value), e.Fills, Bytes(e.Bytes))
	}
	w.Flush()
	for _, e := range c.Edges {
		if e.Algorithm != "" {
			fmt.Fprintf(&out, "%s: %s, %d rounds\n", e.Edge, e.Algorithm, e.Rounds)
		}
	}
	out.WriteByte('\n')
	for _, l := range c.Links {
		fmt.Fprintf(&out, "%s -> %s: %s a round, %s for each of %d\n", l.From, l.To, Bytes(l.Bytes), Bytes(l.Each), l.Pairs)
	}
	fmt.Fprintf(&out, "a round: %s; sending takes %v\n", c.total(), time.Duration(c.Seconds*float64(time.Second)).Round(time.Microsecond))
	out.WriteString(sizes("parameters of models: ", c.Known))
	out.WriteString(sizes("assumed: ", c.Assumed))
	return out.String()
}
