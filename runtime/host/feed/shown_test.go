package feed

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// A line shows a few elements as a list, many as a hash and a type, and values that JSON lacks as text.
func TestShow(t *testing.T) {
	for _, tt := range []struct {
		v    tensor.Value
		want string
	}{
		{tensor.Of([]float32{0.5}), "[0.5]"},
		{tensor.Of([]float32{0.5, 2}, 2), "[0.5,2]"},
		{tensor.Of([]int64{1, 2, 3, 4}, 2, 2), "[1,2,3,4]"},
		{tensor.Of([]float64{math.NaN()}), `"[NaN]"`},
		{tensor.Of([]float32{1, float32(math.Inf(1))}, 2), `"[1 +Inf]"`},
		{tensor.Of([]uint8{7}), "[7]"},
		{tensor.Of([]string{"a"}), `["a"]`},
		{tensor.New(tensor.Uint8, 17), "null"},
	} {
		value, typ, hash := Shown(tt.v.(*tensor.Tensor))
		b, err := json.Marshal(value)
		if (hash == "") != strings.HasPrefix(typ, "string") {
			t.Errorf("%v has type %s and hash %q", tt.v, typ, hash)
		}
		if err != nil || !strings.HasPrefix(string(b), tt.want) {
			t.Errorf("%v is shown as %s, %v; want %s", tt.v, b, err, tt.want)
		}
	}
}
