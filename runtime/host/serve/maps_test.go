package serve

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// A map is an object with sorted keys, so that its encoding is unique.
func TestDecodeMap(t *testing.T) {
	p := model.Port{Name: "x", Type: "map(int64,float32[])", Key: tensor.Int64, Elem: tensor.Float32}
	in, err := decodeJSON([]byte(`{"inputs": {"x": {"7": 0.5, "-2": "NaN"}}}`), []model.Port{p})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := appendValue(nil, in[0]); err != nil || string(b) != `{"-2":"NaN","7":0.5}` {
		t.Errorf("got %s, %v", b, err)
	}
	for raw, want := range map[string]string{
		`[1]`:               `is [1], want an object with a value for each key: map(int64,float32[])`,
		`null`:              `is null, want an object`,
		`{"a": 1}`:          `key "a" is no int64`,
		`{"1": 1, "01": 2}`: `key "01" is no int64`,
		`{"+1": 1}`:         `key "+1" is no int64`,
		`{"1e3": 1}`:        `key "1e3" is no int64`,
		`{"1": "a"}`:        `key "1": element 0 is "a", want float32`,
		`{"1": [1]}`:        ``,
		`{"1": [1, 2]}`:     `key "1": data is float32[2], want 1 elements`,
	} {
		_, err := decodeMap([]byte(raw), p)
		if got := err; (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("%s: error %v, want %q", raw, got, want)
		}
	}
}
