package peerplan

// Component describes the component in a slot, as generated code uses it.
type Component struct {
	Package, Type string            // the Go type
	Value         Literal           // the initial value
	Opens         bool              // it has the method Open(runtime.Env) error
	Keeps         bool              // it has state, and the methods AppendBinary and UnmarshalBinary
	Shaped        bool              // it is a runtime.Shaped
	Gathers       bool              // it is a runtime.Gatherer
	Needs         map[string]string // fields that point to the components in other slots
	Methods       map[string]Method
}

// Method describes the signature of a component's method, apart from the operands.
type Method struct {
	Context bool // the first parameter is a context.Context; it is a command
	Peer    bool // the first parameter is a runtime.Peer
	Large   bool // the first tensor is passed as a *values.Large
	Results int  // number of results, without the error
}

// Literal is a Go value in generated code.
type Literal struct {
	Package, Type string // of a composite literal
	Name          string // of a package's function or variable
	Text          string // any other Go expression
	Fields        []LiteralField
	Elems         []Literal
	Prefix        string // before the type: "[]"
}

// LiteralField is a field of a struct.
type LiteralField struct {
	Name  string
	Value Literal
}
