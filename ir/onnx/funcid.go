package onnx

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// funcID identifies an operator or function.
type funcID struct{ domain, name, overload string }

func idOf(f *ir.Func) funcID { return funcID{f.Domain, f.Name, f.Overload} }

// check rejects names that would break the lines of messages.
func (id funcID) check(what string) error {
	if id.name == "" {
		return fmt.Errorf("%s has no name", what)
	}
	for _, s := range []string{id.domain, id.name, id.overload} {
		if !isPrintable(s) {
			return fmt.Errorf("%s name %q is not printable", what, s)
		}
	}
	return nil
}
