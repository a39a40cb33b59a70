package values

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// word is a Go type of an author: a text that must not be empty; reading "panic" panics.
type word string

func (w word) AppendBinary(b []byte) ([]byte, error) {
	switch w {
	case "":
		return append(b, "half"...), errors.New("no word")
	case "panic":
		panic("no")
	}
	return append(b, w...), nil
}

func (w *word) UnmarshalBinary(b []byte) error {
	switch *w = word(b); *w {
	case "":
		return errors.New("no word")
	case "crash":
		_ = b[len(b)]
	}
	return nil
}

// Values of Go types are written within their limit, or not at all.
func TestAppendOwn(t *testing.T) {
	for _, c := range []struct {
		x    word
		want string // the output after "x", or the error
	}{
		{"four", "xfour"}, {"", "a values.word: no word"}, {"panic", "a values.word: it cannot be written: no"},
		{"fives", "a values.word of 5 bytes, want at most 4"},
	} {
		b, err := AppendOwn([]byte("x"), &c.x, 4)
		if err != nil && string(b) != "x" || err == nil && string(b) != c.want || err != nil && err.Error() != c.want {
			t.Errorf("%q: got %q, %v; want %s", c.x, b, err, c.want)
		}
	}
}

// Wrong values from peers or the host are refused by name, whatever the author's method does.
func TestTakeOwn(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"fine", ""}, {"", "a values.word of 0 bytes: no word"}, {"crash", "a values.word of 5 bytes: UnmarshalBinary panics: "},
	} {
		var x, y Own[word]
		taken := TakeOwn(&x, &wire.SlotFill{Payload: []byte(c.bytes)})
		set := SetOwn(&y, tensor.Of([]byte(c.bytes), len(c.bytes)), 8)
		for _, err := range []error{taken, set} {
			if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%q: got %v, want %s", c.bytes, err, c.want)
			}
		}
		if taken == nil && (x.X != word(c.bytes) || y.X != x.X) || taken != nil && x.there {
			t.Errorf("%q: got %v and %v", c.bytes, x, y)
		}
	}
	var x Own[word]
	for _, c := range []struct {
		v    tensor.Value
		want string
	}{
		{tensor.Of([]byte("more than 8"), 11), "a values.word of 11 bytes, want at most 8"},
		{tensor.Of([]int64{1}), "got a tensor, want the bytes of a values.word as a tensor of uint8"},
		{nil, "got nothing, want the bytes of a values.word as a tensor of uint8"},
	} {
		if err := SetOwn(&x, c.v, 8); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Snapshots hold set values; truncated or damaged bytes cause an error.
func TestKeepOwn(t *testing.T) {
	var none, some, x, y Own[word]
	some.Set("some")
	b, err := KeepOwn(nil, &none)
	if err == nil {
		b, err = KeepOwn(b, &some)
	}
	if err != nil {
		t.Fatal(err)
	}
	x.Set("old")
	r := NewFields(b)
	ReadOwn(r, &x)
	ReadOwn(r, &y)
	if err := r.End(); err != nil || x.there || y.X != "some" {
		t.Errorf("got %v and %v, %v", x, y, err)
	}
	for _, bad := range [][]byte{{}, {6, 'a'}, {1}, slices.Concat([]byte{6}, []byte("crash")), slices.Repeat([]byte{255}, 9)} {
		r := NewFields(bad)
		if ReadOwn(r, &x); r.End() == nil {
			t.Errorf("%v is read as %v", bad, x)
		}
	}
}
