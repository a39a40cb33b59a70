package optest

import (
	"slices"

	"github.com/bbgen/bbgen/ir/op"
)

// rows checks every row.
func rows(f *family, errorf errorf) {
	for _, o := range f.ops {
		rowWays(errorf, o)
		rowSchema(errorf, o)
	}
}

// rowWays checks that a row defines how its operator runs, and how it is differentiated.
func rowWays(errorf errorf, o *op.Op) {
	if o.Infer == nil && !o.Synonym() {
		errorf("%s has no inference", o.Key())
	}
	if o.Lower == nil && o.Expand == nil && !o.Alias && o.Flow == op.NoFlow && o.Peer == nil {
		errorf("%s cannot be lowered in any way", o.Key())
	}
	if p := o.Peer; p != nil && (o.Lower != nil || o.Grad != nil || p.Kind == 0 || p.Pass && o.In().Min == 0) {
		errorf("%s computes, or does not say what else it does: %+v", o.Key(), *p)
	}
	if p := o.Peer; p != nil && ((p.Kind == op.KindOpen) != (p.Opens != 0) || p.Timer && p.Kind != op.KindWait || p.Told && p.Kind != op.KindEmit) {
		errorf("%s: what it opens, waits for or tells is not what its kind does: %+v", o.Key(), *p)
	}
	if ways := o.Grad != nil || o.Expand != nil || o.Flow != op.NoFlow; !ways && o.Stops == "" || o.Grad != nil && o.Stops != "" {
		errorf("%s: it has a gradient, a definition that has one, or says why not: %q", o.Key(), o.Stops)
	}
	if len(o.Since) == 0 || !slices.IsSorted(o.Since) {
		errorf("%s: versions %v, want them sorted, oldest first", o.Key(), o.Since)
	}
	if o.In().Max < o.In().Min || o.Out().Max < max(o.Out().Min, 1) && !o.Effect {
		errorf("%s takes %v inputs and gives %v outputs", o.Key(), o.In(), o.Out())
	}
}

// rowSchema checks attributes, inputs and outputs.
func rowSchema(errorf errorf, o *op.Op) {
	if len(o.Outputs) == 0 && !o.Effect || len(o.Inputs) == 0 && len(o.Outputs) == 0 {
		errorf("%s has no schema", o.Key())
	}
	for i, a := range o.Attrs {
		if a.Name == "" || a.Kind == 0 || a.Required && a.Default != nil || a.Fixed && a.Default == nil {
			errorf("%s: attribute %+v", o.Key(), a)
		}
		if a.Default != nil && !a.Kind.Holds(op.Attrs(a.Name, a.Default)[0].Value) {
			errorf("%s: attribute %q is %s, and %v where it is left out", o.Key(), a.Name, a.Kind, a.Default)
		}
		if s, ok := a.Default.(string); ok && a.Values != nil && !slices.Contains(a.Values, s) {
			errorf("%s: attribute %q is %q where it is left out, which is not allowed", o.Key(), a.Name, s)
		}
		for _, b := range o.Attrs[:i] {
			if a.Name == b.Name && (b.Until == 0 || a.Since < b.Until) {
				errorf("%s: attribute %q means two things at once", o.Key(), a.Name)
			}
		}
	}
	rowPorts(errorf, o, o.Inputs)
	rowPorts(errorf, o, o.Outputs)
}

func rowPorts(errorf errorf, o *op.Op, ports []op.Port) {
	for i, p := range ports {
		like := func(q op.Port) bool { return q.Name == p.Like }
		if p.Name == "" || p.Like != "" && (p.Types != nil || !slices.ContainsFunc(o.Inputs, like) && !slices.ContainsFunc(o.Outputs, like)) {
			errorf("%s: port %+v", o.Key(), p)
		}
		if p.Variadic && i != len(ports)-1 {
			errorf("%s: %s stands for several values, and is not the last", o.Key(), p.Name)
		}
	}
}
