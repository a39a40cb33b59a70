package peerplan

// Component says how code uses what is in a slot.
type Component struct {
	Package, Type string            // the Go type
	Value         Literal           // what it begins as
	Opens         bool              // it has the method Open(runtime.Env) error
	Keeps         bool              // it has state, with AppendBinary and UnmarshalBinary
	Shaped        bool              // it is a runtime.Shaped
	Gathers       bool              // it is a runtime.Gatherer
	Needs         map[string]string // fields that point to the components in other slots
	Methods       map[string]Method
}

// Method says what a method of a component is told beside the operands.
type Method struct {
	Context bool // a context.Context first: it is a command
	Node    bool // the *runtime.Node first
	Large   bool // a *runtime.Large in place of the first tensor
	Results int  // how many it returns, beside the error
}

// Literal is a Go value as code writes it.
type Literal struct {
	Package, Type string // of a composite literal
	Name          string // of a package's function or variable
	Text          string // of any other: a Go expression
	Fields        []LiteralField
	Elems         []Literal
	Prefix        string // before the type: "[]"
}

// LiteralField is a field of a struct.
type LiteralField struct {
	Name  string
	Value Literal
}
