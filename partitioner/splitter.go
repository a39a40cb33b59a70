package partitioner

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// splitter holds the costs of each node and of a cut before it.
type splitter struct {
	m       *ir.Module
	opt     SplitOptions
	nodes   []*ir.Node
	flops   []float64
	seconds []float64 // by node
	memory  []memory  // by node
	cross   []float64 // seconds to send the values that cross before a node; infinite if that is impossible
	def     map[*ir.Value]int
	last    map[*ir.Value]int // the last node that reads a value
	reads   [][]*ir.Value
	consts  [][]*ir.Value
	stage   []int // by node, once they are assigned
	assumed map[string]int
	swaps   []map[*ir.Value]*ir.Value // by stage: replacements for values of other stages
}

func newSplitter(m *ir.Module, opt SplitOptions) *splitter {
	s := &splitter{m: m, opt: opt, nodes: m.Main.Body.Nodes, def: map[*ir.Value]int{}, last: map[*ir.Value]int{}, assumed: map[string]int{}}
	for _, p := range m.Main.Body.Params {
		s.def[p] = -1
	}
	for i, n := range s.nodes {
		s.flops = append(s.flops, float64(s.number(work(n))))
		s.reads = append(s.reads, reads(n))
		s.consts = append(s.consts, constants(n))
		s.seconds = append(s.seconds, s.takes(i))
		for _, v := range s.reads[i] {
			s.last[v] = i
		}
		for _, v := range n.Out {
			if v != nil {
				s.def[v] = i
			}
		}
	}
	s.crossings()
	s.memories()
	return s
}

// memory is the memory of a stage: its weights, and the values that live at one time.
type memory struct{ weights, values int64 }

func (m *memory) add(n memory) {
	m.weights += n.weights
	m.values = max(m.values, n.values)
}

func (m *memory) sum() int64 { return m.weights + m.values }

// memories computes the weights of each node, and the values that are live when it runs.
//
// NB: weights that several nodes share count for each of them.
func (s *splitter) memories() {
	s.memory = make([]memory, len(s.nodes))
	change := make([]int64, len(s.nodes)+1)
	for v, d := range s.def {
		if last, read := s.last[v]; read {
			change[max(d, 0)] += s.bytes(v)
			change[last+1] -= s.bytes(v)
		}
	}
	var now int64
	for i := range s.nodes {
		now += change[i]
		s.memory[i].values = now
		for _, v := range s.consts[i] {
			s.memory[i].weights += constBytes(v)
		}
	}
}

// why explains why no cut is possible.
func (s *splitter) why() string {
	if s.opt.PeerMemory > 0 {
		return fmt.Sprintf("no cut leaves every stage with at most %s of weights and values", Bytes(s.opt.PeerMemory))
	}
	return "between all operators, values cross that are no tensors of numbers"
}

// constants returns the constants that a node and its regions read.
func constants(n *ir.Node) []*ir.Value {
	f := &ir.Func{Body: &ir.Region{Nodes: []*ir.Node{n}}}
	return f.Consts()
}

// crossings computes the cost of a cut before each node. Inputs of the first stage cost nothing there.
func (s *splitter) crossings() {
	bytes := make([]float64, len(s.nodes)+1)
	for v, d := range s.def {
		size := float64(s.bytes(v))
		if !sendable(v) {
			size = math.Inf(1)
		}
		last, read := s.last[v]
		for i := max(d, 0) + 1; read && i <= last; i++ {
			bytes[i] += size
		}
	}
	s.cross = make([]float64, len(s.nodes))
	for i := 1; i < len(s.nodes); i++ {
		s.cross[i] = bytes[i] / s.opt.Bandwidth
	}
}

// sendable reports whether a value can cross an edge.
func sendable(v *ir.Value) bool {
	return v.Type.Kind == ir.Tensor && v.Type.Elem != tensor.String && v.Type.Ranked
}

// bytes returns the size of a value.
func (s *splitter) bytes(v *ir.Value) int64 {
	if v.Type.Kind != ir.Tensor || !v.Type.Ranked {
		return 0
	}
	return s.number(ir.Size(v.Type.Shape).Mul(ir.C(v.Type.Elem.Size())))
}

// number returns a size for the assumed values of symbols.
func (s *splitter) number(d ir.Dim) int64 {
	n, _ := d.Eval(func(sym string) (int, bool) {
		size, ok := s.opt.Sizes[sym]
		if !ok {
			size = s.opt.Target.Free.Size
		}
		s.assumed[sym] = size
		return size, true
	})
	return int64(max(n, 0))
}

// takes returns the time of a node: that of its computation or of reading its weights, whichever is longer.
func (s *splitter) takes(i int) float64 {
	var weights float64
	for _, v := range s.consts[i] {
		weights += float64(constBytes(v))
	}
	return math.Max(s.flops[i]/s.opt.Rate, weights/s.opt.Memory)
}

func constBytes(v *ir.Value) int64 { return int64(v.Const.Len() * v.Const.DType.Size()) }

// place sets the stage of each node.
func (s *splitter) place(ends []int) {
	s.stage = make([]int, len(s.nodes))
	k := 0
	for i := range s.nodes {
		for i >= ends[k] {
			k++
		}
		s.stage[i] = k
	}
}

// assign gives each node the class of its stage.
func (s *splitter) assign(ends []int) {
	s.place(ends)
	for i, n := range s.nodes {
		n.Class = s.opt.name(s.stage[i])
	}
}

// stageOf returns the stage that computes a value, or that receives it from its host.
func (s *splitter) stageOf(v *ir.Value) int {
	if d := s.def[v]; d >= 0 {
		return s.stage[d]
	}
	return 0
}

func (o SplitOptions) name(stage int) string {
	if stage < len(o.Names) {
		return o.Names[stage]
	}
	return fmt.Sprintf("stage%d", stage)
}
