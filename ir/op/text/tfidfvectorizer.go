package text

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TfIdfVectorizer counts n-grams, with a limited number of skipped tokens between those of an n-gram.
//
// https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
var TfIdfVectorizer = &op.Op{
	Name:  "TfIdfVectorizer",
	Since: []int{9},
	Attrs: []op.Attr{
		{Name: "max_gram_length", Kind: op.Int, Required: true},
		{Name: "max_skip_count", Kind: op.Int, Required: true},
		{Name: "min_gram_length", Kind: op.Int, Required: true},
		{Name: "mode", Kind: op.String, Values: []string{"TF", "IDF", "TFIDF"}, Required: true},
		{Name: "ngram_counts", Kind: op.Ints, Required: true},
		{Name: "ngram_indexes", Kind: op.Ints, Required: true},
		{Name: "pool_int64s", Kind: op.Ints},
		{Name: "pool_strings", Kind: op.Strings},
		{Name: "weights", Kind: op.Floats},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Indices.With(elem.Strings)}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferTfIdf,
	Lower:   lowerTfIdf,
	FLOPs:   tfIdfWork,
	Stops:   op.StopToIntegers,
}

func inferTfIdf(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if len(x.Shape) > 2 {
		return fmt.Errorf("input %q has rank %d, want 1 or 2", c.In[op.X].Name, len(x.Shape))
	}
	if err := checkPool(c.Node, x.Elem); err != nil {
		return err
	}
	width := ir.C(slices.Max(c.Ints("ngram_indexes")) + 1)
	if len(x.Shape) == 2 {
		c.OutTensor(0, tensor.Float32, x.Shape[0], width)
	} else {
		c.OutTensor(0, tensor.Float32, width)
	}
	return nil
}

// checkPool checks the lists that describe the n-grams.
func checkPool(n *ir.Node, dtype tensor.DType) error {
	size := len(n.Ints("pool_int64s"))
	if dtype == tensor.String {
		size = len(n.Strs("pool_strings"))
	} else if !elem.Indices.Has(dtype) {
		return fmt.Errorf("input is %s, want int32, int64 or string", dtype)
	}
	counts, index := n.Ints("ngram_counts"), n.Ints("ngram_indexes")
	if size == 0 || len(counts) == 0 || counts[0] != 0 {
		return fmt.Errorf("has a pool of %d %s tokens, and ngram_counts %v", size, dtype, counts)
	}
	grams := 0
	for i, from := range counts {
		to := size
		if i+1 < len(counts) {
			to = counts[i+1]
		}
		if to < from || to > size || (to-from)%(i+1) != 0 {
			return fmt.Errorf("ngram_counts %v do not cut %d tokens into n-grams", counts, size)
		}
		grams += (to - from) / (i + 1)
	}
	if len(index) != grams || slices.Min(index) < 0 {
		return fmt.Errorf("ngram_indexes has %d elements, want one of at least 0 for each of %d n-grams", len(index), grams)
	}
	if w := len(n.Floats("weights")); w != 0 && w <= slices.Max(index) {
		return fmt.Errorf("weights has %d elements, want %d", w, slices.Max(index)+1)
	}
	return nil
}

func lowerTfIdf(l *op.Lowering) error {
	var pool, index *ir.Value
	var counts []int
	switch l.In[op.X].Type.Elem {
	case tensor.String:
		pool, index, counts = sortedGrams(l, l.Strs("pool_strings"))
	case tensor.Int32:
		tokens := make([]int32, 0)
		for _, v := range l.Ints("pool_int64s") {
			tokens = append(tokens, int32(v))
		}
		pool, index, counts = sortedGrams(l, tokens)
	default:
		tokens := make([]int64, 0)
		for _, v := range l.Ints("pool_int64s") {
			tokens = append(tokens, int64(v))
		}
		pool, index, counts = sortedGrams(l, tokens)
	}
	var weights *ir.Value
	mode := l.Str("mode")
	if w := l.Floats("weights"); mode != "TF" && len(w) > 0 {
		weights = l.Floats32("weights", w)
	}
	rows := ir.C(1)
	if s := op.Shape(l.In[op.X]); len(s) == 2 {
		rows = s[0]
	}
	l.Call("TfIdf", l.Out[0], l.In[op.X], pool, index, weights, op.Struct{Type: "TfIdfParams", Fields: []op.Field{
		{Name: "Counts", Value: counts}, {Name: "Once", Value: mode == "IDF"}, {Name: "Rows", Value: rows},
		{Name: "MinLen", Value: l.Int("min_gram_length")}, {Name: "MaxLen", Value: l.Int("max_gram_length")},
		{Name: "Skips", Value: l.Int("max_skip_count")},
	}})
	return nil
}

// sortedGrams sorts the n-grams of each length for binary search.
func sortedGrams[T int32 | int64 | string](l *op.Lowering, tokens []T) (pool, index *ir.Value, counts []int) {
	from, at := l.Ints("ngram_counts"), 0
	outs := l.Ints("ngram_indexes")
	var sorted []T
	var order []int
	for i := range from {
		to := len(tokens)
		if i+1 < len(from) {
			to = from[i+1]
		}
		n := (to - from[i]) / (i + 1)
		gram := func(k int) []T { return tokens[from[i]+k*(i+1):][:i+1] }
		perm := make([]int, n)
		for k := range perm {
			perm[k] = k
		}
		slices.SortStableFunc(perm, func(a, b int) int { return slices.CompareFunc(gram(a), gram(b), cmp.Compare[T]) })
		for _, k := range perm {
			sorted = append(sorted, gram(k)...)
			order = append(order, outs[at+k])
		}
		at += n
		counts = append(counts, n)
	}
	return op.Constant(l, "grams", sorted), l.Int64s("index", order), counts
}

// tfIdfWork counts a lookup for each token, length of n-grams, and number of skipped tokens that a row has room for.
func tfIdfWork(n *ir.Node) ir.Dim {
	x := op.Shape(n.In[op.X])
	row := ir.C(1)
	if len(x) > 0 {
		row = x[len(x)-1]
	}
	lengths := min(n.Int("max_gram_length"), len(n.Ints("ngram_counts")))
	return ir.Size(x).Mul(ir.C(lengths)).Mul(op.AtMost(ir.C(n.Int("max_skip_count")).Add(ir.C(1)), row))
}
