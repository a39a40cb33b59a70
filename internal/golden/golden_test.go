package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/failtest"
)

// TestRun shows how to use the package.
func TestRun(t *testing.T) {
	n := 0
	Run(t, "testdata/upper*.txtar", func(t *testing.T, a *Archive) {
		n++
		a.Check("out/upper", strings.ToUpper(a.Get("in")))
	})
	if n != 2 {
		t.Errorf("%d files ran, want 2", n)
	}
}

func TestDiff(t *testing.T) {
	Run(t, "testdata/diff*.txtar", func(t *testing.T, a *Archive) {
		a.Check("out/diff", diff(a.Get("want"), a.Get("got")))
	})
}

// TestDiffLong tests that long outputs need no table.
func TestDiffLong(t *testing.T) {
	const n = 20000
	out := diff(strings.Repeat("a\nb\n", n), strings.Repeat("c\nb\n", n))
	if got, want := strings.Count(out, "\n- "), 2*n-1; got != want {
		t.Errorf("%d lines are dropped, want %d", got, want)
	}
}

const before = `What it shows.
-- in --
hello
-- out/old --
stale
-- out/upper --
hello
`

func TestFailures(t *testing.T) {
	tests := []struct {
		name string
		do   func(a *Archive)
		want string
	}{
		{"differs", func(a *Archive) { a.Check("out/upper", "HELLO") }, "out/upper differs (-want +got"},
		{"no output", func(a *Archive) { a.Check("out/lower", "hello") }, `no section "out/lower" (BBGEN_UPDATE=1 writes it)`},
		{"no input", func(a *Archive) { a.Get("in.ir") }, `no section "in.ir"`},
		{"stale", func(a *Archive) { a.Check("out/upper", "hello") }, "out/old is computed by nothing"},
		{"cannot hold", func(a *Archive) { a.Check("out/upper", "a\n-- b --\n") }, "looks like the head of a section"},
	}
	for _, tt := range tests {
		name := filepath.Join(t.TempDir(), "a.txtar")
		if err := os.WriteFile(name, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		r := failtest.Run(t, func(r testing.TB) {
			a := open(r, name, false)
			defer a.close()
			tt.do(a)
		})
		if len(r.Errors) != 1 || !strings.Contains(r.Errors[0], tt.want) {
			t.Errorf("%s: reported %q, want %q", tt.name, r.Errors, tt.want)
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != before {
			t.Errorf("%s: the file is %q, %v: want it untouched", tt.name, now, err)
		}
	}
}

func TestUpdate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txtar")
	if err := os.WriteFile(name, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	r := failtest.Run(t, func(r testing.TB) {
		a := open(r, name, true)
		a.Check("out/upper", "HELLO")
		a.Check("out/len", "5\n")
		a.close()
	})
	if len(r.Errors) > 0 {
		t.Errorf("reported %q, want nothing", r.Errors)
	}
	now, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := "What it shows.\n-- in --\nhello\n-- out/upper --\nHELLO\n-- out/len --\n5\n"
	if string(now) != want {
		t.Errorf("file differs:\n%s", diff(want, string(now)))
	}
}
