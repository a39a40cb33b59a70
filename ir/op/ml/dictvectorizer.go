package ml

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// DictVectorizer converts a map to a row: the values of the keys of a vocabulary, in its order, and zeros for
// missing keys.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_DictVectorizer.html
var DictVectorizer = &op.Op{
	Name:   "DictVectorizer",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "int64_vocabulary", Kind: op.Ints},
		{Name: "string_vocabulary", Kind: op.Strings},
	},
	Inputs:  []op.Port{{Name: "X", Types: op.AMap}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Of(tensor.Float32, tensor.Int64, tensor.String, tensor.Float64)}},
	Infer:   inferDictVectorizer,
	Lower:   lowerDictVectorizer,
	Stops:   op.StopLists,
}

// mapOf returns the types of the keys and values of input i, which must be a map.
func mapOf(c *op.Infer, i int) (key, value tensor.DType, err error) {
	v := c.Arg(i)
	if v == nil {
		return 0, 0, fmt.Errorf("input %d is missing", i)
	}
	if v.Type.Kind != ir.Map || v.Type.Of == nil || v.Type.Of.Kind != ir.Tensor {
		return 0, 0, fmt.Errorf("input %q is %s, want a map", v.Name, v.Type)
	}
	return v.Type.Key, v.Type.Of.Elem, nil
}

// vocabulary returns the keys of a DictVectorizer, nil if it has none.
func vocabulary(n *ir.Node) *tensor.Tensor {
	if v := n.Strs("string_vocabulary"); len(v) > 0 {
		return tensor.Of(v, len(v))
	}
	if v, ok := n.Attrs.Lookup("int64_vocabulary").([]int64); ok && len(v) > 0 {
		return tensor.Of(v, len(v))
	}
	return nil
}

func inferDictVectorizer(c *op.Infer) error {
	key, value, err := mapOf(c, 0)
	if err != nil {
		return err
	}
	words := vocabulary(c.Node)
	if words == nil {
		return fmt.Errorf("has no vocabulary")
	}
	if words.DType != key {
		return fmt.Errorf("input %q has keys of type %s, but the vocabulary is %s", c.In[op.X].Name, key, words.DType)
	}
	c.OutTensor(0, value, ir.C(1), ir.C(words.Len()))
	return nil
}

func lowerDictVectorizer(l *op.Lowering) error {
	words := vocabulary(l.Node)
	at := make([]int64, words.Len())
	for i := range at {
		at[i] = int64(i)
	}
	var keys, positions *ir.Value
	switch data := words.Data.(type) {
	case []string:
		keys, positions = sortedLabels(l, data, tensor.Of(at, len(at)))
	case []int64:
		keys, positions = sortedLabels(l, slices.Clone(data), tensor.Of(at, len(at)))
	}
	l.Call("DictVectorize", l.Out[0], l.In[op.X], keys, positions)
	return nil
}
