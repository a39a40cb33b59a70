package optest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/internal/gradcheck"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // bodies and definitions use operators of other families
)

// A family is the rows of one package below ir/op, and its cases.
type family struct {
	ops       []*op.Op
	forward   []*forward.Case
	refused   []*forward.Case
	bodies    []*body
	gradients []*gradcheck.Case
	update    bool // rewrites the file of refused cases
}

// A check reports errors in one aspect of a family.
type check struct {
	name string
	run  func(f *family, errorf errorf)
}

// errorf reports an error, like [testing.T.Errorf].
type errorf func(format string, args ...any)

// checks run in this order: reads is the last one, as it reports what was recorded during the others.
var checks = []check{
	{"rows", rows},
	{"published", published},
	{"own", own},
	{"names", names},
	{"forward", evaluated},
	{"words", words},
	{"bodies", bodiesRun},
	{"types", types},
	{"refused", refused},
	{"gradients", gradients},
	{"reads", reads},
}

// Family tests the operators of the package that runs the test.
func Family(t *testing.T, ops []*op.Op) {
	f, err := read(".", ops)
	if err != nil {
		t.Fatal(err)
	}
	f.update = os.Getenv("BBGEN_UPDATE") == "1"
	atEnd(t)
	watchReads()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(f, t.Errorf) })
	}
}

// read returns the family in dir. If it does not compute anything, it may lack cases.
func read(dir string, ops []*op.Op) (*family, error) {
	f := &family{ops: ops}
	testdata := filepath.Join(dir, "testdata")
	var err error
	if slices.ContainsFunc(ops, func(o *op.Op) bool { return computes(o) && o.Flow == op.NoFlow }) {
		if f.forward, err = forward.Family(dir); err != nil {
			return nil, err
		}
	}
	if f.refused, err = optional(forward.Read(filepath.Join(testdata, "refused.txt"))); err != nil {
		return nil, err
	}
	if f.bodies, err = optional(readBodies(filepath.Join(testdata, "bodies.txtar"))); err != nil {
		return nil, err
	}
	f.gradients, err = optional(gradcheck.Read(filepath.Join(testdata, "gradients.txt")))
	return f, err
}

// optional treats a missing file as empty: the checks report missing cases.
func optional[T any](cases []T, err error) ([]T, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return cases, err
}

// has reports whether an operator is of the family.
func (f *family) has(domain, name string) bool {
	return slices.ContainsFunc(f.ops, func(o *op.Op) bool { return o.Domain == domain && o.Name == name })
}

// names checks that the operators of the cases are in the family.
func names(f *family, errorf errorf) {
	for _, c := range slices.Concat(f.forward, f.refused) {
		if !f.has(c.Domain, c.Op) {
			errorf("%s: %s is of another family, or of none", c.Place, c.Name())
		}
	}
	for _, c := range f.gradients {
		if !f.has(c.Domain, c.Op) {
			errorf("%s: the operator is of another family, or of none", c.Line)
		}
	}
}
