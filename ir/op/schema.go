package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Attr is one attribute of an operator. An attribute that changed its meaning with the operator set has an entry
// for each meaning.
type Attr struct {
	Name string
	Kind AttrKind

	// Default is the value for a node without the attribute: an int, a float64, a string, or a list of them.
	// It is nil if no value has the effect of omitting the attribute.
	Default any

	// Required: every node must have the attribute.
	Required bool

	// Values are the allowed strings; nil allows all.
	Values []string

	// Fixed: bbgen supports only the default.
	Fixed bool

	// Arg: the value follows the inputs as an argument of the method that a peer calls.
	Arg bool

	// Since is the operator set version that introduced the attribute in this form, and Until the one that
	// removed it; 0 means always and never.
	Since, Until int

	// Own: it is not ONNX's; bbgen's passes and upgrades write it.
	Own bool
}

// AttrKind is the kind of an attribute's value.
type AttrKind uint8

// The kinds of attributes.
const (
	Int AttrKind = iota + 1
	Float
	String
	Tensor
	Sparse // a sparse tensor, converted to a dense one on reading
	Graph  // a region of the node
	TypeProto
	Ints
	Floats
	Strings
)

// kinds are the names of the kinds in messages.
var kinds = [...]string{
	Int: "an integer", Float: "a float", String: "a string", Tensor: "a tensor", Sparse: "a sparse tensor", Graph: "a graph",
	TypeProto: "a type", Ints: "a list of integers", Floats: "a list of floats", Strings: "a list of strings",
}

// String returns the kind with its article: "an integer".
func (k AttrKind) String() string {
	if int(k) < len(kinds) && kinds[k] != "" {
		return kinds[k]
	}
	return "a value that no attribute has"
}

// Port is one input or output of an operator.
type Port struct {
	Name string

	// Types are the types that the operator supports here; nil allows all, or those that Like implies.
	Types Types

	// Like names a port with the same element type.
	Like string

	// Lacks are element types that ONNX allows here but bbgen does not support.
	Lacks elem.Set

	// Optional: a node may omit it.
	Optional bool

	// Variadic: the port represents all further values, at least Min of them. If they are Mixed, each may
	// have a different type.
	Variadic, Mixed bool
	Min             int

	// Since is the operator set version that introduced the port, and Until the one that removed it; 0 means
	// always and never.
	Since, Until int
}

// Types is a set of types for a port.
type Types interface {
	// Takes reports whether t is in the set.
	Takes(t ir.Type) bool

	// String describes the types, as in "want a float".
	String() string
}

// in reports whether a version is in the range from since to before until; an until of 0 means no end.
func in(version, since, until int) bool { return version >= since && (until == 0 || version < until) }

// versionOf returns the operator set version of a node's schema.
func (o *Op) versionOf(n *ir.Node) int {
	if n.Version == 0 {
		return o.Newest()
	}
	return max(n.Version, o.Since[0])
}

// AttrAt returns the attribute with the given name in an operator set version, or nil.
func (o *Op) AttrAt(name string, version int) *Attr {
	for i := range o.Attrs {
		if a := &o.Attrs[i]; a.Name == name && in(version, a.Since, a.Until) {
			return a
		}
	}
	return nil
}

// PortsAt returns the ports that exist in an operator set version.
func PortsAt(ports []Port, version int) []Port {
	for i, p := range ports {
		if !in(version, p.Since, p.Until) {
			out := append([]Port{}, ports[:i]...)
			for _, p := range ports[i:] {
				if in(version, p.Since, p.Until) {
					out = append(out, p)
				}
			}
			return out
		}
	}
	return ports
}

// portAt returns the port that value i belongs to.
func portAt(ports []Port, i int) *Port {
	if i < len(ports) {
		return &ports[i]
	}
	if k := len(ports) - 1; k >= 0 && ports[k].Variadic {
		return &ports[k]
	}
	return nil
}

// arityOf returns the allowed number of values for the ports.
func arityOf(ports []Port) Arity {
	var a Arity
	for i, p := range ports {
		switch {
		case p.Variadic:
			if p.Min > 0 {
				a.Min = i + p.Min
			}
			a.Max = Any
			return a
		case !p.Optional:
			a.Min = i + 1
		}
		a.Max = i + 1
	}
	return a
}

// In returns the allowed number of inputs for a node of the newest version.
func (o *Op) In() Arity { return arityOf(PortsAt(o.Inputs, o.Newest())) }

// Out returns the allowed number of outputs for a node of the newest version.
func (o *Op) Out() Arity { return arityOf(PortsAt(o.Outputs, o.Newest())) }

// Convert returns v in the type of the attribute: integers become floats if floats are required.
func (a *Attr) Convert(v any) any {
	switch v := v.(type) {
	case int64:
		if a.Kind == Float {
			return float64(v)
		}
	case []int64:
		if a.Kind == Floats {
			out := make([]float64, len(v))
			for i, x := range v {
				out[i] = float64(x)
			}
			return out
		}
	}
	return v
}

// NewestAttrs returns the attributes of the newest version of another operator, followed by more.
func NewestAttrs(attrs []Attr, more ...Attr) []Attr {
	var out []Attr
	for _, a := range attrs {
		if a.Until == 0 {
			a.Since = 0
			out = append(out, a)
		}
	}
	return append(out, more...)
}

// DtypeAttr returns an attribute that is an element type, or def if it is missing.
func DtypeAttr(n *ir.Node, name string, def tensor.DType) (tensor.DType, error) {
	v := n.IntOr(name, int(def))
	if v <= 0 || v > 255 || !tensor.DType(v).Valid() {
		return def, fmt.Errorf("%s is %d, want a type", name, v)
	}
	return tensor.DType(v), nil
}

// AutoPads are the values of the attribute; files also have "" for NOTSET.
var AutoPads = []string{"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", ""}
