package op

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Check compares a node with the schema of its operator set version: the numbers of inputs and outputs, and
// the attributes. It is as strict as ONNX's own checker, which does not check element types; see
// [Op.CheckTypes].
func (o *Op) Check(n *ir.Node) error {
	v := o.versionOf(n)
	if err := checkPorts("input", PortsAt(o.Inputs, v), n.In); err != nil {
		return err
	}
	if err := checkPorts("output", PortsAt(o.Outputs, v), n.Out); err != nil {
		return err
	}
	return o.checkAttrs(n, v)
}

// checkPorts compares the number of values with the ports. An unused output may be omitted.
func checkPorts(what string, ports []Port, vs []*ir.Value) error {
	if err := arityOf(ports).check(what, len(vs)); err != nil {
		return err
	}
	for i, v := range vs {
		if p := portAt(ports, i); v == nil && what == "input" && !p.Optional && !p.Variadic {
			return fmt.Errorf("input %d (%s) is missing", i, p.Name)
		}
	}
	return nil
}

func (o *Op) checkAttrs(n *ir.Node, version int) error {
	for _, a := range n.Attrs {
		if strings.HasPrefix(a.Name, "__") { // an annotation by a tool
			continue
		}
		if err := o.checkAttr(a, version); err != nil {
			return err
		}
	}
	for _, r := range n.Regions {
		if a := o.AttrAt(r.Name, version); a == nil || a.Kind != Graph {
			return o.unknown(r.Name, version)
		}
	}
	for i := range o.Attrs {
		a := &o.Attrs[i]
		if a.Required && in(version, a.Since, a.Until) && !n.Has(a.Name) && n.Region(a.Name) == nil {
			return fmt.Errorf("attribute %q is missing, want %s", a.Name, a.wants())
		}
	}
	return nil
}

// checkAttr compares one attribute with the schema.
func (o *Op) checkAttr(a ir.Attr, version int) error {
	s := o.AttrAt(a.Name, version)
	if s == nil {
		return o.unknown(a.Name, version)
	}
	if _, ref := a.Value.(ir.Ref); !ref && !s.Kind.Holds(a.Value) {
		return fmt.Errorf("attribute %q is %s, want %s", a.Name, described(a.Value), s.wants())
	}
	if v, ok := a.Value.(string); ok && s.Values != nil && !slices.Contains(s.Values, v) {
		return fmt.Errorf("attribute %q is %q, want %s", a.Name, v, s.wants())
	}
	if s.Fixed && a.Value != attrValue(s.Default) {
		return fmt.Errorf("attribute %q is %s, which is not supported: want %v", a.Name, described(a.Value), s.Default)
	}
	return nil
}

// wants describes the allowed values of the attribute.
func (a *Attr) wants() string {
	if a.Values == nil {
		return a.Kind.String()
	}
	return "one of " + quoted(a.Values)
}

// unknown returns the error for an attribute that the operator does not have.
func (o *Op) unknown(name string, version int) error {
	var names []string
	for _, a := range o.Attrs {
		if in(version, a.Since, a.Until) && !a.Own {
			names = append(names, a.Name)
		}
	}
	switch near := nearest(name, names); {
	case near != "":
		return fmt.Errorf("has no attribute %q, want %q, %s", name, near, o.AttrAt(near, version).wants())
	case len(names) == 0:
		return fmt.Errorf("has no attribute %q, and takes none", name)
	}
	return fmt.Errorf("has no attribute %q, want one of %s", name, quoted(names))
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, s := range names {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

// Holds reports whether a value is of the kind.
func (k AttrKind) Holds(v any) bool {
	switch v.(type) {
	case int64:
		return k == Int
	case float64:
		return k == Float
	case string:
		return k == String
	case *tensor.Tensor:
		return k == Tensor || k == Sparse
	case ir.Type:
		return k == TypeProto
	case []int64:
		return k == Ints
	case []float64:
		return k == Floats
	case []string:
		return k == Strings
	}
	return false
}

// described returns a value for messages.
func described(v any) string {
	switch v := v.(type) {
	case int64:
		return fmt.Sprintf("the integer %d", v)
	case float64:
		return fmt.Sprintf("the float %g", v)
	case string:
		return fmt.Sprintf("the string %q", v)
	}
	for k := range kinds {
		if AttrKind(k).Holds(v) {
			return AttrKind(k).String()
		}
	}
	return fmt.Sprintf("a %T", v)
}

// CheckTypes compares the element types of the inputs with the ports. Inference checks whether an input is a
// tensor.
func (o *Op) CheckTypes(n *ir.Node) error {
	ports := PortsAt(o.Inputs, o.versionOf(n))
	for i, v := range n.In {
		if v == nil || v.Type.Kind == ir.Tensor && v.Type.Elem == tensor.Undefined {
			continue
		}
		p := portAt(ports, i)
		if p.Types != nil && !p.Types.Takes(v.Type) {
			return fmt.Errorf("input %q is %s, want %s", v.Name, elementsOrType(v.Type), p.Types)
		}
		first := slices.IndexFunc(ports, func(q Port) bool { return q.Name == p.Like })
		if p.Like == "" && p.Variadic && !p.Mixed {
			first = min(i, len(ports)-1)
		}
		if w := at(n.In, first); w != nil && w.Type.Kind == v.Type.Kind && w.Type.Elem != v.Type.Elem && !slices.Contains(o.Stored, i) {
			return fmt.Errorf("input %q is %s, want %s like input %q", v.Name, v.Type.Elem, w.Type.Elem, w.Name)
		}
	}
	return nil
}

func at(vs []*ir.Value, i int) *ir.Value {
	if i < 0 || i >= len(vs) {
		return nil
	}
	return vs[i]
}

// elementsOrType describes a type for messages.
func elementsOrType(t ir.Type) string {
	if t.Kind == ir.Tensor {
		return t.Elem.String()
	}
	return t.String()
}
