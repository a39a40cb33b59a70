package view

// Graph is one graph in all stages. Values and nodes that are the same in several stages are stored once.
type Graph struct {
	Name    string   `json:"name"` // model; or step, evaluation or forward of a trainer; its step begins as the model
	Values  []*Value `json:"values"`
	Nodes   []*Node  `json:"nodes"`
	Groups  []Group  `json:"groups"`
	Stages  []*Stage `json:"stages"`            // the first, and those that have changed the graph
	Omitted []string `json:"omitted,omitempty"` // stages with changes for which the page has no room
}

// Stage is the graph after a stage. Its lists are indices into the graph's lists.
type Stage struct {
	Name      string  `json:"name"`
	Nodes     []int   `json:"nodes"` // in an order in which they can run
	Inputs    []int   `json:"inputs"`
	Outputs   []int   `json:"outputs"`
	States    []State `json:"states,omitempty"`
	Truncated bool    `json:"truncated,omitempty"` // there are more nodes than a page can hold
}

// State is a value that persists between runs.
type State struct {
	Kind string `json:"kind"`
	From int    `json:"from"` // the value at the start of the run
	Next int    `json:"next"` // the value at the end; -1: the same
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
	Out     []int       `json:"out,omitempty"`  // -1 for an omitted optional value
	Body    []int       `json:"body,omitempty"` // results of the regions that it runs
	Attrs   [][2]string `json:"attrs,omitempty"`
	Class   string      `json:"class,omitempty"` // of peers
	Pos     string      `json:"pos,omitempty"`   // the author's file:line
	FLOPs   string      `json:"flops,omitempty"` // arithmetic operations, with symbols
	Bytes   string      `json:"bytes,omitempty"` // read and written, likewise
	Work    float64     `json:"work,omitempty"`  // FLOPs as a number
	Traffic float64     `json:"traffic,omitempty"`
}

// Group is a set of related nodes: of a layer, by their names, of a function call, or of a region.
type Group struct {
	Name   string `json:"name"`
	Parent int    `json:"parent"` // -1: none
	Kind   string `json:"kind"`   // name, class, function or region
	Of     string `json:"of,omitempty"`
}

// The limits for one graph of a page, so that it remains usable and its size is bounded.
const (
	maxNodes    = 100_000 // of a stage
	maxVersions = 300_000 // of nodes, in all stages
	maxDepth    = 32      // of nested calls
	maxText     = 400     // bytes of a name, type or attribute
)
