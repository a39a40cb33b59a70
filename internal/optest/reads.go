package optest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// shared are attributes that code for several operators reads, also of operators without them, with the
// reason why that is correct.
var shared = map[string]string{
	"activation":             "what is fused into a product is read where products are, fused or not",
	"auto_pad":               "windows are read in one place",
	"ceil_mode":              "windows are read in one place",
	"default_tensor":         "labels are looked up in one place",
	"input_forget":           "recurrent layers are read in one place",
	"linear_before_reset":    "recurrent layers are read in one place",
	"mode":                   "optimizers are read in one place",
	"planes":                 "convolutions with the channels last are read in one place",
	"round_mode":             "small floats are made in one place; without it they are rounded up, as by default",
	"scan_output_directions": "loops and scans are read in one place",
	"transA":                 "products are read in one place",
	"transB":                 "products are read in one place",
	"slot":                   "passes ask any node",
}

// undeclared are the attributes that were read of operators that do not declare them.
var undeclared sync.Map

// watchReads records which undeclared attributes are read: such reads would otherwise return 0 without an
// error.
func watchReads() {
	ir.SetDefaults(func(n *ir.Node, name string) any {
		declared := func(a op.Attr) bool { return a.Name == name }
		if o := op.Lookup(n); o == nil || !slices.ContainsFunc(o.Attrs, declared) && shared[name] == "" {
			undeclared.Store(fmt.Sprintf("%s:%s: %s is read, and not declared", n.Domain, n.Op, name), true)
		}
		return op.Default(n, name)
	})
}

// reads reports the recorded attributes.
func reads(_ *family, errorf errorf) {
	undeclared.Range(func(k, _ any) bool {
		errorf("%s", k)
		return true
	})
}
