package parts

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
)

// TestFactor: a factor is there once it is set, and no more if the same one is set again.
func TestFactor(t *testing.T) {
	f := &Factor{}
	times3 := func(want float32, fails bool) {
		t.Helper()
		if got, err := f.Times(3); got != want || (err != nil) != fails {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	set := func(by float32) {
		t.Helper()
		if err := f.Set(by); err != nil {
			t.Fatal(err)
		}
		f = statetest.Restart(t, f, &Factor{})
	}
	times3(0, true)
	set(2)
	times3(6, false)
	set(2)
	times3(0, true)
	set(-5)
	times3(-15, false)
}

func TestState(t *testing.T) {
	f := &Factor{by: 2, sets: 3}
	b, err := f.AppendBinary([]byte{9})
	if got, want := fmt.Sprintf("% x", b), "09 00 00 00 40 03 00 00 00"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if err := f.UnmarshalBinary(b); err == nil {
		t.Error("nine bytes are accepted")
	}
}
