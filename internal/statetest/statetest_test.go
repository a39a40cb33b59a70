package statetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/failtest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/values"
)

// errorsOf returns the errors of a test.
func errorsOf(t *testing.T, test func(testing.TB)) string {
	return strings.Join(failtest.Run(t, test).Errors, "\n")
}

// numbers is a component with a state of two numbers, and a fault.
type numbers struct {
	a, b  int32
	fault string
}

func (n *numbers) AppendBinary(b []byte) ([]byte, error) {
	if n.fault == "writes another order" {
		return values.AppendScalar(values.AppendScalar(b, n.b), n.a), nil
	}
	return values.AppendScalar(values.AppendScalar(b, n.a), n.b), nil
}

func (n *numbers) UnmarshalBinary(b []byte) error {
	var x numbers
	f := values.NewFields(b)
	values.ReadScalar(f, &x.a)
	if n.fault == "keeps a half" && f.Err() == nil {
		n.a = x.a + 1
	}
	values.ReadScalar(f, &x.b)
	switch {
	case n.fault == "reads less" && len(b) == 4, n.fault == "reads more" && len(b) > 8:
		return nil
	case n.fault == "forgets" && len(b) == 8:
		return nil
	case f.End() != nil:
		return f.End()
	}
	n.a, n.b = x.a, x.b
	return nil
}

// Each fault of a component is an error with its cause, and a component without one has none.
func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", "two.state"), []byte("01000000\n02000000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for fault, want := range map[string]string{
		"":                     "",
		"writes another order": "the state is\n0200000001000000, want\n0100000002000000",
		"keeps a half":         "a refused state changes that of the component from\n",
		"reads less":           "4 of 8 bytes are a state, too",
		"reads more":           "a state with one more byte is accepted",
		"forgets":              "the restored state is\n0000000000000000, want\n0100000002000000",
	} {
		got := errorsOf(t, func(r testing.TB) {
			Check(r, "two", &numbers{1, 2, fault}, func() runtime.Component { return &numbers{fault: fault} })
		})
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", fault, got, want)
		}
	}
	if got := errorsOf(t, func(r testing.TB) {
		Check(r, "missing", &numbers{}, func() runtime.Component { return &numbers{} })
	}); !strings.Contains(got, "missing.state") {
		t.Errorf("without its file: %s", got)
	}
	t.Setenv("BBGEN_UPDATE", "1")
	if got := errorsOf(t, func(r testing.TB) {
		Check(r, "missing", &numbers{3, 4, ""}, func() runtime.Component { return &numbers{} })
	}); got != "" {
		t.Errorf("a file is not written: %s", got)
	}
	if b, err := os.ReadFile("testdata/missing.state"); err != nil || string(b) != "0300000004000000\n" {
		t.Errorf("the file that was written has %q, %v", b, err)
	}
}

// Restart gives a component the state of another one, or says why it cannot.
func TestRestart(t *testing.T) {
	for fault, want := range map[string]string{
		"":           "",
		"reads less": "*statetest.numbers: the first 4 of 8 bytes are a state",
		"forgets":    "*statetest.numbers: the state that was read is\n",
	} {
		var to *numbers
		got := errorsOf(t, func(r testing.TB) { to = Restart(r, &numbers{1, 2, fault}, &numbers{fault: fault}) })
		if want == "" && (got != "" || to.a != 1 || to.b != 2) || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, %v, want %s", fault, got, to, want)
		}
	}
}
