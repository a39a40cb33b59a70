package tensorio

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The meaning of the field numbers: key_type 8 is a string, field 4 holds the keys, field 5 a sequence of
// values.
func TestMapBytes(t *testing.T) {
	got := AppendMap(nil, "", tensor.MapOf([]string{"a"}, []int8{5}))
	values := []byte{2 << 3, 1, 3<<3 | 2, 5, 2 << 3, 3, 9<<3 | 2, 1, 5}
	want := append([]byte{2 << 3, 8, 4<<3 | 2, 1, 'a', 5<<3 | 2, byte(len(values))}, values...)
	if !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// TestMapRefuses checks the errors for malformed maps.
func TestMapRefuses(t *testing.T) {
	keys := func(ks ...uint64) (b []byte) {
		for _, k := range ks {
			b = appendInt(b, mapKeys, k)
		}
		return b
	}
	values := func(items ...tensor.Value) []byte {
		return appendMessage(nil, mapValues, AppendSequence(nil, "", &tensor.Sequence{Items: items}))
	}
	one, two := tensor.New(tensor.Float32), tensor.New(tensor.Float32, 2)
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{keys(1), `map "": has 1 keys and 0 values`},
		{append(keys(1, 1), values(one, one)...), `key 1 stands there twice`},
		{append(keys(1), values(two)...), `value 0 is float32[2], want a tensor of one element`},
		{append(keys(1), values(&tensor.Sequence{})...), `want a tensor of one element`}, // and has no type
		{append(keys(1), values(&tensor.Optional{})...), `want a tensor of one element`},
		{append(appendMessage(keys(1), mapStringKeys, []byte("a")), values(one, one)...), `keys that are integers and keys that are strings`},
		{appendMessage(nil, mapKeyType, nil), `key_type has wire type 2, want 0`},
		{appendInt(nil, mapValues, 1), `values has wire type 0, want 2`},
	} {
		if _, _, err := DecodeMap(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// FuzzDecodeMap decodes what it accepts again from its own encoding.
func FuzzDecodeMap(f *testing.F) {
	f.Add(AppendMap(nil, "m", tensor.MapOf([]string{"a"}, []int8{5})))
	f.Add(AppendMap(nil, "m", tensor.MapOf([]int64{1, 2}, []float32{5, 6})))
	f.Add(appendMessage(appendInt(nil, mapKeys, 3), mapValues, AppendSequence(nil, "", &tensor.Sequence{Items: []tensor.Value{&tensor.Optional{}}})))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, name, err := DecodeMap(b)
		if err != nil {
			return
		}
		again, _, err := DecodeMap(AppendMap(nil, name, m))
		if err != nil || !tensor.Equal(m.Keys, again.Keys) || !tensor.Equal(m.Values, again.Values) {
			t.Errorf("%+v came back as %+v, %v", m, again, err)
		}
	})
}
