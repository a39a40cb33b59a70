package ml

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// LabelEncoder looks each element up in a table of keys and values.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
var LabelEncoder = &op.Op{
	Name:   "LabelEncoder",
	Domain: domain,
	Since:  []int{1, 2, 4},
	Attrs: []op.Attr{
		{Name: "classes_strings", Kind: op.Strings, Until: 2},
		{Name: "default_float", Kind: op.Float, Default: math.Copysign(0, -1), Since: 2},
		{Name: "default_int64", Kind: op.Int, Default: -1},
		{Name: "default_string", Kind: op.String, Default: "_Unused"},
		{Name: "default_tensor", Kind: op.Tensor, Since: 4},
		{Name: "keys_floats", Kind: op.Floats, Since: 2},
		{Name: "keys_int64s", Kind: op.Ints, Since: 2},
		{Name: "keys_strings", Kind: op.Strings, Since: 2},
		{Name: "keys_tensor", Kind: op.Tensor, Since: 4},
		{Name: "values_floats", Kind: op.Floats, Since: 2},
		{Name: "values_int64s", Kind: op.Ints, Since: 2},
		{Name: "values_strings", Kind: op.Strings, Since: 2},
		{Name: "values_tensor", Kind: op.Tensor, Since: 4},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s.With(elem.IntegersOrStrings), Lacks: elem.Of(tensor.Int16, tensor.Int32, tensor.Float64)}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Of(tensor.Float32, tensor.Int16, tensor.Int32, tensor.Int64, tensor.String, tensor.Float64)}},
	Infer:   inferLabelEncoder,
	Upgrade: upgradeLabelEncoder,
	Lower:   lowerLabelEncoder,
	Stops:   op.StopStepwise,
}

// upgradeLabelEncoder converts the classes of version 1 to keys or values: strings are mapped to their
// positions, or positions to strings.
func upgradeLabelEncoder(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 2 || n.Arg(op.X) == nil {
		return nil
	}
	classes := n.Strs("classes_strings")
	positions := make([]int64, len(classes))
	for i := range positions {
		positions[i] = int64(i)
	}
	n.Attrs.Delete("classes_strings")
	if n.In[op.X].Type.Elem == tensor.String {
		n.Attrs.Set("keys_strings", classes)
		n.Attrs.Set("values_int64s", positions)
	} else {
		n.Attrs.Set("keys_int64s", positions)
		n.Attrs.Set("values_strings", classes)
	}
	return nil
}

// labels returns a table attribute: one of prefix_strings, prefix_int64s, prefix_floats and prefix_tensor.
func labels(n *ir.Node, prefix string) *tensor.Tensor {
	if v := n.Strs(prefix + "_strings"); v != nil {
		return tensor.Of(v, len(v))
	}
	if v, ok := n.Attrs.Lookup(prefix + "_int64s").([]int64); ok {
		return tensor.Of(v, len(v))
	}
	if v := n.Floats(prefix + "_floats"); v != nil {
		return tensor.Of(op.Narrowed(v), len(v))
	}
	return n.TensorAttr(prefix + "_tensor")
}

// otherLabel returns the value for missing keys.
func otherLabel(n *ir.Node, elem tensor.DType) *tensor.Tensor {
	if t := n.TensorAttr("default_tensor"); t != nil && t.DType == elem && t.Len() == 1 {
		return tensor1(t)
	}
	switch elem {
	case tensor.String:
		return tensor.Of([]string{n.Str("default_string")}, 1)
	case tensor.Int64:
		return tensor.Of([]int64{n.Int64("default_int64")}, 1)
	case tensor.Float32:
		return tensor.Of([]float32{float32(n.Float("default_float"))}, 1)
	}
	return tensor.New(elem, 1)
}

// tensor1 returns a tensor of one element as a vector.
func tensor1(t *tensor.Tensor) *tensor.Tensor {
	return &tensor.Tensor{DType: t.DType, Shape: []int{1}, Data: t.Data}
}

func inferLabelEncoder(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	keys, values := labels(c.Node, "keys"), labels(c.Node, "values")
	if keys == nil || values == nil || keys.Len() != values.Len() {
		return fmt.Errorf("has %v keys and %v values, want as many", keys, values)
	}
	if keys.DType != x.Elem {
		return fmt.Errorf("input %q is %s, but the keys are %s", c.In[op.X].Name, x.Elem, keys.DType)
	}
	c.OutTensor(0, values.DType, x.Shape...)
	return nil
}

func lowerLabelEncoder(l *op.Lowering) error {
	return encode(l, labels(l.Node, "keys"), labels(l.Node, "values"), otherLabel(l.Node, l.Out[0].Type.Elem))
}

// encode looks the elements of the input up.
func encode(l *op.Lowering, keys, values, other *tensor.Tensor) error {
	var k, v *ir.Value
	switch data := keys.Data.(type) {
	case []string:
		k, v = sortedLabels(l, data, values)
	case []int64:
		k, v = sortedLabels(l, data, values)
	case []int32:
		k, v = sortedLabels(l, data, values)
	case []int16:
		k, v = sortedLabels(l, data, values)
	case []float32:
		k, v = sortedLabels(l, data, values)
	case []float64:
		k, v = sortedLabels(l, data, values)
	default:
		return fmt.Errorf("keys of type %s are not supported", keys.DType)
	}
	l.Call("LabelEncode", l.Out[0], l.In[op.X], k, v, l.ConstTensor("other", other))
	return nil
}

// sortedLabels sorts a table by its keys. For duplicate keys, the last one counts.
func sortedLabels[K interface {
	tensor.Element
	cmp.Ordered
}](l *op.Lowering, keys []K, values *tensor.Tensor) (k, v *ir.Value) {
	perm := make([]int, len(keys))
	for i := range perm {
		perm[i] = i
	}
	slices.SortStableFunc(perm, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	var sorted []K
	var order []int
	for i, p := range perm {
		if i+1 < len(perm) && cmp.Compare(keys[p], keys[perm[i+1]]) == 0 {
			continue
		}
		sorted = append(sorted, keys[p])
		order = append(order, p)
	}
	return op.Constant(l, "keys", sorted), l.ConstTensor("values", pick(values, order))
}

// pick returns the elements of a vector at the given positions.
func pick(t *tensor.Tensor, order []int) *tensor.Tensor {
	out := tensor.New(t.DType, len(order))
	if t.DType == tensor.String {
		for i, p := range order {
			tensor.Data[string](out)[i] = tensor.Data[string](t)[p]
		}
		return out
	}
	n := t.DType.Size()
	for i, p := range order {
		copy(out.Bytes()[i*n:(i+1)*n], t.Bytes()[p*n:])
	}
	return out
}
