package serve

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// drawLists draws nested lists as JSON, with spaces between all parts.
func drawLists(r *rand.Rand, shape []int, leaf func() string) string {
	space := strings.Repeat([]string{"", " ", "\n", "\t\r"}[r.IntN(4)], r.IntN(3))
	if len(shape) == 0 {
		return space + leaf() + space
	}
	items := make([]string, shape[0])
	for i := range items {
		items[i] = drawLists(r, shape[1:], leaf)
	}
	return space + "[" + space + strings.Join(items, ",") + space + "]" + space
}

// flat appends the elements of what encoding/json has read.
func flat(list []any, v any) []any {
	if items, ok := v.([]any); ok {
		for _, item := range items {
			list = flat(list, item)
		}
		return list
	}
	return append(list, v)
}

// shapeOf returns the shape of what encoding/json has read. It returns false if lists of one depth differ in length.
func shapeOf(v any) (shape []int, ok bool) {
	items, list := v.([]any)
	if !list {
		return []int{}, true
	}
	for i, item := range items {
		inner, ok := shapeOf(item)
		if !ok || i > 0 && !slices.Equal(inner, shape[1:]) {
			return nil, false
		}
		if i == 0 {
			shape = append([]int{len(items)}, inner...)
		}
	}
	if len(items) == 0 {
		return []int{0}, true
	}
	return shape, true
}

// TestListsAgainstJSON compares numbers and strings in lists with what encoding/json reads.
func TestListsAgainstJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{`"a"`, `"]"`, `"[,\""`, `"\\"`, `""`, `"\u00e9 \ud83d\ude00"`, `" , "`}
	for range 300 {
		shape := make([]int, r.IntN(4))
		for i := range shape {
			shape[i] = 1 + r.IntN(3)
		}
		for d, leaf := range map[tensor.DType]func() string{
			tensor.Float64: func() string { return fmt.Sprint(r.NormFloat64() * 1e6) },
			tensor.String:  func() string { return words[r.IntN(len(words))] },
		} {
			raw := drawLists(r, shape, leaf)
			var want any
			if err := json.Unmarshal([]byte(raw), &want); err != nil {
				t.Fatal(err)
			}
			got, err := codecs[d].decode(d, []byte(raw), nil)
			if err != nil || !slices.Equal(got.Shape, shape) {
				t.Fatalf("%s: %v, %v, want shape %v", raw, got, err, shape)
			}
			for i, v := range flat(nil, want) {
				if is := fmt.Sprint(got.Item(i).Data); is != fmt.Sprintf("[%v]", v) {
					t.Errorf("%s: element %d is %s, want %v", raw, i, is, v)
				}
			}
		}
	}
}

// TestUnevenLists draws lists of any lengths: those that are no tensor are refused, and no others.
func TestUnevenLists(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var draw func(depth int) string
	draw = func(depth int) string {
		if depth == 0 || r.IntN(12) == 0 {
			return "1"
		}
		items := make([]string, r.IntN(3))
		for i := range items {
			items[i] = draw(depth - 1)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	even := 0
	for range 2000 {
		raw := draw(1 + r.IntN(3))
		var v any
		if err := json.Unmarshal([]byte(raw), &v); err != nil {
			t.Fatal(err)
		}
		shape, ok := shapeOf(v)
		got, err := codecs[tensor.Int64].decode(tensor.Int64, []byte(raw), nil)
		if err == nil != ok || ok && !slices.Equal(got.Shape, shape) {
			t.Errorf("%s: %v, %v, want shape %v: %v", raw, got, err, shape, ok)
		}
		if ok {
			even++
		}
	}
	if even < 200 || even > 1900 {
		t.Errorf("%d of 2000 are even", even)
	}
}

// TestSizes: sizes are read as they are written, in the largest unit.
func TestSizes(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "1023": "1023", "1024": "1KiB", "65536": "64KiB", "1KiB": "1KiB", "1024KiB": "1MiB", "1536MiB": "1536MiB", "3GiB": "3GiB",
		"1048577": "1048577", "8589934591GiB": "8589934591GiB", "9223372036854775807": "9223372036854775807",
		"": "", "0": "", "-1": "", "KiB": "", "0KiB": "", "1kib": "", "1 KiB": "", "1.5GiB": "", "1TiB": "", "8589934592GiB": "", "9223372036854775808": "", "1KiBKiB": "", "0x10": "",
	} {
		var s size
		err := s.Set(text)
		if want == "" {
			if err == nil || err.Error() != "want a size above 0 as in 65536, 64KiB, 16MiB or 1GiB" || s != 0 {
				t.Errorf("%q: %v, %v", text, &s, err)
			}
			continue
		}
		if err != nil || s.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, &s, err, want)
		}
		again := size(0)
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%q is written as %v, which is read as %v, %v", text, &s, &again, err)
		}
	}
	if none := size(0); none.String() != "0" {
		t.Errorf("nothing is written as %v", &none)
	}
}

// TestRowsOfBatches: the rows of a batch are those of its requests, for each type of elements.
func TestRowsOfBatches(t *testing.T) {
	for d := tensor.Float32; d.Valid(); d++ {
		var parts []*tensor.Tensor
		for k, rows := range []int{2, 0, 1, 3} {
			p := tensor.New(d, rows, 2)
			if s, ok := p.Data.([]string); ok {
				for i := range s {
					s[i] = fmt.Sprint(k, i)
				}
			} else {
				for i := range p.Bytes() {
					p.Bytes()[i] = byte((k + i) % 2)
				}
			}
			parts = append(parts, p)
		}
		all := stack(parts)
		if !slices.Equal(all.Shape, []int{6, 2}) {
			t.Errorf("%v: the shape is %v", d, all.Shape)
		}
		at := 0
		for k, p := range parts {
			if got := rowsOf(all, at, p.Shape[0]); !tensor.Equal(got, p) {
				t.Errorf("%v: request %d has rows %v, want %v", d, k, got.Data, p.Data)
			}
			at += p.Shape[0]
		}
		if one := stack(parts[:1]); !tensor.Equal(one, parts[0]) {
			t.Errorf("%v: one request is %v, want %v", d, one, parts[0])
		}
	}
}
