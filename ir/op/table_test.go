package op

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// panics returns the panic of f.
func panics(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return ""
}

// TestNoTable: a program without the table gets an error at the first access that names the package to
// import.
func TestNoTable(t *testing.T) {
	defer func(was []*Op) { table = was }(table)
	table = nil
	for name, ask := range map[string]func(){
		"All":    func() { All() },
		"Lookup": func() { Lookup(&ir.Node{Op: "Relu"}) },
		"Find":   func() { Find("", "Relu") },
	} {
		if got := panics(ask); !strings.Contains(got, `import _ "github.com/bbgen/bbgen/ir/op/all"`) {
			t.Errorf("%s without a table: %s", name, got)
		}
	}
}

// TestTwice: each operator is in one family.
func TestTwice(t *testing.T) {
	defer func(was []*Op) { Register(was) }(table)
	relu := &Op{Name: "Relu"}
	if got := panics(func() { Register([]*Op{relu}, []*Op{relu}) }); !strings.Contains(got, ":Relu stands in the table twice") {
		t.Errorf("an operator of two families: %s", got)
	}
}
