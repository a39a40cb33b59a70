package protocol

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// messages is one message of each form.
var messages = []*Message{
	{Kind: Open, Blob: []byte("a session"), Ack: 7},
	{Kind: Register, Seq: 1, Out: []uint64{1}, Tensors: []Type{{tensor.Float32, []int{2, 3}, 24}}, Bytes: 24},
	{Kind: Execute, Seq: 2, Stream: 3, In: []uint64{1, 0, 300}, Out: []uint64{2}, Name: "Conv", Domain: "ai.bbgen", Version: 22, Attrs: []Attr{
		{"int", int64(-1)}, {"zero", int64(0)}, {"float", 1.5}, {"text", "é"}, {"ints", []int64{1, -2}}, {"floats", []float64{0.5, -1}},
		{"texts", []string{"", "b"}}, {"none", []int64{}}, {"tensor", tensor.Of([]int8{1, 2}, 2)},
	}},
	{Kind: Graph, Seq: 3, Blob: []byte("fingerprint"), Bytes: 1000},
	{Kind: Offer, Seq: 4, To: 9, In: []uint64{1}, Blob: []byte("ticket"), Address: "12D3", Number: 1},
	{Kind: Answer, Seq: 5, Ack: 6, To: 3, Failure: &Failure{Code: NoMemory, Op: "Add", Text: "too much"}},
	{Kind: Answer, To: 1, Tensors: []Type{{tensor.Int4, []int{3}, 2}, {tensor.String, []int{}, 5}, {tensor.Bool, []int{0, 9}, 0}}, Bytes: 7},
}

func TestMessages(t *testing.T) {
	lim := DefaultLimits()
	for _, m := range messages {
		got, err := Consume(Append(nil, m), &lim)
		if err != nil {
			t.Errorf("%+v: %v", m, err)
			continue
		}
		for i := range m.Tensors { // an empty shape is decoded as nil
			if len(m.Tensors[i].Shape) == 0 {
				got.Tensors[i].Shape = []int{}
			}
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, want %+v", got, m)
		}
	}
}

// Messages that are inconsistent, or exceed a limit, are refused.
func TestMessagesThatAreRefused(t *testing.T) {
	lim := Limits{Message: 256, List: 3, Name: 8, Bytes: 1000}
	for name, m := range map[string]*Message{
		"too many inputs":          {In: []uint64{1, 2, 3, 4}},
		"a long name":              {Name: "123456789"},
		"a long blob":              {Blob: []byte("123456789")},
		"not UTF-8":                {Name: "\xff"},
		"a long message":           {Failure: &Failure{Text: string(make([]byte, 300))}},
		"too much behind it":       {Kind: Graph, Bytes: 1001},
		"bytes of no tensor":       {Kind: Read, Bytes: 1},
		"more tensors than bytes":  {Tensors: []Type{{tensor.Int8, []int{4}, 4}}},
		"a shape of another size":  {Tensors: []Type{{tensor.Int8, []int{5}, 4}}, Bytes: 4},
		"a size that overflows":    {Tensors: []Type{{tensor.Int8, []int{math.MaxInt/2 + 1, math.MaxInt/2 + 1}, 4}}, Bytes: 4},
		"sums that overflow":       {Tensors: []Type{{tensor.Int8, []int{600}, 600}, {tensor.Int8, []int{600}, 600}}, Bytes: 1200},
		"strings in too few bytes": {Tensors: []Type{{tensor.String, []int{5}, 4}}, Bytes: 4},
		"no element type":          {Tensors: []Type{{99, []int{1}, 4}}, Bytes: 4},
		"too many axes":            {Tensors: []Type{{tensor.Int8, make([]int, 17), 0}}},
		"too many tensors":         {Tensors: make([]Type, 4)},
		"too many attributes":      {Attrs: []Attr{{"a", int64(1)}, {"b", int64(1)}, {"c", int64(1)}, {"d", int64(1)}}},
		"an attribute of no name":  {Attrs: []Attr{{"", int64(1)}}},
		"an attribute of many":     {Attrs: []Attr{{"a", []int64{1, 2, 3, 4}}}},
		"an attribute of no value": {},
	} {
		b := Append(nil, m)
		if name == "an attribute of no value" {
			b = appendPart(nil, fieldAttr, appendText(nil, attrName, "a"))
		}
		if _, err := Consume(b, &lim); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v, want %v", name, err, ErrMalformed)
		}
	}
}

// Arbitrary bytes are either a message that can be encoded again, or an error.
func FuzzConsume(f *testing.F) {
	for _, m := range messages {
		f.Add(Append(nil, m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		lim := Limits{Message: 1 << 16, List: 64, Name: 64, Bytes: 1 << 20}
		m, err := Consume(b, &lim)
		if err != nil {
			return
		}
		for i := range m.Tensors {
			if m.Tensors[i].Bytes <= 1<<16 && m.Tensors[i].Memory() <= 1<<22 {
				m.Tensors[i].ReadElements(func([]byte) error { return nil })
			}
		}
		again, err := Consume(Append(nil, m), &Limits{Message: 1 << 20, List: 64, Name: 64, Bytes: 1 << 20})
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if len(again.In) != len(m.In) || len(again.Attrs) != len(m.Attrs) || again.Kind != m.Kind || again.Seq != m.Seq {
			t.Fatalf("got %+v, want %+v", again, m)
		}
	})
}
