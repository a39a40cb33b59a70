package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Attr is one attribute that an operator takes. An attribute whose meaning changed
// with the operator set has an entry for each of its meanings.
type Attr struct {
	Name string
	Kind AttrKind

	// Default is the value where a node does not have the attribute: an int, a
	// float64, a string, or a list of them. It is nil if the operator then does
	// something that no value says.
	Default any

	// Required: there is no node without it.
	Required bool

	// Values are the strings that are allowed; nil allows all.
	Values []string

	// Fixed: bbgen knows the operator with the default alone.
	Fixed bool

	// Arg: the value follows the inputs as an argument of the method that a peer
	// calls.
	Arg bool

	// Since is the operator set version that brought the attribute in this form, and
	// Until the one that took it away; 0 is always, and never.
	Since, Until int

	// Own: it is not ONNX's; passes and upgrades of bbgen write it.
	Own bool
}

// AttrKind is what kind of value an attribute has.
type AttrKind uint8

// The kinds of attributes.
const (
	Int AttrKind = iota + 1
	Float
	String
	Tensor
	Sparse // a sparse tensor, which is dense once it is read
	Graph  // a region of the node
	TypeProto
	Ints
	Floats
	Strings
)

// kinds says how messages name the kinds.
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

	// Types are the values that the operator takes here; nil takes all, or those
	// that Like says.
	Types Types

	// Like names a port whose elements are of the same type.
	Like string

	// Lacks are element types that ONNX allows here and bbgen does not.
	Lacks elem.Set

	// Optional: a node may leave it out.
	Optional bool

	// Variadic: the port stands for all values from here on, of which there are at
	// least Min. Each may have a type of its own if they are Mixed.
	Variadic, Mixed bool
	Min             int

	// Since is the operator set version that brought the port, and Until the one
	// that took it away; 0 is always, and never.
	Since, Until int
}

// Types is a set of types that a port takes.
type Types interface {
	// Takes reports whether t is one of them.
	Takes(t ir.Type) bool

	// String names them as in "want a float".
	String() string
}

// in reports whether something that came with since and went with until is there
// in a version.
func in(version, since, until int) bool { return version >= since && (until == 0 || version < until) }

// versionOf returns the operator set version whose schema a node follows.
func (o *Op) versionOf(n *ir.Node) int {
	if n.Version == 0 {
		return o.Newest()
	}
	return max(n.Version, o.Since[0])
}

// AttrAt returns the attribute of the given name in an operator set version, nil if
// the operator has none then.
func (o *Op) AttrAt(name string, version int) *Attr {
	for i := range o.Attrs {
		if a := &o.Attrs[i]; a.Name == name && in(version, a.Since, a.Until) {
			return a
		}
	}
	return nil
}

// PortsAt are those of ports that are there in an operator set version.
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

// arityOf returns how many values the ports stand for.
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

// In returns how many inputs a node of the newest version has.
func (o *Op) In() Arity { return arityOf(PortsAt(o.Inputs, o.Newest())) }

// Out returns how many outputs a node of the newest version has.
func (o *Op) Out() Arity { return arityOf(PortsAt(o.Outputs, o.Newest())) }

// Convert returns v as the attribute has it: integers where floats are wanted are floats.
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

// NewestAttrs returns the attributes of another operator as they are now, and more.
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

// DtypeAttr returns an attribute that names an element type, or def where it is
// missing.
func DtypeAttr(n *ir.Node, name string, def tensor.DType) (tensor.DType, error) {
	v := n.IntOr(name, int(def))
	if v <= 0 || v > 255 || !tensor.DType(v).Valid() {
		return def, fmt.Errorf("%s is %d, want a type", name, v)
	}
	return tensor.DType(v), nil
}

// AutoPads are what the attribute may be; files have "" for NOTSET, too.
var AutoPads = []string{"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", ""}
