package optest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// exceptions are operators that need no cases for their types, with the reason.
var exceptions = map[string]string{
	"ai.onnx.ml:ArrayFeatureExtractor": "elements of any type are moved; ONNX admits those that have cases",
	"ai.onnx.ml:Imputer":               "ONNX admits float32 and int64; the kernel is generic",
	"ai.onnx.ml:TreeEnsemble":          "smaller floats are cast, and nothing else computes them",

	"ai.onnx.preview.training:Adagrad":  "ONNX admits float32 and float64; smaller floats are cast",
	"ai.onnx.preview.training:Adam":     "ONNX admits float32 and float64; smaller floats are cast",
	"ai.onnx.preview.training:Momentum": "ONNX admits float32 and float64; smaller floats are cast",

	"ai.bbgen.tensor:Unfold": "it is Gather, which has the types",

	"CastLike":          "it is Cast, which has a case for each pair of types",
	"CenterCropPad":     "the reference fills up strings with \"0\", and float8e8m0 has no 0",
	"DynamicSlice":      "it is Slice, which has the types",
	"GlobalLpPool":      "only ONNX Runtime computes it, on float32",
	"MaxRoiPool":        "only ONNX Runtime computes it, on float32",
	"OneHot":            "indices and depth of other types are cast; neither reference computes them all",
	"Pad":               "float8e8m0 has no 0 to pad with",
	"RandomNormalLike":  "only the shape of the operand counts",
	"RandomUniformLike": "only the shape of the operand counts",
	"Resize":            "neither the reference nor ONNX Runtime computes the other types",
	"Scatter":           "it is ScatterElements, which has the types",
	"SequenceConstruct": "ONNX does not admit bfloat16; items are only held",
	"Trilu":             "the reference fills up strings with \"0\", and float8e8m0 has no 0",
	"Unique":            "neither the reference nor ONNX Runtime computes the other types",
	"Upsample":          "it is Resize, which has the types",
	"QuantizeLinear":    "ONNX does not admit float64; it is cast",
}

// excepted reports whether a type of an operand needs no case: because it is only another width of shapes,
// axes or indices, or because the operator is defined by operators that have the cases.
func excepted(c *forward.Case, i int, from, to tensor.DType) bool {
	index := func(d tensor.DType) bool { return d == tensor.Int32 || d == tensor.Int64 }
	return exceptions[c.Name()] != "" || c.Domain == op.Microsoft || index(from) && index(to) && (i > 0 || c.Op == "ConstantOfShape")
}

// types checks that there is a case for each operator that computes and has a name in ONNX, and for each
// element type that its inference accepts for an operand.
func types(f *family, errorf errorf) {
	have := map[string]bool{}
	for _, b := range f.bodies {
		b.module.Main.Body.Walk(func(n *ir.Node) { have[strings.TrimPrefix(n.Domain+":"+n.Op, ":")] = true })
	}
	for _, c := range f.forward {
		have[c.Name()] = true
		for i, x := range c.In {
			if x, ok := x.(*tensor.Tensor); ok {
				have[key(c, i, x.DType)] = true
			}
		}
	}
	for _, o := range f.ops {
		if name := strings.TrimPrefix(o.Key(), ":"); computes(o) && !have[name] {
			errorf("%s has no case", name)
		}
	}
	admitted := untested(f.forward, have)
	for _, k := range slices.Sorted(maps.Keys(admitted)) {
		errorf("%s has no case; it is admitted in place of the type in %.120s", k, admitted[k])
	}
}

// untested returns the accepted element types of operands without a case, and for each a case with another
// type.
func untested(cases []*forward.Case, have map[string]bool) map[string]string {
	out := map[string]string{}
	for _, c := range cases {
		for i, x := range c.In {
			x, ok := x.(*tensor.Tensor)
			if !ok || firstOf(c, x.DType) != i {
				continue
			}
			for d := tensor.Float32; d.Valid(); d++ {
				if k := key(c, i, d); !have[k] && out[k] == "" && !excepted(c, i, x.DType, d) && admits(c, x.DType, d) {
					out[k] = c.Text
				}
			}
		}
	}
	return out
}

// computes reports whether an operator may be in a model and peers compute it.
func computes(o *op.Op) bool {
	return o.Peer == nil && o.Domain != op.Own && !strings.HasPrefix(o.Domain, "ai.bytesandbrains")
}

// firstOf returns the first operand of a type: operands with the same type are changed together.
func firstOf(c *forward.Case, d tensor.DType) int {
	return slices.IndexFunc(c.In, func(x tensor.Value) bool {
		t, ok := x.(*tensor.Tensor)
		return ok && t.DType == d
	})
}

func key(c *forward.Case, i int, d tensor.DType) string {
	return fmt.Sprintf("%s, operand %d, %s", c.Name(), i, d)
}

// admits reports whether the operator accepts operands of another type instead of one.
func admits(c *forward.Case, from, to tensor.DType) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	m, _ := forward.Module(forward.Weighted, c)
	n := m.Main.Body.Nodes[0]
	for i, v := range n.In {
		switch {
		case v == nil || v.Type.Kind != ir.Tensor || v.Type.Elem != from:
		case v.Const != nil:
			n.In[i] = ir.NewConst(v.Name, tensor.New(to, v.Const.Shape...))
		default:
			v.Type.Elem = to
		}
	}
	return pass.Run(m, pass.Until(pass.Pipeline, pass.Expand.Name), nil) == nil
}
