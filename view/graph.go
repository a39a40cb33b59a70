package view

// Graph is one graph on its way through the stages. Values and nodes that stages have
// in common stand in it once: what a stage has changed is what the one before it does
// not list.
type Graph struct {
	Name    string   `json:"name"` // model; step, evaluation or forward of a training, whose step begins as the model
	Values  []*Value `json:"values"`
	Nodes   []*Node  `json:"nodes"`
	Groups  []Group  `json:"groups"`
	Stages  []*Stage `json:"stages"`            // the first, and those that have changed something
	Omitted []string `json:"omitted,omitempty"` // stages that changed the graph for which the page has no room
}

// Stage is what the graph is behind a stage. Its lists are indices of the graph's.
type Stage struct {
	Name      string  `json:"name"`
	Nodes     []int   `json:"nodes"` // in an order in which they can run
	Inputs    []int   `json:"inputs"`
	Outputs   []int   `json:"outputs"`
	States    []State `json:"states,omitempty"`
	Truncated bool    `json:"truncated,omitempty"` // there are more nodes than a page takes
}

// State is a value that outlives a run.
type State struct {
	Kind string `json:"kind"`
	From int    `json:"from"` // the value when the run begins
	Next int    `json:"next"` // and when it has ended; -1: the same
}

// Value is defined by a node, an input or state of the graph, or a constant.
type Value struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Const *Const `json:"const,omitempty"`
}

// Node is one operation.
type Node struct {
	Op      string      `json:"op"` // with its domain, if that is not ONNX's own
	Name    string      `json:"name"`
	Group   int         `json:"group"` // -1: none
	In      []int       `json:"in,omitempty"`
	Out     []int       `json:"out,omitempty"`  // -1 where an optional value is left out
	Body    []int       `json:"body,omitempty"` // results of the regions that it runs
	Attrs   [][2]string `json:"attrs,omitempty"`
	Class   string      `json:"class,omitempty"` // of peers
	Pos     string      `json:"pos,omitempty"`   // the author's file:line
	FLOPs   string      `json:"flops,omitempty"` // arithmetic operations, with symbols
	Bytes   string      `json:"bytes,omitempty"` // read and written, likewise
	Work    float64     `json:"work,omitempty"`  // FLOPs as a number
	Traffic float64     `json:"traffic,omitempty"`
}

// Group is nodes that belong together: those of a layer, by their names, of a
// function's call or of a region.
type Group struct {
	Name   string `json:"name"`
	Parent int    `json:"parent"` // -1: none
	Kind   string `json:"kind"`   // name, class, function or region
	Of     string `json:"of,omitempty"`
}

// What a page takes of one graph. The page stays usable, and no input makes it larger
// than memory.
const (
	maxNodes    = 100_000 // of a stage
	maxVersions = 300_000 // of nodes, in all stages
	maxDepth    = 32      // of calls inside calls
	maxText     = 400     // bytes of a name, type or attribute
)
