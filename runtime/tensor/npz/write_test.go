package npz

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

var errFull = errors.New("no space left")

// full is a disk with room for some bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return 0, errFull
	}
	f.room -= len(b)
	return len(b), nil
}

// A disk that is full is an error, wherever it happens; an archive that is written only in part is never taken for a whole one.
func TestWriteToFullDisk(t *testing.T) {
	var whole bytes.Buffer
	if err := Write(&whole, sample()); err != nil {
		t.Fatal(err)
	}
	for room := range whole.Len() {
		if err := Write(&full{room}, sample()); !errors.Is(err, errFull) {
			t.Fatalf("with room for %d of %d bytes: %v, want %v", room, whole.Len(), err, errFull)
		}
		if _, err := Decode(whole.Bytes()[:room], 1<<20); err == nil {
			t.Fatalf("%d of %d bytes are an archive", room, whole.Len())
		}
	}
}

// An array that numpy has no type for is refused by name.
func TestWriteRefuses(t *testing.T) {
	err := Write(&bytes.Buffer{}, map[string]*tensor.Tensor{"a": tensor.New(tensor.Float32, 1), "brain": tensor.New(tensor.BFloat16, 1)})
	if err == nil || !strings.HasPrefix(err.Error(), `npz: array "brain": `) {
		t.Errorf("%v, want the name of the array", err)
	}
}
