package ir

import (
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Attr is a named constant of a node. Value is an int64, float64, string,
// *tensor.Tensor, Type, []int64, []float64, []string, []*tensor.Tensor, or a
// [Ref] inside a function body.
type Attr struct {
	Name  string
	Value any
}

// Ref stands for an attribute of the enclosing function until it is inlined.
type Ref string

// Attrs are the attributes of a node, sorted by name.
type Attrs []Attr

// Set adds or replaces an attribute.
func (a *Attrs) Set(name string, v any) {
	i, ok := slices.BinarySearchFunc(*a, name, func(x Attr, n string) int { return strings.Compare(x.Name, n) })
	if ok {
		(*a)[i].Value = v
		return
	}
	*a = slices.Insert(*a, i, Attr{name, v})
}

// Delete removes an attribute if it is there.
func (a *Attrs) Delete(name string) {
	*a = slices.DeleteFunc(*a, func(x Attr) bool { return x.Name == name })
}

// Lookup returns an attribute's value, nil if it is not there.
func (a Attrs) Lookup(name string) any {
	for _, x := range a {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

// Has reports whether the node has the attribute.
func (n *Node) Has(name string) bool { return n.Attrs.Lookup(name) != nil }

// Int is an integer attribute, or def where it is missing.
func (n *Node) Int(name string, def int) int {
	if v, ok := n.Attrs.Lookup(name).(int64); ok {
		return int(v)
	}
	return def
}

// Float is a float attribute, or def where it is missing.
func (n *Node) Float(name string, def float64) float64 {
	if v, ok := n.Attrs.Lookup(name).(float64); ok {
		return v
	}
	return def
}

// Str is a string attribute, or def where it is missing.
func (n *Node) Str(name, def string) string {
	if v, ok := n.Attrs.Lookup(name).(string); ok {
		return v
	}
	return def
}

// Ints is a list attribute, nil where it is missing.
func (n *Node) Ints(name string) []int {
	v, ok := n.Attrs.Lookup(name).([]int64)
	if !ok {
		return nil
	}
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out
}

// Floats is a list attribute, nil where it is missing.
func (n *Node) Floats(name string) []float64 {
	v, _ := n.Attrs.Lookup(name).([]float64)
	return v
}

// Strs is a list attribute, nil where it is missing.
func (n *Node) Strs(name string) []string {
	v, _ := n.Attrs.Lookup(name).([]string)
	return v
}

// TensorAttr is a tensor attribute, nil where it is missing.
func (n *Node) TensorAttr(name string) *tensor.Tensor {
	v, _ := n.Attrs.Lookup(name).(*tensor.Tensor)
	return v
}
