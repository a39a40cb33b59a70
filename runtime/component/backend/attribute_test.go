package backend

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// field appends a field of a protobuf message: a number, or bytes.
func field(b []byte, num int, v any) []byte {
	switch v := v.(type) {
	case int:
		return binary.AppendUvarint(binary.AppendUvarint(b, uint64(num)<<3), uint64(v))
	case float32:
		return binary.LittleEndian.AppendUint32(binary.AppendUvarint(b, uint64(num)<<3|5), math.Float32bits(v))
	case string:
		return append(binary.AppendUvarint(binary.AppendUvarint(b, uint64(num)<<3|2), uint64(len(v))), v...)
	}
	panic(fmt.Sprintf("a field of %T", v))
}

// message returns a message of fields: numbers and values in turn.
func message(fields ...any) string {
	var b []byte
	for i := 0; i < len(fields); i += 2 {
		b = field(b, fields[i].(int), fields[i+1])
	}
	return string(b)
}

// withAttribute returns a model with one node, which has an attribute of the given fields.
func withAttribute(attribute ...any) []byte {
	node := message(1, "x", 2, "y", 3, "n", 4, "Op", 5, message(attribute...))
	return []byte(message(8, message(2, 21), 7, message(1, node, 11, message(1, "x"), 12, message(1, "y"))))
}

// TestAttributes: an engine gets attributes of all kinds but graphs.
func TestAttributes(t *testing.T) {
	scalar := message(2, 1, 4, float32(2.5)) // float32 without dimensions
	for _, c := range []struct {
		fields []any
		want   string
	}{
		{[]any{1, "a", 2, float32(0.5), 20, 1}, "float32 0.5"},
		{[]any{1, "a", 3, 7, 20, 2}, "int64 7"},
		{[]any{1, "a", 4, "text", 20, 3}, "string text"},
		{[]any{1, "a", 5, scalar, 20, 4}, "*tensor.Tensor [2.5]"},
		{[]any{1, "a", 7, float32(1), 7, float32(2), 20, 6}, "[]float32 [1 2]"},
		{[]any{1, "a", 8, 3, 8, 4, 20, 7}, "[]int64 [3 4]"},
		{[]any{1, "a", 8, "\x03\x04", 20, 7}, "[]int64 [3 4]"}, // packed
		{[]any{1, "a", 9, "p", 9, "q", 20, 8}, "[]string [p q]"},
	} {
		g, err := readModel(withAttribute(c.fields...))
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		o := g.operations[0]
		got := fmt.Sprintf("%T %v", o.Attrs["a"], o.Attrs["a"])
		if x, ok := o.Attrs["a"].(*tensor.Tensor); ok {
			got = fmt.Sprintf("%T %v", x, tensor.Data[float32](x))
		}
		if got != c.want || o.Version != 21 || o.Name != "n" || o.Type != "Op" || fmt.Sprint(o.In, o.Out, o.last) != "[x] [y] [x]" {
			t.Errorf("got %s of %+v, want %s", got, o, c.want)
		}
	}
}

// TestHostileModels: what is no attribute that engines know, or no model, is an error that names the node.
func TestHostileModels(t *testing.T) {
	for _, c := range []struct {
		name, want string
		model      []byte
	}{
		{"a graph", `node "n" (Op): attribute "a": engines get numbers, strings, tensors and lists, no graphs`, withAttribute(1, "a", 6, "", 20, 5)},
		{"no kind", `node "n" (Op): attribute "a": engines get numbers, strings, tensors and lists, no graphs`, withAttribute(1, "a", 3, 1)},
		{"a tensor of no type", "", withAttribute(1, "a", 5, message(2, 99), 20, 4)},
		{"numbers that end early", "", withAttribute(1, "a", 8, "\x80", 20, 7)},
		{"floats of three bytes", "", withAttribute(1, "a", 7, "abc", 20, 6)},
		{"a model that ends early", "", withAttribute(1, "a", 3, 1, 20, 2)[:20]},
		{"a constant of no type", "", []byte(message(7, message(5, message(2, 99))))},
	} {
		_, err := readModel(c.model)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	e := newEngine()
	if err := e.Load(1, nil); err == nil || err.Error() != "backend: graph 1 comes after 0 graphs" {
		t.Errorf("%v, want that graph 1 is refused", err)
	}
	if b, err := e.AppendBinary(nil); len(b) > 0 || err != nil || e.UnmarshalBinary(nil) != nil {
		t.Errorf("an engine has a state of %d bytes (%v), want none", len(b), err)
	}
}
