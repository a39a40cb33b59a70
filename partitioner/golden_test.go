package partitioner_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// TestCut shows how programs are cut, or why they are not.
func TestCut(t *testing.T) {
	golden.Run(t, "testdata/cut_*.txtar", func(t *testing.T, a *golden.Archive) {
		m := compiled(t, a.Name, a.Get("in.ir"))
		p, err := partitioner.Make(m, partitioner.Options{Unbound: !a.Has("bound")})
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/cut", partitioner.Print(p))
	})
}

// TestError shows what is said of programs that mean nothing.
func TestError(t *testing.T) {
	golden.Run(t, "testdata/error_*.txtar", func(t *testing.T, a *golden.Archive) {
		m := compiled(t, a.Name, a.Get("in.ir"))
		_, err := partitioner.Make(m, partitioner.Options{Unbound: !a.Has("bound")})
		if err == nil {
			t.Fatal("no error")
		}
		a.Check("out/error", err.Error())
	})
}

// compiled is a program before it is cut.
func compiled(t *testing.T, name, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(name, text)
	if err == nil {
		err = pass.Run(m, pass.Pipeline, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}
