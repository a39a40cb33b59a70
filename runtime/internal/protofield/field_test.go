package protofield

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields have their numbers and values; lists may be packed or single; groups are skipped.
func TestEach(t *testing.T) {
	var b []byte
	b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), 300)
	b = protowire.AppendFixed32(protowire.AppendTag(b, 2, protowire.Fixed32Type), 0x3fc00000)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 3, protowire.Fixed64Type), 0x3ff8000000000000)
	b = protowire.AppendTag(protowire.AppendTag(b, 9, protowire.StartGroupType), 9, protowire.EndGroupType)
	b = protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), []byte{1, 0xac, 2})
	b = protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), []byte{0, 0, 0x80, 0x3f})
	b = protowire.AppendBytes(protowire.AppendTag(b, 3, protowire.BytesType), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
	var ints []int64
	var floats []float32
	var doubles []float64
	err := Each(b, func(f Field) (err error) {
		switch f.Num {
		case 1:
			ints, err = AppendVarints(ints, "ints", f)
		case 2:
			floats, err = AppendFloats(floats, "floats", f)
		case 3:
			doubles, err = AppendDoubles(doubles, "doubles", f)
		default:
			err = fmt.Errorf("field %d", f.Num)
		}
		return err
	})
	if err != nil || !slices.Equal(ints, []int64{300, 1, 300}) || !slices.Equal(floats, []float32{1.5, 1}) || !slices.Equal(doubles, []float64{1.5, 1}) {
		t.Errorf("got %v, %v and %v (%v)", ints, floats, doubles, err)
	}
}

func TestErrors(t *testing.T) {
	text := Field{Num: 1, Type: protowire.BytesType, Bytes: []byte{0x80}}
	_, ints := AppendVarints([]int64(nil), "ints", text)
	_, floats := AppendFloats(nil, "floats", text)
	_, doubles := AppendDoubles(nil, "doubles", text)
	_, other := AppendVarints([]int64(nil), "ints", Field{Type: protowire.Fixed32Type})
	for _, tt := range []struct {
		err  error
		want string
	}{
		{Each([]byte{0x0a, 5, 1}, func(Field) error { return nil }), "byte 0 of 3: "},
		{ints, "ints: "},
		{floats, "floats has 1 bytes, want a multiple of 4"},
		{doubles, "doubles has 1 bytes, want a multiple of 8"},
		{other, "ints has wire type 5, want 2"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("got %v, want %s", tt.err, tt.want)
		}
	}
}
