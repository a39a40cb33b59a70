package state

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

// A sealed value is read unchanged; with one flipped bit it is not read as another value.
func TestSealed(t *testing.T) {
	type thing struct {
		Name  string
		Count int
	}
	want := thing{"client", 7}
	b, err := Seal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got thing
	if err := Unseal("file", b, &got); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for bit := range 8 * len(b) {
		bent := slices.Clone(b)
		bent[bit/8] ^= 1 << (bit % 8)
		var got thing
		if err := Unseal("file", bent, &got); err == nil && got != want || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("bit %d: got %+v, %v", bit, got, err)
		}
	}
	other := bytes.Replace(b, []byte("client"), []byte("server"), 1)
	if err := Unseal("file", other, &got); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "file: ") {
		t.Errorf("another content: %v", err)
	}
}

// A value of a wrong type is described in words, with the file.
func TestUnsealWords(t *testing.T) {
	b, err := Seal([]int{1})
	if err != nil {
		t.Fatal(err)
	}
	var got struct{}
	const want = "file: at byte 1: got array, want an object"
	if err := Unseal("file", b, &got); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
