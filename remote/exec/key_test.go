package exec

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// Operations with different attributes have different keys, so that none runs what was compiled for another.
func TestKeys(t *testing.T) {
	seen := map[string]any{}
	for _, v := range []any{int64(1), 1.0, "1", []int64{1}, []float64{1}, []string{"1"}, "[1]", []string{"a b", "c"}, []string{"a", "b c"}} {
		o := &Operation{Name: "LabelEncoder", Domain: "ai.onnx.ml", Attrs: ir.Attrs{{Name: "x", Value: v}}}
		key := o.Key(nil)
		if have, ok := seen[key]; ok {
			t.Errorf("%#v and %#v have the key %s", have, v, key)
		}
		seen[key] = v
	}
}
