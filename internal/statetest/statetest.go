// Package statetest checks the state of a component, which snapshots hold: that a newer version of bbgen reads what an
// older one has written, and that a malformed state is refused as a whole. It is for tests alone.
package statetest

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// Check compares the state of a component with testdata/NAME.state, in hexadecimal digits. Fresh returns a component of
// the same configuration without state, which is restored from the file. If the format changes on purpose, peers do not
// continue from the snapshots of an older version: docs/upgrading.md must say so, and BBGEN_UPDATE=1 writes the file.
func Check(t testing.TB, name string, c runtime.Component, fresh func() runtime.Component) {
	t.Helper()
	file := filepath.Join("testdata", name+".state")
	if os.Getenv("BBGEN_UPDATE") == "1" {
		write(t, file, stateOf(t, c))
	}
	want := read(t, file)
	if got := stateOf(t, c); !bytes.Equal(got, want) {
		t.Errorf("%s: the state is\n%x, want\n%x", file, got, want)
	}
	restored := fresh()
	if err := restored.UnmarshalBinary(bytes.Clone(want)); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if got := stateOf(t, restored); !bytes.Equal(got, want) {
		t.Errorf("%s: the restored state is\n%x, want\n%x", file, got, want)
	}
	checkRefused(t, file, c, want)
	checkRefused(t, file, fresh(), want)
}

// checkRefused checks that a state that ends early or is too long is refused, and leaves a component as it was.
func checkRefused(t testing.TB, file string, c runtime.Component, state []byte) {
	t.Helper()
	before := stateOf(t, c)
	for n := range state {
		if err := c.UnmarshalBinary(bytes.Clone(state[:n])); err == nil {
			t.Errorf("%s: %d of %d bytes are a state, too", file, n, len(state))
		}
	}
	if err := c.UnmarshalBinary(append(bytes.Clone(state), 0)); err == nil {
		t.Errorf("%s: a state with one more byte is accepted", file)
	}
	if after := stateOf(t, c); !bytes.Equal(after, before) {
		t.Errorf("%s: a refused state changes that of the component from\n%x to\n%x", file, before, after)
	}
}

// Restart gives a component, to, the state of another one, as a peer does that restarts. States that end early must be
// refused, and the state must be the same afterwards. It returns to.
func Restart[C runtime.Component](t testing.TB, from, to C) C {
	t.Helper()
	state := stateOf(t, from)
	for n := 0; n < len(state); n += 1 + n/20 {
		if err := to.UnmarshalBinary(state[:n]); err == nil {
			t.Fatalf("%T: the first %d of %d bytes are a state", to, n, len(state))
		}
	}
	if err := to.UnmarshalBinary(bytes.Clone(state)); err != nil {
		t.Fatal(err)
	}
	if again := stateOf(t, to); !bytes.Equal(again, state) {
		t.Fatalf("%T: the state that was read is\n%x, want\n%x", to, again, state)
	}
	return to
}

func stateOf(t testing.TB, c runtime.Component) []byte {
	t.Helper()
	b, err := c.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lineSize is the number of bytes in a line of the file.
const lineSize = 60

func write(t testing.TB, file string, state []byte) {
	t.Helper()
	var b strings.Builder
	for len(state) > 0 {
		n := min(lineSize, len(state))
		b.WriteString(hex.EncodeToString(state[:n]) + "\n")
		state = state[n:]
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return b
}
