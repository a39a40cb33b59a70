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

// Ref is a reference to an attribute of the enclosing function. Inlining replaces it by the attribute.
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

// Lookup returns the value of the attribute, or nil if there is none.
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

// A Default returns the default value of an attribute that a node does not have. Its result has one of the
// types of [Attr.Value], or is nil if there is no default.
type Default func(n *Node, name string) any

// defaults returns the operators' defaults, as this package does not know operators.
var defaults Default = func(*Node, string) any { return nil }

// SetDefaults sets the function that returns defaults of attributes. The operator table calls it once, during
// initialization.
func SetDefaults(f Default) { defaults = f }

// value returns an attribute of the node, or its default.
func (n *Node) value(name string) any {
	if v := n.Attrs.Lookup(name); v != nil {
		return v
	}
	return defaults(n, name)
}

// Int returns an integer attribute, or its default.
func (n *Node) Int(name string) int {
	return Int(n.Int64(name))
}

// Int64 returns an integer attribute, or its default, as [Node.Int] does, for numbers that are no sizes, such as durations.
func (n *Node) Int64(name string) int64 {
	v, _ := n.value(name).(int64)
	return v
}

// IntOr returns an integer attribute, or otherwise if the node does not have it. It is for attributes with
// defaults that depend on the operands.
func (n *Node) IntOr(name string, otherwise int) int {
	if v, ok := n.Attrs.Lookup(name).(int64); ok {
		return Int(v)
	}
	return otherwise
}

// Float returns a float attribute, or its default.
func (n *Node) Float(name string) float64 {
	v, _ := n.value(name).(float64)
	return v
}

// Str returns a string attribute, or its default.
func (n *Node) Str(name string) string {
	v, _ := n.value(name).(string)
	return v
}

// Ints returns a list attribute, or its default, or nil if there is neither.
func (n *Node) Ints(name string) []int {
	v, ok := n.value(name).([]int64)
	if !ok {
		return nil
	}
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = Int(x)
	}
	return out
}

// Floats returns a list attribute, or its default, or nil if there is neither.
func (n *Node) Floats(name string) []float64 {
	v, _ := n.value(name).([]float64)
	return v
}

// Strs returns a list attribute, or its default, or nil if there is neither.
func (n *Node) Strs(name string) []string {
	v, _ := n.value(name).([]string)
	return v
}

// TensorAttr returns a tensor attribute, or nil if the node does not have it.
func (n *Node) TensorAttr(name string) *tensor.Tensor {
	v, _ := n.Attrs.Lookup(name).(*tensor.Tensor)
	return v
}
